"""What an answer tells of changes by others: each change once, with its lines, in the numbers that they have now.

    read      1: a   2: b
    others    write `a2` for `a`, and a line `c` at the end
    edit      b -> B
    answer    Edit applied successfully: line 2.
              Note: others changed a.txt since you last saw it (- is a line that went):
              - a
              1: a2
              3: c

A session knows a file as it was shown, with its own edits. What differs from the file of now is news, and known once it
is told. Of more than ten lines the first ones are told, and the rest with the next answer.
"""

from __future__ import annotations

from typing import NamedTuple

from editcore.host.host import Host, ResolvedPath
from editcore.quoting import shown
from editcore.text.diff import changed_ranges
from editcore.text.endings import line_feeds
from editcore.text.lines import joined, n_lines, put_in, with_feeds

_MOST_ROWS = 10
_LONGEST = 160
_MOST_SHIFTS = 6


class Row(NamedTuple):
    """A line that others have changed."""

    number: int | None
    """Its number after the edit; None if it went."""
    text: str

    def __str__(self) -> str:
        text = self.text if len(self.text) <= _LONGEST else f"{self.text[:_LONGEST]}..."
        return f"- {text}" if self.number is None else f"{self.number}: {text}"


def news(host: Host, session: str, file: ResolvedPath, after: str) -> list[str]:
    """The notes on lines that shifted, and on changes by others that the session does not know yet.

    `after` is the text of the file after the session's edit. The lines of the notes count as shown.
    """
    known = host.ledger.base(session, file.absolute)
    shifts = [f"line {line} is line {now} now" for (path, line), (now, _) in file.shifts.items() if path == file.path]
    is_own = all(by_own for (path, _), (_, by_own) in file.shifts.items() if path == file.path)
    why = "by your own edits" if is_own else "since you read it"
    shifted = [f"Note: shifted {why}: {', '.join(shifts[:_MOST_SHIFTS])}."] if shifts else []
    return [*shifted, *_by_others(host, session, file.absolute, file.name, known, after)]


def _by_others(host: Host, session: str, path: str, name: str, known: str | None, after: str) -> list[str]:
    if known is None or known == after:
        return []
    rows, n_more, told = _told(line_feeds(known), line_feeds(after))
    host.ledger.record_told(session, path, told if n_more else after)
    what = f"others changed {shown(name)} since you last saw it"
    if not rows:
        return [f"Note: {what}: only the ends of lines or of the file."]
    host.ledger.record_shown(session, path, after, joined((row.number, row.number) for row in rows if row.number))
    went = " (- is a line that went)" if any(row.number is None for row in rows) else ""
    more = [f"... and {n_more} more lines: read the file to see them"] if n_more else []
    return [f"Note: {what}{went}:", *map(str, rows), *more]


def _told(known: str, after: str) -> tuple[list[Row], int, str]:
    """The first lines that others have changed, the number of further ones, and the text with the changes told."""
    known, after = (text if text[-1:] in ("", "\n") else f"{text}\n" for text in (known, after))
    changes, old, new = changed_ranges(known, after), with_feeds(known), with_feeds(after)
    n_rows = sum(last - first + 1 + n_lines(text) for first, last, text in changes)
    room = _MOST_ROWS if n_rows <= _MOST_ROWS else _MOST_ROWS - 1
    rows, told, done = list[Row](), list[str](), 0
    for (first, last, _), (start, end) in zip(changes, put_in(changes), strict=True):
        went = old[first - 1 : last][: room - len(rows)]
        came = new[start - 1 : end][: room - len(rows) - len(went)]
        rows += [Row(None, line.removesuffix("\n")) for line in went]
        rows += [Row(n, line.removesuffix("\n")) for n, line in enumerate(came, start)]
        told += [*old[done : first - 1], *came, *old[first - 1 + len(went) : last]]
        done = last
    return rows, n_rows - len(rows), "".join([*told, *old[done:]])
