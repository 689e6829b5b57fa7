"""Rules for an edit written against an older text, and what they share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

from editcore.stale.alignment import Alignment
from editcore.stale.edited import Part
from editcore.text.endings import LineFeedView
from editcore.text.lines import BOM
from editcore.types import Applied, EditResult, Match, Reason, Rejected

Decide = Callable[[str], EditResult]
"""A text -> the result of the edit on it; its matches are offsets in that text."""
StaleRule = Callable[[str, str, Decide], EditResult]
"""(text as the model saw it, text of now, the edit) -> the result for the text of now."""

_MOST_SHOWN = 40
"""Lines of both versions that a refusal shows."""
NOTE = "the file was changed since it was read; the edit is merged with these changes"


def merged(live: str, alignment: Alignment, parts: Sequence[Part], mine: Applied) -> Applied:
    """The text of now with the parts written over their lines, which stand there unchanged."""
    mark = BOM if live.startswith(BOM) else ""
    view, spans = LineFeedView(live.removeprefix(BOM)), list[Match]()
    starts = list(accumulate(map(len, alignment.new), initial=0))
    for part in parts:
        first = alignment.there[part.first] if part.first < len(alignment.there) else len(alignment.new)
        assert first is not None
        spans.append(Match(starts[first], starts[first + part.last - part.first], mine.replacer or "stale"))
    text = view.replaced_each(zip(spans, ("".join(part.new) for part in parts), strict=True))
    matches = view.matches(spans)
    found = tuple([replace(one, start=one.start + len(mark), end=one.end + len(mark)) for one in matches])
    return of_now(mine, mark + text, found)


def of_now(mine: Applied, content: str, matches: tuple[Match, ...] = ()) -> Applied:
    """The edit of the text that was seen as one of the text of now, which says that it was merged."""
    return replace(mine, content=content, matches=matches, notes=(*mine.notes, NOTE))


def refused(alignment: Alignment, parts: Iterable[Part]) -> Rejected:
    """The refusal of an edit whose lines were changed: both versions of them, as a diff of at most so many lines."""
    parts = list(parts)
    part = next((one for one in parts if alignment.moved_by(one.first, one.last) is None), parts[0])
    first, last = alignment.between(part.first, part.last)
    old = [f"-{line}" for line in alignment.old[part.first : part.last]]
    new = [f"+{line}" for line in alignment.new[first:last]]
    shown = [line.removesuffix("\n") for line in (*_cut(old), *_cut(new))]
    verb = "is" if part.last == part.first + 1 else "are"
    now = f"{_lines(first, last)} now" if last > first else f"gone, from above line {first + 1} of now"
    return Rejected(
        Reason.STALE_READ,
        f"the file was changed since you read it: {_lines(part.first, part.last)} as you read it {verb} {now}. Write "
        "the edit for the text of now:\n" + "\n".join(shown),
    )


def _lines(first: int, last: int) -> str:
    return f"line {first + 1}" if last == first + 1 else f"lines {first + 1} to {last}"


def _cut(lines: list[str]) -> list[str]:
    most = _MOST_SHOWN // 2
    return lines if len(lines) <= most else [*lines[: most - 1], f"... and {len(lines) - most + 1} more lines"]
