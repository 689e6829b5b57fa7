"""Asking a model for edits: which format and which rule suit it.

The author of an agent has to choose a format that the model writes and a rule that applies it. Logs answer this only
for pairs that somebody has tried. So a model is asked once for edits whose right result is known, and its replies are
kept as they were written. Every rule, even one of next year, is then scored on the same replies, offline.

    source ──▶ Task ── template ──▶ Question ── client ──▶ Reply ── reading ──▶ Sample ──▶ `editgauge run`, `answer`
               one right answer     in one format          replies               the raw call, the task's target

- **Task** (`tasks`): files as they are shown, and steps in words. A task is kept only if each step can be read in one
  way, both byte for byte and without whitespace. A wrong edit is then the model's or the rule's fault, not the task's.

      Two lines read `return a`                         ->  two readings: the task is dropped
      The same in the level `copy`, with the line above ->  the block grows until it is unique, or the task is dropped

- **Question** (`questions`, `templates`): the same words for every format. A format adds its own description and the
  view it needs (plain, or with anchors), either as the schema of one tool or as text in a fence.
- **RepliesFile** (`replies_file`): every reply, under a hash of everything that can change it: model, address,
  messages, tool, sampling, number of the repetition. A reply is appended before anything else is done with it. The
  file is cache, bill and raw data at once: a known reply is never paid again. The corpus is made anew from the whole
  file each time, so a killed asking loses no reply, and a better reader needs no new question.
- **Classes of replies**: `answered` is a sample. `no_call` and `malformed` are the model's fault, and every rule misses
  them. `refused`, `length` and `failed` say nothing about a format: they are counted apart, and only `failed` is asked
  again.
- **Budget** (`asking`): before a call is sent, the most that it can cost is reserved. A call that does not fit waits
  for the calls in flight, and the last one ends the asking. A lost reply counts as the most that it could cost.

What does not work: one question for all formats that leaves the choice to the model, which measures what it was
trained on last; and forgiving whitespace when the result is compared, which hides the very edits that destroy code.

`SHAPES` in `formats` has the questions of `editgauge repair`, whose answers are corrected edits; all else is the same.

To add a format: a file in `templates` and a line in `formats.ASKED`. A provider: a file in `clients` and a line in
its table. A kind of change: a function in `tasks.mutations` and a line in its table.
"""
