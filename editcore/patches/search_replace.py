"""Search/replace blocks, as models write them into their answers: parsed, and applied through a cascade.

    path/of/file.py
    <<<<<<< SEARCH
    the old lines
    =======
    the new lines
    >>>>>>> REPLACE

Each block is one edit of whole lines. Below its first marker, `:start_line:N`, `:end_line:N` and a rule of dashes may
follow: the line decides between places that fit equally. Markers of other lengths and words are also accepted, and
fences around blocks or around everything, and the file names that `block_paths` reads. A line outside the blocks that
could be a damaged marker refuses all of them: the others may depend on the block that cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from editcore.cascade import Cascade, named_cascade
from editcore.diagnosis import of_the_file
from editcore.errors import PatchError
from editcore.patches.block_paths import BlockPaths
from editcore.patches.whole_lines import replace_at_line, replace_whole_lines
from editcore.quoting import quoted
from editcore.stale.recommended import recommended
from editcore.stale.rule import placed_in_files
from editcore.text.document import Document
from editcore.types import Applied, Edit, EditResult, Landing, Reason, Rejected, leaves_files


class _Markers(NamedTuple):
    """The three lines of a block."""

    search: re.Pattern[str]
    divider: re.Pattern[str]
    replace: re.Pattern[str]

    @staticmethod
    def of(length: str) -> _Markers:
        return _Markers(
            re.compile(rf"^\s*(?:<{length}|-{length}) ?(?:SEARCH|ORIGINAL)\b>?.*$"),
            re.compile(rf"^\s*={length}\s*$"),
            re.compile(rf"^\s*(?:>{length}|\+{length}) ?(?:REPLACE|UPDATED)\b.*$"),
        )


_USUAL, _LONG = _Markers.of("{5,9}"), _Markers.of("{10,}+")
"""All markers of a block are of one kind. A long rule between usual ones is text, as below a title."""
_EDGE = re.compile(r"^\s*(?:(?:<{5,}+|-{5,}+) ?(?:SEARCH|ORIGINAL)|(?:>{5,}+|\+{5,}+) ?(?:REPLACE|UPDATED))\b")
"""The first or last marker of a block of any kind."""
_START_LINE = re.compile(r"^\s*:start_line:[ \t]*(\d{1,9})\s*$")
_END_LINE = re.compile(r"^\s*:end_line:[ \t]*\d{1,9}\s*$")
_BELOW_LINES = re.compile(r"^\s*-{5,}+\s*$")
_DAMAGED = re.compile(
    r"^\s*(?:<{4,}|>{4,}|(?:<+|-{3,}) ?(?:SEARCH|ORIGINAL)\b|(?:>{2,}|\+{3,}) ?(?:REPLACE|UPDATED)\b)", re.IGNORECASE
)
"""A line that may be a damaged marker. No block can be read while one is left over."""

MAX_BLOCKS = 100
"""Blocks that a file of any length takes."""
_MOST_CHARACTERS = 1 << 24
"""A short file takes more blocks, until they read this many characters together."""


@dataclass(frozen=True, slots=True)
class Block:
    edit: Edit
    line: int
    """1-based line of its SEARCH marker."""
    start_line: int | None = None
    """The 1-based line that the block states for its search text."""
    above: tuple[str, ...] = ()
    """The lines with text between the previous block and this one, nearest first. One of them may name the file."""


def read_blocks(text: str) -> tuple[Block, ...] | Rejected:
    """The blocks of a text in order, or a refusal if there is none or if one is malformed."""
    try:
        found = tuple(parse(text))
    except PatchError as error:
        return Rejected(error.reason, error.message)
    return found or Rejected(Reason.MALFORMED, "There is no search/replace block: '<<<<<<< SEARCH' begins one.")


def parse(text: str) -> list[Block]:
    """The blocks of a text, in order.

    Raises PatchError for a block that is not closed or has two dividers, and for a line outside the blocks that is a
    marker or could be a damaged one.
    """
    lines = text.split("\n")
    found: list[Block] = []
    above: list[str] = []
    n = 0
    while n < len(lines):
        markers = (_USUAL if _USUAL.search.match(lines[n]) else _LONG) if _EDGE.match(lines[n]) else None
        if markers is None or not markers.search.match(lines[n]):
            _check_outside(lines[n], n)
            if lines[n].strip():
                above.append(lines[n])
            n += 1
            continue
        start_line, first = _line_header(lines, n + 1)
        divider = _marker_line(lines, first, markers.divider, "=======", n)
        end = _marker_line(lines, divider + 1, markers.replace, ">>>>>>> REPLACE", n)
        if any(markers.divider.match(line) for line in lines[divider + 1 : end]):
            raise PatchError(
                "the block has several '=======' lines: which one divides it is not certain; leave the others out.",
                line=n + 1,
            )
        old, new = ("".join(line + "\n" for line in part) for part in (lines[first:divider], lines[divider + 1 : end]))
        found.append(Block(Edit(old, new), n + 1, start_line, tuple(above[::-1])))
        above = []
        n = end + 1
    return found


def _line_header(lines: list[str], n: int) -> tuple[int | None, int]:
    """The line that the header below a SEARCH marker states (None without one), and the first line below the header."""
    stated = _START_LINE.match(lines[n]) if n < len(lines) else None
    if stated is None:
        return None, n
    n += 1
    for part in (_END_LINE, _BELOW_LINES):
        n += n < len(lines) and part.match(lines[n]) is not None
    return int(stated[1]), n


def _check_outside(line: str, n: int) -> None:
    if _DAMAGED.match(line) or _USUAL.divider.match(line):
        raise PatchError(
            f"{quoted(line.strip(), limit=40)} is outside the blocks: each begins with '<<<<<<< SEARCH', is divided by "
            "'=======' and ends with '>>>>>>> REPLACE'.",
            line=n + 1,
        )


def _marker_line(lines: list[str], start: int, marker: re.Pattern[str], name: str, block: int) -> int:
    for n in range(start, len(lines)):
        if marker.match(lines[n]):
            return n
        if _EDGE.match(lines[n]):
            break
    raise PatchError(f"the block has no '{name}' line: it may have been cut off; send it again whole.", line=block + 1)


@leaves_files
def apply_search_replace(
    files: Mapping[str, str],
    text: str,
    *,
    cascade: str | Cascade = "recommended",
    seen: Mapping[str, str] | None = None,
) -> EditResult:
    """Apply all blocks of a text to files (path -> text), each through a cascade, all or nothing.

    Blocks are whole lines, and match whole lines (see `whole_lines`). A block without a file name belongs to the file
    of the previous block, or to the only file (see `block_paths`). A block with an empty search text creates a file,
    or fills an empty one. Blocks that leave every file as it was are refused. `seen`: the files that the model saw in
    another version (see `editcore.stale`). Raises UsageError for an unknown cascade, and nothing else.
    """
    chosen = named_cascade(cascade)
    if seen:
        return placed_in_files(
            seen, files, lambda known: apply_search_replace(known, text, cascade=chosen), recommended
        )
    found = read_blocks(text)
    return found if isinstance(found, Rejected) else apply_blocks(files, found, cascade=chosen)


def apply_blocks(files: Mapping[str, str], blocks: Iterable[Block], *, cascade: Cascade) -> EditResult:
    """Apply blocks that `read_blocks` read, so that several cascades can share them."""
    after, blocks = dict(files), tuple(blocks)
    states_lines = any(block.start_line is not None for block in blocks)
    paths = BlockPaths(after)
    landings: list[Landing] = []
    n_blocks: dict[str, int] = {}
    # Path -> line of each block before, and how many lines it added.
    grown: dict[str, list[tuple[int, int]]] = {}
    path: str | None = next(iter(files)) if len(files) == 1 else None
    try:
        for number, block in enumerate(blocks, 1):
            path = paths.path(block.above, block.line, path, creates=not block.edit.old_string)
            n_blocks[path] = n_blocks.get(path, 0) + 1
            _check_number(n_blocks[path], path, after.get(path, ""), block)
            before, changes = after.get(path, ""), grown.setdefault(path, [])
            after[path] = _apply_block(before, _moved(block, changes), path, cascade, number, landings, files.get(path))
            if states_lines:
                changes.append((landings[-1].line, after[path].count("\n") - before.count("\n")))
            paths.add(path)
    except PatchError as error:
        return Rejected(error.reason, error.message, error.candidates)
    if after == dict(files):
        return Rejected(Reason.IDENTICAL, "The blocks together change nothing: leave out those that undo others.")
    return Applied(files=after, landings=tuple(landings))


def _moved(block: Block, changes: Iterable[tuple[int, int]]) -> Block:
    """The block with its stated line moved by the changes above it. The line is stated for the file as it was first."""
    line = block.start_line
    if line is None:
        return block
    for at, n_added in changes:
        line += n_added if at <= line else 0
    return replace(block, start_line=line)


def _check_number(n: int, path: str, text: str, block: Block) -> None:
    """Raise PatchError for a block too many for its file: each block reads and writes the whole file."""
    if n > MAX_BLOCKS and n * len(text) > _MOST_CHARACTERS:
        raise PatchError(
            f"{path} has {n} blocks or more: a file of {len(text):,} characters takes "
            f"{max(MAX_BLOCKS, _MOST_CHARACTERS // len(text))}; join blocks, or send the rest afterwards.",
            line=block.line,
            reason=Reason.TOO_LARGE,
        )


def edits_of(path: str, blocks: Iterable[Block]) -> tuple[Edit, ...] | None:
    """The edits of blocks that all belong to the file `path`, the only one; None if one may belong to another."""
    paths = BlockPaths((path,))
    try:
        edits = [
            (paths.path(block.above, block.line, path, creates=not block.edit.old_string), block.edit)
            for block in blocks
        ]
    except PatchError:
        return None
    return tuple([edit for _, edit in edits]) if all(one == path for one, _ in edits) else None


def _apply_block(
    text: str, block: Block, path: str, cascade: Cascade, number: int, landings: list[Landing], on_disk: str | None
) -> str:
    """The text after a block. Raises PatchError. `on_disk`: the file before all blocks, whose lines refusals name."""
    edit = block.edit
    if not edit.old_string and not text:
        landings.append(Landing(path, number, 1, "created"))
        return edit.new_string
    if "\r" not in text and "\r" in edit.old_string:
        # The carriage returns belong to the answer, not to the file.
        edit = Edit(edit.old_string.replace("\r\n", "\n"), edit.new_string.replace("\r\n", "\n"))
    document = Document(text)
    result = replace_whole_lines(document, edit, cascade, path)
    if isinstance(result, Rejected) and result.reason is Reason.AMBIGUOUS and block.start_line is not None:
        result = replace_at_line(document, edit, cascade, path, block.start_line) or result
    if isinstance(result, Rejected):
        if on_disk not in (None, text):
            alone = replace_whole_lines(Document(on_disk or ""), edit, cascade, path)
            result = of_the_file(result, alone if isinstance(alone, Rejected) else None)
        raise PatchError(result.message, line=block.line, reason=result.reason, candidates=result.candidates)
    landings.append(Landing(path, number, result.line, result.replacer))
    return result.text
