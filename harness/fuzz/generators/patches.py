"""Generators of patches of every format: correct ones, damaged ones, and pieces of patches in any order."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from editcore.formats import ANCHORED_FORMATS, FORMATS
from harness.fuzz.generators.edits import changed
from harness.fuzz.generators.mutate import drifted
from harness.fuzz.inputs import PATH

ENVELOPE_PIECES = (
    "*** Begin Patch", "*** End Patch", "*** Update File: f", "*** Update File: g", "*** Add File: n",
    "*** Delete File: f",
    "*** Move to: g", "*** End of File", "*** Environment ID: e", "@@", "@@ a", "@@ def f0(x):", "@@ -1,2 +1,2 @@",
    "```",
    "<<'EOF'", "EOF", " a", "-a", "+b", "+", "-", " ", "", "\t", "\ufeff", "*** Update File: ../f", "*** Add File: /n",
)  # fmt: skip
DIFF_PIECES = (
    "diff --git a/f b/f", "diff --git a/f b/g", "--- a/f", "+++ b/f", "--- f", "+++ f", "--- /dev/null",
    "+++ /dev/null",
    '--- "a/\\303\\251"', "rename from f", "rename to g", "new file mode 100644", "deleted file mode 100644",
    "old mode 100644",
    "copy from f", "index 1..2", "GIT binary patch", "@@", "@@ @@", "@@ ... @@", "@@ -1,2 +1,2 @@", "@@ -1 +1 @@ a",
    "@@ -0,0 +1 @@", "@@ -99999999999999999999 +1 @@", "@@ -1,2 +1,", " a", "-a", "+b", "+", "-", " ", "",
    "\\ No newline at end of file", "```diff", "> ", "--- a/../f", "-- ",
)  # fmt: skip
BLOCK_PIECES = (
    "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "f", "```", "<<<<<<< ORIGINAL", ">>>>>>> UPDATED", "a", ""
)  # fmt: skip
HUNK_PIECES = (
    "PUT 1.=2:", "PUT 2.=2:", "PUT <1:", "PUT >1:", "PUT >$:", "PUT 1*:", "CUT 1.=1",
    "CUT 2.=3 @r", "CUT 1*", "PUT >1 @r",
    "PUT >2", "PUT 1.=1: @r", "+a", "+", "a", "-a", "- a", "", "2:a", "PUT 1-2:", "PUT 3.=1:", "1.=2:", "REM", "MV g",
    "[f#0000]", "*** Begin Patch", "*** End Patch", "*** Abort", "# a",
)  # fmt: skip
JSON_PIECES = (
    '"lines": null', '"lines": [""]', '"op": "append"', '"op": "prepend"', '"pos": "1#ZZ"', '"new_text": ""',
    '["0|AA|", "a", "x"]', '["$", "d"]', '"%"', "{"
)  # fmt: skip
PIECES: Mapping[str, tuple[str, ...]] = {
    "begin_patch": ENVELOPE_PIECES, "unified_diff": DIFF_PIECES, "search_replace": BLOCK_PIECES,
    **dict.fromkeys(ANCHORED_FORMATS, (*HUNK_PIECES, *JSON_PIECES)),
}  # fmt: skip
"""Format -> lines and words of its grammar."""


def envelope_for(content: str, rng: Random) -> str:
    """A Begin/End Patch for a file, mostly with a few small errors."""
    written = FORMATS["begin_patch"].write(PATH, content, changed(content, rng))
    return drifted((written and written.patch) or "", rng)
