"""One small edit in every format that peers take."""

from __future__ import annotations

from corpora.sample import Format, Sample
from editcore.types import Edit, File

BEFORE = (File("a.py", "one = 1\ntwo = 2\nthree = 3\n"),)
PATCHES: dict[Format, str] = {
    "search_replace": "a.py\n<<<<<<< SEARCH\ntwo = 2\n=======\ntwo = 22\n>>>>>>> REPLACE\n",
    "unified_diff": "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n one = 1\n-two = 2\n+two = 22\n three = 3\n",
    "begin_patch": (
        "*** Begin Patch\n*** Update File: a.py\n@@\n one = 1\n-two = 2\n+two = 22\n three = 3\n*** End Patch\n"
    ),
}
AFTER = {"a.py": "one = 1\ntwo = 22\nthree = 3\n"}


def example(form: Format, *, whole: bool = False) -> Sample:
    """The same small edit in any format that peers take; `whole` has all lines around the change."""
    pair = Edit(BEFORE[0].content, AFTER["a.py"]) if whole else Edit("two = 2\n", "two = 22\n")
    edits = (pair,) if form != "unified_diff" and form != "begin_patch" else None
    target = tuple(File(path, text) for path, text in AFTER.items())
    return Sample(form, form, BEFORE, "apply", edits, PATCHES.get(form), target=target)


DIFF = example("unified_diff")
