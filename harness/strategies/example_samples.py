"""A small sample of each format, which every strategy for the format should apply correctly."""

from __future__ import annotations

from corpora.sample import Format, Sample
from editcore.formats import FORMATS, Written
from editcore.types import Edit, File

PATH = "src/basket.py"
OLD, NEW = "    amount = 0", "    amount = 1"
TEXT = f"def total(basket):\n{OLD}\n    for item in basket:\n        amount += item.price\n    return amount\n"


def example_sample(form: Format, before: str = TEXT, *, whole: bool = False) -> Sample:
    """A sample that replaces OLD, a unique line of `before`, by NEW. A format that only inserts puts NEW below OLD.

    With `whole`, a search text is all of `before`.
    """
    for after in (before.replace(OLD, NEW), before.replace(OLD, f"{OLD}\n{NEW}")):
        written = FORMATS[form].write(PATH, before, after)
        if written is not None:
            break
    assert written is not None, f"{form} can neither replace nor insert a line"
    if form == "str_replace":
        written = Written((Edit(before, after) if whole else Edit(OLD, NEW),))
    fields = {name: getattr(written, name) for name in ("edits", "patch", "line", "end_line")}
    return Sample("example", form, (File(PATH, before),), "apply", target=(File(PATH, after),), **fields)
