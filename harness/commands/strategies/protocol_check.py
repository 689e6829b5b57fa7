"""What is wrong with a command that should speak docs/protocol.md: requests that are easy to get wrong.

What breaks the protocol is an error. An edit that came out otherwise than asked is a note: how it edits is the
command's own business, but its author may not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Literal

from corpora.sample import EDIT_FORMATS, Format, Sample
from editcore.errors import UsageError
from editcore.types import Applied, Edit, EditResult, File, Reason, Rejected
from harness.run.latency import Stopwatch, TimedOut
from harness.run.scoring import common_ends
from harness.strategies.example_samples import PATH, TEXT, example_sample
from harness.strategies.external import Command
from harness.strategies.protocol import CommandError
from reports.views.tables import duration

_FILLER = "# a line that is there to make the file a long one\n"
_LARGE = 1_000_000
_N_TIMED = 100
_SIZE_TIMED = 6_000
"""Characters, as in the files of `house`."""
_QUOTED = 20


@dataclass(frozen=True, slots=True)
class Probe:
    """A request, and what would be right."""

    name: str
    sample: Sample
    """With the right files, where there are any."""
    reason: Reason | None = None
    """Why it should be refused, if it should."""
    hint: str = ""
    """What it may be that went wrong."""
    optional: bool = False
    """Whether to fail at it is no error, since many readers of JSON do."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a probe found."""

    level: Literal["right", "note", "error"]
    name: str
    text: str
    tip: str = ""


def findings(command: Command, formats: Sequence[Format], *, timeout_s: float) -> Iterator[Finding]:
    """What each probe finds, as it is found; none after a first one that fails, since all would.

    Raises UsageError where the command cannot be started.
    """
    with Stopwatch() as stopwatch:
        for n, probe in enumerate(_probes(formats)):
            found = _found(command, probe, stopwatch, timeout_s)
            yield found
            if n == 0 and found.level == "error":
                return
        yield _paced(command, formats[0], stopwatch, timeout_s)
    yield _finished(command, timeout_s)


# The probes


