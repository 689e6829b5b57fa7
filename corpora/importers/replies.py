"""Replies of edit tools, and what the agent did next: what a refusal is worth.

    edit a.py             "String to replace not found in file."      the reply
    read a.py                                                          it looked
    edit a.py, corrected  applied                                      the next call made the edit

The next call is the next edit of the same file with half of the same lines, whatever comes in between: calls of one
turn run in parallel, so the next edit in the log may be another one. A call that never became an edit has no lines,
and its next call is the next edit of all.

Samples have no session. Two edits of equal texts of a file are tries at one moment. The applied one is the last,
since it changed the text. A corpus that our server recorded also has the calls in their order, but for a refused edit,
which may be written after its retry. A next call that is not found may not have been recorded.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from corpora.importers.faults import call_hash, outcome_of
from corpora.importers.rebuilding import paths
from corpora.importers.rebuilding.results import edit_lines
from corpora.importers.session import APPLIED, Attempt, Disturbed, Event, Opened, Read, Unmade, Wrote
from corpora.sample import Sample, text_hash

Next = Literal["made", "failed", "rewrote", "shell", "gave_up", "not_recorded"]
"""The next call about the edit: `made` and `failed` are edits; `rewrote` wrote the whole file; `shell` edited it by a
command; `gave_up`: there was none; `not_recorded`: samples lack what came next.
"""
Line = Literal["none", "right", "wrong", "unused"]
"""The lines of the file that a reply shows: `right` if the edit that was made next quotes one of them, `wrong` if it
quotes none, `unused` if no edit was made next.
"""
INEXACT = "inexact"
"""The kind of reply to an edit that was applied although its search text was not in the file as written."""
_REFUSED = ("no_match", "ambiguous", "same_text", "malformed", "unread", "stale", "wrong_field", "wrong_nesting",
            "truncated_arguments", "invented_tool")  # fmt: skip
_OF_A_TOOL = "tool:"
"""The start of a tag of samples that our server has recorded."""
_MOST_WAITING = 100
_LONGEST = 20_000
"""Number of characters of a reply that are read."""

_TAGS = re.compile(r"</?[a-z_]{1,40}>")
_ERROR = re.compile(r"^\s*error:?\s+", re.IGNORECASE)
_QUOTED = re.compile(r"'[^'\n]{0,300}'|\"[^\"\n]{0,300}\"|`[^`\n]{0,300}`|‘[^’\n]{0,300}’|“[^”\n]{0,300}”")
_PATH = re.compile(r"(?:[\w.~-]*[/\\][\w.~/\\-]+|\b[\w-]+\.[a-z]{1,5}\b)(?: [\w-]+\.[a-z]{1,5}\b)?")
_NUMBER = re.compile(r"\d+")
_LONGEST_LINE, _LONGEST_WORDING = 600, 110
_MARKED = re.compile(r"\bline \d|\blines \d|nearest|closest|[Dd]id you mean|similar|\bL\d", re.IGNORECASE)
"""Words that say that a line of the file follows."""
_NOTE = re.compile(r"not exact|inexact|not match exactly|differ|whitespace|fuzz|approximat|adjusted", re.IGNORECASE)
_WRITES_IN_PLACE = re.compile(r"\bsed\s+-[a-zE]*i|\bperl\s+-\w*i")
_RUNS_A_SCRIPT = re.compile(r"\b(?:python3?|node|ruby)\s+(?:-[ce]\b|-?\s*<<)")
_FEWEST = 6
"""Letters and digits of a line that is recognized."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A tool's reply to an edit call, and what the agent did next about the edit."""

    call: int
    """A hash that all copies of the call have."""
    session: int
    agent: str
    model: str
    kind: str
    """The outcome of the call, as in `corpora.edit_calls`, or `INEXACT`."""
    wording: str
    """The message's first line with quoted texts, paths and numbers left out."""
    next: Next
    looked: bool
    """True if the agent read the file in between."""
    line: Line


@dataclass(slots=True)
class _Waiting:
    """A reply whose next call has not come yet."""

    call: Attempt | Unmade
    files: frozenset[str]
    kind: str
    looked: bool = False


