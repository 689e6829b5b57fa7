"""Output as prose and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from typing import TextIO

import click

from editcore.quoting import disarmed_json, printable


def print_prose(lines: Iterable[str], stream: TextIO) -> None:
    """Print sentences: on a terminal, lines break between words; in a pipe they are as long as they are."""
    from rich.console import Console

    width = Console(file=stream).width if stream.isatty() else 0
    for line in map(printable, lines):
        whole = not width or len(line) <= width
        found = [line] if whole else textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
        stream.writelines(f"{one}\n" for one in found)


def warn(line: str) -> None:
    """Print a warning to stderr."""
    click.echo(f"warning: {printable(line)}", err=True)


def print_json(document: object) -> None:
    """Print one JSON document."""
    click.echo(disarmed_json(json.dumps(document, indent=2)))
