"""`replay`: re-run recorded sessions through the tools and list what differs."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.corpora.import_ import sessions
from harness.commands.options import JSON, QUIET
from harness.progress import show_progress
from harness.replay.replay import Call, replayed
from harness.strategies.rule_strategies import parse_cascade
from harness.terminal import print_json, print_lines
from reports.wording import counted


@click.command()
@click.argument("places", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="LOG...")
@click.option(
    "--format", "form", default="auto", show_default=True, metavar="NAME",
    help="The agent whose logs they are: see `editgauge ls importers`. auto recognizes each log by its contents.",
)  # fmt: skip
@click.option(
    "--cascade", default="recommended", show_default=True, metavar="NAME",
    help="How the edit tools find a search text: see `editgauge ls cascades`, or replacers in any order, A+B+...",
)  # fmt: skip
@click.option(
    "--repo", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="DIR",
    help="The project's git repository, for file texts that the log lacks. Default: the session's own folder.",
)  # fmt: skip
@click.option("-n", "--limit", type=click.IntRange(min=1), metavar="LIMIT", help="Replay at most this many sessions.")
@click.option(
    "--all", "list_all", is_flag=True, help="Also list the calls that agree and those that are not comparable."
)
@JSON
@QUIET
def replay(
    places: Sequence[Path], form: str, cascade: str, repo: Path | None, limit: int | None, list_all: bool,
    as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Re-run recorded sessions and list what differs.

    A LOG is the log of an agent's session, or a folder of logs. The session's files are rebuilt in a temporary
    folder, and every call that reads, writes or edits a file is made there through the tools. A call is listed if its
    result differs from the recorded one: applied instead of refused or the reverse, refused for another reason, or
    another text. Exit code 1 if there are any.
    """
    chosen, found = parse_cascade(cascade), list(islice(sessions(form, places), limit))
    counts: Counter[tuple[str, str]] = Counter()
    listed: list[dict[str, Any]] = []
    with show_progress("sessions", quiet=quiet) as report:
        for number, (importer, log) in enumerate(found):
            report(number, len(found))
            listed_calls: list[dict[str, Any]] = []
            for call in replayed(importer, log, cascade=chosen, repo=repo):
                agreement, message = call.result.agreement, call.result.message
                counts[agreement, message if agreement == "not comparable" else ""] += 1
                if not (agreement.differs or list_all):
                    continue
                if as_json:
                    listed_calls.append(_document(call))
                else:
                    click.echo(printable(f"{log.name}:{_line(call)}"))
            listed.append({"session": log.name, "format": importer.name, "calls": listed_calls})
        report(len(found), len(found))
    if not counts:
        raise UsageError(
            "These sessions hold no call that reads, writes or edits a file",
            "Name other logs, or their format with --format: see `editgauge ls importers`.",
        )
    if as_json:
        print_json({"schema_version": 1, **_counted(counts), "sessions": listed})
    else:
        print_lines(_summary(counts, len(found)))
    sys.exit(1 if sum(_by_verdict(counts, differs=True).values()) else 0)


def _line(call: Call) -> str:
    """`#12 edit src/a.py: recorded applied, here no_match: ...`"""
    result = call.result
    here = result.agreement if result.here is None else f"here {result.here}"
    if result.agreement == "other text":
        here += " with another text"
    what = f"#{call.number} {call.tool} {call.path}: recorded {call.recorded}, {here}"
    return f"{what}: {result.message}" if result.message else what


def _document(call: Call) -> dict[str, Any]:
    result = call.result
    return {
        "index": call.number,
        "tool": call.tool,
        "path": call.path,
        "recorded": call.recorded,
        "here": result.here,
        "verdict": result.agreement,
        "reason": result.here if result.here != "applied" else None,
        "message": result.message,
        "first_differing_line": result.first_differing_line,
    }


def _by_verdict(counts: Counter[tuple[str, str]], *, differs: bool) -> dict[str, int]:
    found: Counter[str] = Counter()
    for (verdict, message), n in counts.items():
        if differs == (verdict not in ("same", "not comparable")):
            found[verdict if differs else message] += n
    return dict(sorted(found.items()))


def _counted(counts: Counter[tuple[str, str]]) -> dict[str, Any]:
    why_not = _by_verdict(counts, differs=False)
    n_same = why_not.pop("", 0)
    return {
        "n_calls": counts.total(),
        "n_same": n_same,
        "differs": _by_verdict(counts, differs=True),
        "not_comparable": why_not,
    }


def _summary(counts: Counter[tuple[str, str]], n_sessions: int) -> Iterator[str]:
    numbers = _counted(counts)
    yield f"{numbers['n_calls']:,} calls of {counted(n_sessions, 'session')}"
    yield f"  {numbers['n_same']:>7,}  the same"
    for heading, found in (("differ", numbers["differs"]), ("not comparable", numbers["not_comparable"])):
        yield f"  {sum(found.values()):>7,}  {heading}"
        for what, n in found.items():
            yield f"  {n:>9,}  {what}"
