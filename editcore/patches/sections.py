"""Applying the sections of a parsed patch, an envelope or a unified diff, to files.

A patch is applied as a whole or not at all. Context lines stay as the file has them, and so do lines that one change
removes and adds. Added lines get the line ending of their neighbours. The file keeps its last line feed, or the lack
of one, unless the patch says otherwise. If lines match but for one uniform difference in indentation, added lines are
re-indented by it; other differences are refused. A patch that changes nothing is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, groupby
from posixpath import join

from editcore.errors import PatchError
from editcore.patches.placing.place_by_content import place
from editcore.patches.placing.policy import (
    MARKER_IGNORED,
    ByNumber,
    Format,
    May,
    Placed,
    Policy,
    changes,
    n_added_above,
    runs,
)
from editcore.patches.reading.envelope import NO_SECTIONS
from editcore.quoting import normal_path
from editcore.text.endings import first_is_crlf, line_feeds, with_crlf
from editcore.tiers.merging.merge import partners
from editcore.types import Applied, FilePatch, Landing, Reason

MAX_SECTIONS = 100
"""Sections that a patch may have for one file: each reads and writes the whole file."""


def apply_sections(
    files: Mapping[str, str], sections: Sequence[FilePatch], policy: Policy, notes: Sequence[str] = ()
) -> Applied:
    """Apply sections in order, each to the result of the previous ones. Raises PatchError."""
    if not sections:
        is_diff = policy.format is Format.DIFF
        raise PatchError("the patch has no hunks: '@@' begins one." if is_diff else NO_SECTIONS, line=1)
    check_number(sections)
    after = dict(files)
    landings: list[Landing] = []
    emptied: set[str] = set()
    for section in sections:
        is_changed = section.path in files and after.get(section.path) not in (None, files[section.path])
        try:
            _apply(after, section, policy, landings, emptied)
        except PatchError as error:
            is_misplaced = is_changed and error.reason in (Reason.NO_MATCH, Reason.AMBIGUOUS)
            raise _of_the_file(error, files, section, policy) if is_misplaced else error from None
    if after == dict(files) and May.CHANGE_NOTHING not in policy.may:
        raise PatchError("the patch changes nothing: - and + mark what does.", line=1, reason=Reason.IDENTICAL)
    _check_tree(after, after.keys() - files.keys(), sections)
    return Applied(files=after, landings=tuple(landings), notes=tuple(notes))


def _of_the_file(error: PatchError, files: Mapping[str, str], section: FilePatch, policy: Policy) -> PatchError:
    """The error of a section with lines of the file as it is, not of the result of the previous sections."""
    try:
        _apply(dict(files), section, policy, [], set())
    except PatchError as alone:
        if alone.reason is error.reason:
            return alone
        text = f"{error.message} Lines are counted in what the sections before it leave."
        return PatchError(text, reason=error.reason)
    message = f"the hunks fit {section.path} as it is, but not what the sections before them leave: join the sections."
    return _refusal(section, message, error.reason)


def _refusal(section: FilePatch, message: str, reason: Reason) -> PatchError:
    return PatchError(message, line=section.patch_line, reason=reason)


def check_number(sections: Sequence[FilePatch]) -> None:
    if len(sections) <= MAX_SECTIONS:
        return
    seen: dict[str, int] = {}
    for section in sections:
        seen[section.path] = seen.get(section.path, 0) + 1
        if seen[section.path] > MAX_SECTIONS:
            message = f"{section.path} has more than {MAX_SECTIONS} sections: join their hunks in one."
            raise _refusal(section, message, Reason.TOO_LARGE)


def _check_tree(after: Mapping[str, str], added: Collection[str], sections: Sequence[FilePatch]) -> None:
    """Raise PatchError if an added file would also be a directory, or would be below a file."""
    for path in after if added else ():
        for above in accumulate(path.split("/")[:-1], join):
            if above in after and (above in added or path in added):
                new = path if path in added else above
                line = max(one.patch_line for one in sections if inside(one.move_to or one.path, 1) == new)
                raise PatchError(
                    f"{above} can't be a file and hold {path} at once.", line=line, reason=Reason.NOT_ALLOWED
                )


def inside(path: str, line: int) -> str:
    """The normalised path. Raises PatchError if it leaves the root of the files."""
    clean = normal_path(path)
    if clean is None:
        raise PatchError(
            f"{path!r} is not a path inside the files: give a relative one.", line=line, reason=Reason.OUTSIDE_WORKSPACE
        )
    return clean


def _apply(
    files: dict[str, str], section: FilePatch, policy: Policy, landings: list[Landing], emptied: set[str]
) -> None:
    """Apply one section. `emptied`: the files of CRLF lines that previous sections emptied or deleted."""
    path = inside(section.path, section.patch_line)
    if section.action == "add":
        if path in files:
            raise _refusal(section, f"{path} exists already: update it instead of adding it.", Reason.NOT_ALLOWED)
        text = _added(section)
        files[path] = with_crlf(line_feeds(text), crlf=True) if path in emptied else text
        emptied.discard(path)
        return
    if path not in files:
        only_adds = policy.format is not Format.DIFF and section.hunks and not any(one.old for one in section.hunks)
        add = f", or add it with '*** Add File: {path}'" if only_adds else ""
        raise _refusal(section, f"There is no file {path}: give the path of one that exists{add}.", Reason.NOT_FOUND)
    if section.action == "delete":
        if May.DELETE not in policy.may:
            raise _refusal(section, f"{path} may not be deleted.", Reason.NOT_ALLOWED)
        if (section.hunks or policy.format is Format.DIFF) and updated(files[path], section, policy, landings):
            raise _refusal(section, f"{path} has lines that the deletion does not name.", Reason.NO_MATCH)
        if not policy.by_number and first_is_crlf(files[path]):
            emptied.add(path)
        del files[path]
        return
    target = _target(files, path, section, policy)
    _check_filled(files[path], section)
    before = files.pop(path)
    text = updated(before, section, policy, landings)
    if path in emptied:
        text = with_crlf(line_feeds(text), crlf=True)
    if not text and not policy.by_number and (path in emptied or first_is_crlf(before)):
        emptied.add(target)
    if text or target != path:
        emptied.discard(path)
    files[target] = text


def _check_filled(text: str, section: FilePatch) -> None:
    """Raise PatchError if the only hunk fills an empty file, by its numbers, and the file has text.

    Beside other hunks it belongs to a diff without context, whose author knows that there is text.
    """
    hunk = section.hunks[0] if len(section.hunks) == 1 else None
    if text and hunk is not None and hunk.source_start == 0 and not hunk.old:
        message = f"by its numbers the hunk fills an empty file, but {section.path} has text: give lines of context."
        raise PatchError(message, line=hunk.patch_line, reason=Reason.NO_MATCH)


def _target(files: Mapping[str, str], path: str, section: FilePatch, policy: Policy) -> str:
    """The path of an updated file afterwards. Raises PatchError if the file may not be moved there."""
    target = path if section.move_to is None else inside(section.move_to, section.patch_line)
    if target != path:
        if May.MOVE not in policy.may:
            raise _refusal(section, f"{path} may not be moved.", Reason.NOT_ALLOWED)
        if target in files:
            raise _refusal(section, f"{target} exists already: {path} is not moved over it.", Reason.NOT_ALLOWED)
    return target


def _added(section: FilePatch) -> str:
    lines = [line[1:] for hunk in section.hunks for line in hunk.lines]
    if not lines:
        return ""
    return "\n".join(lines) + ("" if section.hunks[-1].target_no_newline else "\n")


# Nine patches of ten have hunks whose old lines occur once, or at the stated line, and in order. These are replaced in
# the text, in half of the time that all its lines take. What is left to `place` is whatever a hint, a slip, a line
# ending, a count or a marker might decide.

_MOST_REPLACED = 16
"""Each hunk is looked for in the whole text. With more hunks, the lines are indexed instead."""


def _replaced(text: str, section: FilePatch, policy: Policy) -> tuple[str, list[Landing]] | None:
    """The text with all hunks of an update replaced, and their landings; None if the case is not that simple."""
    around = f"\n{text}" if text.endswith("\n") else f"\n{text}\n"
    pieces, landings = list[str](), list[Landing]()
    done = line = counted = 0
    for number, hunk in enumerate(section.hunks, 1):
        old, new = hunk.old, hunk.new
        needle, put = "\n".join(["", *old, ""]), "\n".join([*new, ""])
        at = around.find(needle, done)
        end = at + len(needle) - 1  # In the text; offsets in `around` are one more.
        is_counted = hunk.source_length in (None, len(old)) and hunk.target_length in (None, len(new))
        is_marked = hunk.unmarked or hunk.source_no_newline or hunk.target_no_newline or not hunk.closed
        if at < 0 or end > len(text) or not old or is_marked or not (is_counted or hunk.lines[-1][0] != "+"):
            return None
        line, counted = line + around.count("\n", counted, at), at
        if policy.by_number:
            ends_the_file = hunk.lines[0][0] == " " != hunk.lines[-1][0]
            is_sure = line + 1 == hunk.source_start and (end == len(text) or not ends_the_file)
        else:
            is_elsewhere = around.find(needle, at + 1) >= 0 or 0 <= around.find(needle, 0, done + len(needle) - 1) < at
            start = at + 1 - sum(map(len, hunk.lines[: n_added_above(hunk)]))
            is_made = len(new) > len(old) and start > 0 and around.startswith(f"\n{put}", start - 1)
            has_changes = policy.format is Format.ENVELOPE or changes(hunk)
            is_sure = has_changes and all(f"\n{one}\n" in around for one in hunk.anchors)
            is_sure = is_sure and not (is_elsewhere or is_made)
        if not is_sure:
            return None
        landings.append(Landing(section.path, number, line + 1, "exact", runs=runs(hunk, line + 1)))
        pieces += (text[done:at], put)
        done = end
    result = "".join([*pieces, text[done:]])
    return None if "\r" in result else (result, landings)


def updated(text: str, section: FilePatch, policy: Policy, landings: list[Landing]) -> str:
    """The text with the hunks of an update applied. Their landings are added to `landings`."""
    is_near = isinstance(policy.placing, ByNumber) and policy.placing.near
    if "\r" not in text and len(section.hunks) <= _MOST_REPLACED and not is_near:
        replaced = _replaced(text, section, policy)
        if replaced:
            landings += replaced[1]
            return replaced[0]
    lines = text.split("\n")
    has_last_newline = not lines[-1]
    if has_last_newline:
        lines.pop()
    placed = place(lines, has_last_newline, section, policy, text)
    placed = [_with_end(found, section, len(lines), policy) for found in placed]
    landings += (
        Landing(section.path, number, found.line + 1, found.equality, found.notes, runs(found.hunk, found.line + 1))
        for number, found in enumerate(placed, 1)
    )
    # By number, the last line is compared as it is, as git and GNU patch do.
    if not policy.by_number and not has_last_newline:
        placed = [_unterminated(found, len(lines)) for found in placed]
    out: list[str] = []
    done = 0
    # Insertions go above the lines that another hunk replaces at the same line.
    for found in sorted(placed, key=lambda one: (one.line, one.n_old)):
        out += lines[done : found.line]
        done = found.line
        out += _hunk_lines(lines, out[-1] if out else None, found)
        done += found.n_old
    out += lines[done:]
    is_marked = policy.format is Format.DIFF and not policy.by_number
    keeps = has_last_newline or not lines or (is_marked and _ends_in_appended(lines, placed))
    for found in placed:
        if found.hunk.target_no_newline:
            keeps = False
        elif found.hunk.source_no_newline:
            keeps = True
    if lines and not has_last_newline and lines[0].endswith("\r"):
        _end_like_the_file(out, placed, len(lines), keeps=keeps)
    half = has_last_newline or not lines or not lines[-1].endswith("\r")
    if out and lines and not keeps and not policy.by_number and half:
        out[-1] = out[-1].removesuffix("\r")  # Half of a CRLF, as the last line has no ending.
    return "\n".join(out) + ("\n" if out and keeps else "")


def _unterminated(found: Placed, n_lines: int) -> Placed:
    """The hunk; not exact if it matched only a last line without an ending, which does not show the line ending."""
    alone = found.equality == "exact" and found.n_old == 1 and found.line + 1 == n_lines > 1
    return replace(found, equality="line_endings") if alone else found


def _end_like_the_file(out: list[str], placed: Sequence[Placed], n_lines: int, *, keeps: bool) -> None:
    """Give the file's line ending to lines added below a last line that had none, and to that line."""
    for found in placed:
        if found.line + found.n_old == n_lines and (found.equality != "exact" or not found.n_old):
            n_added = next(
                (n for n, line in enumerate(reversed(found.hunk.lines)) if line[0] != "+"), len(found.hunk.lines)
            )
            for n in range(max(len(out) - 1 - n_added, 0), len(out) if keeps else len(out) - 1):
                out[n] = out[n].removesuffix("\r") + "\r"


