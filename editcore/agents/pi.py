"""pi's edit tool at two times: exact, else both texts in NFKC and folded, lines without whitespace at their right.

    pi_0_73    a folded place rewrites the whole file folded; the file gets the ending of its first line
    pi         a folded place rewrites the lines that it touches; every other line keeps its text and its ending

Folded: dashes, quotes and spaces as ASCII.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from editcore.agents.matching import PUNCTUATION
from editcore.agents.rule import Rule
from editcore.agents.runner import Found, Span, every_line_feed, not_found, nothing_sought, several, spliced, unchanged
from editcore.errors import PatchError
from editcore.text.endings import first_is_crlf, with_crlf
from editcore.text.keys import normal_form
from editcore.text.lines import mark_of
from editcore.text.whitespace import WHITESPACE
from editcore.types import Applied, Edit, EditResult, Reason


def folded(text: str) -> str:
    """The form of a text that pi compares."""
    lines = normal_form(text, "NFKC").split("\n")
    return "\n".join([line.rstrip(WHITESPACE) for line in lines]).translate(PUNCTUATION)


def _placed(text: str, old: str) -> Span:
    at, length = text.find(old), len(old)
    whole, find = folded(text), folded(old)
    if at < 0:
        at, length = whole.find(find), len(find)
    if at < 0:
        raise not_found()
    if (whole.count(find) if find else len(whole) - 1) > 1:
        raise several(text, [(at, at + length)], "fuzzy")
    return at, at + length


class _Placed(NamedTuple):
    """The edits, placed in the text as it was."""

    plain: str
    """The text without its mark, each line break a line feed."""
    base: str
    """`plain`, folded if an edit needs that."""
    places: list[tuple[Span, str]]
    """Spans of `base` and their new texts, in order."""
    step: str


def _all_placed(content: str, edits: Sequence[Edit]) -> _Placed:
    """The places of all edits. Raises PatchError for an edit without one, or for several that overlap."""
    plain = every_line_feed(content)
    pairs = [(every_line_feed(edit.old_string), every_line_feed(edit.new_string)) for edit in edits]
    if not all(old for old, _ in pairs):
        raise nothing_sought()
    is_folded = any(old not in plain for old, _ in pairs)
    base = folded(plain) if is_folded else plain
    placed = sorted((_placed(base, old), new) for old, new in pairs)
    for (one, _), (other, _) in pairwise(placed):
        if one[1] > other[0]:
            raise PatchError("two of the edits overlap: join them in one.", reason=Reason.AMBIGUOUS)
    return _Placed(plain, base, placed, "fuzzy" if is_folded else "exact")


def _replaced(text: str, places: Sequence[tuple[Span, str]], step: str) -> str:
    return spliced(text, Found([one for one, _ in places], [new for _, new in places]), step).content or ""


def _pi_0_73(text: str, edits: Sequence[Edit]) -> EditResult:
    """pi's rule of 2025: one edit that needs the folded text folds the whole file."""
    mark = mark_of(text)
    found = _all_placed(text.removeprefix(mark), edits)
    content = _replaced(found.base, found.places, found.step)
    if content == found.base:
        raise unchanged()
    return Applied(mark + with_crlf(content, first_is_crlf(text.removeprefix(mark))), (), found.step)


def _pi(text: str, edits: Sequence[Edit]) -> EditResult:
    """pi's rule: an edit that needs the folded text folds the lines that it touches."""
    mark = mark_of(text)
    content = text.removeprefix(mark)
    plain, base, places, step = _all_placed(content, edits)
    if step == "fuzzy":
        places = list(_by_lines(plain, base, places))
    new = _replaced(plain, places, step)
    if new == plain:
        raise unchanged()
    return Applied(mark + (new if content == plain else _with_endings(content, places)), (), step)


def _by_lines(plain: str, base: str, places: Sequence[tuple[Span, str]]) -> Iterator[tuple[Span, str]]:
    """Places of the folded text as places of whole lines of the text itself, with their folded lines changed."""
    ends, folded_ends = _line_ends(plain), _line_ends(base)
    if len(ends) != len(folded_ends):
        raise PatchError("the folded text has another number of lines.", reason=Reason.NO_MATCH)
    groups: list[tuple[int, int, list[tuple[Span, str]]]] = []
    for (start, end), new in places:
        first, last = bisect_right(folded_ends, start), bisect_left(folded_ends, end)
        if first == len(folded_ends) or last == len(folded_ends):
            raise PatchError("the place is outside of the lines.", reason=Reason.NO_MATCH)
        last = max(first, last)
        if groups and first <= groups[-1][1]:
            one, other, some = groups[-1]
            groups[-1] = (one, max(other, last), [*some, ((start, end), new)])
        else:
            groups.append((first, last, [((start, end), new)]))
    for first, last, some in groups:
        at = folded_ends[first - 1] if first else 0
        moved = [((start - at, end - at), new) for (start, end), new in some]
        lines = _replaced(base[at : folded_ends[last]], moved, "fuzzy")
        yield (ends[first - 1] if first else 0, ends[last]), lines


def _line_ends(text: str) -> list[int]:
    """The offset behind each line, with its line feed."""
    found = [at + 1 for at, character in enumerate(text) if character == "\n"]
    return found if not text or text.endswith("\n") else [*found, len(text)]


def _with_endings(content: str, places: Sequence[tuple[Span, str]]) -> str:
    """The text with places replaced that were counted with line feeds alone. Other lines keep their endings.

    A new text gets the ending of the line in which its place starts. A CR and an LF that come together by an edit
    become two line breaks.
    """
    feeds = [at - n for n, at in enumerate(one.start() for one in re.finditer("\r\n", content))]
    parts, done = list[str](), 0

    def add(part: str) -> None:
        if part:
            parts.append("\n" + part if part[0] == "\n" and parts and parts[-1].endswith("\r") else part)

    for (start, end), new in places:
        first = start + bisect_left(feeds, start)
        add(content[done:first])
        add(new.replace("\n", _ending_at(content, first)))
        done = end + bisect_left(feeds, end)
    add(content[done:])
    return "".join(parts)


def _ending_at(content: str, offset: int) -> str:
    """The ending of the line at an offset; a CR alone counts in files without any LF."""
    feed = content.find("\n", offset)
    feed = content.rfind("\n", 0, offset + 1) if feed < 0 else feed
    if feed < 0:
        return "\r" if "\r" in content else "\n"
    return "\r\n" if content[:feed].endswith("\r") else "\n"


RULES: dict[str, Rule] = {"pi": _pi, "pi_0_73": _pi_0_73}
