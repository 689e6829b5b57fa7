"""Properties of search/replace blocks."""

from __future__ import annotations

from dataclasses import replace

from corpora.sample import Sample
from editcore.quoting import quoted
from editcore.text.lines import BOM
from editcore.text.whitespace import trim
from editcore.types import Applied, EditResult, File, Rejected
from harness.fuzz.properties.property import Apply, Property
from harness.strategies.strategy import files_after

_BLOCKS = ("search_replace/*",)
_DAMAGED = (
    "<<<<<<< search\nx\n=======\ny\n>>>>>>> replace\n",
    "<<<< SEARCH\nx\n====\ny\n>>>> REPLACE\n",
    "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> new\n",
    "the rest\n>>>>>>> REPLACE\n",
)
_NAMES = (
    "Makefile", "my dir/b.py", "File: b.py", "**File:** `b.py`", "```python b.py", "lib/b.py", "### b.py\n\nThen:"
)  # fmt: skip


def blocks_all_or_none(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """Applied blocks are refused together with a block whose markers are damaged."""
    if isinstance(result, Rejected) or sample.patch is None:
        return None
    for damaged in _DAMAGED:
        for patch in (f"{sample.patch}\n{damaged}", f"{damaged}\n{sample.patch}"):
            if isinstance(apply(replace(sample, patch=patch, edits=None)), Applied):
                return f"applied, without the block of {quoted(damaged, limit=60)}"
    return None


def whole_lines_only(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A block replaces whole lines: a changed line keeps its indentation at most."""
    if isinstance(result, Rejected) or len(result.landings) != 1 or len(sample.before) != 1:
        return None
    if isinstance(sample.blocks, Rejected) or not sample.blocks[0].edit.old_string:
        return None
    before, after = sample.before[0].content, files_after(sample, result).get(sample.before[0].path, "")
    kept = {trim(line).strip(BOM) for line in before.split("\n")}
    new = "".join(sample.blocks[0].edit.new_string.split())  # Numbers and marks may stand in front of its lines.
    for line in after.split("\n"):
        if trim(line).strip(BOM) not in kept and "".join(line.split()).strip(BOM) not in new:
            return f"makes {quoted(line, limit=60)}, which is neither a line of the file nor one of the block"
    return None


def only_the_named_file(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """A block below another name, in any form, does not change the file."""
    if isinstance(result, Rejected) or len(sample.before) != 1 or isinstance(sample.blocks, Rejected):
        return None
    if any(block.above for block in sample.blocks):
        return None
    path, text = sample.before[0].path, sample.before[0].content
    if path.rpartition("/")[2] in ("b.py", "Makefile"):
        return None
    for name in _NAMES:
        for others in ((), (File("src/b.py", text),)):
            other = apply(
                replace(sample, before=(*sample.before, *others), patch=f"{name}\n{sample.patch}", edits=None)
            )
            if isinstance(other, Applied) and files_after(sample, other).get(path) != text:
                return f"changes {quoted(path, limit=60)} by a block under {quoted(name, limit=60)}"
    return None


_FORMATS = frozenset({"search_replace"})

PROPERTIES = (
    Property(whole_lines_only, _FORMATS, _BLOCKS),
    Property(blocks_all_or_none, _FORMATS, _BLOCKS, applies_again=True),
    Property(only_the_named_file, _FORMATS, _BLOCKS, applies_again=True),
)
