"""Check whether a program speaks docs/protocol.md, by requests that are easy to get wrong.

A violation of the protocol is an error. An edit with an unexpected result is a note: a program may edit as it likes,
but its author may not have noticed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Literal

from corpora.sample import Format, Sample
from editcore.errors import UsageError
from editcore.formats import EDIT_FORMATS
from editcore.formats.str_replace import blocks_of
from editcore.quoting import shown
from editcore.text.diff import common_ends
from editcore.types import Applied, Edit, EditResult, File, Reason, Rejected
from harness.run.latency import Stopwatch, TimedOut
from harness.strategies.external import Command
from harness.strategies.protocol import CommandError
from harness.strategies.strategy import PATH, TEXT, by_path, example_sample
from reports.views.tables import duration

_FILLER = "# a line that is there to make the file a long one\n"
_LARGE = 1_000_000
_N_TIMED = 100
_SIZE_TIMED = 6_000
"""Characters of the timed file, which are typical of the corpus `house`."""
_QUOTED = 20


@dataclass(frozen=True, slots=True)
class Probe:
    """A request, and the right answer."""

    name: str
    sample: Sample
    """Its `target` is the right answer, unless the edit should be refused."""
    reason: Reason | None = None
    """Right reason for refusing the edit; None if it should be applied."""
    hint: str = ""
    """Likely cause of a wrong answer."""
    optional: bool = False
    """True if a failure is only a note, because many JSON readers fail here."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    level: Literal["right", "note", "error"]
    name: str
    text: str
    tip: str = ""


def check_results(command: Command, formats: Sequence[Format], *, timeout_s: float) -> Iterator[CheckResult]:
    """Run the probes and yield each result. After a first probe that fails, no other is run: all would fail.

    Raises UsageError if the program cannot be started.
    """
    with Stopwatch() as stopwatch:
        for n, probe in enumerate(_probes(formats)):
            result = _probed(command, probe, stopwatch, timeout_s)
            yield result
            if n == 0 and result.level == "error":
                return
        yield _timed(command, formats[0], stopwatch, timeout_s)
    yield _ended(command, timeout_s)


# The probes


def _probes(formats: Sequence[Format]) -> Iterator[Probe]:
    form = formats[0]
    for each in formats:
        yield Probe(f"{each}: an edit", example_sample(each))
    translated = "Line endings were translated: read and write texts unchanged."
    lost = "Its language or JSON reader has no such strings: it will fail on the few samples that contain one."
    for name, before, hint in (
        ("no line feed at the end", TEXT.removesuffix("\n"), ""),
        ("CRLF", "# one\r\n" + TEXT, translated),
        ("a byte order mark", "\ufeff" + TEXT, "The mark is part of the file: keep it."),
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
        if form == "search_replace":
            patch = blocks_of(PATH, edits)
            if patch is None or not edits[0].old_string:
                continue  # Blocks have no word for it, or mean something else by it.
            sample = replace(sample, patch=patch)
        yield Probe(f"{form}: {name}", sample, right if isinstance(right, Reason) else None)


# The results


def _probed(command: Command, probe: Probe, stopwatch: Stopwatch, timeout_s: float) -> CheckResult:
    call = stopwatch.time(partial(command.apply, probe.sample), timeout_s=timeout_s)
    if isinstance(call.value, Applied | Rejected):
        return _judged(probe, call.value)
    failed = _failed(probe.name, call.value, timeout_s)
    return replace(failed, level="note", tip=probe.hint) if probe.optional else failed


def _failed(name: str, error: object, timeout_s: float) -> CheckResult:
    """The result for an exception. Raises UsageError if the program did not start, and re-raises other exceptions."""
    if isinstance(error, TimedOut):
        tip = "End each answer with a line feed, and flush stdout after it."
        return CheckResult("error", name, f"no answer within {timeout_s:g} s", tip)
    if isinstance(error, CommandError):
        return CheckResult("error", name, error.message, error.tip)
    if isinstance(error, OSError):
        raise UsageError(
            f"The command cannot be started: {error.strerror}",
            "A script must start with a line such as #!/usr/bin/env node.",
        )
    assert isinstance(error, BaseException)
    raise error


def _judged(probe: Probe, result: EditResult) -> CheckResult:
    if isinstance(result, Rejected):
        text = f"rejected as {result.reason}"
        if result.reason == probe.reason:
            return CheckResult("right", probe.name, text)
        text += f"; the reason for this is {probe.reason}" if probe.reason else "; it can be applied"
        return CheckResult("note", probe.name, text, probe.hint)
    if probe.reason:
        return CheckResult("note", probe.name, f"applied; a strict program rejects this as {probe.reason}", probe.hint)
    before, right = (by_path(files) for files in (probe.sample.before, probe.sample.target or ()))
    given = dict(result.files or {})
    if given == right:
        return CheckResult("right", probe.name, "applied as requested")
    for path in right:
        if path not in given:
            tip = "Send back every file, under the path it came with."
            return CheckResult("note", probe.name, f"{path} is not in `after`, which deletes it", tip)
        if given[path] != right[path]:
            if given[path] == before[path]:
                return CheckResult("note", probe.name, "applied, but nothing changed")
            text = f"applied, but {_difference(given[path], right[path])}"
            return CheckResult("note", probe.name, text, probe.hint)
    return CheckResult(
        "note",
        probe.name,
        f"`after` has more files: {shown(', '.join(sorted(given.keys() - right.keys())))}",
        probe.hint,
    )


def _difference(given: str, right: str) -> str:
    start, _ = common_ends(given, right)
    line = right.count("\n", 0, start) + 1
    at = slice(max(start - 5, 0), start + _QUOTED)
    return f"line {line} has {given[at]!a} where {right[at]!a} would be right"


def _timed(command: Command, form: Format, stopwatch: Stopwatch, timeout_s: float) -> CheckResult:
    """Time of one request, measured over many requests with two texts in turn."""
    name = f"{form}: {_N_TIMED} in a row"
    samples = [example_sample(form, f"# {n}\n{_FILLER * (_SIZE_TIMED // len(_FILLER))}{TEXT}") for n in range(2)]
    taken = []
    for n in range(_N_TIMED):
        sample = samples[n % 2]
        call = stopwatch.time(partial(command.apply, sample), timeout_s=timeout_s)
        if not isinstance(call.value, Applied | Rejected):
            return _failed(name, call.value, timeout_s)
        if n == 0:
            continue
        taken.append(call.latency_ns)
    size = len(samples[0].before[0].content)
    return CheckResult(
        "right", name, f"{duration(int(median(taken)))} from request to answer, files of {size:,} characters"
    )


def _ended(command: Command, timeout_s: float) -> CheckResult:
    name = "the end of stdin"
    how = command.finish(timeout_s)
    if how is None:
        return CheckResult(
            "error", name, f"it still runs after {timeout_s:g} s", "End when stdin does: there is no other signal."
        )
    if how != "exit code 0":
        return CheckResult("note", name, f"ended with {how}", "The exit code should be 0.")
    return CheckResult("right", name, "ended with exit code 0")
