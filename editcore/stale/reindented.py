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
from editcore.stale.reformatted import bare
from editcore.text.diff import changed_ranges
from editcore.text.indentation import indent
from editcore.text.whitespace import trim
from editcore.types import Applied

Reindent = Callable[[str], str | None]
"""A line -> the line indented as in the text of now; None where nothing says how that would be."""


def reindent(seen: str, live: str) -> Reindent | None:
    """How lines of a text that was seen are indented now; None where they are not all indented otherwise in one way."""
    old, new = lines_of(seen), lines_of(live)
    if {indent(line) for line in old if trim(line)} == {indent(line) for line in new if trim(line)}:
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
        own = indent(line)
        other = own if not trim(line) else table.get(own)
        if other is None and is_regular:
            other = _scaled(own, unit, table[unit])
        return None if other is None else other + line[len(own) :]

    return reindented


def _table(old: list[str], new: list[str]) -> Mapping[str, str]:
    """Old indentation -> new one, of lines that say the same; empty where one has become several.

    Of what is said more or less often now, nothing tells which of the lines stayed: `else:` may have gone where it was,
    and stand at another depth as it did.
    """
    kept_old, kept_new = ([line for line in lines if trim(line)] for lines in (old, new))
    said_old, said_new = ([bare(line) for line in lines] for lines in (kept_old, kept_new))
    n_old, n_new = Counter(said_old), Counter(said_new)
    found: dict[str, str] = {}
    at_old = at_new = 0
    changes = changed_ranges(*("".join([f"{line}\n" for line in said]) for said in (said_old, said_new)))
    for first, last, text in [*changes, (len(kept_old) + 1, len(kept_old), "")]:
        for line, said in zip(kept_old[at_old : first - 1], said_old[at_old : first - 1], strict=True):
            other = indent(kept_new[at_new])
            if n_old[said] == n_new[said] and found.setdefault(indent(line), other) != other:
                return {}
            at_new += 1
        at_old, at_new = last, at_new + text.count("\n")
    return found


def _scaled(own: str, unit: str, new: str) -> str | None:
    n, rest = divmod(len(own), len(unit))
    return None if rest or own != unit * n else new * n


def in_indentation(seen: str, mine: Applied, reindented: Reindent) -> tuple[str, Applied] | None:
    """The text that was seen and what the edit made of it, indented so; None where a new line cannot be."""
    assert mine.content is not None
    # A line whose indentation stands nowhere else was changed otherwise, too, and stays.
    old = {line: reindented(line) or line for line in lines_of(seen)}
    new = [old.get(line) or reindented(line) for line in lines_of(mine.content)]
    if None in new:
        return None
    content = "".join(filter(None, new))
    return "".join([old[line] for line in lines_of(seen)]), replace(mine, content=content, matches=())
