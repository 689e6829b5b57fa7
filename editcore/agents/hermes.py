r"""Hermes Agent's chain of nine steps:

    exact, line_trimmed |a|b|, whitespace_normalized `a  b`, indentation_flexible, escape_normalized `a\nb`,
    trimmed_boundary (first and last line only), unicode_normalized, block_anchor (same size; difflib's ratio of the
    middles 0.5 for one block, 0.7 for several), context_aware (every line 0.8)

Below exact, an edit is refused if both its texts have an escaped quote that the place lacks, or if new lines are
indented deeper and no line opens a block. Literal \t and \r become tabs and carriage returns if the place has such.
The new lines get the indentation of the place. Characters that were folded stay as the file has them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from difflib import SequenceMatcher

from editcore.agents.matching import Folded, Work, span
from editcore.agents.rule import Rule
from editcore.agents.runner import (
    Found,
    Given,
    Span,
    Spans,
    Step,
    Steps,
    every_line_feed,
    exact,
    in_turn,
    nothing_sought,
    spans_of,
)
from editcore.errors import PatchError
from editcore.text.endings import with_crlf
from editcore.text.line_index import block_starts
from editcore.text.whitespace import SPACES_AND_TABS, indent, indent_width, moved
from editcore.types import Applied, Edit, EditResult, Reason

_TABLE = str.maketrans(
    {"“": '"', "”": '"', "‘": "'", "’": "'", "—": "--", "–": "-", "…": "...", "\xa0": " ", "−": "-"}
    | dict.fromkeys((*map(chr, range(0x2000, 0x200B)), "\u202f", "\u205f", "\u3000"), " ")
)
_BLANKS = re.compile(r"[ \t]+")
_OPENERS = (":", "{", "(")
_HEAD = 4_096
"""Characters of a text whose line endings decide for the whole text."""
_LONG_ENOUGH = 8
"""Characters of a new text that, found in the file, count as a change that was made before."""


def _windows(given: Given, key: Callable[[str], str]) -> list[Span]:
    lines = given.old.split("\n")
    starts = block_starts(map(key, given.document.lines), list(map(key, lines)))
    return [span(given.document, at, len(lines)) for at in starts]


def _whitespace_normalized(given: Given) -> list[Span]:
    text = given.text
    find = _BLANKS.sub(" ", given.old)
    kept: list[str] = []
    starts: list[int] = []
    done = 0
    for run in _BLANKS.finditer(text):
        kept += [text[done : run.start()], " "]
        starts += [*range(done, run.start()), run.start()]
        done = run.end()
    kept.append(text[done:])
    starts += [*range(done, len(text)), len(text)]
    found = []
    for start, end in spans_of("".join(kept), find):
        # A run of spaces at the end of a place belongs to it only if the search text ends in one.
        last = starts[end] if find.endswith(" ") else starts[end - 1] + 1
        found.append((starts[start], last))
    return found


def _escape_normalized(given: Given) -> list[Span]:
    find = given.old.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r")
    return [] if find == given.old else spans_of(given.text, find)


def _trimmed_boundary(given: Given) -> list[Span]:
    """Windows whose first and last lines are equal without whitespace at their ends, the other lines as they are."""
    wanted, lines = given.old.split("\n"), given.document.lines
    first, last = wanted[0].strip(), wanted[-1].strip()
    if len(wanted) <= 2:
        key = [first, last][: len(wanted)]
        starts = list(block_starts([line.strip() for line in lines], key))
    else:
        inner = block_starts(lines, wanted[1:-1])
        below = len(wanted) - 2
        starts = [
            at - 1
            for at in inner
            if at > 0
            and at + below < len(lines)
            and lines[at - 1].strip() == first
            and lines[at + below].strip() == last
        ]
    return [span(given.document, at, len(wanted)) for at in starts]


def _unicode_normalized(given: Given) -> list[Span]:
    fold, find = Folded(given.text, _TABLE), given.old.translate(_TABLE)
    if fold.text == given.text and find == given.old:
        return []
    found = spans_of(fold.text, find) or _windows(replace(given, text=fold.text, old=find), str.strip)
    # A place cannot begin within a character that was folded to several, such as an ellipsis.
    return [(fold.offset(start), fold.offset(end)) for start, end in found if fold.begins(start)]


def _ratio(one: str, other: str, matcher: SequenceMatcher[str], least: float, work: Work) -> float:
    """difflib's ratio of `one` and the text that the matcher was made for; 0 if it is less than `least`."""
    n, m = len(one), len(other)
    if one == other:
        return 1.0
    if 2 * min(n, m) < least * (n + m):
        return 0.0
    matcher.set_seq1(one)
    work.spend(200 + 30 * n)
    if matcher.quick_ratio() < least:
        return 0.0
    work.spend(100 * n)
    found = matcher.ratio()
    return found if found >= least else 0.0