def _probes(formats: Sequence[Format]) -> Iterator[Probe]:
    form = formats[0]
    for each in formats:
        yield Probe(f"{each}: an edit", example_sample(each))
    translated = "Line ends were translated: read and write texts as they are."
    lost = "Its language or its reader of JSON has no such strings: expect it of the few samples that have one."
    for name, before, hint in (
        ("no line feed at the end", TEXT.removesuffix("\n"), ""),
        ("CRLF", "# one\r\n" + TEXT, translated),
        ("a byte order mark", "\ufeff" + TEXT, "The mark is a character of the file: keep it."),
        ("beyond the BMP", "# \U0001f9fa \U0001d54f\n" + TEXT, ""),
        ("control characters, U+2028", "# \x00 \x0b \x0c \x1b \x85 \u2028\n" + TEXT, ""),
        ("a file of 1 MB", _FILLER * (_LARGE // len(_FILLER)) + TEXT, ""),
    ):
        yield Probe(f"{form}: {name}", example_sample(form, before), hint=hint)
    yield Probe(f"{form}: a lone surrogate", example_sample(form, "# \ud83e\n" + TEXT), hint=lost, optional=True)
    if form in EDIT_FORMATS:
        yield from _edits(form)
    if form in ("unified_diff", "begin_patch"):
        one = example_sample(form)
        other = File("README.md", "Two files.\n")
        assert one.target
        yield Probe(f"{form}: a file beside it", replace(one, before=(*one.before, other), target=(*one.target, other)))
        yield Probe(f"{form}: no match", replace(one, before=(File(PATH, "other\n"),)), Reason.NO_MATCH)
    yield Probe(f"{form}: an edit after that", example_sample(form))


def _edits(form: Format) -> Iterator[Probe]:
    twice = "amount = 0\namount = 0\n"
    change, absent = Edit("amount = 0", "amount = 1"), Edit("nowhere = 0", "nowhere = 1")
    after = twice.replace("0", "1")
    for name, before, edits, right in (
        ("replace_all", twice, [replace(change, replace_all=True)], after),
        ("two edits, in order", "amount = 0\n", [change, Edit("amount = 1", "amount = 2")], "amount = 2\n"),
        ("two edits, all or nothing", "amount = 0\n", [change, absent], Reason.NO_MATCH),
        ("no match", twice, [absent], Reason.NO_MATCH),
        ("two matches", twice, [change], Reason.AMBIGUOUS),
        ("nothing to look for", twice, [Edit("", "amount = 1")], Reason.EMPTY),
        ("nothing to change", "amount = 0\n", [Edit("amount = 0", "amount = 0")], Reason.IDENTICAL),
    ):
        refused = isinstance(right, Reason)
        file = File(PATH, before if refused else right)
        sample = Sample("probe", form, (File(PATH, before),), "apply", edits=tuple(edits), target=(file,))
        yield Probe(f"{form}: {name}", sample, right if isinstance(right, Reason) else None)


# What came of them


def _found(command: Command, probe: Probe, stopwatch: Stopwatch, timeout_s: float) -> Finding:
    call = stopwatch.time(partial(command.apply, probe.sample), prepare=_nothing, timeout_s=timeout_s)
    if isinstance(call.value, Applied | Rejected):
        return _judged(probe, call.value)
    failed = _failed(probe.name, call.value, timeout_s)
    return replace(failed, level="note", tip=probe.hint) if probe.optional else failed


def _nothing() -> None:
    """A command is asked as it is."""


def _failed(name: str, error: object, timeout_s: float) -> Finding:
    """The finding that an exception is. Raises UsageError where the command did not even start, and what is ours."""
    if isinstance(error, TimedOut):
        tip = "End each answer with a line feed, and flush stdout after it."
        return Finding("error", name, f"no answer within {timeout_s:g} s", tip)
    if isinstance(error, CommandError):
        return Finding("error", name, error.message, error.tip)
    if isinstance(error, OSError):
        raise UsageError(
            f"The command cannot be started: {error.strerror}",
            "A script needs a first line such as #!/usr/bin/env node.",
        )
    assert isinstance(error, BaseException)
    raise error


def _judged(probe: Probe, result: EditResult) -> Finding:
    if isinstance(result, Rejected):
        said = f"rejected as {result.reason}"
        if result.reason == probe.reason:
            return Finding("right", probe.name, said)
        text = f"{said}; {f'{probe.reason} is the word for this' if probe.reason else 'it can be applied'}"
        return Finding("note", probe.name, text, probe.hint)
    if probe.reason:
        return Finding("note", probe.name, f"applied; a strict program rejects this as {probe.reason}", probe.hint)
    before, right = (
        {file.path: file.content for file in files} for files in (probe.sample.before, probe.sample.target or ())
    )
    given = dict(result.files or {})
    if given == right:
        return Finding("right", probe.name, "applied as asked")
    for path in right:
        if path not in given:
            tip = "Send back every file, under the path it came with."
            return Finding("note", probe.name, f"{path} is not in `after`: that deletes it", tip)
        if given[path] != right[path]:
            if given[path] == before[path]:
                return Finding("note", probe.name, "applied, but nothing changed")
            text = f"applied, but {_difference(given[path], right[path])}"
            return Finding("note", probe.name, text, probe.hint)
    return Finding("note", probe.name, f"`after` has more files: {', '.join(given.keys() - right.keys())}", probe.hint)


def _difference(given: str, right: str) -> str:
    start, _ = common_ends(given, right)
    line = right.count("\n", 0, start) + 1
    at = slice(max(start - 5, 0), start + _QUOTED)
    return f"line {line} has {given[at]!a} where {right[at]!a} would be right"


def _paced(command: Command, form: Format, stopwatch: Stopwatch, timeout_s: float) -> Finding:
    """Many requests in a row, each answered with its own text, and how long one takes."""
    name = f"{form}: {_N_TIMED} in a row"
    samples = [example_sample(form, f"# {n}\n{_FILLER * (_SIZE_TIMED // len(_FILLER))}{TEXT}") for n in range(2)]
    taken = []
    for n in range(_N_TIMED):
        sample = samples[n % 2]
        call = stopwatch.time(partial(command.apply, sample), prepare=_nothing, timeout_s=timeout_s)
        if not isinstance(call.value, Applied | Rejected):
            return _failed(name, call.value, timeout_s)
        if n == 0:
            continue
        taken.append(call.latency_ns)
    size = len(samples[0].before[0].content)
    return Finding(
        "right", name, f"{duration(int(median(taken)))} from request to answer, files of {size:,} characters"
    )


def _finished(command: Command, timeout_s: float) -> Finding:
    name = "the end of stdin"
    how = command.finish(timeout_s)
    if how is None:
        return Finding(
            "error", name, f"it still runs after {timeout_s:g} s", "End when stdin does: nothing else tells you."
        )
    if how != "exit code 0":
        return Finding("note", name, f"ended with {how}", "0 is the exit code for this.")
    return Finding("right", name, "ended with exit code 0")
