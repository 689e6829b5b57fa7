"""The rule of pi-hashline-edit 0.8.3, for H3.

Source: src/hashline of 14 July 2026. A hash covers the lines beside its own, so an edit makes three anchors stale; the
phantom line has one too. Anchors are never moved, and one that has kept its text is held to it. If all anchors fit the
text that was seen, the edit is made there, and its diff is applied to the text of now with offsets and no fuzz. Edits
are of characters: those that overlap are refused, those that touch are made, and a blank line that gets lines has none
to overlap. Refused is also an edit that would leave nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

from editcore.anchors.call import Anchor
from editcore.anchors.change import Change, check_lines, no_such_line, resolved
from editcore.anchors.hashes import h3_hash
from editcore.anchors.rules.rule import Given, anchors_of, plain_lines, rewritten
from editcore.anchors.rules.texts import with_text_edits
from editcore.stale.rules import patch0
from editcore.text.keys import folded
from editcore.types import Applied, EditResult, Reason, Rejected

NAME = "h3_pi_hashline"


def h3_pi_hashline(given: Given) -> EditResult:
    """Never moves an anchor; where all fit the text that was seen, its diff is applied to the text of now."""
    result = _on(given, given.live)
    if not isinstance(result, Rejected) or result.reason is not Reason.STALE_READ or given.seen is None:
        return result
    replayed = _on(given, given.seen)
    if isinstance(replayed, Rejected):
        return result
    base, mine, now = ("\n".join(plain_lines(text)) for text in (given.seen, replayed.content or "", given.live))
    if not base:
        return result  # Its diff has no line by which it would be placed.
    recovered = patch0(base, now, lambda text: Applied(mine) if text == base else result)
    if isinstance(recovered, Rejected) or recovered.content is None:
        return result
    merged = rewritten(given.live, recovered.content.split("\n"), NAME)
    return merged if isinstance(merged, Rejected) else replace(merged, notes=recovered.notes)


def _on(given: Given, text: str) -> EditResult:
    """The edit on a text, whose lines the anchors must fit."""
    lines = plain_lines(text)
    for anchor in anchors_of(given.call):
        if not 1 <= anchor.line <= len(lines):
            raise no_such_line(anchor.line, len(lines) - (not lines[-1]))
    stale = [anchor for anchor in anchors_of(given.call) if not _fits(anchor, lines)]
    if stale:
        names = ", ".join(dict.fromkeys(f"{one.line}#{one.hash}" for one in stale))
        return Rejected(
            Reason.STALE_READ,
            f"[E_STALE_ANCHOR] {len(stale)} stale anchor{'s' * (len(stale) > 1)}: {names:.500}. Re-read the file "
            "to get current anchors; keep both endpoints for range replaces.",
        )
    changes = resolved(given.call, lines, {})
    check_lines(changes, len(lines))
    spans = list(dict.fromkeys(_spans(changes, lines)))
    conflict = _conflict(spans)
    if conflict is not None:
        return conflict
    before = after = "\n".join(lines)
    for span in sorted(spans, key=lambda one: (-one.end, one.is_insertion, one.is_insertion and -one.boundary, one.at)):
        after = after[: span.start] + span.written(after) + after[span.end :]
    if before and not after:
        return Rejected(Reason.NOT_ALLOWED, "[E_WOULD_EMPTY] The edit would leave an empty file.")
    return with_text_edits(rewritten(text, after.split("\n"), NAME), given.call, text)


@dataclass(frozen=True, slots=True)
class _Span:
    """Characters of a text with line feeds, and what they become."""

    start: int
    end: int
    new: str
    is_insertion: bool = False
    boundary: int = 0
    """The line below which an insertion is, 0 for none."""
    around: tuple[str, str] = ("", "")
    """What goes before and after the new text of an insertion."""
    of_nothing: bool = False
    """Whether the text before the edits is empty: then nothing goes around the first insertion."""
    at: int = field(default=0, compare=False)

    def written(self, text: str) -> str:
        """What the span becomes in a text of which those below it are made."""
        return self.new if self.of_nothing and not text else f"{self.around[0]}{self.new}{self.around[1]}"


def _spans(changes: Iterable[Change], lines: Sequence[str]) -> Iterator[_Span]:
    """The spans of the changes that change something."""
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    ends = [start + len(line) for start, line in zip(starts, lines, strict=False)]
    is_ended, length = len(lines) > 1 and not lines[-1], ends[-1]
    n_shown = len(lines) - is_ended
    for one in changes:
        new = "\n".join(one.new)
        if one.kind == "replace":
            start, end = starts[one.first - 1], ends[one.last - 1]
            if one.new:
                if list(one.new) != [*lines[one.first - 1 : one.last]]:
                    yield _Span(start, end, new, at=one.at)
            elif one.last < len(lines):
                yield _Span(start, starts[one.last], "", at=one.at)
            else:
                yield _Span(max(0, start - 1), end, "", at=one.at)
        elif one.kind == "before":
            line = one.first if one.is_anchored else 1
            at = starts[line - 1]
            yield _Span(at, at, new, True, line - 1, ("", "\n"), not length, one.at)
        elif not one.is_anchored or (is_ended and one.first == len(lines)):
            around = ("", "\n") if is_ended else ("\n", "")
            yield _Span(length, length, new, True, n_shown, around, not length, one.at)
        else:
            at = ends[one.first - 1]
            yield _Span(at, at, new, True, one.first, ("\n", ""), not length, one.at)


def _fits(anchor: Anchor, lines: Sequence[str]) -> bool:
    """Whether a line is the anchor's: by its hash and what is kept of its text, or, if the hash is stale, by that."""
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


def _conflict(spans: Sequence[_Span]) -> Rejected | None:
    """The refusal of spans that share a character, put lines at one place, or put some among characters that go."""
    replaced = sorted((one for one in spans if not one.is_insertion and one.start < one.end), key=lambda one: one.start)
    for one, other in pairwise(replaced):
        if other.start < one.end:
            return _met(one, other)
    starts, boundaries = [one.start for one in replaced], dict[int, _Span]()
    for one in spans:
        if one.is_insertion:
            other = boundaries.setdefault(one.boundary, one)
            if other is not one:
                return _met(other, one)
        # What has no characters lies in a span that begins above it, or, if it is put in, at it.
        at = bisect_right(starts, one.start) - 1
        if (
            one.start == one.end
            and at >= 0
            and replaced[at].start + (not one.is_insertion) <= one.start < replaced[at].end
        ):
            return _met(replaced[at], one)
    return None


def _met(one: _Span, other: _Span) -> Rejected:
    return Rejected(
        Reason.MALFORMED, f"[E_EDIT_CONFLICT] edits {one.at + 1} and {other.at + 1} overlap: make them one edit."
    )
