"""Search/replace blocks, as models write them into their answers: parsed, and applied through a cascade.

    path/of/file.py
    <<<<<<< SEARCH
    the old lines
    =======
    the new lines
    >>>>>>> REPLACE

Each block is one edit of whole lines. Below its first marker, `:start_line:N`, `:end_line:N` and a rule of dashes may
follow: the line decides between places that fit equally. Text may have rows of `=` too. The divider is the row of as
many signs as the first marker has, outside of merge conflicts. If several rows remain, the file decides: the longest
search text that stands there once is meant. A backslash before a marker in the text is left out. Markers of other
lengths and words are also accepted, and fences around blocks or around everything, and the file names that
`block_paths` reads. A line outside the blocks that could be a damaged marker refuses all of them: the others may depend
on the block that cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from editcore.cascade import Cascade, named_cascade
from editcore.diagnosis import of_the_file
from editcore.errors import PatchError
from editcore.patches.block_paths import BlockPaths
from editcore.patches.reading.unwrapping import unwrapped
from editcore.patches.whole_lines import replace_at_line, replace_whole_lines
from editcore.quoting import quoted
from editcore.stale.recommended import recommended
from editcore.stale.rule import placed_in_files
from editcore.text.document import Document
from editcore.text.endings import first_is_crlf, line_feeds
from editcore.text.lines import BOM, mark_of
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
_CONFLICT_BEGINS = re.compile(r"^<{7}(?: (?!SEARCH|ORIGINAL)|\r?$)")
_CONFLICT_ENDS = re.compile(r"^>{7}(?: (?!REPLACE|UPDATED)|\r?$)")
_ESCAPED = re.compile(r"^\\(?=<{7}|={7}|>{7}|-{7}|:(?:start|end)_line:)", re.MULTILINE)
"""The backslash that Roo Code asks for before a marker in a text."""
_MOST_CUTS = 16
"""A block with more possible dividers is refused."""
_SIGNS = (re.compile(r"^\t*+(?:<{5,}+|-{5,}+) ?(?:SEARCH|ORIGINAL)\b", re.MULTILINE),)
_DAMAGED = re.compile(
    r"^\s*(?:<{4,}|>{4,}|(?:<+|-{3,}) ?(?:SEARCH|ORIGINAL)\b|(?:>{2,}|\+{3,}) ?(?:REPLACE|UPDATED)\b)", re.IGNORECASE
)
"""A line that may be a damaged marker. No block can be read while one is left over."""

_SEVERAL_DIVIDERS = (
    "the block has several '=======' lines, and which one divides it is not certain: write its three markers with "
    "eight signs each."
)
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
    cuts: tuple[Edit, ...] = ()
    """The edits that the block may mean, by its possible dividers, the shortest search text first."""


def read_blocks(text: str) -> tuple[Block, ...] | Rejected:
    """The blocks of a text in order, or a refusal if there is none or if one is malformed."""
    try:
        found = tuple(parse(unwrapped(text, _SIGNS, [])))
    except PatchError as error:
        return Rejected(error.reason, error.message)
    return found or Rejected(Reason.MALFORMED, "There is no search/replace block: '<<<<<<< SEARCH' begins one.")


def parse(text: str) -> list[Block]:
    """The blocks of a text, in order.

    Raises PatchError for a block that is not closed, and for a line outside the blocks that is a marker or could be a
    damaged one.
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
        dividers = _dividers(lines, n, range(first, end), markers)
        if len(dividers) > _MOST_CUTS:
            raise PatchError(_SEVERAL_DIVIDERS, line=n + 1)
        cuts = tuple(Edit(_text(lines[first:one]), _text(lines[one + 1 : end])) for one in dividers)
        found.append(Block(cuts[0], n + 1, start_line, tuple(above[::-1]), cuts))
        above = []
        n = end + 1
    return found


def _line_header(lines: list[str], n: int) -> tuple[int | None, int]:
    """The line that the header below a SEARCH marker states (None without one), and the first line below the header."""
    first, stated = n, _START_LINE.match(lines[n]) if n < len(lines) else None
    for part in (_START_LINE, _END_LINE, _BELOW_LINES):
        if part is not _BELOW_LINES or n > first:
            n += n < len(lines) and part.match(lines[n]) is not None
    return int(stated[1]) if stated else None, n