@dataclass(slots=True)
class _Session:
    agent: str
    number: int
    cwd: str | None = None
    otherwise: Next = "gave_up"
    """What is next if no call comes."""
    waiting: list[_Waiting] = field(default_factory=list)

    def take(self, event: Event) -> Iterator[Reply]:
        """Process an event. Yield the replies that it settles."""
        match event:
            case Opened():
                self.agent, self.cwd = event.agent or self.agent, event.cwd or self.cwd
            case Read():
                for one in self.waiting:
                    one.looked |= self._absolute(event.path) in one.files
            case Wrote():
                yield from self._settle("rewrote", lambda one: self._absolute(event.path) in one.files)
            case Disturbed(shown=str() as shown):
                yield from self._settle("shell", lambda one: any(writes_file(shown, path) for path in one.files))
            case Attempt() | Unmade():
                yield from self._call(event)

    def end(self) -> Iterator[Reply]:
        """The replies that no call followed."""
        yield from self._settle(self.otherwise, lambda _: True)

    def _call(self, call: Attempt | Unmade) -> Iterator[Reply]:
        outcome = outcome_of(call)
        if outcome is None or outcome in ("permission", "cancelled", "unknown"):
            return
        named = paths.named(call) if isinstance(call, Attempt) else ()
        files = frozenset(map(self._absolute, named))
        made = outcome == "applied"
        yield from self._settle("made" if made else "failed", lambda one: self._is_about(one, call, files), call)
        if outcome in _REFUSED or (made and isinstance(call, Attempt) and _is_noted(call)):
            self.waiting.append(_Waiting(call, files, INEXACT if made else outcome))
        if len(self.waiting) > _MOST_WAITING:
            yield self._reply(self.waiting.pop(0), self.otherwise)

    def _is_about(self, one: _Waiting, call: Attempt | Unmade, files: frozenset[str]) -> bool:
        if isinstance(one.call, Unmade) or isinstance(call, Unmade):
            return True
        if not files.isdisjoint(one.files) and one.kind == INEXACT:
            return True
        return not files.isdisjoint(one.files) and is_same_try(one.call, call)

    def _settle(
        self, following: Next, concerned: Callable[[_Waiting], bool], call: Attempt | Unmade | None = None
    ) -> Iterator[Reply]:
        settled = [one for one in self.waiting if concerned(one)]
        self.waiting = [one for one in self.waiting if one not in settled]
        for one in settled:
            is_inexact = one.kind == INEXACT and isinstance(call, Attempt) and _is_noted(call)
            yield self._reply(one, "failed" if is_inexact else following, call)

    def _reply(self, one: _Waiting, following: Next, call: Attempt | Unmade | None = None) -> Reply:
        message = _message(one.call)
        line: Line = "none"
        if shown := shown_lines(message, one.call):
            quoted = _squeezed("\n".join(edit_lines(call)[0])) if isinstance(call, Attempt) else ""
            is_right = any(_squeezed(text) in quoted for text in shown)
            line = "unused" if following != "made" else "right" if is_right else "wrong"
        agent, model = self.agent, one.call.model or ""
        return Reply(
            call_hash(one.call), self.number, agent, model, one.kind, wording(message), following, one.looked, line
        )

    def _absolute(self, path: str) -> str:
        return paths.absolute(path, self.cwd)


def replies_in_log(events: Iterable[Event | Sample], agent: str, first: int) -> Iterator[Reply]:
    """The replies of a log. Its sessions are numbered from `first` on."""
    session = _Session(agent, first)
    for event in events:
        if isinstance(event, Opened) and event.afresh:
            yield from session.end()
            session = _Session(session.agent, session.number + 1)
        if not isinstance(event, Sample):
            yield from session.take(event)
    yield from session.end()


def replies_in_samples(samples: Iterable[Sample], first: int) -> Iterator[Reply]:
    """The replies of recorded edits. The samples of one agent in one repository count as a session."""
    numbers: dict[tuple[str | None, str | None], int] = {}
    groups: dict[tuple[int, int | None], list[tuple[Attempt, int]]] = {}
    agents: dict[int, str] = {}
    for sample in samples:
        origin = sample.provenance
        if origin.recorded_outcome is None or origin.mutator is not None or not sample.before:
            continue
        file = sample.before[0]
        call = Attempt(
            sample.id, sample.format, file.path, sample.edits, sample.patch, sample.line, sample.end_line, origin.model,
            outcome=origin.recorded_outcome, error=origin.recorded_error,
        )  # fmt: skip
        moment = text_hash(f"{file.path}\0{file.content}")
        number = numbers.setdefault((origin.agent, origin.repo), first + len(numbers))
        agents[number] = origin.agent or ""
        is_recording = any(tag.startswith(_OF_A_TOOL) for tag in sample.tags)
        groups.setdefault((number, None if is_recording else moment), []).append((call, moment))
    for (number, _), calls in groups.items():
        session = _Session(agents[number], number, otherwise="not_recorded")
        for call in _in_order(calls):
            yield from session.take(call)
        yield from session.end()


