"""Gemini CLI 0.61.0's edit tool, without the model that it asks to repair a failed edit.

Evidence: run (`calculateReplacement` of @google/gemini-cli-core) and read (`edit.ts`). The chain, on text with LF:

    exact      counted without overlap
    flexible   |  a|b |    windows whose lines are equal without whitespace at their ends
    regex      f( a,b )    the words and ()[]{}:<>= of the search text with any whitespace between, from a line's start
    fuzzy      windows of as many lines with (distance without whitespace + a tenth of the rest) / length <= 0.1

Policy: each rule counts its places; more than one is refused unless the edit replaces all. New lines are indented as
the first line found, their own relative indentation kept. Line endings: CRLF throughout if the file has one. The
final line feed stays as it was. A new text that elides code ("rest of code ...") is refused. Files with lone carriage
returns are not as in the program, which loses text before them.

Known failure: a search text that ends in a line feed needs a blank line below it, once it is not found exactly.
Known false positive: a search text of ten characters takes a line that differs in one of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from editcore.agents.habits import REPLACED
from editcore.agents.matching.results import not_found, nothing_sought, several, unchanged
from editcore.agents.matching.similarity import within
from editcore.agents.matching.windows import places
from editcore.agents.matching.work import Work
from editcore.agents.rule import AgentRule, Declared, Source, in_turn
from editcore.errors import PatchError
from editcore.text.endings import line_feeds, with_crlf
from editcore.text.line_index import apart, block_starts, occurrences
from editcore.text.whitespace import SPACES_AND_TABS, WHITESPACE, WORD, indent, moved, trim, words
from editcore.thresholds import Threshold
from editcore.types import Applied, Edit, EditResult, Reason

_SHORTEST = 10
"""Characters below which `fuzzy` compares nothing."""
_PRODUCT = 400_000_000
"""Lines of the file x characters of the search text squared, above which `fuzzy` compares nothing."""
_DELIMITERS = str.maketrans({one: f" {one} " for one in "():[]{}><="})
_OMISSION = re.compile(
    r"^(?://)?\s*+\(?\s*+(rest of(?:\s++(?:methods?|code))?|unchanged\s++(?:code|methods?))\s*+\.\.\.\.*+\s*+\)?$",
    re.IGNORECASE,
)

Spans = list[tuple[int, int]]
"""Places as (first line, one past the last) or as offsets."""


def gemini(text: str, edit: Edit, *, difference: float = 0.1) -> EditResult:
    """Gemini CLI: exact, trimmed lines, words with any whitespace, then a small weighted edit distance."""
    crlf = "\r\n" in text
    text, old, new = map(line_feeds, (text, edit.old_string, edit.new_string))
    if not old:
        raise nothing_sought()
    if omission := _omissions(new) - _omissions(old):
        raise PatchError(f"new_string elides code ({min(omission)} ...): write it out.", reason=Reason.MALFORMED)
    content, step = _replaced(text, old, new, difference, replace_all=edit.replace_all)
    if old == new:
        raise unchanged()
    if content.endswith("\n") != text.endswith("\n"):
        content = content.removesuffix("\n") if content.endswith("\n") else f"{content}\n"
    return Applied(with_crlf(content, crlf), (), step)


def _omissions(text: str) -> set[str]:
    found = (_OMISSION.match(trim(line)) for line in text.split("\n"))
    return {" ".join(one[1].lower().split()) for one in found if one}


def _replaced(text: str, old: str, new: str, difference: float, *, replace_all: bool) -> tuple[str, str]:
    """The text afterwards and the step that found it. Raises PatchError."""
    exact = [(at, at + len(old)) for at in places(text, old)]
    if exact:
        _check(text, exact, "exact", replace_all=replace_all)
        return text.replace(old, new), "exact"
    lines = text.splitlines(keepends=True) if _only_line_feeds(text) else _kept_lines(text)
    starts = list(accumulate(map(len, lines), initial=0))
    wanted = [trim(line) for line in old.split("\n")]
    flexible = [(at, at + len(wanted)) for at in apart(block_starts(map(trim, lines), wanted), len(wanted))]
    if flexible:
        _check(text, [(starts[at], starts[end]) for at, end in flexible], "flexible", replace_all=replace_all)
        return _with_windows(lines, flexible, new, ends=new != ""), "flexible"
    worded = list(_worded(text, old))
    if worded:
        _check(text, worded, "regex", replace_all=replace_all)
        out, done = [], 0
        for start, end in worded:
            out += [text[done:start], _indented(new, indent(text[start:end], SPACES_AND_TABS))]
            done = end
        return "".join(out) + text[done:], "regex"
    fuzzy = sorted(_similar(lines, old, difference))
    if not fuzzy:
        raise not_found()
    _check(text, [(starts[at], starts[end]) for at, end in fuzzy], "fuzzy", replace_all=replace_all)
    return _with_windows(lines, fuzzy, new, ends=None), "fuzzy"


def _check(text: str, found: Spans, step: str, *, replace_all: bool) -> None:
    if len(found) > 1 and not replace_all:
        raise several(text, found, step)


def _only_line_feeds(text: str) -> bool:
    return text.isascii() and not any(character in text for character in "\r\v\f\x1c\x1d\x1e")


def _kept_lines(text: str) -> list[str]:
    """The lines with their line feeds; nothing else ends a line."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines


def _indented(new: str, target: str) -> str:
    """The new text with its first line at an indentation, and the others relative to it; blank lines become empty."""
    lines = new.split("\n")
    base = indent(lines[0], SPACES_AND_TABS)
    return "\n".join([moved(line, base, target, WHITESPACE) if trim(line) else "" for line in lines])


def _with_windows(lines: list[str], found: Spans, new: str, *, ends: bool | None) -> str:
    """The text with windows of lines replaced. `ends`: whether a missing last line feed is added; None for always."""
    out, done = [], 0
    for start, end in found:
        put = _indented(new, indent(lines[start], SPACES_AND_TABS))
        if lines[end - 1].endswith("\n") and (ends is None or (ends and not put.endswith("\n"))):
            put += "\n"
        out += [*lines[done:start], put]
        done = end
    return "".join([*out, *lines[done:]])


def _worded(text: str, old: str) -> Iterator[tuple[int, int]]:
    """The places of the search text's words and delimiters with any whitespace between, from the starts of lines."""
    tokens = words(old.translate(_DELIMITERS))
    needle = "".join(tokens)
    if not needle:
        return
    found = list(WORD.finditer(text))
    ends = list(accumulate(len(one[0]) for one in found))
    gaps = set(accumulate(map(len, tokens)))
    done, work = 0, Work("Gemini CLI's search for words")
    for at in occurrences("".join(one[0] for one in found), needle):
        first, last = bisect_right(ends, at), bisect_left(ends, at + len(needle))
        work.spend(10 + 5 * (last - first))
        start = found[first].end() - (ends[first] - at)
        line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
        if line < done or text[line:start].strip(" \t") or any(end - at not in gaps for end in ends[first:last]):
            continue
        done = found[last].end() - (ends[last] - at - len(needle))
        yield line, done


def _similar(lines: Sequence[str], old: str, difference: float) -> Iterator[tuple[int, int]]:
    """The most similar windows that do not overlap, best first."""
    if len(old) < _SHORTEST or len(lines) * len(old) ** 2 > _PRODUCT:
        return
    wanted = [line.rstrip(WHITESPACE) for line in _kept_lines(old)]
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


GEMINI = (
    AgentRule(
        "gemini",
        "Gemini CLI 0.61.0",
        "run",
        "unique",
        in_turn(gemini),
        (Threshold("difference", 0, 1, (0.0, 0.02, 0.05, 0.1, 0.2, 0.3), "most weighted difference per character"),),
        source=Source(None, "google-gemini/gemini-cli packages/core/src/tools/edit.ts", "0.61.0"),
        on_bytes=Declared(
            REPLACED,
            Source(None, "google-gemini/gemini-cli packages/core/src/services/fileSystemService.ts", "04fbf507"),
        ),
    ),
)