def _dividers(lines: list[str], head: int, body: range, markers: _Markers) -> list[int]:
    """The lines that may divide a block whose first marker is line `head`."""
    free: list[int] = []
    in_conflicts: list[int] = []
    opened: list[int] = []
    for n in body:
        if markers.divider.match(lines[n]):
            free.append(n)
        elif _CONFLICT_BEGINS.match(lines[n]):
            opened.append(len(free))
        elif opened and _CONFLICT_ENDS.match(lines[n]):
            first = opened.pop()
            in_conflicts += free[first:]
            del free[first:]
    marker = lines[head].strip()
    length = len(marker) - len(marker.lstrip(marker[0]))
    every = sorted((*free, *in_conflicts))
    exact_free, exact = ([n for n in rows if len(lines[n].strip()) == length] for rows in (free, every))
    return exact_free or free or exact or every


def _text(lines: Iterable[str]) -> str:
    return _ESCAPED.sub("", "".join([f"{line}\n" for line in lines]))


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
            path, block = _named(block, paths, path, after)
            block = _settled(block, after.get(path, ""))
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


def _named(block: Block, paths: BlockPaths, before: str | None, files: Mapping[str, str]) -> tuple[str, Block]:
    """The file of a block, and the block without a path as the first line of its search text. Raises PatchError."""
    first, _, old = block.edit.old_string.partition("\n")
    inner = paths.alone(first) if old else None
    if inner is not None and not _stands(block.edit.old_string, files[inner]):
        lines = old.split("\n")
        stated, n = _line_header(lines, 0)
        head = "\n".join([first, *lines[:n], ""])
        cuts = tuple(
            Edit(cut.old_string.removeprefix(head), cut.new_string.removeprefix(f"{first}\n")) for cut in block.cuts
        )
        named = None
        with suppress(PatchError):
            named = paths.path(block.above, block.line, None, creates=False)
        if named in (None, inner) and _stands(cuts[0].old_string, files[inner]):
            return inner, replace(block, edit=cuts[0], cuts=cuts, start_line=stated or block.start_line)
    return paths.path(block.above, block.line, before, creates=not block.edit.old_string), block


def _settled(block: Block, text: str) -> Block:
    """The block with the only edit that it can mean in a file. Raises PatchError if that is not certain."""
    if len(block.cuts) < 2:
        return block
    if not text and not block.cuts[0].old_string:
        return block
    # Where a longer search text stands, the rest of a shorter one would be the beginning of its new text.
    meant = next((cut for cut in reversed(block.cuts) if _stands(cut.old_string, text, block.start_line)), None)
    if meant is None or not _stands(meant.old_string, text, block.start_line, once=True):
        raise PatchError(_SEVERAL_DIVIDERS, line=block.line)
    return replace(block, edit=meant)


def _stands(old: str, text: str, line: int | None = None, *, once: bool = False) -> bool:
    """True if whole lines stand in a text as they are; `once`: in one place only, or else at the stated line."""
    lines, block = f"\n{line_feeds(text).removesuffix(chr(10))}\n", f"\n{line_feeds(old)}"
    at = lines.find(block) if old else -1
    if at < 0 or not once or lines.find(block, at + 1) < 0:
        return at >= 0
    return line is not None and lines.split("\n", line)[-1].startswith(block[1:])


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
    """The edits of blocks that all belong to the file `path`, the only one; None if one may mean something else."""
    paths, blocks = BlockPaths((path,)), tuple(blocks)
    if any(len(block.cuts) > 1 for block in blocks):
        return None  # The text of the file decides what such a block means.
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
    # A block is about whole lines: the last one is none other without its line feed, and a mark belongs to no line.
    mark = mark_of(text) if not edit.old_string.startswith(BOM) else ""
    feed = _missing_feed(text) if edit.old_string else ""
    document = Document(text.removeprefix(mark) + feed)
    result = replace_whole_lines(document, edit, cascade, path)
    if isinstance(result, Rejected) and result.reason is Reason.AMBIGUOUS and block.start_line is not None:
        result = replace_at_line(document, edit, cascade, path, block.start_line) or result
    if isinstance(result, Rejected):
        if on_disk not in (None, text):
            alone = replace_whole_lines(Document(on_disk or ""), edit, cascade, path)
            result = of_the_file(result, alone if isinstance(alone, Rejected) else None)
        raise PatchError(result.message, line=block.line, reason=result.reason, candidates=result.candidates)
    landings.append(Landing(path, number, result.line, result.replacer, n_lines=result.n_lines))
    return mark + result.text.removesuffix(feed)


def _missing_feed(text: str) -> str:
    """The line ending that the last line of a text lacks, like those of the others; "" if it has one."""
    if not text or text.endswith("\n"):
        return ""
    return "\r\n" if first_is_crlf(text) else "\n"
