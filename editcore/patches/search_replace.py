"""Search/replace blocks, as models write them into their answers: parsed, and applied through a cascade.

    path/of/file.py
    <<<<<<< SEARCH
    the old lines
    =======
    the new lines
    >>>>>>> REPLACE

Each block is one edit. Also accepted: markers of other lengths and words, fences around blocks or around everything,
and file names in backticks, bold or headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from editcore.cascade import Cascade, named_cascade
from editcore.document import Document
from editcore.errors import PatchError
from editcore.patches.sections import inside
from editcore.types import Applied, Edit, EditResult, Landing, Reason, Rejected

_SEARCH = re.compile(r"^\s*(?:<{5,9}|-{5,9}) ?(?:SEARCH|ORIGINAL)\b>?.*$")
_DIVIDER = re.compile(r"^\s*={5,9}\s*$")
_REPLACE = re.compile(r"^\s*(?:>{5,9}|\+{5,9}) ?(?:REPLACE|UPDATED)\b.*$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_DECORATION = " \t\r*`#:\"'"


@dataclass(frozen=True, slots=True)
class Block:
    """A search/replace block."""

    edit: Edit
    line: int
    """1-based line of its SEARCH marker."""
    path: str | None
    """The file name above it, without decoration; None if there is none."""


def blocks(text: str) -> list[Edit]:
    """The blocks of a text as edits, in order; [] if one is malformed.

    Search and new text keep the line feed of their last lines.
    """
    try:
        return [block.edit for block in parse(text)]
    except PatchError:
        return []


def read_blocks(text: str) -> tuple[Block, ...] | Rejected:
    """The blocks of a text, in order, or a refusal if there is none or one is malformed."""
    try:
        found = tuple(parse(text))
    except PatchError as error:
        return Rejected(error.reason, error.message)
    return found or Rejected(Reason.MALFORMED, "There is no search/replace block: '<<<<<<< SEARCH' begins one.")


def parse(text: str) -> list[Block]:
    """The blocks of a text, in order. Raises PatchError for a block that is not closed or has two dividers."""
    lines = text.split("\n")
    found = []
    n = 0
    while n < len(lines):
        if not _SEARCH.match(lines[n]):
            n += 1
            continue
        divider = _marker_line(lines, n + 1, _DIVIDER, "=======", n)
        end = _marker_line(lines, divider + 1, _REPLACE, ">>>>>>> REPLACE", n)
        if any(_DIVIDER.match(line) for line in lines[divider + 1 : end]):
            raise PatchError(
                "the block has several '=======' lines: which one divides it is not certain; leave the others out.",
                line=n + 1,
            )
        old, new = (
            "".join(line + "\n" for line in part) for part in (lines[n + 1 : divider], lines[divider + 1 : end])
        )
        found.append(Block(Edit(old, new), n + 1, _name_above(lines, n)))
        n = end + 1
    return found


def _marker_line(lines: list[str], start: int, marker: re.Pattern[str], name: str, block: int) -> int:
    for n in range(start, len(lines)):
        if marker.match(lines[n]):
            return n
        if _SEARCH.match(lines[n]):
            break
    raise PatchError(f"the block has no '{name}' line: it may have been cut off; send it again whole.", line=block + 1)


def _name_above(lines: list[str], n: int) -> str | None:
    """The file name in the three lines above a block: without spaces, and with a dot or a slash."""
    for line in reversed(lines[max(n - 3, 0) : n]):
        if _REPLACE.match(line):
            return None
        name = line.strip(_DECORATION)
        if not name or _FENCE.match(line):
            continue
        return name if " " not in name and ("." in name or "/" in name) else None
    return None


def apply_search_replace(files: Mapping[str, str], text: str, *, cascade: str | Cascade = "reference") -> EditResult:
    """Apply all blocks of a text to files (path -> text), each through a cascade, all or nothing.

    A block without a file name belongs to the file of the block before it, or to the only file. A block with an empty
    search text creates a file, or fills an empty one. Raises UsageError for an unknown cascade, and nothing else.
    """
    chosen = named_cascade(cascade)
    found = read_blocks(text)
    return found if isinstance(found, Rejected) else apply_blocks(files, found, cascade=chosen)


def apply_blocks(files: Mapping[str, str], blocks: Iterable[Block], *, cascade: Cascade) -> EditResult:
    """The same for blocks that were read before, so that several cascades can share them."""
    after = dict(files)
    index = _PathIndex(after)
    landings: list[Landing] = []
    path: str | None = next(iter(files)) if len(files) == 1 else None
    try:
        for number, block in enumerate(blocks, 1):
            path = index.path(block, path)
            after[path] = _apply_block(after.get(path, ""), block, path, cascade, number, landings)
    except PatchError as error:
        return Rejected(error.reason, error.message, error.candidates)
    return Applied(files=after, landings=tuple(landings))


class _PathIndex:
    """The files, looked up by the ends of their paths."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._n_files = -1
        self._by_name: dict[str, list[str]] = {}

    def path(self, block: Block, before: str | None) -> str:
        """The path of the file that a block belongs to. Raises PatchError if that is not certain."""
        if block.path is None:
            if before is None:
                raise PatchError("the block names no file: put its path on the line above.", line=block.line)
            return before
        clean = inside(block.path, block.line)
        if clean in self._files or not block.edit.old_string:
            return clean
        ending = [path for path in self._named(clean) if path.endswith("/" + clean) or clean.endswith("/" + path)]
        if len(ending) == 1:
            return ending[0]
        if len(self._files) == 1 and before is not None:
            return before
        raise PatchError(f"There is no file {clean}.", line=block.line, reason=Reason.NOT_FOUND)

    def _named(self, path: str) -> list[str]:
        """The files of the same name, in any directory."""
        if len(self._files) != self._n_files:  # Blocks add files, and remove none.
            self._n_files = len(self._files)
            self._by_name = {}
            for one in self._files:
                self._by_name.setdefault(one.rpartition("/")[2], []).append(one)
        return self._by_name.get(path.rpartition("/")[2], [])


def _apply_block(text: str, block: Block, path: str, cascade: Cascade, number: int, landings: list[Landing]) -> str:
    edit = block.edit
    if not edit.old_string and not text:
        landings.append(Landing(path, number, 1, "created"))
        return edit.new_string
    if "\r" not in text and "\r" in edit.old_string:
        # The carriage returns belong to the answer, not to the file.
        edit = Edit(edit.old_string.replace("\r\n", "\n"), edit.new_string.replace("\r\n", "\n"))
    document = Document(text)
    result = cascade.apply(document, edit)
    if isinstance(result, Rejected):
        raise PatchError(result.message, line=block.line, reason=result.reason, candidates=result.candidates)
    landings.append(Landing(path, number, document.line_of(result.matches[0].start), result.replacer or ""))
    return result.content or ""
