"""Corrections that programs make in the new lines of an edit, one function each, and their tables.

    a()        a call that replaces line 1 by "x()" and "b()" was meant to replace line 1 alone, and repeats
    b()        the line below: the correction drops "b()"

A correction takes a change and the lines of the text, and returns the change to make. It repairs a frequent mistake of
models, and damages edits that only look like the mistake. Each can be left out by name (`@without=NAME`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import pairwise

from editcore.anchors.calls import Change, named_lines
from editcore.anchors.views import LETTERS, squeezed
from editcore.errors import PatchError
from editcore.text.whitespace import SPACES_AND_TABS, WHITESPACE, indent, trim
from editcore.types import Reason

Correction = Callable[[Change, Sequence[str]], Change]
_H2_PREFIX = re.compile(rf"\s*(?:>>>|>>)?\s*[0-9]+\s*#\s*[{LETTERS}]{{2}}\|")
PLUS = re.compile(r"\+(?!\+)")
"""The sign of an added line in a diff."""
_SEMICOLON = re.compile(r";\s+")
_OPERATOR_AT_END = re.compile(r"(?:&&|\|\||\?\?|[?:=,+\-*/.(])\s*$")
_OPERATORS = "|&?"
_NO_OPERATORS = dict.fromkeys(map(ord, _OPERATORS))
_LONGEST_REFLOW = 10
"""Lines into which a model may have broken one line."""
_SHORTEST = 6
"""Characters besides whitespace that a line needs to be recognised."""


def strip_prefixes(change: Change, _: Sequence[str]) -> Change:
    """Strips `N#HH|` from the new lines if half of them begin so; else strips one `+` on the same condition."""
    said = [line for line in change.new if line]
    for one in (_H2_PREFIX, PLUS):
        if said and 2 * sum(one.match(line) is not None for line in said) >= len(said):
            return replace(change, new=tuple([one.sub("", line, count=1) if one.match(line) else line
                                              for line in change.new]))  # fmt: skip
    return change


def insert_echo(change: Change, lines: Sequence[str]) -> Change:
    """Drops the new line next to the anchor if it repeats the anchor's line. A single line above the anchor stays."""
    if change.kind == "replace" or not change.new or not change.is_anchored:
        return change
    at = 0 if change.kind == "after" else -1
    is_only = len(change.new) == 1 and change.kind == "before"
    if is_only or squeezed(change.new[at]) != squeezed(lines[change.first - 1]):
        return change
    return replace(change, new=change.new[1:] if change.kind == "after" else change.new[:-1])


def range_echo(change: Change, lines: Sequence[str]) -> Change:
    """Drops the first and the last new line if they repeat the lines above and below the range exactly."""
    new = change.new
    if not change.is_range or change.kind != "replace" or len(new) <= max(1, change.n_lines):
        return change
    if change.first > 1 and new[0] == lines[change.first - 2]:
        new = new[1:]
    if new and change.last < len(lines) and new[-1] == lines[change.last]:
        new = new[:-1]
    return replace(change, new=new)


def reflow(change: Change, lines: Sequence[str]) -> Change:
    """Joins new lines that together are one replaced line, broken at whitespace. No line of them may be blank."""
    if change.kind != "replace":
        return change
    old = lines[change.first - 1 : change.last]
    counts = Counter(map(squeezed, old))
    known = {squeezed(line): line for line in old if len(squeezed(line)) >= _SHORTEST and counts[squeezed(line)] == 1}
    new = [squeezed(line) for line in change.new]
    broken = [(at, n, text) for at in range(len(new)) for n, text in _runs(new[at:]) if text in known]
    places = Counter(text for _, _, text in broken)
    found = list(change.new)
    for at, n, text in sorted(broken, key=lambda one: -one[0]):
        if places[text] == 1:
            found[at : at + n] = [known[text]]
    return replace(change, new=tuple(found))


