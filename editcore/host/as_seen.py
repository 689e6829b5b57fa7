"""Edits placed between the text that a session knows and the current text: one rule for every tool.

A session knows a file as it last read it, with the changes that it has made since. An edit is written against that, and
`Host.stale` names the rule for a file that others have changed: `recommended` merges the edit with their changes and
refuses it if they meet, `gate` refuses it, `match_live` places it in the current text as if nothing had been read.

The tools differ in what an edit refers to:

    decided_as_read        a text that must have been read       edit, multi_edit
    decided_by_content     its own text, read or not             patch_file
    Numbers                lines, as they were last shown        insert_at, hunks by number
    occurrence_now         a count of a text, as last shown      edit_file
    decided_everywhere     every text alike                      the start or end of a file, all occurrences
    decided_in_files       several files                         edit_patch
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from editcore.host.changed_file import change_file, file_not_found
from editcore.host.host import Host, ResolvedPath
from editcore.host.tool import Context, Result
from editcore.host.where_applied import inexact, numbered
from editcore.host.workspace.ledger import Sighting
from editcore.patches.hunk_numbers import Numbered, Stated, with_context
from editcore.quoting import quoted
from editcore.stale import stale_rule
from editcore.stale.rule import DecideFiles, placed_in_files
from editcore.stale.trail import Span, Trail, plain
from editcore.text.endings import line_feeds
from editcore.text.line_index import LineTable
from editcore.text.lines import joined, n_lines, with_feeds
from editcore.text.whitespace import trim
from editcore.types import Applied, EditResult, Reason, Rejected

_AROUND = 2
"""Lines above and below a line that was not shown, which a refusal shows with it."""
_MOST_TOLD = 10
"""Of more lines than twice this number, a refusal shows as many at either end."""

MERGED = (
    "If others have changed the file since you read it, the edit is merged with their changes; if they overlap it is "
    "refused, with both versions."
)
"""The sentence on this rule in the description of every tool that edits."""

Decide = Callable[[str], EditResult]
Decided = Callable[[Host, Context, ResolvedPath, str, Decide], EditResult]
"""One of the functions below: (host, context, file, current text, the edit of any text) -> result."""


def change_known(
    host: Host, context: Context, tool: str, params: Any, path: str, decided: Decided,
    edit: Callable[[str, str], EditResult], *, needs_shown: bool = False, around: int = 0,
) -> Result:  # fmt: skip
    """Change an existing file; `edit` takes a text and the file's name. See `change_file`.

    With `needs_shown`, the edit is refused if the session was shown no version of the file.
    """

    def decide(file: ResolvedPath, text: str | None) -> EditResult:
        if text is None:
            return file_not_found(file)
        unread = host.ledger.unread(context.session_id, file.absolute, name=file.name) if needs_shown else None
        return unread or decided(host, context, file, text, lambda known: edit(known, file.name))

    return change_file(host, context, tool, params, path, decide, around=around)


def decided_as_read(host: Host, context: Context, file: ResolvedPath, text: str, decide: Decide) -> EditResult:
    """The result of an edit of a file that the session must have read."""
    refused = host.ledger.refusal(context.session_id, file.absolute, text, name=file.name)
    if refused is not None and refused.reason is Reason.UNREAD:
        return refused
    return decided_by_content(host, context, file, text, decide)


def decided_by_content(host: Host, context: Context, file: ResolvedPath, text: str, decide: Decide) -> EditResult:
    """The result of an edit that names its place by content: a file that was not read is edited as it is."""
    refused = host.ledger.refusal(context.session_id, file.absolute, text, name=file.name)
    if (refused is not None and refused.reason is Reason.UNREAD) or host.stale == "match_live":
        return decide(text)
    if host.stale == "gate" and refused is not None:
        return refused
    known = host.ledger.base(context.session_id, file.absolute)
    if known is None:
        return refused or decide(text)
    return stale_rule(host.stale)(_showing_it(host, context, file, known, decide), text, decide)


def _showing_it(host: Host, context: Context, file: ResolvedPath, known: str, decide: Decide) -> str:
    """The text that the edit is written against: `known`, or an earlier one if that alone has its words exactly."""
    result = decide(known)
    if isinstance(result, Rejected) or not inexact(result):
        return known
    for one in host.ledger.sightings(context.session_id, file.absolute):
        if isinstance(then := decide(one.text), Applied) and not inexact(then):
            return one.text
    return known


@dataclass(frozen=True, slots=True)
class Numbers:
    """What the numbers of lines that a session uses mean in `text`, the current text of a file."""

    host: Host
    context: Context
    file: ResolvedPath
    text: str

    def below(self, line: int) -> int | Rejected:
        """The number now of the line below which lines are that are to follow a line, as it was last shown."""
        if self.host.stale == "match_live":
            return line
        if refused := _gated(self.host, self.context, self.file, self.text):
            return refused
        sighting = next((one for one in self._sightings if one.shows(line, line)), None)
        if sighting is None:
            is_there = line <= n_lines(self.text)
            return _unshown(self.host, self.context, self.file, self.text, line) if is_there else line
        now = (trail := self._trail(sighting)).border(line)
        return _lost(trail, self.text, line) if now is None else self._noted(trail, line, now)

    def block(self, first: int, lines: Sequence[str]) -> tuple[int, int] | Rejected | None:
        """The numbers now of lines, trimmed, that were shown from `first` on; None if no text showed them there."""
        if self.host.stale in ("gate", "match_live"):
            return None
        last = first + len(lines) - 1
        for one in self._sightings:
            if one.shows(first, last) and [*map(trim, with_feeds(one.text)[first - 1 : last])] == [*lines]:
                now = (trail := self._trail(one)).lines(first, last)
                is_lost = now is None or trail.has_other_brackets(first, last, now)
                if now is None or is_lost:
                    return _lost(trail, self.text, first, last)
                return self._noted(trail, first, now[0]), now[1]
        return None

    def or_as_shown(self, lost: Rejected, patch: str, patched: Callable[[str, str], EditResult]) -> EditResult:
        """The result of a patch whose lines have no certain place now, `lost`, or its merge with others' changes.

        It is merged from the text that showed its lines, if the session has not edited the file since. Lines that stand
        where they may be a copy are not merged: their context may hold the copy.
        """
        for one in self._sightings:
            found = with_context(patch, lambda _, one=one: Stated(one.text, one.shows))  # type: ignore[misc]
            if not (isinstance(found, Numbered) and found.is_placed):
                continue
            if self._trail(one).has_own:
                break
            text = found.patch
            result = stale_rule(self.host.stale)(one.text, self.text, lambda known: patched(known, text))  # noqa: B023
            is_merged = isinstance(result, Applied) and lost.reason is not Reason.AMBIGUOUS
            return result if is_merged or shows_both(result) else lost
        return lost

    def _noted(self, trail: Trail, line: int, now: int) -> int:
        """The number now; the answer says it where it is another one."""
        if now != line:
            self.file.shifts[self.file.path, line] = now, trail.is_own
        return now

    @property
    def _sightings(self) -> list[Sighting]:
        return self.host.ledger.sightings(self.context.session_id, self.file.absolute)

    def _trail(self, sighting: Sighting) -> Trail:
        self.file.seen[self.file.path] = sighting.text
        return self.host.ledger.trail(self.context.session_id, self.file.absolute, sighting, self.text)


def shows_both(result: EditResult) -> bool:
    """True if the edit is refused with its lines in both versions, or as made before: that tells more than numbers."""
    return isinstance(result, Rejected) and result.reason in (Reason.STALE_READ, Reason.IDENTICAL)


def occurrence_now(
    host: Host, context: Context, file: ResolvedPath, text: str, old: str, occurrence: int
) -> int | Rejected | None:
    """The ordinal in the current text of an occurrence of `old`, as the session counts it; -1 is its last one.

    It counts in the text that last showed it an occurrence. None if the content of `old` decides, and no count: because
    `old` occurs once in the text that the session knows, or in none that it was shown.
    """
    if host.stale == "match_live":
        return None
    if refused := _gated(host, context, file, text):
        return refused
    old, session, path = line_feeds(old), context.session_id, file.absolute
    known = host.ledger.base(session, path)
    found = [(one, _starts(plain(one.text), old)) for one in host.ledger.sightings(session, path)]
    counted = next(((one, at) for one, at in found if any(_shows(one, start, old) for start in at)), None)
    if counted is None:
        is_certain = len(_starts(plain(text), old)) < 2 or not any(at for _, at in found)
        return None if is_certain else _elsewhere(text, old, _NOT_SHOWN)
    if len(counted[1]) == 1 and known is not None and len(_starts(plain(known), old)) == 1 and abs(occurrence) == 1:
        return None
    file.seen[file.path] = counted[0].text
    places = list[tuple[Sighting, int, Span | None]]()
    for one, at in found[found.index(counted) :]:
        n = occurrence if occurrence > 0 else len(at)
        if 0 < n <= len(at):
            start = at[n - 1]
            places.append((one, start, host.ledger.trail(session, path, one, text).span(start, start + len(old))))
        elif plain(one.text) == plain(text):
            return None
        elif one is counted[0]:
            times = "once" if len(at) == 1 else f"{len(at)} times"
            what = f"old_content occurs {times} in the file as you read it: there is no occurrence {occurrence}"
            return _elsewhere(text, old, what)
    now = places[0][2]
    if now is None:
        line = plain(places[0][0].text).count("\n", 0, places[0][1]) + 1
        return _elsewhere(text, old, _LOST.format(n=occurrence, line=line))
    if occurrence > 0 and not any(place == now and _shows(one, start, old) for one, start, place in places):
        return _elsewhere(text, old, _NOT_SHOWN)
    live = _starts(plain(text), old)
    return live.index(now[0]) + 1 if now[0] in live else _elsewhere(text, old, _NOT_SHOWN)


_NOT_SHOWN = "old_content occurs several times, and the occurrence that this edit counts was not shown to you"
_LOST = "occurrence {n} as you read it, in line {line}, was changed or deleted since, or cannot be told from the others"


def _gated(host: Host, context: Context, file: ResolvedPath, text: str) -> Rejected | None:
    return (
        host.ledger.refusal(context.session_id, file.absolute, text, name=file.name) if host.stale == "gate" else None
    )


def _starts(text: str, old: str) -> list[int]:
    """The offsets of `old` in `text`; occurrences do not overlap."""
    return list(accumulate((len(piece) + len(old) for piece in text.split(old)[:-1]), initial=-len(old)))[1:]


def _shows(sighting: Sighting, start: int, old: str) -> bool:
    """True if the session was shown all lines of the occurrence of `old` at an offset."""
    first = plain(sighting.text).count("\n", 0, start) + 1
    return sighting.shows(first, first + old.removesuffix("\n").count("\n"))


def _unshown(host: Host, context: Context, file: ResolvedPath, text: str, line: int) -> Rejected:
    unread = host.ledger.unread(context.session_id, file.absolute, name=file.name)
    what = f"line {line} was not shown to you; nothing was changed. Send the edit again if this is what it is about:"
    return unread or _showing(Reason.UNREAD, what, text, range(line - _AROUND, line + _AROUND + 1))


def _lost(trail: Trail, text: str, first: int, last: int | None = None) -> Rejected:
    last = first if last is None else last
    start, end = trail.around(first, last)
    said = quoted(trail.shown.trimmed[first - 1])
    is_there = LineTable(trail.live.trimmed[start - 1 : end]).places(trail.shown.trimmed[first - 1 : last], 1)
    reason = Reason.AMBIGUOUS if is_there else Reason.STALE_READ
    lines = (
        f"line {first} as you read it, {said}, was"
        if first == last
        else f"lines {first} to {last} as you read them, beginning with {said}, were"
    )
    what = (
        f"{lines} changed or deleted since, or cannot be told from others; nothing was changed. These lines stand "
        "there now, and count from now on:"
    )
    return _showing(reason, what, text, range(max(start - 1, 1), end + 2))


def _elsewhere(text: str, old: str, what: str) -> Rejected:
    """The refusal of an occurrence; it shows all that there are now, which count from then on."""
    lines = {plain(text).count("\n", 0, start) + 1 for start in _starts(plain(text), old)}
    now = "Its occurrences now, which count from now on:" if lines else "It stands nowhere now."
    return _showing(Reason.STALE_READ, f"{what}; nothing was changed. {now}", text, sorted(lines))


def _showing(reason: Reason, what: str, text: str, numbers: Iterable[int]) -> Rejected:
    """The refusal, with lines of the current text by their numbers."""
    chosen = [n for n in numbers if 1 <= n <= n_lines(text)]
    if len(chosen) > 2 * _MOST_TOLD:
        chosen = [*chosen[:_MOST_TOLD], *chosen[-_MOST_TOLD:]]
    lines = joined((n, n) for n in chosen)
    rows = numbered(text, [range(first, last + 1) for first, last in lines])
    return Rejected(reason, "\n".join([what, *rows]), shown=lines)


def decided_everywhere(host: Host, context: Context, file: ResolvedPath, text: str, decide: Decide) -> EditResult:
    """The result of an edit that means the same in every text: at its start, at its end, or all occurrences."""
    if host.stale == "gate":
        return decided_by_content(host, context, file, text, decide)
    return decide(text)


def decided_in_files(
    host: Host, context: Context, root: ResolvedPath, files: Mapping[str, str], decide: DecideFiles
) -> EditResult:
    """The result of an edit of several files (path -> text), each placed between its known and its current text."""
    session, above = context.session_id, root.workspace.root
    refused = {path: host.ledger.refusal(session, f"{above}/{path}", text, name=path) for path, text in files.items()}
    stale = {path: one for path, one in refused.items() if one is not None and one.reason is Reason.STALE_READ}
    known = {path: base for path in stale if (base := host.ledger.base(session, f"{above}/{path}")) is not None}
    if not stale or host.stale == "match_live":
        return decide(files)
    if host.stale == "gate" or len(known) < len(stale):
        return next(one for path, one in stale.items() if host.stale == "gate" or path not in known)
    return placed_in_files(known, files, decide, stale_rule(host.stale))
