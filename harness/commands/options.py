"""Options that several commands share: one spelling, one parameter name and one help text each."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., object])

_LONGEST_S = 1e7
"""Seconds: 115 days. The system's timers take no number whatever."""


class Number(click.FloatRange):
    """A finite number in a range: click's own type takes nan as being in any."""

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


SECONDS = _Seconds(min=0, min_open=True)
"""A duration: a finite number above 0."""


class _Integer64(click.types.IntParamType):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        number = int(super().convert(value, param, ctx))
        if number.bit_length() > 63:
            self.fail(f"{value} has more than 64 bits.", param, ctx)
        return number


_SEED = _Integer64()
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
    "(label=refuse). Keys: format, label, label_source, agent, model, repo, mutator, and those of tags, such as "
    "language; of a finished run also damage.",
)  # fmt: skip
TIMEOUT = click.option(
    "--timeout", type=SECONDS, default=5.0, show_default=True, metavar="S",
    help="Time limit of a call, in seconds.",
)  # fmt: skip
RUN_FOLDER = click.option(
    "-o", "--out", type=click.Path(path_type=Path), metavar="DIR",
    help="Run folder to write. Default: runs/<time>-<hash>.",
)  # fmt: skip
CORPUS_FILE = click.option(
    "-o", "--out", type=click.Path(path_type=Path), required=True, metavar="FILE",
    help="Corpus to write: a .jsonl or .parquet file.",
)  # fmt: skip
REPLACE_FILE = click.option("--replace", is_flag=True, help="Overwrite FILE if it exists.")
HISTORY = click.option(
    "--history", "folder", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR",
    help="Folder with the history of nights; the first night creates it.",
)  # fmt: skip
QUIET = click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")


def seed(purpose: str) -> Callable[[_Command], _Command]:
    """The option `--seed`; `purpose` is its help text, which says what is drawn."""
    return click.option("--seed", type=_SEED, default=0, show_default=True, metavar="N", help=purpose)
