"""`protocol`: check whether a program can be a strategy, compare it with a rule, and print the protocol's schema."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Literal

import click

from corpora.sample import Format, Sample
from editcore.errors import UsageError
from editcore.formats import EDIT_FORMATS
from editcore.formats.str_replace import blocks_of
from editcore.quoting import printable
from editcore.quoting import shown as shown_in_line
from editcore.text.diff import common_ends
from editcore.types import Applied, Edit, EditResult, File, Reason, Rejected
from harness.commands.options import JSON, SECONDS, TIMEOUT, Output, seed
from harness.conform.conforming import Class, Comparison, Conformed, Given, compared, shrunk
from harness.conform.kit import answer_of
from harness.fuzz.engine.telling import shown, texts_of
from harness.run.latency import Stopwatch, TimedOut
from harness.strategies.external import SPEC, Command, command_strategy, parse_command
from harness.strategies.protocol import CommandError, request_line
from harness.strategies.protocol import schema as protocol_schema
from harness.strategies.registry import strategy
from harness.strategies.strategy import PATH, TEXT, Strategy, by_path, example_sample, files_after
from harness.terminal import print_json, print_lines
from reports.views.ci import junit_cases
from reports.views.tables import duration
from reports.wording import counted

# Check whether a program speaks docs/protocol.md, by requests that are easy to get wrong.
#
# A violation of the protocol is an error. An edit with an unexpected result is a note: a program may edit as it likes,
# but its author may not have noticed.

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
        f"`after` has more files: {shown_in_line(', '.join(sorted(given.keys() - right.keys())))}",
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


# `protocol conform`: compare a program with a rule

_SHRINK_S = 5.0
_MOST_SHRUNK = 20
"""Number of classes whose smallest input is shrunk, the most frequent first."""
_NEARLY = 0.99
"""Share of equal answers from which a badge is yellow instead of red."""


@click.command()
@click.argument("command", metavar="COMMAND")
@click.argument("corpora", nargs=-1, metavar="[CORPUS...]")
@click.option("--as", "name", required=True, metavar="RULE", help="The strategy whose answers are right.")
@click.option(
    "--tier", "tiers", metavar="NAME,...",
    help="Compare with these tiers of cascade/recommended alone; each request names them in `tiers`.",
)  # fmt: skip
@click.option("--seconds", type=SECONDS, metavar="S", help="Draw inputs for so long. Default: none are drawn.")
@seed("Seed of the drawn inputs.")
@click.option(
    "-j", "--jobs", type=click.IntRange(1, 64), default=1, show_default=True, metavar="N",
    help="Number of processes of the program, each with a share of the inputs.",
)  # fmt: skip
@TIMEOUT
@click.option(
    "--junit", type=Output(dir_okay=False), metavar="FILE", help="JUnit report to write: a case for each class."
)
@click.option(
    "--badge", type=Output(dir_okay=False), metavar="FILE", help="Badge of shields.io to write, with the percentage."
)
@JSON
def conform(
    command: str, corpora: Sequence[str], name: str, tiers: str | None, seconds: float | None, seed: int,
    jobs: int, timeout: float, junit: Path | None, badge: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Compare a program with a rule: does a rewrite do what the rule does?

    COMMAND is a command line, 'node port.js', or a value of -s, 'cmd:port[unified_diff]=node port.js', which speaks
    docs/protocol.md. It is sent the cases of the kit that RULE takes, the samples of the corpora, and inputs drawn for
    --seconds. The same files, byte for byte, or a refusal for the same reason are the same answer. Differences are
    grouped by class, each with its smallest input, shrunk. Exit code 1 if there are any.
    """
    ours = _rule(name, tiers)
    spec = command if command.startswith(SPEC) else f"{SPEC}port={command}"
    named = tuple(one.strip() for one in tiers.split(",")) if tiers else ()
    if not ours.formats & command_strategy(spec).formats:
        raise UsageError(
            f"{name} takes {', '.join(sorted(ours.formats))}, and the program {', '.join(parse_command(spec)[1])}",
            f"Name its formats: 'cmd:port[{sorted(ours.formats)[0]}]=COMMAND'.",
        )
    comparison = Comparison(ours.spec, spec, named, tuple(corpora), seconds, seed, timeout)
    found = compared(comparison, n_jobs=jobs)
    if not found.n_all:
        raise UsageError(f"The kit has no case that {name} takes", "Name a corpus, or draw inputs: --seconds 60.")
    classes = sorted(found.classes.values(), key=lambda one: -one.n)
    with Stopwatch() as stopwatch:
        pair = comparison.pair(stopwatch)
        for one in classes[:_MOST_SHRUNK]:
            shrunk(one, pair, seconds=_SHRINK_S)
    _write(found, classes, name, junit, badge)
    if as_json:
        print_json(_document(found, classes, name))
    else:
        _print(found, classes, name)
    sys.exit(1 if found.n_differ else 0)


