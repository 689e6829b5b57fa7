"""A text whose lines somebody has indented otherwise, all alike: what was seen, and the edit, in that indentation.

    seen  |if a:         live  |if a:        edit  |if a:          as if   |if a:        and   |if a:
          |    go()            |\\tgo()            |    go()       seen    |\\tgo()             |\\tgo()
                                                  |    stop()                                 |\\tstop()

Lines that say the same in both texts show what each indentation has become. Where all are multiples of the least one,
as when a formatter goes from four columns to tabs, this says what any other becomes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from editcore.stale.alignment import lines_of
from editcore.stale.reformatted import BARE
from editcore.text.diff import changed_ranges
from editcore.text.whitespace import WHITESPACE
from editcore.types import Applied

Reindent = Callable[[str], str | None]
"""A line -> the line indented as in the text of now; None where nothing says how that would be."""


def reindent(seen: str, live: str) -> Reindent | None:
    """How lines of a text that was seen are indented now; None where they are not all indented otherwise in one way."""
    old, new = (_Lines(lines_of(text)) for text in (seen, live))
    if set(old.indents) == set(new.indents):
        return None
    table = _table(old, new)
    steps = sorted((one for one in table if one), key=len)
    if not any(one != table[one] for one in steps):
        return None
    unit = steps[0]
    # One depth alone may have become another by a shift, but not spaces tabs.
    is_regular = (len(steps) > 1 or {*unit} != {*table[unit]}) and all(
        table[one] == _scaled(one, unit, table[unit]) for one in steps
    )

    def reindented(line: str) -> str | None:
        text = line.lstrip(WHITESPACE)
        if not text:
            return line
        own = line[: -len(text)]
        other = table.get(own)
        if other is None and is_regular:
            other = _scaled(own, unit, table[unit])
        return None if other is None else other + text

    return reindented


class _Lines:
    """The lines of a text that are not blank."""

    def __init__(self, lines: list[str]) -> None:
        found = [(line, line[: -len(rest)]) for line in lines if (rest := line.lstrip(WHITESPACE))]
        self.lines, self.indents = [line for line, _ in found], [own for _, own in found]

    def said(self) -> list[str]:
        """What formatters leave of each."""
        # As `bare`, of all lines at once, which is faster.
        return "".join(self.lines).removesuffix("\n").translate(BARE).split("\n")


def _table(old: _Lines, new: _Lines) -> Mapping[str, str]:
    """Old indentation -> new one, of lines that say the same; empty where one has become several.

    Of what is said more or less often now, nothing tells which of the lines stayed: `else:` may have gone where it was,
    and stand at another depth as it did.
    """
    said_old, said_new = old.said(), new.said()
    n_old, n_new = Counter(said_old), Counter(said_new)
    found: dict[str, str] = {}
    at_old = at_new = 0
    changes = changed_ranges(*("".join([f"{line}\n" for line in said]) for said in (said_old, said_new)))
    for first, last, text in [*changes, (len(said_old) + 1, len(said_old), "")]:
        n = first - 1 - at_old
        kept = zip(said_old[at_old:], old.indents[at_old:], new.indents[at_new : at_new + n], strict=False)
        for said, own, other in kept:
            if n_old[said] == n_new[said] and found.setdefault(own, other) != other:
                return {}
        at_old, at_new = last, at_new + n + text.count("\n")
    return found


def _scaled(own: str, unit: str, new: str) -> str | None:
    n, rest = divmod(len(own), len(unit))
    return None if rest or own != unit * n else new * n


def in_indentation(seen: str, mine: Applied, reindented: Reindent) -> tuple[str, Applied] | None:
    """The text that was seen and what the edit made of it, indented so; None where a new line cannot be."""
    assert mine.content is not None
    # A line whose indentation stands nowhere else was changed otherwise, too, and stays.
    lines = lines_of(seen)
    old = {line: reindented(line) or line for line in lines}
    new = [old.get(line) or reindented(line) for line in lines_of(mine.content)]
    if None in new:
        return None
    content = "".join(filter(None, new))
    return "".join([old[line] for line in lines]), replace(mine, content=content, matches=())
