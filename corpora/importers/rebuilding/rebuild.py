"""Rebuild the files of a session at each edit, and make samples with labels where they are certain.

A file's text comes from the result of the tool, else from the session's reads, writes and edits so far, else from the
project's repository. If the log of an edit contradicts the rebuilt text, the text is discarded: the log is right.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from corpora.importers.faults import call_hash, outcome_of
from corpora.importers.importer import Importer, Surroundings
from corpora.importers.rebuilding.attempt_sample import DOUBTFUL, attempt_sample, sample_files
from corpora.importers.rebuilding.labels import refusal_source, retry_proof
from corpora.importers.rebuilding.results import (
    AfterState,
    Texts,
    added_texts,
    after_state,
    changes_nothing,
    contradicts_failure,
    exact_result,
)
from corpora.importers.rebuilding.session_state import Before, SessionState, has_lines, with_parsed_blocks
from corpora.importers.rebuilding.shell_edits import ShellEdit, shell_edit
from corpora.importers.rebuilding.views import Seen, Views, agrees_with_merge, told
from corpora.importers.session import (
    APPLIED,
    NOT_TRIED,
    Attempt,
    Disturbed,
    Event,
    Opened,
    Ran,
    Read,
    SeenUnknown,
    Shown,
    Unmade,
    Wrote,
)
from corpora.sample import Sample

WHOLE_FILES = "whole files written, which are no edits"
"""The name under which files are counted that a tool other than an edit wrote."""
TEXT_UNKNOWN = "left out: the file's text is not known"
"""The name under which edits of files without a known text are counted."""
_MAX_CHARACTERS = 64 << 20
"""The number of characters of file texts that are kept for a session. The texts set longest ago are forgotten first."""
_MAX_WAITING = 100
"""The number of failed edits that wait for a retry."""
_FAILURES = ("no_match", "ambiguous", "identical", "malformed")
"""Outcomes that depend on the edit and the file text only."""


def rebuilt_samples(
    events: Iterable[Event | Sample], importer: Importer, surroundings: Surroundings
) -> Iterator[Sample]:
    """The edit attempts of one log as samples, in the order in which their labels are settled."""
    session = RebuiltSession(importer, surroundings)
    for event in events:
        if isinstance(event, Sample):
            yield event
        else:
            yield from session.take(event)
    yield from session.end()


@dataclass(slots=True)
class _Waiting:
    """A failed edit whose retry may still come."""

    attempt: Attempt
    old: Texts
    sample: Sample


@dataclass(slots=True)
class _Unplaced:
    """A refused edit of a file that may have changed since it was seen. A later event may show the text that it met."""

    attempt: Attempt
    path: str
    views: Views
    otherwise: Before | str
    """Used if no event shows the text: the text that was seen, or the name to count the edit under."""


class RebuiltSession(SessionState):
    """The files of a session in memory, and the samples of its edits."""

    keeps_bytes = True

    def __init__(self, importer: Importer, surroundings: Surroundings) -> None:
        super().__init__(surroundings)
        self.importer = importer
        self.opened = Opened(agent=importer.name)
        self.files: dict[str, str | None] = {}
        """Texts by path, those set longest ago first. None means that the file does not exist."""
        self.n_held = 0
        """The number of characters of these texts."""
        self.views = Views()
        self.waiting: list[_Waiting] = []
        self.unplaced: list[_Unplaced] = []
        self.settled: list[Sample] = []
        """Samples that the current event has settled."""

    def take(self, event: Event) -> list[Sample]:
        """Process an event. Return the samples that it settles."""
        match event:
            case Opened():
                self.open(event)
            case Read():
                self._read(event)
            case Wrote():
                self.surroundings.tally.add(WHOLE_FILES)
                self._leave_unplaced([self.absolute(event.path)])
                # What wrote it chose the encoding, which no log tells.
                self.encoded.pop(self.absolute(event.path), None)
                self.set_text(self.absolute(event.path), event.content)
                self.views.wrote(self.absolute(event.path), event.content)
            case Ran():
                self._ran(event, shell_edit(event, self))
            case Disturbed():
                self._disturbed(event)
            case Shown():
                self.views.printed(event.text)
            case SeenUnknown():
                self.views.clear()
            case Attempt():
                self._count(event)
                self._attempt(with_parsed_blocks(event))
            case Unmade():
                self._count(event)
        settled, self.settled = self.settled, []
        return settled

    def _disturbed(self, event: Disturbed) -> None:
        """Record that something ran. The text of a file whose lines are known may still be shown, with these lines."""
        self._leave_unplaced({one.path for one in self.unplaced} - self.ends_unknown)
        self.disturb()
        self.views.printed(event.shown)

    def _ran(self, event: Ran, made: ShellEdit | None) -> None:
        """Settle the edit of a shell command, and store the files after it, as far as they are known."""
        if made is not None:
            after = made.after if made.label == "apply" else None
            sample = attempt_sample(
                made.attempt, Before(made.before, made.source), self, Seen(), label=made.label, after=after,
                label_source=made.label_source, tags=made.tags,
            )  # fmt: skip
            self.settled.append(sample)
        self._disturbed(event)
        for path in {**made.before, **(made.after or {})} if made else ():
            self.views.forget(path)
            if made is not None and made.after is not None:
                self.set_text(path, made.after.get(path))
            else:
                self.lose([path])

    def _count(self, call: Attempt | Unmade) -> None:
        """Count an edit call, unless neither its arguments nor its reply show that it was one."""
        if outcome := outcome_of(call):
            agent = self.opened.agent or self.importer.name
            self.surroundings.calls.add(call_hash(call), outcome, agent, call.model, call.time)

    def end(self) -> list[Sample]:
        """The failed edits that were not retried by the end of the session."""
        self._leave_unplaced()
        self._give_up()
        return self.settled

    def _give_up(self, concerned: Callable[[_Waiting], bool] = lambda _: True) -> None:
        """Settle failed edits without a retry: their files have changed or are unknown."""
        self.settled += (waiting.sample for waiting in self.waiting if concerned(waiting))
        self.waiting = [waiting for waiting in self.waiting if not concerned(waiting)]

    # The files.

    def open(self, event: Opened) -> None:
        """Begin or continue a session. A version of the agent outside of the known range is counted."""
        if event.afresh:
            self._leave_unplaced()
            self._give_up()
            self.views.clear()
            self.files.clear()
            self.n_held = 0
        version = None if event.afresh else self.opened.version
        super().open(event)
        if event.version and event.version != version and not self.importer.knows(event.version):
            seen = " to ".join(self.importer.versions or ())
            self.surroundings.tally.add(
                "version outside of the known range, read anyway",
                f"{self.importer.name} {event.version} (known: {seen})",
            )

    def text(self, path: str) -> str | None:
        return self.files.get(path)

    def _store(self, path: str, text: str | None) -> None:
        self._leave_unplaced([path])
        self._give_up(lambda waiting: path in waiting.old and waiting.old[path] != text)
        self._forget(path)
        self.files[path] = text
        self.n_held += len(text or "")
        while self.n_held > _MAX_CHARACTERS and len(self.files) > 1:
            self.surroundings.tally.add("file forgotten to save memory")
            self.lose([next(iter(self.files))])

    def _forget(self, path: str) -> None:
        self.n_held -= len(self.files.pop(path, None) or "")

    def lose(self, lost: Iterable[str]) -> None:
        """Forget the texts of files. Their failed edits wait no longer."""
        lost = list(lost)
        self._leave_unplaced(lost)
        self._give_up(lambda waiting: not waiting.old.keys().isdisjoint(lost))
        super().lose(lost)

    def _read(self, event: Read) -> None:
        """Process a read, which shows the agent a file's text or a part of it."""
        path = self.absolute(event.path)
        self.learn(event)
        if event.whole and not event.ends_shown:
            event = replace(event, whole=False)
        elif event.whole and path in self.encoded:
            event = replace(event, content=self.text(path) or "")
        text, source = (None, "git") if event.whole else self.known(path)
        # What ran may have changed a file that is only known from a commit.
        self.views.read(path, event, text if source != "git" or self.undisturbed else None)

    def learn(self, event: Read) -> None:
        """Store the text of a file, which the agent may not have seen."""
        if event.whole and event.ends_shown:
            self._place(self.absolute(event.path), event.content)
        if not self.see(event):
            self.surroundings.tally.add("file changed unseen")

    def leave(self, attempt: Attempt, before: Texts, after: Texts | None) -> None:
        """Store the files after an edit. The agent knows its own changes."""
        super().leave(attempt, before, after)
        self.views.edited(attempt, before, after, self.absolute_paths(attempt))

    # Refused edits of files that had changed.

    def _await_text(self, attempt: Attempt, otherwise: Before | str, *, lost: bool = False) -> None:
        """Keep a refused edit until an event shows the text that it met. `lost`: that text is not the known one."""
        named = self.absolute_paths(attempt)
        if lost:
            self.lose(named)
        one = _Unplaced(attempt, named[0] if named else "", self.views.of_now(named), otherwise)
        if len(named) == 1 and len(self.unplaced) < _MAX_WAITING:
            self.unplaced.append(one)
        else:
            self._leave(one)

    def _leave_unplaced(self, concerned: Collection[str] | None = None) -> None:
        """Settle refused edits of these files, or of all files: no event will show the text that they met."""
        for one in self._taken_unplaced(concerned):
            self._leave(one)

    def _leave(self, one: _Unplaced) -> None:
        if isinstance(one.otherwise, str):
            self.surroundings.tally.add(one.otherwise)
        else:
            self._failed(one.attempt, one.otherwise, Seen())

    def _taken_unplaced(self, concerned: Collection[str] | None) -> list[_Unplaced]:
        found = [one for one in self.unplaced if concerned is None or one.path in concerned]
        self.unplaced = [one for one in self.unplaced if concerned is not None and one.path not in concerned]
        return found

    def _place(self, path: str, text: str) -> None:
        """Settle the edits that wait for the text of a file. Nothing changed the file since they were refused."""
        if path in self.ends_unknown and not has_lines(text, self.text(path) or ""):
            return
        found = self._taken_unplaced([path])
        if found:
            self.set_text(path, text)
        for one in found:
            before = Before({path: text}, "replayed")
            if one.attempt.outcome == "stale":
                self._wait(one.attempt, before, one.views.seen(before.texts))
            else:
                self._failed(one.attempt, before, one.views.seen(before.texts))

    # The edits.

    def _attempt(self, attempt: Attempt) -> None:
        tally = self.surroundings.tally
        if attempt.outcome in NOT_TRIED:
            return
        for path, text in self.ended(attempt).items():
            self._place(path, text)
            self.set_text(path, text)
        before = self.before(attempt)
        if before is None:
            self._without_text(attempt)
            return
        if attempt.outcome in APPLIED:
            self._applied(attempt, before)
            return
        if before.source == "tool_result":
            # The text in the result of a refused edit counts as a read of the file.
            for path, text in before.texts.items():
                self.learn(Read(path, text))
        if attempt.outcome in _FAILURES:
            self._failed(attempt, before)
        elif attempt.outcome == "unread" or (attempt.outcome == "stale" and attempt.before is not None):
            self._wait(attempt, before)
        elif attempt.outcome == "stale":
            self._await_text(attempt, "left out: stale", lost=True)
        else:
            tally.add(f"left out: {attempt.outcome}")
            # The edit may have been made.
            self.lose(self.absolute_paths(attempt))
            for path in self.absolute_paths(attempt):
                self.views.forget(path)

    def _without_text(self, attempt: Attempt) -> None:
        """Leave out an edit of a file without a known text. A refused edit waits: a later event may show the text."""
        why_not = TEXT_UNKNOWN
        if not self.ends_unknown.isdisjoint(self.absolute_paths(attempt)):
            why_not = "left out: the file's line endings are not known"
        if attempt.outcome in (*_FAILURES, "stale"):
            self._await_text(attempt, why_not, lost=attempt.outcome == "stale")
            return
        self.surroundings.tally.add(why_not)
        if attempt.outcome in (*APPLIED, "unknown"):
            self.leave(attempt, {}, self.by_path(attempt.after or ()) or added_texts(attempt, self.absolute))

    def _applied(self, attempt: Attempt, before: Before) -> None:
        old, source = before
        if source == "tool_result":
            for path, text in old.items():
                self._place(path, text)
        self._leave_unplaced(self.absolute_paths(attempt))
        done = after_state(attempt, old, source, self.absolute)
        after, seen = done.texts, self._seen(attempt, old)
        if done.why_not:
            self.surroundings.tally.add(f"left out: {done.why_not}")
        elif reason := self._asks_nothing(attempt, old, after):
            self.settled.append(attempt_sample(attempt, before, self, seen, label="refuse", label_source=reason))
        elif after is None or after == old:
            # It is not known where the edit was applied: the text afterwards is lost, the attempt is kept.
            self.settled.append(attempt_sample(attempt, before, self, seen))
        else:
            self._labelled(attempt, before, done, after, seen)
        left = self.by_path(attempt.left) if attempt.left is not None else None if done.is_lost else after
        self.leave(attempt, old, left)

    def _asks_nothing(self, attempt: Attempt, old: Texts, after: Texts | None) -> str | None:
        """The label source of an applied edit that asks for no change; None for another edit."""
        is_noop = after == old and changes_nothing(attempt, old, self.absolute)
        return refusal_source(attempt, old.values(), 1) or ("noop" if is_noop else None)

    def _labelled(self, attempt: Attempt, before: Before, done: AfterState, after: Texts, seen: Seen) -> None:
        """Settle an edit with a known result, and the failed edits that it retries."""
        agrees = agrees_with_merge(attempt, seen, before.texts, after)
        tags = ["tool:differs_from_exact"] if done.is_corrected or done.exact not in (None, after) else []
        if done.is_corrected or (done.evidence == "exact" and not agrees):
            # The only place of the search text may be another one than what was seen.
            self.settled.append(attempt_sample(attempt, before, self, seen, tags=tuple(tags)))
            return
        if not attempt.edits or after == done.exact:
            self._explain_failures(attempt, before.texts, after, recorded=done.evidence != "exact")
        tags += ["tool:differs_from_merge"] if agrees is False else []
        self.settled.append(
            attempt_sample(
                attempt, before, self, seen, label="apply", after=after, label_source=done.evidence, tags=tuple(tags)
            )
        )

    def _seen(self, attempt: Attempt, old: Texts) -> Seen:
        """The agent's view of the files that an edit met. Empty if it is not certain which texts the edit met."""
        if not self.is_certain(attempt, old):
            return Seen()
        return self.views.seen(old) if attempt.seen is None else told(self.by_path(attempt.seen), old)

    def _failed(self, attempt: Attempt, before: Before, seen: Seen | None = None) -> None:
        old = before.texts
        # A text that was seen before something ran may differ from the text that the edit met.
        may_be_shown = seen is None and before.source == "replayed" and not self.is_certain(attempt, old)
        seen = self._seen(attempt, old) if seen is None else seen
        n_found = exact_result(attempt, old).n_found
        source = refusal_source(attempt, old.values(), n_found)
        if source != "identical" and contradicts_failure(attempt, n_found):
            why_not = "left out: the text contradicts the recorded failure"
            if may_be_shown:
                self._await_text(attempt, why_not, lost=True)
            else:
                self.surroundings.tally.add(why_not)
                self.lose(old)
        elif may_be_shown:
            self._await_text(attempt, before)
        elif source:
            self.settled.append(attempt_sample(attempt, before, self, seen, label="refuse", label_source=source))
        else:
            self._wait(attempt, before, seen)

    def _wait(self, attempt: Attempt, before: Before, seen: Seen | None = None) -> None:
        seen = self._seen(attempt, before.texts) if seen is None else seen
        self.waiting.append(_Waiting(attempt, before.texts, attempt_sample(attempt, before, self, seen)))
        if len(self.waiting) > _MAX_WAITING:
            self.settled.append(self.waiting.pop(0).sample)

    def _explain_failures(self, attempt: Attempt, old: Texts, after: Texts, *, recorded: bool) -> None:
        """Settle the failed edits that this one retries. `recorded`: its result proves that their text is right."""
        proofs = [
            (waiting, retry_proof(waiting.attempt, attempt, old.values()) if waiting.old == old else None)
            for waiting in self.waiting
        ]
        self.waiting = [waiting for waiting, proof in proofs if proof is None]
        for waiting, proof in proofs:
            if proof:
                strength = "confidence:lines" if proof == "retry_repaired" else "confidence:certain"
                self.settled.append(
                    replace(
                        waiting.sample,
                        label="apply",
                        target=sample_files(after, self),
                        label_source=proof,
                        tags=(*(tag for tag in waiting.sample.tags if tag != DOUBTFUL or not recorded), strength),
                    )
                )
