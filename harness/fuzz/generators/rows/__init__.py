r"""What drawn edits contain, one row for each thing, with the bug that it is for.

A row changes a drawn change, and says what is right then: the change has one meaning and is made (`made`); a reading
may also refuse it, but makes nothing else of it (`or_refused`); or every reading refuses it (`refused`).

    two_places, refused       file  |load(1)     hunk  |-load(1)
                                    |return 2          |+load(3)
                                    |load(1)

To add a row, write a function that changes `change.main` or adds sections, and name the bug in the table. A program
without any bug has no finding by it: `editgauge fuzz` on a few correct programs says if that holds.
"""

from __future__ import annotations

from harness.fuzz.generators.rows import places, texts, trees
from harness.fuzz.generators.rows.row import Row

ROWS: tuple[Row, ...] = (*places.ROWS, *texts.ROWS, *trees.ROWS)
