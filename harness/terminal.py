"""Output through Rich, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import click

from editcore.quoting import disarmed_json, printable


@contextmanager
def pipe_may_close() -> Iterator[None]:
    """Wrap printing with Rich, which exits when the reader closes the pipe: raise BrokenPipeError instead."""
    try:
        yield
    except SystemExit:
        raise BrokenPipeError from None


def warn(line: str) -> None:
    """Print a warning to stderr."""
    click.echo(f"warning: {printable(line)}", err=True)


def print_json(document: object) -> None:
    """Print one JSON document."""
    click.echo(disarmed_json(json.dumps(document, indent=2)))
