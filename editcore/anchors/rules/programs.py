"""The rules of four programs, rebuilt: oh-my-openagent and oh-my-pi 13 (H2), gptme (H4), and exhash.

Each was compared with its program on drawn calls (`peer/NAME`). A rule does what its program does, mistakes included.
oh-my-pi 17.3 has a module of its own, `h4_oh_my_pi`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from editcore.anchors.calls import Anchor, Change, LineEdit, check_lines, made, no_such_line, resolved
from editcore.anchors.corrections import CORRECTIONS_OF_LINES, CORRECTIONS_OF_RANGES, H2_CORRECTIONS
from editcore.anchors.json_calls import LAST
from editcore.anchors.rules.rule import (
    Given,
    anchors_of,
    corrected,
    each_once,
    mismatch,
    no_change,
    plain_lines,
    rewritten,
)
from editcore.anchors.views import exhash_hash, gptme_tag, h2_hash, h2_loose_hash, h4_tag
from editcore.errors import PatchError
from editcore.text.lines import BOM
from editcore.text.three_way import beside
from editcore.types import Applied, EditResult, Reason, Rejected

_ORDER = {"replace": 0, "after": 1, "before": 2}


def h2_oh_my_openagent(given: Given) -> EditResult:
    """Never moves an anchor; corrects prefixes, echoes, merged and broken lines, and indentation.

    Source: packages/hashline-core of 24 July 2026, and the package 4.19.4, which `peer/oh_my_openagent` runs. Ranges
    with an `end` that overlap are refused. Two edits of one line are not noticed if one has no `end`: edits are made
    bottom-up, and the second wins. All lines get the ending of the first. Lines for the end of a file that ends in a
    line feed go below the phantom line, which becomes a blank line.

    Two differences from the program: a list that adds no lines is refused before any anchor is checked, and an
    insertion of no lines is not a duplicate of an insertion of one blank line.
    """
    lines = plain_lines(given.live) if given.live.removeprefix(BOM) else []
    wrong = [anchor.line for anchor in anchors_of(given.call) if not fits(anchor, lines)]
    if wrong:
        return mismatch(
            wrong, lines, "{line_number}#{hash_id}", lambda n: f"{n}#{h2_hash(lines[n - 1], n)}|{lines[n - 1]}"
        )
    changes = each_once(resolved(given.call, lines, {}))
    _check_ranges(changes)
    check_lines(changes, len(lines))
    changes.sort(key=lambda one: (not one.is_anchored, -one.last * one.is_anchored, _ORDER[one.kind], one.at))
    for change in changes:
        if not change.is_anchored:  # Below the phantom line, as the program does it.
            lines = [] if lines == [""] else lines
            change = replace(change, first=len(lines), last=len(lines)) if change.kind == "after" else change
        elif change.first > len(lines) and (
            change.kind == "after" or (change.kind == "before" and len(change.new) > 1)
        ):
            raise PatchError(f"line {change.first} was taken out by another edit of the call.")
        # The program corrects an edit beside the lines that the edits below it have left.
        change = corrected(change, [*lines, *[""] * (change.last - len(lines))], H2_CORRECTIONS, given.without)
        if change.kind != "replace" and not change.new:
            raise PatchError("append and prepend require non-empty text: the new lines repeat the anchor's line.")
        lines = made(lines, [change])
    return rewritten(given.live, lines or [""], "h2_oh_my_openagent")


def _hashes(line: str, n: int) -> tuple[str, ...]:
    return h2_hash(line, n), h2_loose_hash(line, n)


def fits(anchor: Anchor, lines: Sequence[str], hashes: Callable[[str, int], tuple[str, ...]] = _hashes) -> bool:
    """True if the line of an anchor has its hash. Raises PatchError for a line outside of the file."""
    if not 1 <= anchor.line <= len(lines):
        raise no_such_line(anchor.line, len(lines))
    return anchor.hash in hashes(lines[anchor.line - 1], anchor.line)


def meant(hash: str, text: str) -> str:
    """The end of a refusal's message for an anchor without a line number: the first line with its hash, or ""."""
    for n, line in enumerate(plain_lines(text), 1):
        if hash in _hashes(line, n):
            return f' Did you mean "{n}#{h2_hash(line, n)}"?'
    return ""