def _with_end(found: Placed, section: FilePatch, n_lines: int, policy: Policy) -> Placed:
    """The hunk. Its marker of a missing final line feed counts only at the end of the file."""
    if not found.hunk.target_no_newline or found.line + found.n_old == n_lines:
        return found
    if policy.by_number:
        message = f"the hunk says that {section.path} ends below it without a line feed, but it goes on."
        raise PatchError(message, line=found.hunk.patch_line, reason=Reason.NO_MATCH)
    hunk = replace(found.hunk, target_no_newline=False)
    return replace(found, hunk=hunk, notes=(*found.notes, MARKER_IGNORED))


def _ends_in_appended(lines: Sequence[str], placed: Sequence[Placed]) -> bool:
    """True if the last line of the result was added below the file's last line, and does not replace it."""
    return any(
        found.line + found.n_old == len(lines) and found.hunk.lines[-1][0] == "+" and _keeps_last_old(found.hunk.lines)
        for found in placed
    )


def _keeps_last_old(lines: Sequence[str]) -> bool:
    """True if the last old line of a hunk is context, or if it has none."""
    return next((line[0] == " " for line in reversed(lines) if line[0] != "+"), True)


def _hunk_lines(lines: Sequence[str], above: str | None, found: Placed) -> list[str]:
    if found.equality == "exact" and found.n_old:
        return found.hunk.new
    hunk = found.hunk.lines
    old = [n for n, line in enumerate(hunk) if line[0] != "+"]
    there = dict(zip(old, lines[found.line : found.line + found.n_old], strict=True))
    put_back = _put_back(hunk)
    out: list[str] = []
    for n, line in enumerate(hunk):
        if line[0] == " " or n in put_back:
            out.append(there[put_back.get(n, n)])
        elif line[0] == "+":
            text = line[1:]
            if lines:
                text = _ending_like(text, out[-1] if out else lines[0] if above is None else above)
            out.append(text)
    return out


def _put_back(hunk: Sequence[str]) -> dict[int, int]:
    """Index of an added line -> index of the equal line that the same change removes. The file's own line stays."""
    found: dict[int, int] = {}
    for is_context, run in groupby(range(len(hunk)), lambda n: hunk[n][0] == " "):
        if not is_context:
            change = list(run)
            old, new = ([n for n in change if hunk[n][0] == sign] for sign in "-+")
            same = partners(*([hunk[n][1:] for n in side] for side in (old, new)))
            found |= {n: old[one] for n, one in zip(new, same, strict=True) if one is not None}
    return found


def _ending_like(text: str, neighbour: str) -> str:
    return text.removesuffix("\r") + ("\r" if neighbour.endswith("\r") else "")
