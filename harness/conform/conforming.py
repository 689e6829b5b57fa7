"""The comparison of a program with a rule on the kit, corpora and draws; its differences by class."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from itertools import count, islice
from multiprocessing import get_context
from random import Random
from time import monotonic
from typing import NamedTuple

from corpora.generation.recipes import KINDS, Kind, drawn
from corpora.load import load
from corpora.sample import Format, Sample
from editcore.errors import UsageError
from editcore.formats import EDIT_FORMATS
from editcore.types import Applied, EditResult, Rejected
from harness.conform.kit import samples_for
from harness.fuzz.generators import GENERATORS
from harness.fuzz.inputs import FORMS, Fields, can_be_written
from harness.fuzz.targets.intents import drawn_as, files, made
from harness.run.latency import Stopwatch, TimedOut
from harness.strategies.external import command_strategy
from harness.strategies.protocol import CommandError
from harness.strategies.registry import strategy
from harness.strategies.strategy import Strategy, files_after

_RECIPES: tuple[Format, ...] = ("str_replace", "search_replace", "unified_diff", "begin_patch")
_MOST_CLASSES = 200
_AT_ONCE = 16
"""Samples that a program is asked about at once."""
_WITH_SEEN = ("stale/", "anchors/", "tool/", "documents/", "cmd/", "peer/")
"""Families of strategies that use the text as the model saw it."""


Given = EditResult | CommandError | TimedOut


@dataclass
class Class:
    """Differences of one kind."""

    name: str
    n: int
    smallest: Sample
    ours: EditResult
    theirs: Given


@dataclass
class Conformed:
    """The result of a comparison."""

    n: dict[str, int] = field(default_factory=dict)
    """Source of inputs -> number of inputs."""
    n_other: dict[str, int] = field(default_factory=dict)
    """Source of inputs -> number of inputs with different answers."""
    classes: dict[str, Class] = field(default_factory=dict)

    @property
    def n_all(self) -> int:
        return sum(self.n.values())

    @property
    def n_differ(self) -> int:
        """Inputs with different answers."""
        return sum(self.n_other.values())

    @property
    def share(self) -> float:
        """The share of inputs with the same answer; 0 without inputs."""
        return 1 - self.n_differ / self.n_all if self.n_all else 0.0

    def add(self, other: Conformed) -> None:
        for mine, theirs in ((self.n, other.n), (self.n_other, other.n_other)):
            for source, n in theirs.items():
                mine[source] = mine.get(source, 0) + n
        for one in other.classes.values():
            self._add_class(one)

    def differs(self, source: str, one: Class) -> None:
        self.n_other[source] = self.n_other.get(source, 0) + 1
        self._add_class(one)

    def _add_class(self, one: Class) -> None:
        known = self.classes.get(one.name)
        if known is None:
            if len(self.classes) < _MOST_CLASSES:
                self.classes[one.name] = one
            return
        known.n += one.n
        if _size(one.smallest) < _size(known.smallest):
            known.smallest, known.ours, known.theirs = one.smallest, one.ours, one.theirs


class Pair:
    """A rule, and the program that shall do the same."""

    def __init__(self, ours: Strategy, theirs: Strategy, stopwatch: Stopwatch, *, timeout_s: float) -> None:
        """`timeout_s` limits an answer of the program."""
        self.ours, self.theirs, self._stopwatch, self._timeout_s = ours, theirs, stopwatch, timeout_s

    def asked(self, sample: Sample) -> Sample:
        """The sample as both are asked about it: without the seen text if the rule does not use it."""
        return sample if self.ours.name.startswith(_WITH_SEEN) else replace(sample, seen=None, seen_lines=None)

    def takes(self, sample: Sample) -> bool:
        """True if both take the sample."""
        return self.ours.takes(sample) and self.theirs.takes(sample)

    def answers(self, sample: Sample) -> tuple[EditResult, Given]:
        """The answers of the rule and of the program."""
        call = self._stopwatch.time(partial(self.theirs.apply, sample, None), timeout_s=self._timeout_s)
        value = call.value
        if not isinstance(value, Applied | Rejected | CommandError | TimedOut):
            assert isinstance(value, BaseException)
            raise value
        right = self.ours.call(sample, None)()  # As it leaves bytes, where the files have some.
        return right, value


def compare(source: str, samples: Iterable[Sample], pair: Pair, found: Conformed) -> None:
    rest = filter(pair.takes, map(pair.asked, samples))
    while batch := list(islice(rest, _AT_ONCE)):
        if pair.theirs.ask_ahead is not None:
            pair.theirs.ask_ahead(batch)
        for sample in batch:
            right, given = pair.answers(sample)
            found.n[source] = found.n.get(source, 0) + 1
            name = difference(sample, right, given)
            if name is not None:
                found.differs(source, Class(name, 1, sample, right, given))


def difference(sample: Sample, ours: EditResult, theirs: Given) -> str | None:
    """The class of a difference, in words; None if both leave the same files or refuse for the same reason."""
    if isinstance(theirs, TimedOut):
        return "no answer in time"
    if isinstance(theirs, CommandError):
        return f"no answer: {theirs.message:.200}"
    if isinstance(ours, Rejected) and isinstance(theirs, Rejected):
        return None if ours.reason == theirs.reason else f"refused as {theirs.reason}, not as {ours.reason}"
    if isinstance(ours, Rejected):
        by = f" by {theirs.replacer}" if isinstance(theirs, Applied) and theirs.replacer else ""
        return f"applied{by} what is to be refused as {ours.reason}"
    who = ours.replacer or "the rule"
    if isinstance(theirs, Rejected):
        return f"refused as {theirs.reason} what {who} applies"
    right, given = files_after(sample, ours), files_after(sample, theirs)
    return None if right == given else f"{who}: {_how(right, given)}"


def _how(right: Mapping[str, str], given: Mapping[str, str]) -> str:
    """The difference of two trees of files, in the coarsest words that describe it."""
    if right.keys() != given.keys():
        return "other files"
    pairs = [(right[path], given[path]) for path in right if right[path] != given[path]]
    for name, plain in _COARSER:
        if all(plain(a) == plain(b) for a, b in pairs):
            return f"other {name}"
    return "another text"


_ENDING = re.compile("\r*\n|\r+")
_COARSER: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("line endings", lambda text: _ENDING.sub("\n", text)),
    ("final line feed", lambda text: text.rstrip("\r\n")),
    ("blank lines", lambda text: [line for line in text.split("\n") if line.strip()]),
    ("indentation", lambda text: [line.strip() for line in text.split("\n")]),
    ("whitespace", lambda text: "".join(text.split())),
    ("order of lines", lambda text: sorted(text.split("\n"))),
)
"""What remains of a text without a feature. The first feature whose removal makes two texts equal names the
difference.
"""


def draws(pair: Pair, seed: int) -> Iterator[Sample]:
    """Drawn inputs without end: documents and edits of every kind, and edits as models write them; for a rule that is
    about stale edits alone, only stale ones.

    Files that are not UTF-8 are left out: how bytes are read as text is no part of a rule.
    """
    ours, theirs = pair.ours, pair.theirs
    formats = [format for format in GENERATORS if format in ours.formats & theirs.formats]
    if set(EDIT_FORMATS) <= set(formats) and theirs.reads == "edits":
        formats.remove("search_replace")
    for n in count():
        for format in formats:
            random = Random(f"{seed}/{format}/{n}")
            if ours.only_stale:
                sample = _meant(format, "stale", random)
            elif n % 2 or format not in _RECIPES:
                sample = _drawn(format, random)
            else:
                sample = _meant(format, KINDS[n // 2 % len(KINDS)], random)
            if sample is not None and not sample.has_bytes:
                yield sample


def _drawn(format: str, random: Random) -> Sample | None:
    fields = GENERATORS[format](random)
    return FORMS[format].sample(fields) if can_be_written(fields, format) else None


def _meant(format: str, kind: Kind, random: Random) -> Sample | None:
    form: Format = format
    return made(drawn(random, kind, drawn_as(form), files()), form)


def shrunk(one: Class, pair: Pair, *, seconds: float) -> None:
    """Make the smallest input of a class smaller while its difference stays in the same class."""
    form = FORMS.get(one.smallest.format)
    fields = form.fields(one.smallest) if form and one.smallest.seen is None else None
    if form is None or fields is None or isinstance(one.theirs, TimedOut) or find_spec("hypothesis") is None:
        return
    from harness.fuzz.engine.shrinking import smaller_fields

    def differs(some: Fields) -> bool:
        sample = form.sample(some)
        if sample is None or not can_be_written(some, one.smallest.format) or not pair.takes(sample):
            return False
        return difference(sample, *pair.answers(sample)) == one.name

    small = form.sample(smaller_fields(fields, differs, seconds=seconds))
    if small is not None and differs(form.fields(small) or ()):
        one.smallest = small
        one.ours, one.theirs = pair.answers(small)


def until(samples: Iterable[Sample], seconds: float) -> Iterator[Sample]:
    """The samples that arrive within some seconds."""
    deadline = monotonic() + seconds
    for sample in samples:
        if monotonic() >= deadline:
            return
        yield sample


def _size(sample: Sample) -> int:
    texts = [file.content for file in (*sample.before, *(sample.seen or ()))]
    return sum(map(len, texts)) + len(sample.patch or "")


# A comparison in several processes, each with a process of the program.


class Comparison(NamedTuple):
    """What is compared, in words that every process understands."""

    rule: str
    """The name of the strategy with the right answers."""
    spec: str
    """The program, as `cmd:NAME=COMMAND`."""
    tiers: tuple[str, ...]
    """The tiers that requests name."""
    corpora: tuple[str, ...]
    seconds: float | None
    """How long inputs are drawn; None to draw none."""
    seed: int
    timeout_s: float
    """The time limit of an answer."""

    def pair(self, stopwatch: Stopwatch) -> Pair:
        return Pair(
            strategy(self.rule), command_strategy(self.spec, tiers=self.tiers), stopwatch, timeout_s=self.timeout_s
        )


def compared(comparison: Comparison, *, n_jobs: int) -> Conformed:
    """The comparison of all inputs. Raises UsageError if a process is killed."""
    if n_jobs == 1:
        return _share(comparison, 1, 0)
    found = Conformed()
    try:
        # Spawned, not forked: the calling process may have threads.
        with ProcessPoolExecutor(n_jobs, mp_context=get_context("spawn")) as pool:
            for part in pool.map(partial(_share, comparison, n_jobs), range(n_jobs)):
                found.add(part)
    except BrokenProcessPool:
        raise UsageError(
            "A process of the comparison was killed, perhaps for lack of memory", "Name fewer --jobs."
        ) from (None)
    return found


def _share(comparison: Comparison, n_jobs: int, number: int) -> Conformed:
    """The comparison of every `n_jobs`-th input, from the one with this number on."""

    def mine(samples: Iterable[Sample]) -> Iterator[Sample]:
        return islice(samples, number, None, n_jobs)

    found = Conformed()
    with Stopwatch() as stopwatch:
        pair = comparison.pair(stopwatch)
        compare("kit", mine(samples_for(pair.ours)), pair, found)
        for corpus in comparison.corpora:
            compare(corpus, mine(load(corpus)), pair, found)
        if comparison.seconds is not None:
            compare("drawn", until(mine(draws(pair, comparison.seed)), comparison.seconds), pair, found)
    return found
