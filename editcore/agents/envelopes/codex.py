"""How Codex before 0.169, Roo Code, OpenClaw and WebCodex apply an envelope: blocks of lines are replaced by others,
context too.

    file |  x = 1       hunk | x = 1        written |x = 1       context is written as the patch has it
         |y = 2              |-y = 2                |y = 3
         |                   |+y = 3

The block is looked for by ever looser comparison, below the previous one, and the first place is taken. A loose match
also changes lines that the patch does not change. 0.77 differs from 0.146 in its parser: it refuses whitespace at its
markers, a second end marker and an Environment ID, and passes over blank lines where a hunk should begin. OpenClaw and
WebCodex refuse a block that has a second place by the equality that finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from operator import itemgetter
from posixpath import normpath

from editcore.agents.envelopes.sections import Tree, is_outside, place_of
from editcore.agents.matching import PUNCTUATION
from editcore.agents.rule import Rule
from editcore.errors import PatchError
from editcore.patches.codex import EQUALITIES, Seek, placed_hunks
from editcore.patches.reading.envelope import parse_codex
from editcore.patches.sections import check_number
from editcore.text.endings import is_mostly_crlf, line_feeds, with_crlf
from editcore.text.line_index import EQUALITIES as LINE_EQUALITIES
from editcore.text.line_index import Equality, LineIndex, exact, trimmed
from editcore.text.whitespace import WHITESPACE, trim
from editcore.types import EditResult, FilePatch, Hunk, Reason, Rejected


def first_place(index: LineIndex, block: list[str], cursor: int, end_of_file: bool) -> tuple[int, str] | None:
    """The first place from the cursor on, by each equality over all of the file; only its end if that is marked."""
    if not block:
        return cursor, "exact"
    start = max(len(index.lines) - len(block), 0) if end_of_file else cursor
    return place_of(index, block, EQUALITIES, (start,))


def only_place(index: LineIndex, block: list[str], cursor: int, end_of_file: bool) -> tuple[int, str] | None:
    """The same place, if its equality gives no second one. Raises PatchError for two."""
    found = first_place(index, block, cursor, end_of_file)
    if (
        block
        and found
        and not end_of_file
        and next(index.places(block, found[1], start=found[0] + 1), None) is not None
    ):
        message = f"the lines occur at line {found[0] + 1} and again below: add lines that make them unique."
        raise PatchError(message, reason=Reason.AMBIGUOUS)
    return found


def updated(
    text: str,
    section: FilePatch,
    tree: Tree,
    *,
    steps: Mapping[str, Equality] = LINE_EQUALITIES,
    seek: Seek = first_place,
    above_blank: bool = True,
    keeps_final: bool = False,
    below_anchor: bool = False,
) -> str:
    """The text with the hunks of an update applied at their first places. It ends in a line feed.

    Hunks that only add lines go to the end, with `above_blank` above a blank last line. With `keeps_final`, the last
    line feed also stays if the last line is blank after the update.
    """
    lines = text.split("\n")
    had_final = not lines[-1]
    if had_final:
        lines.pop()
    end = len(lines) - (above_blank and bool(lines) and not lines[-1])
    index = LineIndex(lines, equalities=steps)
    anchors = first_place if seek is only_place else seek
    placed = placed_hunks(index, section, tree.landings, seek, end=end, seek_anchor=anchors, below_anchor=below_anchor)
    after: list[str] = []
    done = 0
    for at, hunk in sorted(placed, key=itemgetter(0)):
        after += [*lines[done:at], *hunk.new]
        done = max(at + len(hunk.old), done)
    after += lines[done:]
    if (had_final and keeps_final) or not after or after[-1]:
        after.append("")
    return "\n".join(after)


# The parser of envelopes that Codex had up to 0.77; Roo Code's is a port of it.
#
# A blank line is passed over where a hunk should begin, is context in a hunk, and is an error where a section should
# begin. A hunk ends at the first line without a mark, which begins the next hunk or section, or is an error.

_BEGIN, _END, _EOF, _MOVE = "*** Begin Patch", "*** End Patch", "*** End of File", "*** Move to: "
_HEADERS = {"*** Add File: ": "add", "*** Delete File: ": "delete", "*** Update File: ": "update"}

Update = Callable[[str, FilePatch, Tree], str]
Trim = Callable[[str], str]
"""Removes whitespace, as the language of the program defines it, at both ends."""


def sections_of(patch: str, *, trim: Trim = trimmed, is_codex: bool = False) -> list[FilePatch]:
    """Read the sections of an envelope with the `trim` of one program.

    Codex itself removes carriage returns from its lines, and wants both markers without whitespace. Raises PatchError
    for a line outside the format.
    """
    lines = trim(patch).split("\n")
    if is_codex:
        lines = [line.removesuffix("\r") for line in lines]
    if len(lines) >= 4 and lines[0] in ("<<EOF", "<<'EOF'", '<<"EOF"') and lines[-1].endswith("EOF"):
        lines = lines[1:-1]
    markers = [line if is_codex else trim(line) for line in (lines[0], lines[-1])]
    if markers != [_BEGIN, _END]:
        raise PatchError(f"The patch must begin with '{_BEGIN}' and end with '{_END}'", line=1)
    body = lines[1:-1]
    found: list[FilePatch] = []
    at = 0
    while at < len(body):
        section, at = _section(body, at, trim)
        found.append(section)
    return found


def _section(lines: list[str], at: int, trim: Trim) -> tuple[FilePatch, int]:
    """The section whose header is line `at`, and the index of the line after it."""
    first = trim(lines[at])
    header = next((one for one in _HEADERS if first.startswith(one)), None)
    if header is None:
        raise PatchError(f"'{first}' is not a valid hunk header.", line=at + 2)
    path, action, number = first[len(header) :], _HEADERS[header], at + 2
    at += 1
    if action == "add":
        end = next((n for n in range(at, len(lines)) if not lines[n].startswith("+")), len(lines))
        hunks = (Hunk(tuple(lines[at:end]), at + 2),) if end > at else ()
        return FilePatch("add", path, number, hunks=hunks), end
    if action == "delete":
        return FilePatch("delete", path, number), at
    move_to = lines[at][len(_MOVE) :] if at < len(lines) and lines[at].startswith(_MOVE) else None
    at += move_to is not None
    found: list[Hunk] = []
    while at < len(lines) and not lines[at].startswith("***"):
        if not trim(lines[at]):
            at += 1
            continue
        hunk, at = _hunk(lines, at, is_first=not found)
        found.append(hunk)
    if not found:
        raise PatchError(f"Update file hunk for path '{path}' is empty", line=number)
    return FilePatch("update", path, number, move_to, tuple(found)), at


def _hunk(lines: list[str], at: int, *, is_first: bool) -> tuple[Hunk, int]:
    """The hunk that begins at line `at`, and the index of the line after it."""
    head = lines[at]
    has_head = head == "@@" or head.startswith("@@ ")
    if not has_head and not is_first:
        raise PatchError(f"Expected update hunk to start with a @@ context marker, got: '{head}'", line=at + 2)
    number = at + 2
    at += has_head
    marked: list[str] = []
    is_end = False
    while at < len(lines):
        line = lines[at] or " "
        is_end = line == _EOF and bool(marked)
        at += is_end
        if is_end or line[0] not in " +-":
            break
        marked.append(line)
        at += 1
    if not marked:
        raise PatchError("Update hunk does not contain any lines", line=number)
    anchors = (head[3:],) if head.startswith("@@ ") else ()
    return Hunk(tuple(marked), number, anchors, end_of_file=is_end), at


def codex_0_146(files: Mapping[str, str], patch: str) -> EditResult:
    return applied(files, parse_codex(patch))


def codex_0_77(files: Mapping[str, str], patch: str) -> EditResult:
    return applied(files, sections_of(patch, is_codex=True))


def openclaw_patch(files: Mapping[str, str], patch: str) -> EditResult:
    return applied(
        files, sections_of(line_feeds(patch), trim=trim), partial(updated, steps=JAVASCRIPT_STEPS, seek=only_place)
    )


def webcodex_patch(files: Mapping[str, str], patch: str) -> EditResult:
    """Apply an envelope as WebCodex does, in its mode `unique`: all of it or nothing."""
    return applied(files, sections_of(line_feeds(patch), trim=trim), _uniform, in_part=False)


def _uniform(text: str, section: FilePatch, tree: Tree) -> str:
    if 0 < text.count("\r\n") < text.count("\n"):
        raise PatchError(f"{section.path} mixes line endings.", reason=Reason.NOT_ALLOWED)
    after = updated(line_feeds(text), section, tree, seek=only_place, above_blank=False, below_anchor=True)
    return with_crlf(after, "\r\n" in text)


def applied(
    files: Mapping[str, str], sections: list[FilePatch], update: Update = updated, *, in_part: bool = True
) -> EditResult:
    """The sections applied in turn. With `in_part`, those before a failing one stay."""
    check_number(sections)
    tree = Tree(files)
    try:
        if not sections:
            raise PatchError("No files were modified: the patch has no sections.")
        for section in sections:
            _apply(tree, section, update)
    except PatchError as error:
        return Rejected(error.reason, error.message, files=tree.files if in_part else None)
    return tree.applied()


def _apply(tree: Tree, section: FilePatch, update: Update) -> None:
    if update is not updated and any(map(is_outside, filter(None, (section.path, section.move_to)))):
        raise PatchError(f"{section.path} is outside the workspace.", reason=Reason.OUTSIDE_WORKSPACE)
    if section.action == "add":
        tree.write(section.path, "".join(line[1:] + "\n" for hunk in section.hunks for line in hunk.lines))
        return
    text = tree.text(section.path, section.patch_line)
    if section.action == "delete":
        tree.remove(section.path)
        return
    after = update(text, section, tree)
    tree.write(section.path if section.move_to is None else section.move_to, after)
    if section.move_to is not None:
        tree.remove(section.path)


# Roo Code's apply_patch is a port of an early Codex, with JavaScript's whitespace.
#
#     file |\ufeffx = 1      hunk |-x = 1      JavaScript also trims a byte order mark: the line matches, and the mark
#          |y = 2                 |+x = 3      goes with it

JAVASCRIPT_STEPS = {
    "exact": exact,
    "right_trimmed": lambda line: line.rstrip(WHITESPACE),
    "trimmed": trim,
    "folded": lambda line: trim(line).translate(PUNCTUATION),
}


def roo_patch(files: Mapping[str, str], patch: str) -> EditResult:
    """Apply an envelope as Roo Code does. A section that cannot be written does not stop the others."""
    sections = sections_of(patch, trim=trim)
    if not sections:
        raise PatchError("No file operations found in patch.", line=1)
    before, tree = Tree(files), Tree(files)
    after = [_after(before, section, tree) for section in sections]
    refusal: PatchError | None = None
    for section, text in zip(sections, after, strict=True):
        try:
            _write(tree, section, text)
        except PatchError as error:
            refusal = refusal or error
    return Rejected(refusal.reason, refusal.message, files=tree.files) if refusal else tree.applied()


def _after(before: Tree, section: FilePatch, tree: Tree) -> str:
    if section.action == "add":
        return "".join(line[1:] + "\n" for hunk in section.hunks for line in hunk.lines)
    text = before.text(section.path, section.patch_line)
    if section.action == "delete":
        return ""
    after = updated(text, section, tree, steps=JAVASCRIPT_STEPS)
    return text if after == text else with_crlf(line_feeds(after), is_mostly_crlf(text))


def _write(tree: Tree, section: FilePatch, text: str) -> None:
    there = tree.files.get(normpath(section.path))
    for path in (section.path, section.move_to or ""):
        if is_outside(path):
            raise PatchError(f"{path} is outside the workspace.", reason=Reason.OUTSIDE_WORKSPACE)
    if section.action == "add":
        if there is not None:
            raise PatchError(f"File already exists: {section.path}.", reason=Reason.NOT_ALLOWED)
        tree.write(section.path, text)
    elif there is None:
        raise PatchError(f"File not found: {section.path}.", reason=Reason.NOT_FOUND)
    elif section.action == "delete":
        tree.remove(section.path)
    elif text != there:
        tree.write(section.move_to or section.path, text)
        if section.move_to:
            tree.remove(section.path)


RULES: dict[str, Rule] = {
    "codex_0_77": codex_0_77,
    "codex_0_146": codex_0_146,
    "roo_patch": roo_patch,
    "openclaw_patch": openclaw_patch,
    "webcodex_patch": webcodex_patch,
}
