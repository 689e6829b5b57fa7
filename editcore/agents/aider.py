"""aider 0.86.2: search/replace blocks of whole lines. The shipped chain tries, on lines:

    perfect       |a|b|          the first window of equal lines
    indentation   |    a|    b|  the first window that is shifted by one prefix; the new lines are shifted with it
    (both again without a blank first line of the search text, if that has more than two lines)
    elision       |a|...|z|      pieces between lines of dots, each in the file once

An empty result counts as a failure. The program also contains the step `distance`, and returns before it. It is here
as a control: it shows why it is switched off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import partial
from itertools import accumulate
from math import ceil, floor

from editcore.agents.matching import Work
from editcore.agents.rule import Rule
from editcore.agents.runner import every_line_feed, in_turn, not_found
from editcore.text.line_index import block_starts
from editcore.text.whitespace import dedented, indented, least_indent
from editcore.types import Applied, Edit, EditResult

_SCALE = 0.1
"""A window of `distance` may be longer or shorter than the search text by this share of its lines."""
_FENCE = "```"
_DOTS = "...\n"

Lines = list[str]
Step = Callable[[Lines, Lines, Lines], str | None]
"""(lines of the file, of the search text, of the new text), with line feeds -> the file afterwards, or None."""
Steps = Sequence[tuple[str, Step]]


def perfect(whole: Lines, part: Lines, new: Lines) -> str | None:
    """Replace the first window of equal lines."""
    at = next(block_starts(whole, part), None)
    return None if at is None else "".join([*whole[:at], *new, *whole[at + len(part) :]])


def shifted(whole: Lines, part: Lines, new: Lines) -> str | None:
    """Replace the first window that is the search text behind one prefix. The new lines get the same prefix."""
    common = least_indent((*part, *new), None)
    part, new = (dedented(lines, common, None) for lines in (part, new))
    work = Work("aider's search for another indentation")
    for at in block_starts([line.lstrip() for line in whole], [line.lstrip() for line in part]):
        work.spend(20 * len(part))
        window = whole[at : at + len(part)]
        # Blank lines have no indentation to differ in.
        prefixes = {
            theirs[: len(theirs) - len(ours)] for theirs, ours in zip(window, part, strict=True) if theirs.strip()
        }
        if len(prefixes) == 1:
            return "".join([*whole[:at], *indented(new, prefixes.pop(), None), *whole[at + len(part) :]])
    return None


def elided(whole: Lines, part: Lines, new: Lines) -> str | None:
    """Replace each piece between lines of dots. Each piece must occur exactly once."""
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
    """Cut the text at lines of dots, into pieces and cuts in turn. Blank lines above dots belong to the cut."""
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
    """Replace the window with the highest difflib ratio, of all windows of about as many lines."""
    size, work = len(part), Work("aider's edit distance")
    sought = "".join(part)
    matcher = SequenceMatcher(None, "", sought)
    sizes = list(accumulate(map(len, whole), initial=0))
    best, at, end = 0.0, -1, -1
    for length in range(floor(size * (1 - _SCALE)), ceil(size * (1 + _SCALE))):
        for start in range(len(whole) - length + 1):
            work.spend(30)
            n, least = sizes[start + length] - sizes[start], max(best, similarity)
            # An upper bound of the ratio: most windows are ruled out by their length.
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
    """The text without a code fence around it, with LF for every line ending and exactly one LF at its end."""
    lines = text.splitlines()
    if lines and lines[0].startswith(_FENCE) and lines[-1].startswith(_FENCE):
        lines = lines[1:-1]
    text = "\n".join(lines)
    return text if not text or text.endswith("\n") else f"{text}\n"


def _tried(steps: Steps, whole: Lines, part: Lines, new: Lines) -> Iterator[tuple[str, str]]:
    for name, step in steps:
        found = step(whole, part, new)
        if found:
            yield name, found


_LINE_STEPS: Steps = (("perfect", perfect), ("indentation", shifted))
_ELISION: Steps = (("elision", elided),)


def _applied(text: str, edit: Edit, *, by_line: Steps, after: Steps) -> Applied:
    text = every_line_feed(text)
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


def _aider(*by_line: str, after: Steps = ()) -> Rule:
    """The rule that tries the steps `by_line`, then the steps `after`."""
    steps = [step for step in _LINE_STEPS if step[0] in by_line]
    return in_turn(lambda text, edit: _applied(text, edit, by_line=steps, after=after))


def _with_distance(text: str, edit: Edit, *, similarity: float = 0.8) -> EditResult:
    distance = partial(nearest, similarity=similarity)
    return _applied(text, edit, by_line=_LINE_STEPS, after=(*_ELISION, ("distance", distance)))


RULES: dict[str, Rule] = {
    "aider": _aider("perfect", "indentation", after=_ELISION),
    "aider_perfect": _aider("perfect"),
    "aider_indentation": _aider("indentation"),
    "aider_elision": _aider(after=_ELISION),
    "aider_distance": in_turn(_with_distance),
}
