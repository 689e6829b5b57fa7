"""What an answer tells of changes by others: each change once, with its lines, in the numbers that they have now.

    read      1: a   2: b
    others    write `a2` for `a`, and a line `c` at the end
    edit      b -> B
    answer    Edit applied successfully: line 2.
              Note: others changed a.txt since you last saw it (- is a line that went):
              - a
              1: a2
              3: c

The ledger keeps the text of a file with all changes that a session has met: those that it was shown, those that it was
told, and its own.
"""

from __future__ import annotations

from typing import NamedTuple

from editcore.host.host import Host
from editcore.quoting import shown
from editcore.text.diff import changed_ranges
from editcore.text.endings import line_feeds
from editcore.text.lines import joined, lines_in, moved_stretches, put_in

_MOST_ROWS = 10
_LONGEST = 160


class Row(NamedTuple):
    """A line that others have changed."""

    number: int | None
    """Its number after the edit; None if it went."""
    text: str

    def __str__(self) -> str:
        text = self.text if len(self.text) <= _LONGEST else f"{self.text[:_LONGEST]}..."
        return f"- {text}" if self.number is None else f"{self.number}: {text}"


def news(host: Host, session: str, path: str, name: str, before: str, after: str) -> list[str]:
    """The note on changes by others in `before` that the session has not met; it has met them afterwards.

    `after` is the text of the file after the session's edit. The lines count as shown. A session that is told all of
    them knows the file as it is.
    """
    met = host.ledger.met(session, path)
    host.ledger.record_met(session, path, after)
    if met is None or met == before:
        return []
    rows = _rows(line_feeds(met), line_feeds(before), line_feeds(after))
    if len(rows) <= _MOST_ROWS:
        host.ledger.record_told(session, path, after)
    what = f"others changed {shown(name)} since you last saw it"
    if not rows:
        return [f"Note: {what}: only the ends of lines or of the file, or where your edit is."]
    told = rows if len(rows) <= _MOST_ROWS else rows[: _MOST_ROWS - 1]
    host.ledger.record_shown(session, path, after, joined((row.number, row.number) for row in told if row.number))
    n_more = len(rows) - len(told)
    went = " (- is a line that went)" if any(row.number is None for row in told) else ""
    more = [f"... and {n_more} more lines: read the file to see them"] if n_more else []
    return [f"Note: {what}{went}:", *map(str, told), *more]


def _rows(met: str, before: str, after: str) -> list[Row]:
    theirs, mine = changed_ranges(met, before), changed_ranges(before, after)
    old, new, rows = met.split("\n"), after.split("\n"), list[Row]()
    for (first, last, _), there in zip(theirs, put_in(theirs), strict=True):
        rows += [Row(None, line) for line in old[first - 1 : last]]
        rows += [Row(n, new[n - 1]) for n in lines_in(moved_stretches((there,), mine))]
    return rows
