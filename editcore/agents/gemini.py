"""Gemini CLI 0.61.0's edit tool, without the model that it asks to repair a failed edit. It works on text with LF:

    exact      counted without overlap
    flexible   |  a|b |    windows whose lines are equal without whitespace at their ends
    regex      f( a,b )    the words and ()[]{}:<>= of the search text with any whitespace between, from a line's start
    fuzzy      windows of as many lines with (distance without whitespace + a tenth of the rest) / length <= 0.1

The new lines are indented as the first line of the place, and keep their relative indentation. The final line feed
stays as it was. A new text that elides code ("rest of code ...") is refused.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate

from editcore.agents.matching import Work, squeezed_places, within
from editcore.agents.rule import Rule
from editcore.agents.runner import CRLF_IF_ANY, Found, Given, Read, Span, Steps, exact, unchanged
from editcore.errors import PatchError
from editcore.text.endings import with_crlf
from editcore.text.line_index import apart, block_starts
from editcore.text.lines import with_feeds
from editcore.text.whitespace import SPACES_AND_TABS, WHITESPACE, indent, moved, trim, words
from editcore.types import Edit, Reason

_SHORTEST = 10
"""`fuzzy` compares no search text of fewer characters."""
_PRODUCT = 400_000_000
"""`fuzzy` compares nothing if lines of the file x (characters of the search text) squared is larger."""
_DELIMITERS = str.maketrans({one: f" {one} " for one in "():[]{}><="})
_OMISSION = re.compile(
    r"^(?://)?\s*+\(?\s*+(rest of(?:\s++(?:methods?|code))?|unchanged\s++(?:code|methods?))\s*+\.\.\.\.*+\s*+\)?$",
    re.IGNORECASE,
)


def _in_line_feeds(text: str, edit: Edit) -> Read:
    """The texts with line feeds. Raises PatchError for a new text that elides code."""
    read = CRLF_IF_ANY(text, edit)
    if omission := _omissions(read.new) - _omissions(read.old):
        raise PatchError(f"new_string elides code ({min(omission)} ...): write it out.", reason=Reason.MALFORMED)

    def back(content: str) -> str:
        if read.old == read.new:
            raise unchanged()
        if content.endswith("\n") != read.text.endswith("\n"):
            content = content.removesuffix("\n") if content.endswith("\n") else f"{content}\n"
        return with_crlf(content, "\r\n" in text)

    return read._replace(back=back)


def _omissions(text: str) -> set[str]:
    found = (_OMISSION.match(trim(line)) for line in text.split("\n"))
    return {" ".join(one[1].lower().split()) for one in found if one}


def _flexible(given: Given) -> Found | None:
    lines = with_feeds(given.text)
    wanted = [trim(line) for line in given.old.split("\n")]
    found = [(at, at + len(wanted)) for at in apart(block_starts(map(trim, lines), wanted), len(wanted))]
    return _windows(given, lines, found, ends=given.new != "")


def _regex(given: Given) -> Found | None:
    found = list(_worded(given.text, given.old))
    news = [_indented(given.new, indent(given.text[start:end], SPACES_AND_TABS)) for start, end in found]
    return Found(found, news) if found else None


def _fuzzy(given: Given) -> Found | None:
    lines = with_feeds(given.text)
    return _windows(given, lines, sorted(_similar(lines, given.old, given.limits["difference"])), ends=None)


def _windows(given: Given, lines: list[str], found: Sequence[Span], *, ends: bool | None) -> Found | None:
    """Windows of lines as places. The new text gets a missing last line feed if `ends`, and always one more if None."""
    starts = list(accumulate(map(len, lines), initial=0))
    news = []
    for start, end in found:
        put = _indented(given.new, indent(lines[start], SPACES_AND_TABS))
        if lines[end - 1].endswith("\n") and (ends is None or (ends and not put.endswith("\n"))):
            put += "\n"
        news.append(put)
    return Found([(starts[at], starts[end]) for at, end in found], news) if found else None


def _indented(new: str, target: str) -> str:
    """The new text with its first line at the indentation `target`, and the others relative to it."""
    lines = new.split("\n")
    base = indent(lines[0], SPACES_AND_TABS)
    return "\n".join([moved(line, base, target, WHITESPACE) if trim(line) else "" for line in lines])


def _worded(text: str, old: str) -> Iterator[tuple[int, int]]:
    """The places of the words and delimiters of `old`, with any whitespace between them, from the starts of lines."""
    tokens = words(old.translate(_DELIMITERS))
    needle = "".join(tokens)
    breaks, done = set(accumulate(map(len, tokens))), 0
    for start, end, gaps in squeezed_places(text, needle, Work("Gemini CLI's search for words")):
        # The program's pattern begins at the start of a line, and allows whitespace between the tokens only.
        line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
        if line < done or text[line:start].strip(" \t") or not breaks.issuperset(gap[0] for gap in gaps):
            continue
        done = end
        yield line, done


def _similar(lines: Sequence[str], old: str, difference: float) -> Iterator[tuple[int, int]]:
    """The most similar windows that do not overlap, best first."""
    if len(old) < _SHORTEST or len(lines) * len(old) ** 2 > _PRODUCT:
        return
    wanted = [line.rstrip(WHITESPACE) for line in with_feeds(old)]
    block, squeezed, size = "\n".join(wanted), "".join(words(old)), len(wanted)
    if not block:
        return
    trimmed = [line.rstrip(WHITESPACE) for line in lines]
    packed = ["".join(words(line)) for line in trimmed]
    lengths = list(accumulate((len(line) + 1 for line in trimmed), initial=0))
    packed_lengths = list(accumulate(map(len, packed), initial=0))
    most = int(difference * len(block) / 0.9 + 1e-9)
    scored, work = [], Work("Gemini CLI's edit distance")
    for at in range(len(lines) - size + 1):
        work.spend(10)
        too_long = abs(lengths[at + size] - lengths[at] - 1 - len(block)) > len(block)
        if too_long or abs(packed_lengths[at + size] - packed_lengths[at] - len(squeezed)) > most:
            continue
        near = within("".join(packed[at : at + size]), squeezed, most, work)
        if near is None:
            continue
        raw = within("\n".join(trimmed[at : at + size]), block, 2 * len(block), work)
        score = (near + (2 * len(block) if raw is None else raw) * 0.1 - near * 0.1) / len(block)
        if score <= difference:
            scored.append((score, at))
    taken: list[int] = []
    for _, at in sorted(scored):
        place = bisect_left(taken, at)
        if all(abs(one - at) >= size for one in taken[max(place - 1, 0) : place + 1]):
            taken.insert(place, at)
            yield at, at + size


RULES: dict[str, Rule] = {
    "gemini": Steps(
        {"exact": exact, "flexible": _flexible, "regex": _regex, "fuzzy": _fuzzy},
        {"difference": 0.1},
        _in_line_feeds,
        refuses=("empty",),
    )
}
