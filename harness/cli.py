"""The command line. stdout carries the answer and nothing else; progress, warnings and paths go to stderr.

Exit codes: 0 success; 1 a gate failed, nothing was measured, or an edit was refused; 2 the command could not run (two
lines on stderr say what is wrong, and what to do); 130 interrupted, with finished work kept on disk.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, ENOSPC
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

import click

from editcore import __version__
from editcore.errors import UsageError, did_you_mean
from editcore.quoting import printable
from harness.commands import FIRST, SECTIONS, Commands
from harness.configuration import default_map

_FULL = (ENOSPC, EDQUOT, EFBIG)
"""Error numbers of a disk, a quota or a file that is full."""
_WRONG_CHOICE = re.compile(r"'(.*)' is not one of ", re.DOTALL)
"""The start of click's message for a value that is not among the choices."""


class _Commands(click.Group):
    """The group of all commands: lists them for the help, and turns errors into two lines and an exit code."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with _exit_codes(ctx):
            return super().parse_args(ctx, args)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = Commands()  # type: ignore[assignment]

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.commands))
        summaries = {name: summary for section in SECTIONS.values() for name, (_, summary) in section.items()}
        others = {title: [name for name in section if name not in FIRST] for title, section in SECTIONS.items()}
        for title, names in {"Begin with": FIRST, **others}.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{width}}", summaries[name]) for name in names])

    def invoke(self, ctx: click.Context) -> Any:
        with _exit_codes(ctx):
            ctx.default_map = default_map(self, Path())
            return super().invoke(ctx)


@contextmanager
def _exit_codes(context: click.Context) -> Iterator[None]:
    try:
        yield
        sys.stdout.flush()
    except UsageError as error:
        _fail(context, error.message, error.tip)
    except click.UsageError as error:
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            raise
        _fail(context, " ".join(error.format_message().split()), f"{_near(error)}See `{_path(error, context)} --help`.")
    except KeyboardInterrupt as interruption:
        click.echo(f"interrupted{': ' if interruption.args else ''}{printable(str(interruption))}", err=True)
        context.exit(130)
    except BrokenPipeError:
        # The reader closed the pipe. Python's final flush of stdout must not fail as well.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        context.exit(0)
    except OSError as error:
        is_full = error.errno in _FULL
        # Every file that is written is named in its errors.
        place = error.filename or ("standard output" if is_full else "")
        what = "Free some space" if is_full else "Fix that"
        resumed = "; a run resumes with --resume" if _has_option(context, "--resume") else ""
        _fail(context, f"{place}{': ' if place else ''}{error.strerror or error}", f"{what} and try again{resumed}.")


def _has_option(context: click.Context, option: str) -> bool:
    """True if the command that was called has the option."""
    called = context.command.get_command(context, context.invoked_subcommand or "")  # type: ignore[attr-defined]
    return called is not None and any(option in one.opts for one in called.params)


def _near(error: click.UsageError) -> str:
    """The start of a tip that proposes the nearest choices; empty for any error but a wrong choice."""
    kind = error.param.type if isinstance(error, click.BadParameter) and error.param else None
    wrong = _WRONG_CHOICE.match(error.message)
    return did_you_mean(wrong[1], map(str, kind.choices)) if wrong and isinstance(kind, click.Choice) else ""


def _path(error: click.UsageError, context: click.Context) -> str:
    """Path of the command that the error is about, which click does not always know."""
    known = (error.ctx or context).command_path
    return f"{known} {context.invoked_subcommand}" if error.ctx is None and context.invoked_subcommand else known


def _fail(context: click.Context, what: str, remedy: str) -> NoReturn:
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
        # Characters that a terminal cannot show are written as escapes instead of ending the command.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # SIGTERM acts like Ctrl-C: workers are killed too, and finished work is kept.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


if __name__ == "__main__":
    main()