def _check_ranges(changes: list[Change]) -> None:
    """Raise PatchError if two replacements that name both ends overlap."""
    ranges = sorted((one for one in changes if one.is_range and one.kind == "replace"), key=lambda one: one.first)
    for one, other in pairwise(ranges):
        if other.first <= one.last:
            raise PatchError(
                f"Overlapping range edits detected: edit {one.at + 1} (lines {one.first}-{one.last}) overlaps with "
                f"edit {other.at + 1} (lines {other.first}-{other.last}). Use pos-only replace for single-line edits."
            )


def h2_oh_my_pi(given: Given) -> EditResult:
    """Never moves an anchor; corrects prefixes, tabs written as \\t, and lines repeated at the ends of a range.

    The rule of oh-my-pi 13 before 13.15 (March 2026). Source: patch/hashline.ts and patch/index.ts of its package
    13.19.0, which `peer/oh_my_pi_13` runs. 13.15 took out the corrections of ranges: their source is copies of 13.x in
    other projects. Prefixes are stripped as 13.19.0 strips them. Edits are made bottom-up, and overlaps are not
    noticed. Lines for the end of a file go below the phantom line, as in `h2_oh_my_openagent`.
    """
    lines = plain_lines(given.live)
    wrong = [one.line for one in anchors_of(given.call) if not fits(one, lines, lambda *line: (h2_hash(*line),))]
    if wrong:
        return mismatch(wrong, lines, "LINE#ID", lambda n: f"{n}#{h2_hash(lines[n - 1], n)}:{lines[n - 1]}")
    changes = resolved(given.call, lines, {})
    check_lines(changes, len(lines))
    changes = each_once([corrected(one, lines, CORRECTIONS_OF_LINES, given.without) for one in changes])
    changes.sort(key=lambda one: (_at(one.kind, one.last, one.is_anchored, len(lines)), _ORDER[one.kind], one.at))
    before = lines
    for change in changes:
        if change.kind == "replace" and not change.is_range and change.new == (before[change.first - 1],):
            continue  # Also where another edit has changed the line.
        change = corrected(change, lines, CORRECTIONS_OF_RANGES, given.without)
        if not change.is_anchored:
            lines = [] if lines == [""] else lines
            change = replace(change, first=len(lines), last=len(lines)) if change.kind == "after" else change
        lines = made(lines, [change])
    return rewritten(given.live, lines or [""], "h2_oh_my_pi")


def _at(kind: str, last: int, is_anchored: bool, n_lines: int) -> int:
    """The key that sorts changes bottom-up."""
    if is_anchored:
        return -last
    return -n_lines - 1 if kind == "after" else 0


def h4_gptme(given: Given) -> EditResult:
    """Merges into a text that is not the one read; bottom-up, overlaps unnoticed, CRLF and form feeds lost.

    Source: gptme/tools/hashline_edit.py of 22 August 2026, and the package 0.35.1, which `peer/gptme` runs. The tag
    must be the hash of the text that was read. If the file has changed since, the call is made on the text that was
    read, and both changes are merged as `git merge-file` does; a text with a null character is not merged. Lines end
    where `splitlines` ends them, so form feeds and the like become line feeds. A tag of four digits, as oh-my-pi
    writes it, stands for the tag that gptme would have shown.
    """
    seen = given.live if given.seen is None else given.seen
    tag = gptme_tag(seen) if len(given.call.tag or "") == 8 else h4_tag(seen)
    if given.call.tag != tag:
        return Rejected(
            Reason.STALE_READ,
            f"tag mismatch. Edit block has #{given.call.tag} but current snapshot is #{tag}. The file may have changed "
            "- call `read` again to get a fresh tag.",
        )
    base, live = (text.replace("\r\n", "\n").replace("\r", "\n") for text in (seen, given.live))
    made = _made(given, base)
    is_binary = any("\0" in text for text in (base, made, live))
    content = made if live == base else None if is_binary else beside(base, made, live, apart=True)
    if content is None:
        return Rejected(
            Reason.STALE_READ,
            "file has changed since snapshot was captured. Automatic 3-way merge produced conflicts. Call `read` again "
            "to get a fresh snapshot.",
        )
    return no_change() if content == given.live else Applied(content, replacer="h4_gptme")


