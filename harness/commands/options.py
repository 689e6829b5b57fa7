"""Options that several commands share: one spelling, one parameter name and one help text each.

Options that belong together are declared as a group. A command gets one value for the whole group.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from harness.run.plan import Request, Selection

Command = Callable[..., Any]
Option = Callable[[Command], Command]
"""A decorator that adds options or arguments to a command."""

_LONGEST_S = 1e7
"""Longest duration in seconds: 115 days. The system's timers refuse larger numbers."""


class Number(click.FloatRange):
    """A finite number in a range. click's own type accepts nan in every range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


class _Seconds(Number):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = super().convert(value, param, ctx)
        if number > _LONGEST_S:
            self.fail(f"{value} is more than {_LONGEST_S:,.0f} seconds.", param, ctx)
        return number


class Output(click.Path):
    """A file or folder to write. Raises UsageError for a place inside a run folder."""

    def __init__(self, *, file_okay: bool = True, dir_okay: bool = True) -> None:
        super().__init__(file_okay=file_okay, dir_okay=dir_okay, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        from reports.runs.manifest import check_outside_runs

        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        check_outside_runs(path)
        return path


SECONDS = _Seconds(min=0, min_open=True)
"""A duration: a finite number above 0."""


class _Integer64(click.types.IntParamType):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        number = int(super().convert(value, param, ctx))
        if number.bit_length() > 63:
            self.fail(f"{value} has more than 64 bits.", param, ctx)
        return number


_SEED = _Integer64()


class _RunType(click.Path):
    """A run folder, which is opened when it is first read."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from reports.runs.run_folder import RunFolder

        return RunFolder(Path(os.fsdecode(super().convert(value, param, ctx))))


RUN = click.argument("run", type=_RunType(), metavar="RUN")
STRATEGIES = click.option(
    "-s", "--strategy", "patterns", multiple=True, metavar="NAME",
    help="A strategy, or a glob such as 'cascade/*'; repeatable. Default: all.",
)  # fmt: skip
JOBS = click.option(
    "-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Number of worker processes. Default: one per core."
)
LIMIT = click.option(
    "-n", "--limit", type=click.IntRange(min=1), metavar="LIMIT",
    help="Run at most this many samples of each corpus, drawn with --seed.",
)  # fmt: skip
MATCHING = click.option(
    "-k", "matching", metavar="EXPR",
    help="Use only samples that match: parts of ids and tags, joined by and, or, not and parentheses "
    "('python and not stale'); KEY:PART, a part of a property (model:sonnet), or KEY=VALUE, the whole of it "
    "(label=refuse). Keys: format, label, label_source, agent, model, repo, mutator, seen (same as before the edit, "
    "other, unknown), and those of tags, such as language; of a finished run also damage.",
)  # fmt: skip
TIMEOUT = click.option(
    "--timeout", type=SECONDS, default=5.0, show_default=True, metavar="S",
    help="Time limit of a call, in seconds.",
)  # fmt: skip
RUN_FOLDER = click.option(
    "-o", "--out", type=Output(), metavar="DIR",
    help="Run folder to write. Default: runs/<time>-<hash>.",
)  # fmt: skip
CORPUS_FILE = click.option(
    "-o", "--out", type=Output(), required=True, metavar="FILE",
    help="Corpus to write: a .jsonl or .parquet file.",
)  # fmt: skip
REPLACE_FILE = click.option("--replace", is_flag=True, help="Overwrite FILE if it exists.")
HISTORY = click.option(
    "--history", "folder", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR",
    help="Folder with the history of nights; the first night creates it.",
)  # fmt: skip
QUIET = click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
WIDE = click.option("--wide", is_flag=True, help="Print every column, not the rates and counts only.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")


def seed(purpose: str) -> Option:
    """The option `--seed`; `purpose` is its help text, which names what is drawn."""
    return click.option("--seed", type=_SEED, default=0, show_default=True, metavar="N", help=purpose)


def all_of(*options: Option) -> Option:
    """Add several options to a command, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def group(name: str, make: Callable[..., object], *options: Option) -> Option:
    """Add options to a command. The command gets one argument for them: `make(...)` of their values, as `name`.

    The parameters of `make` have the names of the options' parameters.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def called(*arguments: Any, **values: Any) -> Any:
            made = make(**{one: values.pop(one) for one in signature(make).parameters})
            return command(*arguments, **values, **{name: made})

        return all_of(*options)(called)

    return decorate


def _selection(limit: int | None, matching: str | None, seed: int) -> Selection:
    from harness.run.plan import Selection

    return Selection(matching, limit, seed)


def _request(
    corpora: Sequence[str], patterns: Sequence[str], all_strategies: bool, jobs: int | None, selection: Selection,
    timeout: float,
) -> Request:  # fmt: skip
    from corpora.load import DEFAULT
    from editcore.errors import UsageError
    from harness.fuzz.engine.known import safety
    from harness.run.plan import Request
    from harness.strategies.registry import FIELD, select

    typed = click.get_current_context().get_parameter_source("patterns") is not ParameterSource.DEFAULT_MAP
    if all_strategies and patterns and typed:
        raise UsageError("--all and -s exclude each other", "Leave one of them out.")
    chosen = select(() if all_strategies else patterns or FIELD)
    return Request(
        corpora or [DEFAULT], chosen, selection=selection, n_workers=jobs, timeout_s=timeout,
        argv=sys.argv[1:], known_breaks=safety,
    )  # fmt: skip


def selection(purpose: str = "Seed of the samples drawn by -n.") -> Option:
    """The options `-n`, `-k` and `--seed`, as one `selection`."""
    return group("selection", _selection, LIMIT, MATCHING, seed(purpose))


REQUEST = group(
    "request", _request, click.argument("corpora", nargs=-1, metavar="[CORPUS]..."),
    click.option(
        "-s", "--strategy", "patterns", multiple=True, metavar="NAME",
        help="A strategy, or a glob such as 'cascade/*'; repeatable. Default: sixteen that stand for the field.",
    ),
    click.option("--all", "all_strategies", is_flag=True, help="Score every strategy (see `editgauge ls strategies`)."),
    JOBS, selection(), TIMEOUT,
)  # fmt: skip
"""Options for corpora, strategies and their limits, as one `request`. Each command adds where the run is written."""
