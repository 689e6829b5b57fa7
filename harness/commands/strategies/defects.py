"""`defects`: the named defects, and which of them a program has."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import monotonic
from typing import Any

import click

from corpora.defects import defects as registry
from corpora.sample import plain
from editcore.errors import UsageError, did_you_mean
from harness.commands.options import JSON, TIMEOUT, Output
from harness.defects import StrategyDefects, defects_of, lines_about
from harness.strategies.registry import select
from harness.terminal import print_json, print_lines
from reports.views.ci import junit_cases, sarif_document


@click.command()
@click.argument("names", nargs=-1, metavar="[STRATEGY|EG-ID]...")
@click.option(
    "--known", multiple=True, metavar="EG-ID",
    help="A defect that is known and does not fail, or several with commas; repeatable.",
)  # fmt: skip
@click.option("--junit", type=Output(dir_okay=False), metavar="FILE", help="Also write JUnit XML, a case a defect.")
@click.option("--sarif", type=Output(dir_okay=False), metavar="FILE", help="Also write SARIF, which code hosts show.")
@TIMEOUT
@JSON
def defects(
    names: tuple[str, ...], known: tuple[str, ...], junit: Path | None, sarif: Path | None, timeout: float,
    as_json: bool,
) -> None:  # fmt: skip
    """Which named defects a program has.

    `editgauge defects` lists them all. `editgauge defects EG-0005` shows one, with its smallest input. `editgauge
    defects 'cmd:mine=node edit.js'` gives every input that the strategy reads to it, and lists the defects that it
    has. The exit code is 1 if a strategy has one that --known does not name, or if a call crashed or timed out.
    """
    table = registry()
    passed = [one.strip() for value in known for one in value.split(",") if one.strip()]
    for id in (*passed, *(name for name in names if name.startswith("EG-"))):
        if id not in table:
            tip = f"{did_you_mean(id, list(table))}`editgauge defects` lists them."
            raise UsageError(f"There is no defect {id!r}", tip)
    ids = [name for name in names if name in table]
    patterns = [name for name in names if name not in table]
    if ids and patterns:
        raise UsageError("An id and a strategy exclude each other", "Show the defect, or run the strategy.")
    if not patterns:
        if junit or sarif or known:
            raise UsageError("No strategy is named", "Name one: editgauge defects 'cmd:mine=node edit.js'.")
        chosen = [table[id] for id in ids or table]
        if as_json:
            print_json({"schema_version": 1, "defects": [_document(one) for one in chosen]})
        elif ids:
            print_lines(line for one in chosen for line in lines_about(one))
        else:
            print_lines(f"{one.id}  {one.title}" for one in chosen)
        return
    started = monotonic()
    found = defects_of(select(patterns), timeout_s=timeout)
    _write(found, set(passed), junit, sarif)
    if as_json:
        print_json({"schema_version": 1, "strategies": [_answer(one, set(passed)) for one in found]})
    else:
        print_lines(line for one in found for line in _lines(one, set(passed)))
        print_lines([f"{monotonic() - started:.1f} s; `editgauge defects EG-ID` shows one with its input"])
    sys.exit(any(one.n_failed or one.found.keys() - set(passed) for one in found))


def _lines(one: StrategyDefects, known: set[str]) -> list[str]:
    lines = [f"{one.strategy} has {len(one.found)} of {len(one.tried)} defects"]
    for id, outcome in one.found.items():
        said = outcome.verdict if id not in one.wrong_edits else f"wrong: {outcome.damage}"
        lines.append(f"  {id}  {registry()[id].title} ({said}{', known' if id in known else ''})")
    if one.n_failed:
        lines.append(f"  {one.n_failed} calls crashed or timed out: {one.error}; see `editgauge protocol check`")
    gone = sorted(known.difference(one.found).intersection(one.tried))
    return [*lines, f"  no longer: {', '.join(gone)}; remove from --known"] if gone else lines


def _document(one: Any) -> dict[str, Any]:
    names = ("id", "title", "mechanism", "why", "found", "harm", "report")
    return {name: getattr(one, name) for name in names} | {"sample": plain(one.sample)}


def _answer(one: StrategyDefects, known: set[str]) -> dict[str, Any]:
    found = [
        {"id": id, "verdict": outcome.verdict, "damage": outcome.damage, "known": id in known}
        for id, outcome in one.found.items()
    ]
    return {
        "strategy": one.strategy,
        "tried": one.tried,
        "defects": found,
        "n_failed": one.n_failed,
        "error": one.error,
    }


def _write(found: list[StrategyDefects], known: set[str], junit: Path | None, sarif: Path | None) -> None:
    failed = {
        (one.strategy, id): f"{registry()[id].title} {registry()[id].why}"
        for one in found for id in one.found if id not in known
    }  # fmt: skip
    if junit:
        cases = {one.strategy: one.tried for one in found}
        junit.write_text(junit_cases("editgauge defects", cases, failed), "ascii")
    if sarif:
        rules = {one.id: one.title for one in registry().values()}
        results = [(id, f"{strategy}: {text}", None) for (strategy, id), text in failed.items()]
        sarif.write_text(json.dumps(sarif_document(rules, results), indent=1) + "\n", "utf-8")
