"""How aider applies unified diffs: each hunk is a search and replace. Line numbers mean nothing.

    hunk | a       search |a
         |-b              |b
         |+B

The search text is replaced wherever it occurs. If it does not occur, it is looked for without blank lines at its
ends, then by changes of indentation, then by both. If it still does not occur, each change is made by itself, with
ever less of its context. A diff without fences is put into fences, one for each file, as aider asks models to write
it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from posixpath import normpath

from editcore.agents.diffs.flexible import Content
from editcore.agents.diffs.line_diff import difference, efficient, semantic
from editcore.agents.envelopes.sections import Tree, is_outside
from editcore.agents.matching import Work
from editcore.agents.rule import Rule
from editcore.errors import PatchError
from editcore.types import EditResult, Reason, Rejected

# Models forget to mark added lines. aider therefore compares the old side of a hunk with the file:
#
#     old side |a|b|c|       file |a|c|d|       read as | a
#                                                       |-b
#
# Its diff is made by diff-match-patch, on one character for each line. The cleanups of that diff drop equal parts that
# are short beside the rest of the file. So this finds lines only in a file that is hardly longer than the hunk.

_LINE = re.compile(r"[^\n]*+\n|[^\n]++\Z")


def present(old: str, content: str, work: Work) -> list[str]:
    """The lines of the old side, each behind a space if the file has it, else behind a minus sign."""
    known: dict[str, int] = {}
    one, two = (
        "".join([chr(known.setdefault(line, len(known) + 1)) for line in _LINE.findall(text)])
        for text in (old, content)
    )
    lines = ["", *known]
    found: list[str] = []
    for mark, symbols in efficient(semantic(difference(one, two, work))):
        if mark <= 0:
            text = "".join([lines[ord(symbol)] for symbol in symbols])
            found += [("-" if mark else " ") + line for line in text.splitlines(keepends=True)]
    return found


_FENCE = "```"
_SHORT = 10
_SHARE = 0.66

Lines = list[str]


def aider_udiff(files: Mapping[str, str], patch: str) -> EditResult:
    """Apply a unified diff as aider does. Hunks that fit are written even if another one refuses the patch."""
    edits = list(_edits(patch))
    if not edits:
        raise PatchError("no edit was found", line=1)
    for path, _ in edits:
        if is_outside(path):
            raise PatchError(f"{path} is outside the folder", reason=Reason.OUTSIDE_WORKSPACE)
    tree = Tree(files)
    # A file that cannot be made is passed over, with its hunks.
    edits = [(path, hunk) for path, hunk in edits if not tree.has_file_above(path)]
    for path, _ in edits:
        if normpath(path) not in tree.files:
            tree.write(path, "")
    work = Work("aider's search for hunks")
    distinct = {(path, *hunk): None for path, lines in edits if (hunk := _normal(lines, work))}
    refusal: PatchError | None = None
    for path, *hunk in distinct:
        after = _applied(_line_feeds(tree.text(path, 1)), hunk, work)
        if after:
            tree.write(path, after)
        elif refusal is None:
            refusal = PatchError(f"{path} does not contain lines that match the diff", reason=Reason.NO_MATCH)
    return Rejected(refusal.reason, refusal.message, files=tree.files) if refusal else tree.applied()


def _line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _edits(patch: str) -> Iterator[tuple[str, Lines]]:
    """(path, lines) of each hunk. A hunk without a path belongs to the file of the previous hunk."""
    last = None
    for block in _blocks(patch.splitlines(keepends=True)):
        for named, hunk in _hunks(block):
            last = named or last
            if last is None:
                raise PatchError("a hunk without a file's name", line=1)
            yield last, hunk


def _blocks(lines: Lines) -> Iterator[Lines]:
    """The contents of fences; without fences, the diff of each file up to the next line of `diff --git`."""
    if not any(line.startswith("```diff") for line in lines):
        heads = [n for n, line in enumerate(lines[:-1]) if line.startswith("--- ") and lines[n + 1].startswith("+++ ")]
        for start, end in zip(heads or [0], [*heads[1:], len(lines)], strict=True):
            diff = lines[start:end]
            stop = next((n for n, line in enumerate(diff) if line.startswith("diff --git ")), len(diff))
            body = diff[:stop]
            if body and not body[-1].endswith("\n"):
                body[-1] += "\n"
            yield body[: next((n for n, line in enumerate(body) if line.startswith(_FENCE)), len(body))]
        return
    if lines and not lines[-1].endswith("\n"):
        lines = [*lines[:-1], f"{lines[-1]}\n"]
    at = 0
    while at < len(lines):
        at += 1
        if lines[at - 1].startswith("```diff"):
            if at == len(lines):
                raise PatchError("a fence without lines", line=at)
            # Without a closing fence, the last line is lost.
            end = next((n for n in range(at, len(lines)) if lines[n].startswith(_FENCE)), len(lines) - 1)
            yield lines[at:end]
            at = end + 1


def _hunks(block: Lines) -> Iterator[tuple[str | None, Lines]]:
    """(path or None, lines) of each hunk of a fence. Hunks that change nothing are left out."""
    block = [*block, "@@ @@"]
    path = None
    if block[0].startswith("--- ") and block[1].startswith("+++ "):
        old, path = block[0][4:].strip(), block[1][4:].strip()
        if (old.startswith("a/") or old == "/dev/null") and path.startswith("b/"):
            path = path[2:]
        block = block[2:]
    has_change = False
    hunk: Lines = []
    for line in block:
        hunk.append(line)
        if len(line) < 2:
            continue
        is_name = line.startswith("+++ ")
        if is_name and (len(hunk) < 2 or (len(hunk) < 3 and hunk[-2].startswith("--- "))):
            raise PatchError("list index out of range", line=1)
        if is_name and hunk[-2].startswith("--- "):
            yield path, hunk[: -3 if hunk[-3] == "\n" else -2]
            hunk, has_change, path = [], False, line[4:].strip()
        elif line[0] in "-+":
            has_change = True
        elif line[0] == "@":
            if has_change:
                yield path, hunk[:-1]
            hunk, has_change = [], False


def _sides(hunk: Sequence[str]) -> tuple[Lines, Lines]:
    """The lines before and after. A line of one character has no mark and belongs to both sides."""
    before: Lines = []
    after: Lines = []
    for line in hunk:
        mark, text = (" ", line) if len(line) < 2 else (line[0], line[1:])
        before += [text] if mark in " -" else []
        after += [text] if mark in " +" else []
    return before, after


def _normal(hunk: Lines, work: Work) -> Lines:
    """The hunk as difflib writes it; empty if it changes nothing."""
    before, after = ([_without_blanks(line) for line in side] for side in _sides(hunk))
    return _diff(before, after, work)


def _without_blanks(line: str) -> str:
    """A blank line as its line ending. Without an ending, it becomes another character, as in the program."""
    return line if line.strip() else line[-(len(line) - len(line.rstrip("\r\n")))]


def _diff(before: Lines, after: Lines, work: Work) -> Lines:
    work.spend(len(before) * len(after) + 100 * (len(before) + len(after)))
    return list(difflib.unified_diff(before, after, n=max(len(before), len(after))))[3:]


def _applied(content: str, hunk: Lines, work: Work) -> str | None:
    """The text after a hunk; None or "" if the hunk does not fit."""
    if not "".join(_sides(hunk)[0]).strip():
        return content + "".join(_sides(hunk)[1])
    found = _replaced(Content(content, work), hunk)
    if found:
        return found
    pieces = _pieces(_explicit(content, hunk, work))
    for above, change, below in zip(pieces[::2], pieces[1::2], pieces[2::2], strict=False):
        found = _partly(Content(content, work), above, change, below)
        if not found:
            return None
        content = found
    return content


def _replaced(content: Content, hunk: Sequence[str]) -> str | None:
    before, after = _sides(hunk)
    search = "".join(before)
    if not search:
        return None
    if len("".join([line.strip() for line in before])) < _SHORT and content.text.count(search) > 1:
        return None
    return content.replaced(search, "".join(after))


def _pieces(hunk: Lines) -> list[Lines]:
    """The hunk cut into context, change, context, change, ..., context."""
    pieces = [list(lines) for _, lines in groupby(hunk, lambda line: line[0] in "-+")]
    if hunk and hunk[0][0] in "-+":
        pieces.insert(0, [])
    return pieces if len(pieces) % 2 else [*pieces, []]


def _partly(content: Content, above: Lines, change: Lines, below: Lines) -> str | None:
    """The text after a change with as much of its context as fits. More context above is tried before more below."""
    for n in range(len(above) + len(below), -1, -1):
        for n_above in range(min(len(above), n), max(n - len(below), 0) - 1, -1):
            found = _replaced(content, [*above[len(above) - n_above :], *change, *below[: n - n_above]])
            if found:
                return found
    return None


def _explicit(content: str, hunk: Lines, work: Work) -> Lines:
    """The hunk with plus signs before lines that the file lacks, if enough of its lines are in the file."""
    before, after = _sides(hunk)
    kept = present("".join(before), content, work)
    found = _replaced(Content("".join(before), work), kept)
    if not found or len(found.strip()) < _SHORT or len(found.splitlines()) < len(before) * _SHARE:
        return hunk
    return _diff(found.splitlines(keepends=True), "".join(after).splitlines(keepends=True), work)


RULES: dict[str, Rule] = {"aider_udiff": aider_udiff}
