"""A small sample of each format, which every strategy for that format should apply correctly."""

from __future__ import annotations

from corpora.sample import ANCHORED_FORMATS, Format, Sample
from editcore.anchors.views import changes_between, write_call
from editcore.text.diff import unified_diff
from editcore.types import Edit, File

PATH = "src/basket.py"
OLD, NEW = "    amount = 0", "    amount = 1"
TEXT = f"def total(basket):\n{OLD}\n    for item in basket:\n        amount += item.price\n    return amount\n"


def example_sample(form: Format, before: str = TEXT, *, whole: bool = False) -> Sample:
    """A sample that replaces OLD, a unique line of `before`, by NEW; for `insert`, that puts NEW below it.

    With `whole`, a pair of texts has all of `before` around that line.
    """
    after = before.replace(OLD, f"{OLD}\n{NEW}" if form == "insert" else NEW)
    line = before[: before.index(OLD)].count("\n") + 1
    patch = {
        "search_replace": f"{PATH}\n<<<<<<< SEARCH\n{OLD}\n=======\n{NEW}\n>>>>>>> REPLACE\n",
        "unified_diff": unified_diff(before, after, path=PATH) if form == "unified_diff" else "",
        "begin_patch": f"*** Begin Patch\n*** Update File: {PATH}\n@@\n-{OLD}\n+{NEW}\n*** End Patch\n",
        "insert": f"{NEW}\n",
        "line_range": f"{NEW}\n",
    }
    if form in ANCHORED_FORMATS:
        patch[form] = write_call(form, before, changes_between(before, after), path=PATH)
    return Sample(
        "example",
        form,
        (File(PATH, before),),
        "apply",
        edits=(Edit(before, after) if whole else Edit(OLD, NEW),) if form == "str_replace" else None,
        patch=patch.get(form),
        line=line if form in ("insert", "line_range") else None,
        end_line=line if form == "line_range" else None,
        target=(File(PATH, after),),
    )