def _block_anchor(given: Given) -> list[Span]:
    wanted = given.old.translate(_TABLE).split("\n")
    lines = given.text.translate(_TABLE).split("\n")
    size, last = len(wanted), len(wanted) - 1
    if size < 2:
        return []
    trimmed = [line.strip() for line in lines]
    ends = wanted[0].strip(), wanted[-1].strip()
    starts = [at for at in range(len(lines) - last) if (trimmed[at], trimmed[at + last]) == ends]
    least = given.limits["anchored"] if len(starts) == 1 else min(given.limits["anchored"] + 0.2, 1.0)
    inner = "\n".join(wanted[1:-1])
    middle = SequenceMatcher(None, "", inner)
    found = []
    for at in starts:
        given.work.spend(size)
        if size == 2 or _ratio("\n".join(lines[at + 1 : at + last]), inner, middle, least, given.work) >= least:
            found.append(span(given.document, at, size))
    return found


def _context_aware(given: Given) -> list[Span]:
    wanted = [line.strip() for line in given.old.split("\n")]
    lines = [line.strip() for line in given.document.lines]
    distinct, size = list(dict.fromkeys(lines)), len(wanted)
    alike: dict[str, set[str]] = {}

    def likes(line: str) -> set[str]:
        if line not in alike:
            matcher = SequenceMatcher(None, "", line)
            given.work.spend(40 * len(distinct))
            ratios = ((one, _ratio(one, line, matcher, given.limits["contexts"], given.work)) for one in distinct)
            alike[line] = {one for one, ratio in ratios if ratio >= given.limits["contexts"]}
        return alike[line]

    def fits(at: int) -> bool:
        given.work.spend(10 * size)
        return all(not line or lines[at + n] in likes(line) for n, line in enumerate(wanted))

    first, last = likes(wanted[0]), likes(wanted[-1])
    ends = range(len(lines) - size + 1)
    starts = [at for at in ends if lines[at] in first and lines[at + size - 1] in last and fits(at)]
    return [span(given.document, at, size) for at in starts]


def _check(text: str, found: Spans, old: str, new: str) -> None:
    """Raise PatchError for escapes that the place lacks, and for deeper lines where no line opens a block."""
    region = "".join(text[start:end] for start, end in found)
    for suspect in ("\\'", '\\"'):
        if suspect in new and suspect in old and suspect not in region:
            raise PatchError(f"the file has no {suspect} there: copy the quotes as they are.", reason=Reason.NO_MATCH)
    olds, news = ([line for line in one.split("\n") if line.strip()] for one in (old, new))
    if not news or any(line.rstrip().endswith(_OPENERS) for line in (*olds, *news)):
        return
    deepest = max(indent_width(line, SPACES_AND_TABS) for line in olds)
    if any(indent_width(line, SPACES_AND_TABS) > deepest for line in news):
        raise PatchError("new_string is indented deeper, but opens no block: check it.", reason=Reason.NO_MATCH)


def _unescaped(text: str, found: Spans, new: str) -> str:
    region = "".join(text[start:end] for start, end in found)
    for written, character in (("\\t", "\t"), ("\\r", "\r")):
        if character in region:
            new = new.replace(written, character)
    return new


