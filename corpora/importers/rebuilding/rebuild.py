"""What a log says -> samples: files rebuilt as they were at each edit, labels where they are certain.

A file's text comes from the tool's own result, else from replaying the session's reads, writes and edits, else from
the project's repository. Where what the log says of an edit contradicts the text, the text is given up, not the log.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import xxhash

from corpora.importers.importer import Importer, Surroundings
from corpora.importers.rebuilding import paths
from corpora.importers.rebuilding.after_state import Source, Texts, afterwards, contradicts, stands
from corpora.importers.rebuilding.before_state import beforehand
from corpora.importers.rebuilding.retries import same_change
from corpora.importers.rebuilding.session import NOT_TRIED, Attempt, Disturbed, Event, Opened, Read, Wrote
from corpora.languages import language
from corpora.sample import Label, Provenance, Sample
from editcore.patches.search_replace import blocks
from editcore.types import Edit, File

_REMEMBERED = 64 << 20
"""Characters of files that a session may hold; beyond it, those that were set longest ago are forgotten."""
_WAITING = 100
"""Failed edits that wait for their retry."""
_APPLIED = ("applied", "applied_with_fuzz")
_FAILURES = ("no_match", "ambiguous", "identical", "malformed")
"""Outcomes that say something about the edit and the text it was made for."""


def replayed(events: Iterable[Event | Sample], importer: Importer, surroundings: Surroundings) -> Iterator[Sample]:
    """The edit attempts of one log as samples, in the order in which their outcome is settled."""
    session = _Session(importer, surroundings)
    for event in events:
        if isinstance(event, Sample):
            yield event
        else:
            yield from session.take(event)
    yield from session.give_up()


@dataclass(slots=True)
class _Waiting:
    """A failed edit whose retry may still come."""

    attempt: Attempt
    old: Texts
    sample: Sample


@dataclass
class _Session:
    importer: Importer
    surroundings: Surroundings
    opened: Opened = field(default_factory=Opened)
    files: dict[str, str | None] = field(default_factory=dict)
    """Text by path, those set longest ago first; None for a file known not to be there."""
    touched: set[str] = field(default_factory=set)
    """Paths that this session may have written: the repository no longer has their text."""
    certain: set[str] = field(default_factory=set)
    """Paths whose text nothing unseen may have changed since it was seen."""
    quiet: bool = True
    """Nothing has run yet that may have changed any file."""
    held: int = 0
    waiting: list[_Waiting] = field(default_factory=list)

    def take(self, event: Event) -> Iterator[Sample]:
        """The samples that are settled once this has happened."""
        match event:
            case Opened():
                yield from self._open(event)
            case Read():
                yield from self._see(event)
            case Wrote():
                yield from self._set(self._absolute(event.path), event.content)
            case Disturbed():
                self.certain.clear()
                self.quiet = False
            case Attempt():
                yield from self._attempt(with_edits(event))

    def give_up(self, concerned: Callable[[_Waiting], bool] = lambda _: True) -> Iterator[Sample]:
        """The failed edits that no retry can explain any more."""
        given_up = [waiting for waiting in self.waiting if concerned(waiting)]
        self.waiting = [waiting for waiting in self.waiting if not concerned(waiting)]
        yield from (waiting.sample for waiting in given_up)

    def _open(self, event: Opened) -> Iterator[Sample]:
        if event.afresh:
            yield from self.give_up()
            self.files.clear()
            self.touched.clear()
            self.certain.clear()
            self.held, self.quiet = 0, True
        known = Opened(agent=self.opened.agent) if event.afresh else self.opened
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

    def _by_path(self, files: Iterable[File]) -> Texts:
        return {self._absolute(file.path): file.content for file in files}

    def _see(self, event: Read) -> Iterator[Sample]:
        path = self._absolute(event.path)
        known = self.files.get(path)
        if event.whole:
            if event.content != known:
                yield from self._set(path, event.content, by_session=path in self.files)
            self.certain.add(path)
        elif known is not None:
            lines = event.content.removesuffix("\n").split("\n")
            if known.split("\n")[event.first_line - 1 : event.first_line - 1 + len(lines)] != lines:
                self.surroundings.tally.add("file changed unseen")
                yield from self._lose(path)

    def _set(self, path: str, content: str | None, *, by_session: bool = True) -> Iterator[Sample]:
        yield from self.give_up(lambda waiting: path in waiting.old and waiting.old[path] != content)
        self.held -= len(self.files.pop(path, None) or "")
        self.files[path] = content
        self.held += len(content or "")
        self.certain.add(path)
        if by_session:
            self.touched.add(path)
        while self.held > _REMEMBERED and len(self.files) > 1:
            self.surroundings.tally.add("file forgotten for want of memory")
            yield from self._lose(next(iter(self.files)))

    def _lose(self, *lost: str) -> Iterator[Sample]:
        """Nothing is known of some files any more."""
        yield from self.give_up(lambda waiting: not waiting.old.keys().isdisjoint(lost))
        for path in lost:
            self.held -= len(self.files.pop(path, None) or "")
            self.touched.add(path)

    def _from_repository(self, path: str) -> str | None:
        """The file's text at the session's commit, unless the session has changed it since."""
        root, commit = self.opened.cwd, self.opened.commit
        if path in self.touched or not commit or not root or not paths.is_below(path, root):
            return None
        repository = self.surroundings.repository(root)
        return repository.text(commit, repository.prefix + paths.shown(path, root)) if repository else None

    # The edits.

    def _attempt(self, attempt: Attempt) -> Iterator[Sample]:
        tally = self.surroundings.tally
        tally.add(f"edit calls: {attempt.outcome}")
        if attempt.outcome in NOT_TRIED:
            return
        named = list(dict.fromkeys(map(self._absolute, paths.named(attempt))))
        before = beforehand(attempt, named, self._absolute, self._known)
        if before is None:
            tally.add("left out: the file's text is not known")
            yield from self._settle_unknown(attempt, named)
            return
        old, source = before
        if attempt.outcome in _APPLIED:
            yield from self._applied(attempt, named, old, source)
            return
        if source == "tool_result":
            # What a tool shows of a file that it did not change is as good as a look at it.
            for path, text in old.items():
                yield from self._see(Read(path, text))
        if attempt.outcome in _FAILURES:
            yield from self._failed(attempt, old, source)
        elif attempt.outcome == "unread":
            yield self._sample(attempt, old, None, "unlabelled", None, source)
        else:
            tally.add(f"left out: {attempt.outcome}")
            yield from self._lose(*named)

    def _settle_unknown(self, attempt: Attempt, named: list[str]) -> Iterator[Sample]:
        """What an edit of a file without a known text still tells: the text afterwards, or nothing any more."""
        if attempt.outcome in (*_APPLIED, "unknown", "stale"):
            after = self._by_path(attempt.after or ())
            yield from self._lose(*(path for path in named if path not in after))
            for path, text in after.items():
                yield from self._set(path, text)

    def _known(self, path: str) -> tuple[str | None, Source]:
        """The text of a file, and where it comes from."""
        return (self.files[path], "replayed") if path in self.files else (self._from_repository(path), "git")

    def _applied(self, attempt: Attempt, named: list[str], old: Texts, source: Source) -> Iterator[Sample]:
        done = afterwards(attempt, old, source, self._absolute)
        after = done.texts
        if done.why_not:
            self.surroundings.tally.add(f"left out: {done.why_not}")
        elif after is None:
            # Applied, and nobody knows where: the text is lost, not the attempt.
            yield self._sample(attempt, old, None, "unlabelled", None, source)
        else:
            if not attempt.edits or after == done.literally:
                yield from self._retried(attempt, old, after)
            tags = () if done.literally in (None, after) else ("tool:differs_from_exact",)
            yield self._sample(attempt, old, after, "apply", done.won, source, *tags)
        yield from self._go_on(named, old, None if done.is_lost else after)

    def _go_on(self, named: list[str], old: Texts, after: Texts | None) -> Iterator[Sample]:
        """The files as an edit has left them; nothing is known of those that it may have changed unseen."""
        known = {} if after is None else dict.fromkeys([*old, *after])
        yield from self._lose(*(path for path in named if path not in known))
        for path in known:
            yield from self._set(path, (after or {}).get(path))

    def _failed(self, attempt: Attempt, old: Texts, source: Source) -> Iterator[Sample]:
        edits = attempt.edits or ()
        n_found = stands(attempt, old).n_found
        if edits and all(edit.old_string == edit.new_string != "" for edit in edits):
            yield self._sample(attempt, old, None, "refuse", "identical", source)
        elif contradicts(attempt, n_found):
            self.surroundings.tally.add("left out: the text contradicts the recorded failure")
            yield from self._lose(*old)
        elif n_found == 2 and attempt.outcome == "ambiguous":
            yield self._sample(attempt, old, None, "refuse", "exact_ambiguous", source)
        else:
            sample = self._sample(attempt, old, None, "unlabelled", None, source)
            self.waiting.append(_Waiting(attempt, old, sample))
            if len(self.waiting) > _WAITING:
                yield self.waiting.pop(0).sample

    def _retried(self, attempt: Attempt, old: Texts, after: Texts) -> Iterator[Sample]:
        """The failed edits that this one proves the meaning of."""
        proofs = [
            (waiting, same_change(waiting.attempt, attempt, old.values()) if waiting.old == old else None)
            for waiting in self.waiting
        ]
        self.waiting = [waiting for waiting, proof in proofs if proof is None]
        for waiting, proof in proofs:
            if proof:
                strength = "confidence:certain" if proof == "retry" else "confidence:lines"
                yield replace(
                    waiting.sample,
                    label="apply",
                    target=self._files(after),
                    label_source=proof,
                    tags=(*waiting.sample.tags, strength),
                )

    # The samples.

    def _files(self, texts: Texts) -> tuple[File, ...]:
        return tuple(File(paths.shown(path, self.opened.cwd), text) for path, text in texts.items())

    def _sample(
        self,
        attempt: Attempt,
        old: Texts,
        after: Texts | None,
        label: Label,
        won: str | None,
        source: Source,
        *tags: str,
    ) -> Sample:
        agent = self.opened.agent or self.importer.name
        first = next(iter(old or after or {}), attempt.path or "")
        found = [f"language:{language(first)}", f"before:{source}", *attempt.tags, *tags]
        if drift := _drift(attempt.edits or (), next(iter(old.values()), "")):
            found.append(f"drift:{drift}")
        if attempt.before is None and not self.quiet and not self.certain.issuperset(old):
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
            edits=attempt.edits if old or attempt.patch is None else None,
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
    low, this, high = ([int(part) for part in re.findall(r"\d{1,9}", text)] for text in (known[0], version, known[1]))
    return low <= this <= high


def with_edits(attempt: Attempt) -> Attempt:
    """The attempt, its blocks read as edits where they are all of one file."""
    if attempt.format != "search_replace" or attempt.edits or attempt.path is None or not attempt.patch:
        return attempt
    return replace(attempt, edits=tuple(blocks(attempt.patch)) or None)


def _hash(attempt: Attempt) -> str:
    """The same for the same call, wherever and however often it is stored."""
    told = (attempt.key, attempt.format, attempt.edits, attempt.patch, attempt.line, attempt.end_line)
    return xxhash.xxh3_64_hexdigest(repr(told).encode("utf-8", "surrogatepass"))


def _drift(edits: tuple[Edit, ...], text: str) -> str | None:
    """How the finds stand to the text: exact, whitespace (but for blanks), absent; None where either is not there."""
    if not edits or not text:
        return None
    if all(edit.old_string in text for edit in edits):
        return "exact"
    squeezed = "".join(text.split())
    return "whitespace" if all("".join(edit.old_string.split()) in squeezed for edit in edits) else "absent"
