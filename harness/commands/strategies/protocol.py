"""`protocol`: check whether a program can be a strategy, compare it with a rule, and print the protocol's schema."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from editcore.types import Applied, Rejected
from harness.commands.options import JSON, SECONDS, TIMEOUT, Output, seed
from harness.commands.strategies.protocol_check import check_results
from harness.conform.conforming import Class, Comparison, Conformed, Given, compared, shrunk
from harness.conform.kit import answer_of
from harness.fuzz.engine.telling import shown, texts_of
from harness.run.latency import Stopwatch
from harness.strategies.external import SPEC, command_strategy, parse_command
from harness.strategies.protocol import request_line
from harness.strategies.protocol import schema as protocol_schema
from harness.strategies.registry import strategy
from harness.strategies.strategy import Strategy, files_after
from harness.terminal import print_json, print_lines
from reports.views.ci import junit_cases
from reports.wording import counted

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
