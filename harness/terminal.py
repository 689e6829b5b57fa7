"""Output of commands: lines, prose and JSON, on stdout, on stderr or in a file."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import TextIO

import click

from editcore.quoting import disarmed_json, printable


@contextmanager
def output(out: Path | None) -> Iterator[TextIO]:
    """The stream for a command's answer: stdout, or the file `out`, which is written whole after the block."""
    if out is None:
        yield sys.stdout
        return
    from reports.runs.manifest import write_atomically

    stream = StringIO()
    yield stream
    write_atomically(out, stream.getvalue().encode("utf-8", "backslashreplace"))


def print_lines(lines: Iterable[str], stream: TextIO | None = None) -> None:
    """Print lines of any content, with characters escaped that a terminal would obey."""
    for line in lines:
        click.echo(printable(line), file=stream)


def print_prose(lines: Iterable[str], stream: TextIO) -> None:
    """Print sentences. On a terminal, lines break between words; in a pipe they keep their length."""
    from rich.console import Console

    width = Console(file=stream).width if stream.isatty() else 0
    for line in map(printable, lines):
        whole = not width or len(line) <= width
        found = [line] if whole else textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
        stream.writelines(f"{one}\n" for one in found)


def tell(line: str) -> None:
    """Print a line to stderr."""
    click.echo(printable(line), err=True)


def warn(line: str) -> None:
    """Print a warning to stderr."""
    tell(f"warning: {line}")


def print_answer(document: Callable[[], object], text: Callable[[], object], *, as_json: bool) -> None:
    """Print a command's answer: as one JSON document, or by calling `text`."""
    if as_json:
        print_json(document())
    else:
        text()


def print_json(document: object, stream: TextIO | None = None) -> None:
    click.echo(disarmed_json(json.dumps(document, indent=2)), file=stream)