def _rule(name: str, tiers: str | None) -> Strategy:
    if tiers is None:
        return strategy(name)
    if name != "cascade/recommended":
        raise UsageError(f"{name} has no tiers", "Tiers are those of --as cascade/recommended.")
    words = [one.strip() for one in tiers.split(",")]
    return strategy(f"tier/{words[0]}" if len(words) == 1 else f"cascade/{'+'.join(words)}")


def _print(found: Conformed, classes: Sequence[Class], name: str) -> None:
    for source, n in found.n.items():
        other = found.n_other.get(source, 0)
        click.echo(printable(f"{source}: {n:,} inputs, {other:,} with another answer"))
    click.echo(f"{_percent(found)} of {found.n_all:,} answers are those of {name}")
    print_classes(classes)


def print_classes(classes: Sequence[Class], *, ours: str = "the rule", theirs: str = "the program") -> None:
    """Print each class of differences with its smallest input and both answers."""
    for one in classes:
        lines = [line for title, text in _texts(one, ours, theirs) for line in shown(title, text)]
        print_lines(["", f"{one.n:,} x {one.name}", *lines])


def _percent(found: Conformed) -> str:
    """The share of equal answers, rounded down: 100 % means that every answer is equal."""
    share = int(found.share * 10_000) / 100
    return f"{share:g} %"


def _texts(one: Class, ours: str, theirs: str) -> list[tuple[str, str]]:
    sample = one.smallest
    found = list(texts_of(sample))
    for who, result in ((ours, one.ours), (theirs, one.theirs)):
        if isinstance(result, Rejected):
            found.append((f"{who} refuses: {result.reason}", ""))
        elif isinstance(result, Applied):
            found += [(f"{who} leaves {path}", text) for path, text in files_after(sample, result).items()]
    return found


def _document(found: Conformed, classes: Sequence[Class], name: str) -> dict[str, Any]:
    return {
        "schema_version": 1, "rule": name, "n": found.n, "n_other": found.n_other, "share": found.share,
        "classes": [
            {
                "class": one.name, "n": one.n, "request": json.loads(request_line("1", one.smallest)),
                "right": _answer(one, one.ours), "given": _answer(one, one.theirs),
            }
            for one in classes
        ],
    }  # fmt: skip


def _answer(one: Class, given: Given) -> dict[str, Any] | None:
    """An answer in the form of the protocol; None where the program gave none."""
    return answer_of(one.smallest, given) if isinstance(given, Applied | Rejected) else None


def _write(found: Conformed, classes: Sequence[Class], name: str, junit: Path | None, badge: Path | None) -> None:
    """Write the reports whose files are named. Raises UsageError."""
    texts = dict[Path, str]()
    if badge:
        colour = "brightgreen" if not found.n_differ else "yellow" if found.share > _NEARLY else "red"
        texts[badge] = json.dumps({"schemaVersion": 1, "label": name, "message": _percent(found), "color": colour})
    if junit:
        texts[junit] = _junit(found, classes, name)
    for path, text in texts.items():
        try:
            path.write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}", "Name another file.") from None


def _junit(found: Conformed, classes: Sequence[Class], name: str) -> str:
    """JUnit report with a failed test case for each class; one passed case if there is no class."""
    failed = {(name, one.name): f"{one.n} inputs" for one in classes}
    return junit_cases(name, {name: [one.name for one in classes] or [f"{found.n_all} inputs"]}, failed)


@click.group()
def protocol() -> None:
    """Check a program that should be a strategy."""


protocol.add_command(conform)


@protocol.command()
@click.argument("command", metavar="COMMAND")
@click.option(
    "--timeout", type=SECONDS, default=5.0, show_default=True, metavar="S", help="Time limit of an answer, in seconds."
)
def check(command: str, timeout: float) -> None:
    """Send a program requests that are easy to get wrong, and report how it answers.

    COMMAND is a command line, 'node edit.js', or a value of -s, 'cmd:mine[unified_diff]=node edit.js'. An error is a
    violation of the protocol (docs/protocol.md); a note is an edit with an unexpected result, which the protocol
    allows. Exit code 1 if there are errors.
    """
    started, formats = parse_command(command)
    counts = {"right": 0, "note": 0, "error": 0}
    for result in check_results(started, formats, timeout_s=timeout):
        counts[result.level] += 1
        click.echo(printable(f"{result.level:<5}  {result.name:<42}  {result.text}"))
        if result.tip and result.level != "right":
            click.echo(f"       {printable(result.tip)}")
    click.echo(f"{counts['right']} right, {counted(counts['note'], 'note')}, {counted(counts['error'], 'error')}")
    sys.exit(1 if counts["error"] else 0)


@protocol.command()
def schema() -> None:
    """Print the JSON Schema of requests and answers."""
    print_json(protocol_schema())
