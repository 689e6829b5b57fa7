"""The rule `strict`: nothing but exact anchors on the text of now.

Every anchor must be the hash of its line, or the tag that of the text; nothing is moved, stripped, dropped or forgiven.
Edits that share a line are refused. Lines that stay keep their endings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editcore.anchors.change import Change, check_lines, resolved, written
from editcore.anchors.hashes import exhash_hash, gptme_tag, h2_hash, h4_tag
from editcore.anchors.rules.rule import Given, anchors_of, no_change, overlap
from editcore.anchors.views import ended_lines, prefix, shown_lines
from editcore.errors import PatchError
from editcore.types import EditResult, Reason

NAME = "strict"


def strict(given: Given) -> EditResult:
    """Takes nothing but exact anchors on the text of now."""
    if given.call.forgiven:
        raise PatchError(f"the call is not by the grammar: {', '.join(given.call.forgiven)}.")
    check_anchors(given, given.live)
    return apart(given.live, changes_in(given, given.live), NAME)


def check_anchors(given: Given, text: str) -> None:
    """Raise PatchError where an anchor of a call is not the hash of its line of a text."""
    call = given.call
    if given.format == "hashline_h4":
        tags = {h4_tag(text), gptme_tag(text)}
        if call.tag not in tags:
            raise PatchError(
                f"the call is for #{call.tag}, and the file is #{h4_tag(text)} now: read it again.",
                reason=Reason.STALE_READ,
            )
        return
    lines = shown_lines(text, given.format)
    for anchor in anchors_of(call):
        if not 1 <= anchor.line <= len(lines):
            raise PatchError(
                f"there is no line {anchor.line}: the file has {len(ended_lines(text))}.", reason=Reason.STALE_READ
            )
        line = lines[anchor.line - 1]
        found = exhash_hash(line) if given.format == "exhash" else h2_hash(line, anchor.line)
        if found != anchor.hash:
            now = prefix(lines, given.format, anchor.line).strip(" |:")
            raise PatchError(
                f"line {anchor.line} is {now} now, not {anchor.hash}: read the file again.",
                reason=Reason.STALE_READ,
            )


def changes_in(given: Given, text: str) -> list[Change]:
    """The changes of the call in a text, none of which share a line. Raises PatchError."""
    lines = ended_lines(text)
    edits = resolved(given.call, lines, given.registers)
    changes = [_above_phantom(one, len(lines), is_shown=given.format == "hashline_h2") for one in edits]
    check_lines(changes, len(lines))
    met = overlap(changes, is_twice=True)
    if met is not None:
        raise PatchError(
            f"edits {met[0].at + 1} and {met[1].at + 1} are of the same lines: make one edit of them.",
            reason=Reason.AMBIGUOUS,
        )
    return changes


def _above_phantom(change: Change, n_lines: int, *, is_shown: bool) -> Change:
    """Lines before the phantom line go after the last line; a shown end there is the last line."""
    if is_shown and change.kind == "replace" and 0 < change.first <= n_lines == change.last - 1:
        return replace(change, last=n_lines)
    if change.kind == "before" and change.first == n_lines + 1:
        return Change("after", n_lines, n_lines, change.new, change.at, is_anchored=n_lines > 0)
    return change


def apart(text: str, changes: Sequence[Change], name: str) -> EditResult:
    """The text with the changes; a refusal where nothing would change."""
    result = written(text, changes, name)
    return no_change() if result.content == text else result
