"""The rule of pi-hashline-edit 0.8.3, for H3.

Source: src/hashline of 14 July 2026. A hash covers the lines beside its own, so an edit makes three anchors stale.
Anchors are never moved, and one that has kept its text is held to it. If all anchors fit the text that was seen, the
edit is made there, and its diff is applied to the text of now with offsets and no fuzz. Edits that overlap are refused,
and so is one that would leave nothing; those that touch are made.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from editcore.anchors.call import Anchor
from editcore.anchors.change import Change, check_lines, made, resolved
from editcore.anchors.hashes import h3_hash
from editcore.anchors.rules.rule import Given, anchors_of, no_change, plain_lines, rewritten
from editcore.anchors.rules.texts import with_text_edits
from editcore.stale.patch0 import patch0
from editcore.text.folds import folded
from editcore.types import EditResult, Reason, Rejected

NAME = "h3_pi_hashline"
_BOM = "\ufeff"


def h3_pi_hashline(given: Given) -> EditResult:
    """Never moves an anchor; where all fit the text that was seen, its diff is applied to the text of now."""
    result = _on(given, given.live)
    if not isinstance(result, Rejected) or result.reason is not Reason.STALE_READ or given.seen is None:
        return result
    replayed = _on(given, given.seen)
    if isinstance(replayed, Rejected):
        return result
    recovered = patch0(given.seen, given.live, lambda text: replayed if text == given.seen else result)
    if isinstance(recovered, Rejected):
        return result
    mark = _BOM if given.live.startswith(_BOM) else ""
    content = mark + (recovered.content or "").removeprefix(_BOM)
    return no_change() if content == given.live else replace(recovered, content=content)


def _on(given: Given, text: str) -> EditResult:
    """The edit on a text, whose lines the anchors must fit."""
    lines = plain_lines(text)
    shown = lines if lines[-1] else lines[:-1]
    stale = [anchor for anchor in anchors_of(given.call) if not _fits(anchor, lines, len(shown))]
    if stale:
        names = ", ".join(dict.fromkeys(f"{one.line}#{one.hash}" for one in stale))
        return Rejected(
            Reason.STALE_READ,
            f"[E_STALE_ANCHOR] {len(stale)} stale anchor{'s' * (len(stale) > 1)}: {names:.500}. Re-read the file "
            "to get current anchors; keep both endpoints for range replaces.",
        )
    changes = resolved(given.call, shown, {})
    check_lines(changes, len(shown))
    changes = _once(changes, shown)
    conflict = _conflict(changes)
    if conflict is not None:
        return conflict
    changes.sort(key=lambda one: (-one.last, one.at))
    after = made(shown, changes)
    if not after and shown:
        return Rejected(Reason.NOT_ALLOWED, "[E_WOULD_EMPTY] The edit would leave an empty file.")
    result = rewritten(text, [*after, *lines[len(shown) :]], NAME)
    return with_text_edits(result, given.call, text)


def _fits(anchor: Anchor, lines: Sequence[str], n_lines: int) -> bool:
    """Whether a line is the anchor's: by its hash and what is kept of its text, or, if the hash is stale, by that."""
    if not 1 <= anchor.line <= n_lines:
        return False
    if anchor.hint is None:
        return _hashed(lines, anchor) == anchor.hash
    if not _is_hint(anchor.hint, lines[anchor.line - 1]):
        return False
    with_hint = list(lines[max(anchor.line - 2, 0) : anchor.line + 1])
    with_hint[min(anchor.line - 1, 1)] = anchor.hint
    near = Anchor(min(anchor.line, 2), anchor.hash)
    return _hashed(lines, anchor) == anchor.hash or _hashed(with_hint, near) == anchor.hash


def _hashed(lines: Sequence[str], anchor: Anchor) -> str:
    # More letters than two are an option of the program.
    return h3_hash(lines, anchor.line, len(anchor.hash)) if 2 <= len(anchor.hash) <= 4 else ""


def _is_hint(hint: str, line: str) -> bool:
    """Whether the text kept of an anchor is that of a line, but for what folds alike and what `...` stands for."""
    hint, line = (folded(text).strip() for text in (hint, line))
    return hint == line or (hint.endswith("...") and len(hint) > 3 and line.startswith(hint[:-3].rstrip()))


def _once(changes: Iterable[Change], lines: Sequence[str]) -> list[Change]:
    """The changes that change something, each once."""
    found = dict[tuple[object, ...], Change]()
    for one in changes:
        if one.kind != "replace" or list(one.new) != [*lines[one.first - 1 : one.last]]:
            found.setdefault((one.kind, one.first, one.last, one.new), one)
    return list(found.values())


def _conflict(changes: Iterable[Change]) -> Rejected | None:
    """The refusal of edits that replace a line both, put lines at one place, or put some among lines that go."""
    replaced = sorted((one for one in changes if one.kind == "replace"), key=lambda one: one.first)
    for one, other in pairwise(replaced):
        if other.first <= one.last:
            return _met(one, other)
    firsts, beside = [one.first for one in replaced], dict[int, Change]()
    for one in changes:
        if one.kind == "replace":
            continue
        other = beside.setdefault(one.first - (one.kind == "before"), one)
        if other is not one:
            return _met(other, one)
        at = bisect_right(firsts, one.first) - 1
        if at >= 0 and one.first <= replaced[at].last - (one.kind == "after" and bool(replaced[at].new)):
            return _met(replaced[at], one)
    return None


def _met(one: Change, other: Change) -> Rejected:
    return Rejected(
        Reason.MALFORMED, f"[E_EDIT_CONFLICT] edits {one.at + 1} and {other.at + 1} overlap: make them one edit."
    )
