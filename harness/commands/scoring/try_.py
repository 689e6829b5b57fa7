"""`try`: apply one edit and explain the result, without writing the file."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import JSON
from harness.terminal import print_json


@click.command("try")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--old", required=True, metavar="TEXT", help="Text to replace; @FILE reads it from a file.")
@click.option("--new", required=True, metavar="TEXT", help="Text to put there; @FILE reads it from a file.")
@click.option(
    "--cascade",
    default="reference",
    show_default=True,
    metavar="NAME",
    help="One of `editgauge ls cascades`.",
)
@click.option("--all", "replace_all", is_flag=True, help="Replace every occurrence.")
@JSON
def try_(file: Path, old: str, new: str, cascade: str, replace_all: bool, as_json: bool) -> None:
    """Apply one edit and explain the result, without writing the file.

    Shows what every replacer offers, which one decides, and the diff. Exit code 1 if the edit is refused.
    """

    from editcore.cascade import named_cascade
    from editcore.document import Document
    from editcore.types import Applied, Edit
    from harness.commands.scoring.explanation import explanation, offers

    chosen = named_cascade(cascade)
    document, edit = Document(_text_of(file)), Edit(_argument(old), _argument(new), replace_all)
    result, lines = explanation(chosen, document, edit, path=file.name)
    applied = isinstance(result, Applied)
    if as_json:
        found = [asdict(offer) for offer in offers(chosen, document, edit.old_string)]
        status = "applied" if applied else "rejected"
        print_json({"schema_version": 1, "status": status, **asdict(result), "offers": found})
    else:
        for line in lines:
            click.echo(printable(line))
    sys.exit(0 if applied else 1)


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not UTF-8: byte {error.start} is {error.object[error.start]:#04x}", "Convert it to UTF-8 first."
        ) from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", "Check the path.") from None


def _argument(text: str) -> str:
    return _text_of(Path(text[1:])) if text.startswith("@") and os.path.isfile(text[1:]) else text
