"""What a log says -> samples: files rebuilt as they were at each edit, labels where they are certain.

A file's text comes from the tool's own result, else from replaying the session's reads, writes and edits, else from
the project's repository. Where what the log says of an edit contradicts the text, the text is given up, not the log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

import xxhash

from corpora.importers import paths, recorded
from corpora.importers.importer import Importer, Surroundings
from corpora.importers.retries import same_change
from corpora.importers.session import NOT_TRIED, Attempt, Disturbed, Event, Opened, Read, RecordedDiff, Wrote
from corpora.sample import Label, Provenance, Sample
from editcore.types import Edit, File

_REMEMBERED = 64 << 20
"""Characters of files that a session may hold; beyond it, the longest untouched are forgotten."""
_WAITING = 100
"""Failed edits of one file that wait for their retry."""
_FAILURES = ("no_match", "ambiguous", "identical", "malformed")
"""Outcomes that say something about the edit and the text it was made for."""

Source = Literal["tool_result", "git", "replayed"]


def replayed(events: Iterable[Event | Sample], importer: Importer, surroundings: Surroundings) -> Iterator[Sample]:
    """The edit attempts of one log as samples, in the order in which their outcome is settled."""
    session = _Session(importer, surroundings)
    for event in events:
        if isinstance(event, Sample):
            yield event
        else:
            yield from session.take(event)
    yield from session.give_up_all()


@dataclass(slots=True)
class _Waiting:
    """A failed edit whose retry may still come."""

    attempt: Attempt
    before: tuple[File, ...]
    sample: Sample


@dataclass
class _Session:
    importer: Importer
    surroundings: Surroundings
    opened: Opened = field(default_factory=Opened)
    files: dict[str, str | None] = field(default_factory=dict)
    """Text by path; None for a file known not to be there. The order is that of use."""
    touched: set[str] = field(default_factory=set)
    """Paths that this session has written: the repository no longer has their text."""
    disturbed: set[str] = field(default_factory=set)
    """Paths whose text something unseen may have changed."""
    held: int = 0
    waiting: dict[str, list[_Waiting]] = field(default_factory=dict)
    """By the path of their first file."""

    def take(self, event: Event) -> Iterator[Sample]:
        """The samples that are settled once this has happened."""
        match event:
            case Opened():
                self._open(event)
            case Read():
                yield from self._see(event)
            case Wrote():
                path = self._absolute(event.path)
                yield from self._set(path, event.content)
            case Disturbed():
                self.disturbed = set(self.files)
            case Attempt():
                yield from self._attempt(event)

    def _open(self, event: Opened) -> None:
        known = self.opened
        self.opened = Opened(
            event.cwd or known.cwd,
            event.version or known.version,
            event.commit or known.commit,
            event.repo or known.repo,
            event.agent or known.agent,
        )
        if event.version and event.version != known.version and not _seen(event.version, self.importer.versions):
            self.surroundings.tally.add(
                "version not seen before, read all the same", f"{self.importer.name} {event.version}"
            )

    # The files.

    def _absolute(self, path: str) -> str:
        return paths.absolute(path, self.opened.cwd)

    def _shown(self, path: str) -> str:
        return paths.shown(path, self.opened.cwd)

    def _see(self, event: Read) -> Iterator[Sample]:
        path = self._absolute(event.path)
        known = self.files.get(path)
        if event.whole:
            self.disturbed.discard(path)
            if event.content != known:
                yield from self._set(path, event.content, by_session=False)
        elif known is not None:
            lines = event.content.removesuffix("\n").split("\n")
            if known.split("\n")[event.first_line - 1 : event.first_line - 1 + len(lines)] != lines:
                yield from self._forget(path, "file changed unseen")

    def _set(self, path: str, content: str | None, *, by_session: bool = True) -> Iterator[Sample]:
        yield from self._give_up(path)
        self.held -= len(self.files.pop(path, None) or "")
        self.files[path] = content
        self.disturbed.discard(path)
        if by_session:
            self.touched.add(path)
        self.held += len(content or "")
        while self.held > _REMEMBERED and len(self.files) > 1:
            yield from self._forget(next(iter(self.files)), "file forgotten for want of memory")

    def _forget(self, path: str, why: str = "") -> Iterator[Sample]:
        yield from self._give_up(path)
        if path in self.files:
            self.held -= len(self.files.pop(path) or "")
            self.touched.add(path)
            if why:
                self.surroundings.tally.add(why)

    def _from_repository(self, path: str) -> str | None:
        """The file's text at the session's commit, unless the session has changed it since."""
        if path in self.touched or not self.opened.commit or not (root := self.opened.cwd):
            return None
        repository = self.surroundings.repository(root)
        return repository.text(self.opened.commit, self._shown(path)) if repository else None

    # The edits.

    def _attempt(self, attempt: Attempt) -> Iterator[Sample]:
        tally = self.surroundings.tally
        tally.add(f"edit calls: {attempt.outcome}")
        if attempt.outcome in NOT_TRIED:
            return
        named = list(dict.fromkeys(map(self._absolute, paths.named(attempt))))
        before = self._before(attempt, named)
        if before is None:
            tally.add("left out: the file's text is not known")
            yield from self._settle_unknown(attempt, named)
            return
        old, source = before
        if attempt.outcome in ("applied", "applied_with_fuzz"):
            yield from self._applied(attempt, named, old, source)
        elif attempt.outcome in _FAILURES:
            yield from self._failed(attempt, named, old, source)
        elif attempt.outcome == "unread" and source != "tool_result":
            # Nobody had looked at the file: what we have is as good as anything else we know of it.
            yield self._sample(attempt, old, None, "unlabelled", None, source)
        else:
            tally.add(f"left out: {attempt.outcome}")
            if attempt.outcome in ("stale", "unknown"):
                for path in named:
                    yield from self._forget(path)

    def _settle_unknown(self, attempt: Attempt, named: list[str]) -> Iterator[Sample]:
        """What an edit of a file without a known text still tells: the text afterwards, or nothing any more."""
        after = {self._absolute(file.path): file.content for file in attempt.after or ()}
        if attempt.outcome in ("applied", "applied_with_fuzz", "unknown"):
            for path in named:
                if path in after:
                    yield from self._set(path, after[path])
                else:
                    yield from self._forget(path)
                    self.touched.add(path)

    def _before(self, attempt: Attempt, named: list[str]) -> tuple[dict[str, str], Source] | None:
        """The texts that an edit was made for; None where one of them is not known."""
        if attempt.before is not None:
            found = {self._absolute(file.path): file.content for file in attempt.before}
            return found, "git" if attempt.evidence == "git" else "tool_result"
        created = {self._absolute(path) for path in paths.created(attempt)}
        texts: dict[str, str] = {}
        source: Source = "replayed"
        for path in named:
            text = self.files[path] if path in self.files else self._from_repository(path)
            if text is None:
                if path in self.files or path in created:
                    continue
                return None
            source = source if path in self.files else "git"
            texts[path] = text
        return (texts, source) if texts or created else None

    def _applied(self, attempt: Attempt, named: list[str], old: dict[str, str], source: Source) -> Iterator[Sample]:
        tally = self.surroundings.tally
        diffs = {self._absolute(diff.path): diff for diff in attempt.diffs}
        by_rule = _exact_result(attempt, old)
        after: dict[str, str] | None = None
        won = ""
        if attempt.after is not None:
            after, won = {self._absolute(file.path): file.content for file in attempt.after}, attempt.evidence
        elif diffs:
            after, won = self._by_diffs(diffs, old, by_rule), "tool_result"
            if after is None:
                tally.add("left out: the recorded diff does not fit the text")
                yield from self._lose(named)
                return
        elif by_rule is not None:
            after, won = by_rule, "exact"
        if after is None:
            # Applied, and nobody knows where: the text is lost, not the attempt.
            yield self._sample(attempt, old, None, "unlabelled", None, source)
            yield from self._lose(named)
            return
        if attempt.changed_by_user:
            tally.add("left out: the user changed the proposal")
        else:
            yield from self._retried(attempt, named, old, after)
            tags = () if by_rule in (None, after) else ("tool:differs_from_exact",)
            yield self._sample(attempt, old, after, "apply", won, source, *tags)
        for path in dict.fromkeys([*named, *after, *old]):
            yield from self._set(path, after.get(path))

    def _by_diffs(
        self, diffs: dict[str, RecordedDiff], old: dict[str, str], by_rule: dict[str, str] | None
    ) -> dict[str, str] | None:
        """The texts afterwards as recorded diffs have them; None where one fits neither them nor the exact result."""
        after = dict(old)
        for path, diff in diffs.items():
            text = recorded.result(diff, old.get(path, ""))
            if text is None and by_rule is not None and path in by_rule:
                text = by_rule[path] if recorded.agrees(diff, old.get(path, ""), by_rule[path]) else None
            if text is None:
                return None
            after[path] = text
        return after

    def _lose(self, named: list[str]) -> Iterator[Sample]:
        for path in named:
            self.touched.add(path)
            yield from self._forget(path)

    def _failed(self, attempt: Attempt, named: list[str], old: dict[str, str], source: Source) -> Iterator[Sample]:
        edits = attempt.edits or ()
        counts = [_count(next(iter(old.values()), ""), edit.old_string) for edit in edits]
        if any(edit.old_string == edit.new_string for edit in edits) and len(edits) == 1 and edits[0].old_string:
            yield self._sample(attempt, old, None, "refuse", "identical", source)
        elif len(edits) == 1 and counts[0] > 1 and not edits[0].replace_all and edits[0].occurrence is None:
            yield self._sample(attempt, old, None, "refuse", "exact_ambiguous", source)
        elif counts and all(counts) and attempt.outcome == "no_match" and len(edits) == 1:
            self.surroundings.tally.add("left out: the text contradicts the recorded failure")
            yield from self._lose(named)
        else:
            sample = self._sample(attempt, old, None, "unlabelled", None, source)
            place = self.waiting.setdefault(_first(named), [])
            place.append(_Waiting(attempt, sample.before, sample))
            if len(place) > _WAITING:
                yield place.pop(0).sample

    def _retried(
        self, attempt: Attempt, named: list[str], old: dict[str, str], after: dict[str, str]
    ) -> Iterator[Sample]:
        """The failed edits that this one proves the meaning of."""
        before = self._files(old)
        still: list[_Waiting] = []
        for waiting in self.waiting.pop(_first(named), []):
            proof = same_change(waiting.attempt, attempt) if waiting.before == before else None
            if proof is None:
                still.append(waiting)
                continue
            strength = "certain" if proof == "retry" else "lines"
            sample = waiting.sample
            yield Sample(
                sample.id, sample.format, sample.before, "apply", sample.edits, sample.patch, sample.line,
                sample.end_line, self._files(after), proof, (*sample.tags, f"confidence:{strength}"), sample.provenance,
            )  # fmt: skip
        if still:
            self.waiting[_first(named)] = still

    def _give_up(self, path: str) -> Iterator[Sample]:
        """The failed edits of a file that no retry can explain any more."""
        for waiting in self.waiting.pop(path, []):
            yield waiting.sample

    def give_up_all(self) -> Iterator[Sample]:
        """The failed edits that were never retried."""
        for path in list(self.waiting):
            yield from self._give_up(path)

    # The samples.

    def _files(self, texts: dict[str, str]) -> tuple[File, ...]:
        return tuple(File(self._shown(path), text) for path, text in texts.items())

    def _sample(
        self,
        attempt: Attempt,
        old: dict[str, str],
        after: dict[str, str] | None,
        label: Label,
        won: str | None,
        source: Source,
        *tags: str,
    ) -> Sample:
        agent = self.opened.agent or self.importer.name
        first = next(iter(old or after or {}), attempt.path or "")
        found = [f"language:{paths.language(first)}", f"before:{source}", *attempt.tags, *tags]
        if drift := _drift(attempt.edits or (), next(iter(old.values()), "")):
            found.append(f"drift:{drift}")
        if source == "replayed" and not self.disturbed.isdisjoint(old):
            found.append("before:disturbed")
        if attempt.against_original:
            found.append("edits:against_original")
        provenance = Provenance(
            agent=agent,
            model=attempt.model,
            repo=self.opened.repo,
            commit=self.opened.commit,
            recorded_outcome=attempt.outcome,
            recorded_error=attempt.error,
        )
        return Sample(
            id=f"{agent}-{_hash(attempt)}",
            format=attempt.format,
            before=self._files(old),
            label=label,
            edits=attempt.edits,
            patch=paths.patch_shown(attempt, self.opened.cwd),
            line=attempt.line,
            end_line=attempt.end_line,
            target=self._files(after) if after is not None else None,
            label_source=won,
            tags=tuple(found),
            provenance=provenance,
        )


def _seen(version: str, known: tuple[str, str] | None) -> bool:
    if known is None:
        return True
    low, this, high = ([int(part) for part in re.findall(r"\d+", text)] for text in (known[0], version, known[1]))
    return low <= this <= high


def _first(named: list[str]) -> str:
    return named[0] if named else ""


def _hash(attempt: Attempt) -> str:
    """The same for the same call, wherever and however often it is stored."""
    told = (attempt.key, attempt.format, attempt.edits, attempt.patch, attempt.line, attempt.end_line)
    return xxhash.xxh3_64_hexdigest(repr(told).encode("utf-8", "surrogatepass"))


def _count(text: str, find: str) -> int:
    """How often a text stands in another, overlaps counted; 2 for more."""
    first = text.find(find) if find else -1
    return 0 if first < 0 else 1 if text.find(find, first + 1) < 0 else 2


def _exact_result(attempt: Attempt, old: dict[str, str]) -> dict[str, str] | None:
    """The texts after edits whose find stands exactly where it is meant; None where one does not, or not only there."""
    if not attempt.edits or len(old) != 1 or attempt.format not in ("str_replace", "search_replace"):
        return None
    ((path, text),) = old.items()
    for edit in attempt.edits:
        count = _count(text, edit.old_string)
        if count == 0 or (count > 1 and not edit.replace_all):
            return None
        if attempt.against_original and _count(old[path], edit.old_string) != count:
            return None
        text = text.replace(edit.old_string, edit.new_string)
    return {path: text}


def _drift(edits: tuple[Edit, ...], text: str) -> str | None:
    """How the finds stand to the text: exact, whitespace (but for blanks), absent; None where neither is there."""
    if not edits or not text:
        return None
    if all(edit.old_string in text for edit in edits):
        return "exact"
    squeezed = "".join(text.split())
    return "whitespace" if all("".join(edit.old_string.split()) in squeezed for edit in edits) else "absent"