def _in_order(calls: Sequence[tuple[Attempt, int]]) -> list[Attempt]:
    """The calls in order. Of calls for the same text, the refused ones come before the applied one."""
    applied = {moment: n for n, (call, moment) in reversed(list(enumerate(calls))) if call.outcome in APPLIED}
    places = [
        (n if call.outcome in APPLIED else min(n, applied.get(moment, n)), call.outcome in APPLIED, n)
        for n, (call, moment) in enumerate(calls)
    ]
    return [calls[n][0] for _, _, n in sorted(places)]


def distinct(replies: Iterable[Reply]) -> list[Reply]:
    """The replies without copies. Of the copies of a session the last one that has the next call is kept."""
    kept: dict[tuple[str, int], Reply] = {}
    for reply in replies:
        known = kept.get((reply.agent, reply.call))
        if known is None or known.next == "gave_up" or reply.next != "gave_up":
            kept[reply.agent, reply.call] = reply
    return list(kept.values())


def writes_file(command: str, path: str) -> bool:
    """True if a shell command, which its output may follow, seems to write a file by this name."""
    name = path.rpartition("/")[2]
    head = command[:_LONGEST]
    if not name or name not in head:
        return False
    if _WRITES_IN_PLACE.search(head) or (_RUNS_A_SCRIPT.search(head) and "write" in head):
        return True
    return re.search(rf"(?:>|\btee\s(?:-a\s)?)[ \t]*[\"']?[^\s\"'>]{{0,300}}{re.escape(name)}", head) is not None


def is_same_try(one: Attempt, other: Attempt) -> bool:
    """True if two edits have half of the lines of the shorter one in common: new lines, or old ones without any."""
    for some, others in zip(reversed(edit_lines(one)), reversed(edit_lines(other)), strict=True):
        left, right = (Counter(filter(None, map(_squeezed, lines))) for lines in (some, others))
        if left and right:
            return 2 * (left & right).total() >= min(left.total(), right.total())
    return False


def wording(message: str) -> str:
    """The first line of a message with quoted texts, paths and numbers left out: equal for equal kinds of messages."""
    line = next((line.strip() for line in message[:_LONGEST].split("\n") if line.strip()), "")[:_LONGEST_LINE]
    for pattern, instead in ((_TAGS, ""), (_ERROR, ""), (_QUOTED, "'…'"), (_PATH, "PATH"), (_NUMBER, "N")):
        line = pattern.sub(instead, line)
    line = " ".join(line.split())
    return line if len(line) <= _LONGEST_WORDING else line[:_LONGEST_WORDING] + "…"


def shown_lines(message: str, call: Attempt | Unmade) -> list[str]:
    """The lines that a message quotes and the call does not have."""
    head = message[:_LONGEST]
    if not _MARKED.search(head) or isinstance(call, Unmade):
        return []
    own = _squeezed("\n".join(line for side in edit_lines(call) for line in side))
    quoted = [text[0][1:-1] for text in _QUOTED.finditer(head)]
    listed = [re.sub(r"^[ >*|]*\d+[:|→\t ]+", "", line) for line in head.split("\n")[1:]]
    return [text for text in (*quoted, *listed) if _is_telling(text) and _squeezed(text) not in own]


def _is_telling(text: str) -> bool:
    return sum(map(str.isalnum, text)) >= _FEWEST


def _is_noted(call: Attempt) -> bool:
    """True if an edit was applied and its reply, or the log, says that it did not fit exactly."""
    return call.outcome == "applied_with_fuzz" or (call.outcome == "applied" and bool(_NOTE.search(call.reply[:300])))


def _message(call: Attempt | Unmade) -> str:
    """The message of a reply. Some tools answer with a JSON object that has the message."""
    message = call.reply or (call.error if isinstance(call, Attempt) else "") or ""
    if message.startswith("{"):
        found = re.search(r'"(?:error|message)":\s*("(?:[^"\\]|\\.)*+(?:"|$))', message)
        if found:
            quoted = found[1] if found[1].endswith('"') and len(found[1]) > 1 else found[1].rstrip("\\") + '"'
            try:
                return str(json.loads(quoted))
            except ValueError:
                return message
    return message.removeprefix("ERROR\n")


def _squeezed(text: str) -> str:
    return "".join(text.split())
