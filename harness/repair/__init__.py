"""Models that repair: what a model makes of edits that a rule refuses.

Some agents send a refused edit, the file and the refusal to a second model, and apply what it answers; others let a
model merge every edit into the whole file. Whether that pays is a matter of what it rescues, what it gets wrong (most
of all of edits that are refused rightly), and what it costs. So each refusal is asked about some times over, and the
replies are kept; strategies then read them offline, as rungs behind the rule:

    sample ── RULE refuses ──▶ Question ── shape ──▶ Reply ──▶ replies file
                                                                   │
    `repair/SHAPE#DRAW@RULE=FILE.replies`  =  RULE, and where it refuses, what the DRAWth reply says

- **Shape** (`shapes`, `words`): what is sent and what is read, as a program does it, in our words. Reading repairs
  nothing: a reply that is not what the shape asks for leaves the refusal as it is.
- **Question** (`questions`): about one edit of one file. It depends on the texts alone, so that a strategy finds its
  reply again wherever the sample comes from.
- **Table** (`table`): rescued, wrong, forced, unsteady, and what it took.

To add a shape: a file in `words`, a function that reads its replies, and a line in `SHAPES`.
"""