def _made(given: Given, text: str) -> str:
    """The text after the call. Raises PatchError for a line outside of the text."""
    lines = text.splitlines()
    for change in sorted(_changes(given, lines), key=lambda one: -one.first):
        new = "\n".join(change.new).splitlines()
        start = change.first - (change.kind != "after")
        lines[start : start + change.n_lines] = new
    return "\n".join(lines) + "\n" * text.endswith("\n")


def _changes(given: Given, lines: list[str]) -> list[Change]:
    """The changes of the call. Raises PatchError for a line outside of the text."""
    changes = resolved(given.call, lines, given.registers, in_order=False)
    for change in changes:
        if not lines and change.kind == "before" and change.first == 1:
            continue
        for n in (change.first, change.last):
            if not 1 <= n <= len(lines):
                raise no_such_line(n, len(lines))
    return changes


def exhash(given: Given) -> EditResult:
    """Checks each hash just before its command; numbers count lines as the commands above leave them. CRLF is lost.

    The rule of exhash 0.4.21, for its commands a, i, c and d. Source: the package, by running it. A single line that
    the call has replaced by one line may be named by its hash at the start of the call, too, until a command above it
    adds or removes lines. CRLF, LF and a lone CR end a line; afterwards every line ends in LF, the last one included.
    """
    was = given.live.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not was[-1]:
        was.pop()
    text = _Text(was)
    for edit in given.call.edits:
        text.make(edit)
    content = "".join([f"{line}\n" for line in text.lines])
    return no_change() if text.lines == was else Applied(content, replacer="exhash")


class _Text:
    """The lines of a file between the commands of a call."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = list(lines)
        self._at_start: dict[int, str] = {}
        """1-based line -> its hash at the start of the call, for lines that a command replaced in place."""

    def make(self, edit: LineEdit) -> None:
        """Make an edit. Raises PatchError if a hash differs or a line is outside of the file."""
        if edit.first is None:
            first, n_old = 0, 0
        else:
            first, last = self._found(edit.first, edit.last or edit.first, is_range=edit.last is not None)
            n_old = last - first if edit.kind == "replace" else 0
            first += edit.kind == "after"
        new = list(edit.new)
        if len(new) == n_old:
            for n, line in enumerate(self.lines[first : first + n_old], first + 1):
                self._at_start.setdefault(n, exhash_hash(line))
        else:
            self._at_start = {n: found for n, found in self._at_start.items() if n <= first}
        self.lines[first : first + n_old] = new

    def _found(self, first: Anchor, last: Anchor, *, is_range: bool) -> tuple[int, int]:
        """The 0-based first line, and the line after the last."""
        start, end = (self._line(one, is_range=is_range) for one in (first, last))
        if start > end:
            raise PatchError(f"invalid range: {start}..{end}")
        return start - 1, end

    def _line(self, anchor: Anchor, *, is_range: bool) -> int:
        line = len(self.lines) if anchor is LAST else anchor.line
        if not 1 <= line <= len(self.lines):
            raise PatchError(f"address out of range: {line} > {len(self.lines)}", reason=Reason.NOT_FOUND)
        found = exhash_hash(self.lines[line - 1])
        known = {found} if is_range else {found, self._at_start.get(line)}
        if anchor.hash and anchor.hash not in known:
            raise PatchError(
                f"stale lnhash at line {line}: expected {anchor.hash}, got {found} (line changed since your view)",
                reason=Reason.STALE_READ,
            )
        return line
