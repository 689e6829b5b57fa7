"""aider 0.86.2: search/replace blocks of whole lines.

Evidence: run (`peer/aider_edit_block`) and read (`editblock_coder.py`). The shipped chain tries, on lines:

    perfect       |a|b|          the first window of equal lines
    indentation   |    a|    b|  the first window that is shifted by one prefix; the new lines are shifted with it
    (both again without a blank first line of the search text, if that has more than two lines)
    elision       |a|...|z|      pieces between lines of dots, each in the file once

Policy: the first place; several places are never noticed. Both texts are lines: a last line feed is added to them and
to the file. Every line ending becomes LF. An empty search text appends. A result that is empty counts as a failure.

Known false positive: of two equal places the first is taken, whichever was meant.
`distance` is a rule that the program contains, but returns before; it is here as a control that shows why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate
from math import ceil, floor

from editcore.agents.habits import STRICT
from editcore.agents.matching.results import not_found
from editcore.agents.matching.work import Work
from editcore.agents.rule import AgentRule, Declared, OneEdit, Source, in_turn
from editcore.text.line_index import block_starts
from editcore.text.whitespace import dedented, indented, least_indent
from editcore.thresholds import Threshold
from editcore.types import Applied, Edit, EditResult

PROGRAM = "aider 0.86.2"
RELEASED, RELEASE = "2026-02-11", "253f0368"
"""Day and commit of that version."""
AIDER_ON_BYTES = Declared(STRICT, Source("2025-03-06", "Aider-AI/aider aider/io.py (read_text as UTF-8)", "0045641d"))
_SOURCE = Source(RELEASED, "Aider-AI/aider aider/coders/editblock_coder.py", RELEASE)
_SCALE = 0.1
"""Share of the search text's lines by which a window of `distance` may be shorter or longer."""
_FENCE = "```"
_DOTS = "...\n"

Lines = list[str]
Step = Callable[[Lines, Lines, Lines], str | None]
"""(lines of the file, of the search text, of the new text), with their line feeds -> the file afterwards, or None."""
Steps = Sequence[tuple[str, Step]]
"""Names and steps, in order."""


def perfect(whole: Lines, part: Lines, new: Lines) -> str | None:
    """The text with the first window of equal lines replaced."""
    at = next(block_starts(whole, part), None)
    return None if at is None else "".join([*whole[:at], *new, *whole[at + len(part) :]])


def shifted(whole: Lines, part: Lines, new: Lines) -> str | None:
    """The text with the first window replaced that is the search text behind one prefix, which new lines get too."""
    common = least_indent((*part, *new), None)
    part, new = (dedented(lines, common, None) for lines in (part, new))
    work = Work("aider's search for another indentation")
    for at in block_starts([line.lstrip() for line in whole], [line.lstrip() for line in part]):
        work.spend(20 * len(part))
        window = whole[at : at + len(part)]
        prefixes = {
            theirs[: len(theirs) - len(ours)] for theirs, ours in zip(window, part, strict=True) if theirs.strip()
        }
        if len(prefixes) == 1:
            return "".join([*whole[:at], *indented(new, prefixes.pop(), None), *whole[at + len(part) :]])
    return None


