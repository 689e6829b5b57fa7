"""The advice about a model in words, as a table and as a JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from editcore.errors import UsageError
from editcore.quoting import printable
from reports.asked.advice import FEWEST_TASKS, Advice, Row
from reports.measurements.interval import percent, rate_with_interval
from reports.runs.contents import ANSWER
from reports.runs.manifest import write_atomically
from reports.views.between_wording import cost
from reports.views.tables import ABSENT, Column, print_rows
from reports.wording import listed

_COLUMNS: tuple[Column[Row], ...] = (
    Column("", "cannot be told from the first", lambda row: "=" if row.is_tied else " "),
    Column("format", "what the model writes", lambda row: row.format),
    Column("rule", "what applies it", lambda row: row.strategy),
    Column("right at once", "of the replies", lambda row: rate_with_interval(row.right), lambda row: row.right.value),
    Column("wrong", "of the replies", lambda row: rate_with_interval(row.wrong), lambda row: row.wrong.value),
    Column("missed", "of the replies", lambda row: percent(row.missed.value), lambda row: row.missed.value),
    Column("right later", "after one retry", lambda row: rate_with_interval(row.right_later)),
    Column("wrong later", "after one retry", lambda row: rate_with_interval(row.wrong_later)),
    Column("no edit", "of the replies", lambda row: percent(row.no_edit), lambda row: row.no_edit),
    Column(
        "tokens/right", "per right edit", lambda row: _number(row.tokens_per_right), lambda row: row.tokens_per_right
    ),
    Column("USD/right", "per right edit", lambda row: _dollars(row.usd_per_right), lambda row: row.usd_per_right),
)


def print_table(found: Advice, *, file: TextIO | None = None) -> None:
    absent = {
        *(() if any(row.usd_per_right is not None for row in found.rows) else ("USD/right",)),
        *(() if _has_later(found) else ("right later", "wrong later")),
    }
    print_rows(found.rows, [one for one in _COLUMNS if one.heading not in absent], file=file)


def legend(found: Advice) -> str:
    """The meaning of the table's columns."""
    later = "; later: after one retry with the rule's refusal" if _has_later(found) else ""
    return (
        "each format with its best rule; right at once, wrong, missed: of the replies that say something of the "
        f"format, with 95 % intervals by task{later}; no edit: replies without one, or with one that cannot be read; "
        "tokens: input and output; =: cannot be told from the first"
    )


def _has_later(found: Advice) -> bool:
    return any(row.right_later is not None for row in found.rows)


def sentences(found: Advice, model: str) -> Iterator[str]:
    """The answer: the best pair, the pairs that tie with it, and the best pairs at other costs."""
    first, *others = found.rows
    if found.n_tasks < FEWEST_TASKS:
        yield (
            f"{found.n_tasks} tasks were answered in every format: too few to say anything; ask {FEWEST_TASKS} or more."
        )
        return
    yield (
        f"For {model}: {first.format} with {first.strategy}: right at once {rate_with_interval(first.right)}, wrong "
        f"{rate_with_interval(first.wrong)}, {_worth(first)} ({found.n_tasks} tasks; a wrong edit counted as "
        f"{cost(found.cost)} missed ones)."
    )
    tied = [row.format for row in others if row.is_tied]
    if tied:
        yield f"{found.n_tasks} tasks are too few to tell it from {listed(tied)}{_needed(found)}."
    elif others:
        yield f"It is better than every other format here; the next is {others[0].format} with {others[0].strategy}."
    for one, name, strategy in found.others:
        yield f"  a wrong edit as bad as {_between(one.above, one.upto)}: {name} with {strategy}"
    for retried in found.retried:
        yield (
            f"Sent back, {retried.n_retried} refusals of {retried.strategy} make {retried.n_rescued} more of "
            f"{retried.format} right and {retried.n_wrong} more wrong."
        )
    if found.n_left_out:
        yield f"{found.n_left_out} tasks have no reply in every format, and are left out."


def _worth(row: Row) -> str:
    money = "" if row.usd_per_right is None else f" and {_dollars(row.usd_per_right)} US dollars"
    return f"{_number(row.tokens_per_right)} tokens{money} per right edit"


def _needed(found: Advice) -> str:
    return (
        "" if found.n_needed is None else f"; about {found.n_needed:,} would do for the next one, if it stays as it is"
    )


def _between(above: float | None, upto: float | None) -> str:
    if above is None:
        return f"up to {cost(upto or 0)} missed ones"
    return f"{cost(above)} missed ones or more" if upto is None else f"{cost(above)} to {cost(upto)} missed ones"


def _number(value: float | None) -> str:
    return ABSENT if value is None else f"{value:,.0f}"


def _dollars(value: float | None) -> str:
    return ABSENT if value is None else f"{value:.2g}"


def document(found: Advice, model: str) -> dict[str, Any]:
    return {
        "model": model,
        "sentences": list(sentences(found, model)),
        "n_tasks": found.n_tasks,
        "n_left_out": found.n_left_out,
        "n_needed": found.n_needed,
        "wrong_cost": found.cost,
        "retried": [asdict(one) for one in found.retried],
        "formats": [asdict(row) for row in found.rows],
        "ranges": [
            {"above": one.above, "upto": one.upto, "format": name, "strategy": strategy}
            for one, name, strategy in found.others
        ],
    }


# The answer, kept in the run folder, so that the page begins with it


def keep_answer(folder: Path, sentences: Iterable[str]) -> None:
    """Keep the sentences of an answer in a run folder. Raises UsageError."""
    document = {"sentences": [printable(one) for one in sentences]}
    try:
        write_atomically(folder / ANSWER, json.dumps(document).encode())
    except OSError as error:
        raise UsageError(f"{folder / ANSWER} cannot be written: {error.strerror}", "Free some space.") from None


def kept_answer(folder: Path) -> list[str]:
    """The sentences that a run folder keeps; none without an answer."""
    path = folder / ANSWER
    try:
        return [printable(one) for one in json.loads(path.read_bytes())["sentences"]] if path.exists() else []
    except (ValueError, TypeError, KeyError) as error:
        raise UsageError(f"{path} cannot be read: {error!r}", "Remove it; the run stays.") from None