def _reindented(region: str, old: str, new: str) -> str:
    """The new text with the place's indentation for the search text's; the first line with text counts in both."""
    first, theirs = _first_filled(old), _first_filled(region)
    if not new or first is None or theirs is None:
        return new
    ours, at = indent(first, SPACES_AND_TABS), indent(theirs, SPACES_AND_TABS)
    if ours == at:
        return new
    return "\n".join(moved(line, ours, at) if line.strip() else line for line in new.split("\n"))


def _first_filled(text: str) -> str | None:
    return next((line for line in text.split("\n") if line.strip()), None)


def _with_the_files_characters(text: str, found: Spans, old: str, new: str) -> str:
    """The new text, with the file's own characters in the parts that the search text has too."""
    region = "".join(text[start:end] for start, end in found)
    folded, find = Folded(region, _TABLE), old.translate(_TABLE)
    if folded.text != find:
        return new
    work = Work("Hermes Agent's search for what an edit changes")
    work.spend((len(find) * len(new)) // 50)
    out = []
    for kind, a, b, c, d in SequenceMatcher(None, find, new).get_opcodes():
        out.append(region[folded.offset(a) : folded.offset(b)] if kind == "equal" else new[c:d])
    return "".join(out)


_APPROXIMATE = {"block_anchor": _block_anchor, "context_aware": _context_aware}
_LITERAL: dict[str, Callable[[Given], list[Span]]] = {
    "line_trimmed": lambda given: _windows(given, str.strip),
    "whitespace_normalized": _whitespace_normalized,
    "indentation_flexible": lambda given: _windows(given, str.lstrip),
    "escape_normalized": _escape_normalized,
    "trimmed_boundary": _trimmed_boundary,
    "unicode_normalized": _unicode_normalized,
}


def _adapted(step: Callable[[Given], list[Span]]) -> Step:
    """The step with a new text adapted to its places, as Hermes does it below exact places."""

    def adapted(given: Given) -> Found | None:
        text, found = given.text, step(given)
        if not found:
            return None
        if len(found) > 1 and (not given.every or given.step in _APPROXIMATE):
            raise given.several(found)
        _check(text, found, given.old, given.new)
        new = _unescaped(text, found, given.new)
        if given.step == "unicode_normalized":
            new = _with_the_files_characters(text, found, given.old, new)
        # Windows of lines may overlap: the later one is left out.
        apart = [one for n, one in enumerate(found) if not n or one[0] >= found[n - 1][1]]
        news = [_reindented(text[start:end], given.old, new) for start, end in apart]
        return Found(apart, news[0] if len(set(news)) == 1 else news)

    return adapted


def _nothing_to_do(given: Given) -> None:
    """Raise PatchError with its own reason for a change that is in the file already. It is the last step."""
    if given.new in given.text and len(given.new.strip()) >= _LONG_ENOUGH:
        raise PatchError("new_string stands in the file already, and old_string does not.", reason=Reason.IDENTICAL)


_STEPS = Steps(
    {
        "exact": exact,
        **{name: _adapted(step) for name, step in (_LITERAL | _APPROXIMATE).items()},
        "made_before": _nothing_to_do,
    },
    {"anchored": 0.5, "contexts": 0.8},
    refuses=("identical",),
    work="Hermes Agent's search for similar lines",
)


def hermes(text: str, edit: Edit, **limits: float) -> EditResult:
    """Hermes Agent's rule. Afterwards, all line endings become the ones at the head of the old file."""
    if not edit.old_string.strip():
        raise nothing_sought()
    done = _STEPS.apply(text, edit, **limits)
    head, content = text[:_HEAD], done.content or ""
    if "\n" in head:
        content = with_crlf(every_line_feed(content), "\r\n" in head)
    return done if content == done.content else Applied(content, (), done.replacer)


RULES: dict[str, Rule] = {"hermes": in_turn(hermes)}