def _runs(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The number and the joined text of the first two lines, the first three, and so on up to a blank line."""
    text = ""
    for n, line in enumerate(lines[:_LONGEST_REFLOW], 1):
        if not line:
            return
        text += line
        if n > 1:
            yield n, text


def indentation(change: Change, lines: Sequence[str]) -> Change:
    """Gives new lines without indentation the indentation of the old lines, if there are as many of both.

    A line whose only change is the lost indentation stays without it.
    """
    if change.kind != "replace" or len(change.new) != change.n_lines:
        return change
    old = lines[change.first - 1 : change.last]
    indented = tuple([_indented(new, was) for new, was in zip(change.new, old, strict=True)])
    return _unless_bare(change, lines, replace(change, new=indented))


def first_indentation(change: Change, lines: Sequence[str]) -> Change:
    """Gives the first new line the indentation of the first old line, if it has none and differs otherwise too."""
    if change.kind != "replace" or not change.new:
        return change
    first = _indented(change.new[0], lines[change.first - 1])
    return _unless_bare(change, lines, replace(change, new=(first, *change.new[1:])))


def _unless_bare(change: Change, lines: Sequence[str], indented: Change) -> Change:
    """The indented change, in which lines whose only change was the lost indentation are as the call has them."""
    old = lines[change.first - 1 : change.last]
    new = [
        was if n < len(old) and trim(was) == trim(old[n]) else now
        for n, (was, now) in enumerate(zip(change.new, indented.new, strict=True))
    ]
    return replace(change, new=tuple(new))


def split_merged(change: Change, lines: Sequence[str]) -> Change:
    """Breaks a single new line for several old ones where the old lines begin in it, or else at its semicolons."""
    if change.kind != "replace" or len(change.new) != 1 or change.n_lines < 2:
        return change
    new, old = change.new[0], [trim(line) for line in lines[change.first - 1 : change.last]]
    if not all(old):
        return change
    starts = _starts(new, old)
    pieces = [trim(new[start:end]) for start, end in pairwise([*starts, len(new)])] if starts else []
    if not pieces or not all(pieces):
        pieces = [f"{piece.rstrip(';')};" for piece in _SEMICOLON.split(new)]
        pieces = [trim(piece) for piece in [*pieces[:-1], pieces[-1][:-1] if not new.endswith(";") else pieces[-1]]]
        pieces = [piece for piece in pieces if piece]
    return replace(change, new=tuple(pieces)) if len(pieces) == len(old) else change


def _starts(text: str, parts: Sequence[str]) -> list[int]:
    """The offsets in `text` where the parts begin, in order; an empty list if a part is missing.

    A part that is not found is sought without the operator at its end, then without any `|`, `&` and `?`.
    """
    starts, at = list[int](), 0
    for part in parts:
        found, length = text.find(part, at), len(part)
        if found < 0 and (bare := _OPERATOR_AT_END.sub("", part)) != part:
            found, length = text.find(bare, at), len(bare)
        if found < 0:
            rest = [n for n in range(at, len(text)) if text[n] not in _OPERATORS]
            where = "".join([text[n] for n in rest]).find(part.translate(_NO_OPERATORS))
            found, length = (rest[where - 1] + 1 if where else at) if where >= 0 else -1, len(part)
        if found < 0:
            return []
        starts.append(found)
        at = found + length
    return starts


def _indented(new: str, old: str) -> str:
    return indent(old) + new if trim(new) and not indent(new) else new


H2_CORRECTIONS: dict[str, Correction] = {
    "strip_prefixes": strip_prefixes, "insert_echo": insert_echo, "range_echo": range_echo,
    "split_merged": split_merged, "reflow": reflow, "indentation": indentation, "first_indentation": first_indentation,
}  # fmt: skip
"""Corrections of oh-my-openagent, in their order."""


# oh-my-pi 13, for H2.

_PREFIX = re.compile(rf"\s*(?:>>>|>>)?\s*(?:\+?\s*(?:[0-9]+\s*#\s*|#\s*)|\+)\s*[{LETTERS}]{{2}}:")
_ADDED = re.compile(rf"\s*(?:>>>|>>)?\s*\+\s*(?:[0-9]+\s*#\s*|#\s*)?[{LETTERS}]{{2}}:")
_ESCAPED_TABS = re.compile(r"\A(?:\\t)+")


def strip_all_prefixes(change: Change, _: Sequence[str]) -> Change:
    """Strips `N#HH:` if all new lines begin so; else `+HH:` from lines with it; else one `+` if half have it."""
    said = [line for line in change.new if line]
    if not said:
        return change
    if all(map(_PREFIX.match, said)):
        return replace(change, new=tuple([_PREFIX.sub("", line, count=1) for line in change.new]))
    if any(map(_ADDED.match, said)):
        new = [_PREFIX.sub("", line, count=1) if _ADDED.match(line) else line for line in change.new]
        return replace(change, new=tuple(new))
    if 2 * sum(PLUS.match(line) is not None for line in said) >= len(said):
        return replace(change, new=tuple([line[1:] if PLUS.match(line) else line for line in change.new]))
    return change


def escaped_tabs(change: Change, _: Sequence[str]) -> Change:
    """Turns `\\t` at the start of new lines into tabs, if no new line has a tab."""
    if any("\t" in line for line in change.new):
        return change
    return replace(change, new=tuple([_ESCAPED_TABS.sub(lambda tabs: "\t" * (len(tabs[0]) // 2), line)
                                      for line in change.new]))  # fmt: skip


def range_end(change: Change, lines: Sequence[str]) -> Change:
    """Drops the last new line if it repeats the line below the range, and the last replaced line is another."""
    if not change.is_range or change.kind != "replace" or not change.new or change.last >= len(lines):
        return change
    is_echo = _is_echo(change.new[-1], lines[change.last], lines[change.last - 1])
    return replace(change, new=change.new[:-1]) if is_echo else change


def range_start(change: Change, lines: Sequence[str]) -> Change:
    """Drops the first new line if it repeats the line above the range, and the first replaced line is another."""
    if not change.is_range or change.kind != "replace" or not change.new or not 1 < change.first <= len(lines):
        return change
    is_echo = _is_echo(change.new[0], lines[change.first - 2], lines[change.first - 1])
    return replace(change, new=change.new[1:]) if is_echo else change


def _is_echo(new: str, outside: str, within: str) -> bool:
    """True if `new` repeats `outside` and not `within`, without whitespace at their ends.

    A new line of one character must be a closing bracket.
    """
    new, outside, within = (line.rstrip(WHITESPACE) for line in (new, outside, within))
    if not new or new != outside or new == within:
        return False
    said = trim(new)
    return len(said) > 1 or said in ("}", ")")


CORRECTIONS_OF_LINES: dict[str, Correction] = {"strip_prefixes": strip_all_prefixes, "escaped_tabs": escaped_tabs}
"""Corrections of oh-my-pi 13 that it makes before it drops duplicate edits."""
CORRECTIONS_OF_RANGES: dict[str, Correction] = {"range_end": range_end, "range_start": range_start}
"""Corrections of oh-my-pi 13 after duplicates are dropped; 13.15 took them out."""


# oh-my-pi 17.3, for H4.

_leading = partial(indent, of=SPACES_AND_TABS)
_CLOSER = re.compile(r"\s*[)\]}]+[;,]?\s*")


def border_echo(change: Change, lines: Sequence[str]) -> Change:
    """Drops new lines that repeat the lines above or below the range, if the rest is as long as the range.

    Raises PatchError if lines of one side are repeated and the rest is too short.
    """
    if not change.n_lines:
        return change
    above, below = lines_repeated_above(change, lines), lines_repeated_below(change, lines)
    if above and below:
        fills = len(change.new) - above - below == change.n_lines
        return replace(change, new=change.new[above : len(change.new) - below]) if fills else change
    if not (above or below) or change.n_lines == 1:
        return change
    if len(change.new) - above - below < change.n_lines:
        where = f"opens with the {above} line(s) just above" if above else f"ends with the {below} line(s) just below"
        raise PatchError(
            f"`PUT {change.first}.={change.last}:` rejected: the body {where} the range, but is too short to be all of "
            "it. Issue the range of exactly the lines that change, and the body as their complete final content.",
            reason=Reason.AMBIGUOUS,
        )
    return replace(change, new=change.new[above : len(change.new) - below])


def border_indentation(change: Change, lines: Sequence[str]) -> Change:
    """Indents new lines that left the block above them, if most are old lines that lost the same indentation."""
    if change.kind != "replace" or len(change.new) != change.n_lines or change.first < 2:
        return change
    opener, old = lines[change.first - 2], lines[change.first - 1 : change.last]
    width = len(_leading(opener))
    if not opener.rstrip().endswith("{") or len(_leading(old[0])) <= width or len(_leading(change.new[0])) > width:
        return change
    shifts = list[str]()
    for was, now in zip(old, change.new, strict=True):
        if was.strip() and was.lstrip() == now.lstrip():
            if not _leading(was).endswith(_leading(now)):
                return change
            shifts.append(_leading(was)[: len(_leading(was)) - len(_leading(now))])
    if len(shifts) < 2 or 2 * len(shifts) <= len(change.new) or len({*shifts}) != 1 or not shifts[0]:
        return change
    return replace(change, new=tuple([shifts[0] + line if line.strip() else line for line in change.new]))


def lines_repeated_above(change: Change, lines: Sequence[str]) -> int:
    """The number of first new lines that repeat the lines above their place; 0 if all of them are blank."""
    above = change.first - (change.kind != "after")
    return _repeated(change.new, lines[max(above - len(change.new), 0) : above])


def lines_repeated_below(change: Change, lines: Sequence[str]) -> int:
    """The number of last new lines that repeat the lines below their place; 0 if all of them are blank."""
    below = change.last - (change.kind == "before")
    return _repeated(change.new[::-1], lines[below : below + len(change.new)][::-1])


def _repeated(new: Sequence[str], outside: Sequence[str]) -> int:
    """The length of the longest start of `new` that is the end of `outside`; 0 if it is all blank."""
    # Prefix function of Knuth, Morris and Pratt over new + outside, in linear time: models repeat thousands of lines.
    row = [*new, None, *outside]
    borders = [0] * len(row)
    for n in range(1, len(row)):
        length = borders[n - 1]
        while length and row[n] != row[length]:
            length = borders[length - 1]
        borders[n] = length + (row[n] is not None and row[n] == row[length])
    longest = borders[-1] if outside else 0
    return longest if any(map(str.strip, new[:longest])) else 0


def landed(changes: Sequence[Change], lines: Sequence[str]) -> list[Change]:
    """The changes, in which insertions below a line of a deeper block move below the brackets that close the block.

    if x {
        a()        <- inserted "b()" with the indentation of `if` moves below the next line
    }
    """
    named = {*named_lines(changes)}
    return [replace(one, first=at, last=at) if (at := _landing(one, lines, named)) else one for one in changes]


def _landing(change: Change, lines: Sequence[str], named: Set[int]) -> int | None:
    """The line below which the new lines belong; None if they stay, or if another change names a line between."""
    if change.kind != "after" or not change.is_anchored or not lines[change.first - 1].strip():
        return None
    depth, found = _depth(change.new), None
    above = _leading(lines[change.first - 1])
    if depth is None or above == depth or not above.startswith(depth):  # The line is in no deeper block.
        return None
    for n in range(change.first + 1, len(lines) + 1):
        line = lines[n - 1]
        if not line.strip():
            continue
        if not _CLOSER.fullmatch(line) or not _leading(line).startswith(depth):
            break
        if n in named:
            return None
        found = n
        if len(_leading(line)) == len(depth):
            break
    return found


def _depth(lines: Sequence[str]) -> str | None:
    """The least indentation of lines; None if all are closing brackets, or tabs and spaces are mixed."""
    said = [line for line in lines if line.strip()]
    if all(map(_CLOSER.fullmatch, said)):
        return None
    least = min(map(_leading, said), key=len)
    return least if all(_leading(line).startswith(least) for line in said) else None


LANDING = "landing"
"""The name of the correction `landed`, which takes all changes after the other corrections."""
H4_CORRECTIONS: dict[str, Correction] = {"border_indentation": border_indentation, "border_echo": border_echo}
"""Corrections of oh-my-pi 17.3 for one change, in their order; corrections that need a parser are left out."""