def elided(whole: Lines, part: Lines, new: Lines) -> str | None:
    """The text with each piece between lines of dots replaced; each must occur exactly once."""
    text = "".join(whole)
    olds, news = _pieces("".join(part)), _pieces("".join(new))
    if len(olds) == 1 or len(olds) != len(news) or olds[1::2] != news[1::2]:
        return None
    work = Work("aider's search for pieces between dots")
    for old, put in zip(olds[::2], news[::2], strict=True):
        work.spend(len(text) // 20)
        if not old:
            text += put
        elif text.count(old) != 1:
            return None
        else:
            text = text.replace(old, put, 1)
    return text


def _pieces(text: str) -> list[str]:
    """The text cut at lines of dots, with the cuts between; blank lines above the dots belong to the cut."""
    pieces, kept, cut = [], "", ""
    for line in text.splitlines(keepends=True) if "\n" in text else [text]:
        if line.lstrip() == _DOTS:
            pieces += [kept, cut + line]
            kept = cut = ""
        elif line.isspace():
            cut += line
        else:
            kept, cut = kept + cut + line, ""
    return [*pieces, kept + cut]


def nearest(whole: Lines, part: Lines, new: Lines, *, similarity: float) -> str | None:
    """The text with the most similar of all windows of about as many lines replaced, by difflib's ratio."""
    size, work = len(part), Work("aider's edit distance")
    sought = "".join(part)
    matcher = SequenceMatcher(None, "", sought)
    sizes = list(accumulate(map(len, whole), initial=0))
    best, at, end = 0.0, -1, -1
    for length in range(floor(size * (1 - _SCALE)), ceil(size * (1 + _SCALE))):
        for start in range(len(whole) - length + 1):
            work.spend(30)
            n, least = sizes[start + length] - sizes[start], max(best, similarity)
            if 2 * min(n, len(sought)) < least * (n + len(sought)):
                continue
            matcher.set_seq1("".join(whole[start : start + length]))
            work.spend(200 + 30 * n)
            if matcher.quick_ratio() < least:
                continue
            work.spend(100 * n)
            ratio = matcher.ratio()
            if ratio > best:
                best, at, end = ratio, start, start + length
    return None if best < similarity or at < 0 else "".join([*whole[:at], *new, *whole[end:]])


def _lines(text: str) -> Lines:
    return (text if not text or text.endswith("\n") else f"{text}\n").splitlines(keepends=True)


def _unwrapped(text: str) -> str:
    """The text without a fence around it, with LF for every line ending, and one at its end: a blank last line goes."""
    lines = text.splitlines()
    if lines and lines[0].startswith(_FENCE) and lines[-1].startswith(_FENCE):
        lines = lines[1:-1]
    text = "\n".join(lines)
    return text if not text or text.endswith("\n") else f"{text}\n"


def _tried(steps: Steps, whole: Lines, part: Lines, new: Lines) -> Iterator[tuple[str, str]]:
    """(step, the text afterwards) for each step that finds something, in order."""
    for name, step in steps:
        found = step(whole, part, new)
        if found:
            yield name, found


_LINE_STEPS: Steps = (("perfect", perfect), ("indentation", shifted))
_ELISION: Steps = (("elision", elided),)


def _applied(text: str, edit: Edit, *, by_line: Steps, after: Steps) -> Applied:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    old, new = _unwrapped(edit.old_string), _unwrapped(edit.new_string)
    if not old.strip():
        return Applied(text + new, (), "appended")
    whole, part, put = _lines(text), _lines(old), _lines(new)
    found = next(_tried(by_line, whole, part, put), None)
    if found is None and len(part) > 2 and not part[0].strip():
        found = next(_tried(by_line, whole, part[1:], put), None)
    found = found or next(_tried(after, whole, part, put), None)
    if found is None:
        raise not_found()
    return Applied(found[1], (), found[0])


def aider(text: str, edit: Edit) -> EditResult:
    """aider's shipped chain on whole lines: perfect, then another indentation, then elisions; the first place."""
    return _applied(text, edit, by_line=_LINE_STEPS, after=_ELISION)


def aider_perfect(text: str, edit: Edit) -> EditResult:
    """aider's first rule alone: the first window of equal lines."""
    return _applied(text, edit, by_line=_LINE_STEPS[:1], after=())


def aider_indentation(text: str, edit: Edit) -> EditResult:
    """aider's second rule alone: the first window that is shifted by one prefix, which the new lines get too."""
    return _applied(text, edit, by_line=_LINE_STEPS[1:], after=())


def aider_elision(text: str, edit: Edit) -> EditResult:
    """aider's third rule alone: pieces between lines of dots, each of which must occur once."""
    return _applied(text, edit, by_line=(), after=_ELISION)


def aider_distance(text: str, edit: Edit, *, similarity: float = 0.8) -> EditResult:
    """aider's chain with the rule behind it that is switched off: the most similar window, without a margin."""

    def distance(whole: Lines, part: Lines, new: Lines) -> str | None:
        return nearest(whole, part, new, similarity=similarity)

    return _applied(text, edit, by_line=_LINE_STEPS, after=(*_ELISION, ("distance", distance)))


def _aider(name: str, rule: OneEdit, *thresholds: Threshold) -> AgentRule:
    best = "best" if thresholds else "first"
    return AgentRule(name, PROGRAM, "run", best, in_turn(rule), thresholds, source=_SOURCE, on_bytes=AIDER_ON_BYTES)  # type: ignore[arg-type]


AIDER = (
    _aider("aider", aider),
    _aider("aider_perfect", aider_perfect),
    _aider("aider_indentation", aider_indentation),
    _aider("aider_elision", aider_elision),
    _aider(
        "aider_distance",
        aider_distance,
        Threshold("similarity", 0, 1, (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0), "least ratio of the window taken"),
    ),
)
