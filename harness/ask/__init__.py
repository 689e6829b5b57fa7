"""Asking a model for edits: which format and which rule suit it.

Whoever builds an agent has to choose a format that the model writes and a rule that applies it. Logs say it only of
pairs that somebody has tried. So a model is asked once for edits whose right result is known, and what it says is kept
as it was written; every rule, also one that is made next year, is then scored on the same replies, offline.

    source ──▶ Task ── template ──▶ Question ── client ──▶ Reply ── reading ──▶ Sample ──▶ `editgauge run`, `answer`
               one right answer     in one format          replies               the raw call, the task's target

- **Task** (`tasks`): files as they are shown, and steps in words. A step has readings; a task is kept only if each of
  its steps has exactly one, byte for byte and also with whitespace left out. So a wrong edit is the model's or the
  rule's, never the task's.

      The line that reads `return a` stands twice       ->  two readings: dropped
      The same in the copy level, with the line above   ->  the block grows until it stands once, or is dropped

- **Question** (`questions`, `templates`): the same words for every format; a format adds its own description and the
  view it needs (plain, or with anchors), either as the schema of one tool or as text in a fence.
- **RepliesFile** (`replies_file`): every reply, appended before anything else is done with it, under a hash of all that
  can change it: model, address, messages, tool, sampling, number of the repetition. It is cache, bill and raw data at
  once. A reply that is there is never paid again. The corpus is made from it, whole, each time, so a kill loses no
  reply, and a better reading needs no new question.
- **Classes of replies**: `answered` is a sample. `no_call` and `malformed` are the model's doing, and every rule misses
  them. `refused`, `length` and `failed` say nothing about a format: they are counted apart, and only `failed` is asked
  again.
- **Budget** (`budget`): before a call is sent, the most that it can cost is reserved; a call that does not fit waits
  for those in flight, and the last one ends the asking. A reply that is lost counts as the most that it could cost.

What does not work: one question for all formats that leaves the choice to the model, which measures what it was trained
on last; and forgiving whitespace when the result is compared, which hides the very edits that destroy code.

To add a format: a file in `templates` and a line in `formats.ASKED`. A provider: a file in `clients` and a line in its
table. A kind of change: a function in `tasks.mutations` and a line in its table.
"""
