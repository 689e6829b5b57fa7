"""The commands for authors of commands that are strategies: protocol check, protocol schema."""

from __future__ import annotations

import json
import sys

import click

from editcore.quoting import printable


@click.group()
def protocol() -> None:
    """Check a program that is to be a strategy."""


@protocol.command()
@click.argument("command", metavar="COMMAND")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    metavar="S",
    help="Seconds an answer may take.",
)
def check(command: str, timeout: float) -> None:
    """Send a program requests that are easy to get wrong, and say what is.

    COMMAND is a command line, 'node edit.js', or what follows -s, 'cmd:mine[unified_diff]=node edit.js'. An error
    breaks the protocol (docs/protocol.md); a note says that an edit came out otherwise than asked, which is the
    program's own business. Exit code 1 where there are errors.
    """
    from harness.commands.strategies.protocol_check import findings
    from harness.strategies.external import parse_command

    started, formats = parse_command(command)
    counts = {"right": 0, "note": 0, "error": 0}
    for found in findings(started, formats, timeout_s=timeout):
        counts[found.level] += 1
        click.echo(printable(f"{found.level:<5}  {found.name:<42}  {found.text}"))
        if found.tip and found.level != "right":
            click.echo(f"       {printable(found.tip)}")
    click.echo(f"{counts['right']} right, {_counted(counts['note'], 'note')}, {_counted(counts['error'], 'error')}")
    sys.exit(1 if counts["error"] else 0)


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


@protocol.command()
def schema() -> None:
    """Print the JSON Schema of a line to a program and of a line from it."""
    from harness.strategies.protocol import schema as made

    click.echo(json.dumps(made(), indent=2))
