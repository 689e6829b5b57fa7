"""`protocol`: check a program that should be a strategy, and print the protocol's schema."""

from __future__ import annotations

import sys

import click

from editcore.quoting import printable
from harness.commands.options import SECONDS
from harness.commands.strategies.conform import conform
from harness.terminal import print_json


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
    from harness.commands.strategies.protocol_check import check_results
    from harness.strategies.external import parse_command

    started, formats = parse_command(command)
    counts = {"right": 0, "note": 0, "error": 0}
    for result in check_results(started, formats, timeout_s=timeout):
        counts[result.level] += 1
        click.echo(printable(f"{result.level:<5}  {result.name:<42}  {result.text}"))
        if result.tip and result.level != "right":
            click.echo(f"       {printable(result.tip)}")
    click.echo(f"{counts['right']} right, {_counted(counts['note'], 'note')}, {_counted(counts['error'], 'error')}")
    sys.exit(1 if counts["error"] else 0)


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


@protocol.command()
def schema() -> None:
    """Print the JSON Schema of requests and answers."""
    from harness.strategies.protocol import schema as protocol_schema

    print_json(protocol_schema())
