"""The commands. stdout carries the answer and nothing else; progress, warnings and paths go to stderr.

Exit codes: 0 well; 1 a gate failed, or an edit was refused; 2 could not run, in two lines: what, and what
to do; 130 interrupted, with what was done on disk.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any, NoReturn

import click

from editcore import __version__
from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands import SECTIONS


class _Commands(click.Group):
    """Turns what can end a command early into an exit code, and the user's mistakes into two lines."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with _ending_well(ctx):
            return super().parse_args(ctx, args)

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(len(name) for name in self.commands)
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                rows = [(f"{command.name:<{width}}", command.get_short_help_str(100)) for command in commands]
                formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        with _ending_well(ctx):
            return super().invoke(ctx)


@contextmanager
def _ending_well(context: click.Context) -> Iterator[None]:
    try:
        yield
        sys.stdout.flush()
    except UsageError as error:
        _complain(context, error.message, error.tip)
    except click.UsageError as error:
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            raise
        where = error.ctx or context
        _complain(context, error.format_message(), f"See `{where.command_path} --help`.")
    except KeyboardInterrupt as interruption:
        click.echo(f"interrupted{': ' if interruption.args else ''}{printable(str(interruption))}", err=True)
        context.exit(130)
    except BrokenPipeError:
        # Whoever read our output has had enough, and must not hear of it when Python flushes on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        context.exit(0)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _complain(context, f"{place}{error.strerror or error}", "Fix that and try again; a run resumes with --resume.")


def _complain(context: click.Context, what: str, remedy: str) -> NoReturn:
    click.echo(f"error: {printable(what)}\n  {printable(remedy)}", err=True)
    context.exit(2)


@click.group(
    cls=_Commands,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "auto_envvar_prefix": "EDITGAUGE",
    },
)
@click.version_option(__version__, "--version", message="editgauge %(version)s")
def main() -> None:
    """Measure how a coding model's edit gets applied to a file: which strategies find the right place, which
    replace the wrong text, and how slow each is."""
    for stream in (sys.stdout, sys.stderr):
        # What a terminal cannot show is written as an escape, not the end of the command.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # To be ended is to be interrupted: the workers go too, and nothing is left half done.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


for command in (one for section in SECTIONS.values() for one in section):
    main.add_command(command)


if __name__ == "__main__":
    main()
