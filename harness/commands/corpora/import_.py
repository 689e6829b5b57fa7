"""`import`: turn agents' session logs into a corpus; how other commands find the logs that they read."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from corpora.edit_calls import OUTCOMES, CallCounts
from corpora.importers import importers
from corpora.importers.collect import Imported, collect, logs_at
from corpora.importers.git_history.repository import Repository
from corpora.importers.importer import Importer, Surroundings
from corpora.importers.log import Log, Tally
from corpora.importers.rebuilding.rebuild import TEXT_UNKNOWN, WHOLE_FILES
from corpora.importers.session import Attempt, Read, Wrote
from corpora.sample import Sample
from editcore.errors import UsageError, did_you_mean
from harness.commands.options import CORPUS_FILE, JSON, QUIET, REPLACE_FILE
from harness.progress import show_progress
from harness.terminal import print_json, print_lines, tell
from reports.wording import counted

# The logs that a command reads, and the summary of an import.

_N_SAMPLED_CALLS = 20
"""Number of a log's first calls that are read to recognize its format."""
_MOST_GROUPS = 20
"""Number of rows of the table of edit calls by agent, model and month."""
_UNREAD = {
    "Amp": ".local/share/amp/threads",
    "Cursor": ".config/Cursor/User/globalStorage/state.vscdb",
    "Droid": ".factory/sessions",
    "Kiro": ".kiro",
    "Windsurf": ".codeium/windsurf",
}
"""Agents whose sessions no built-in importer reads, and where they keep them below the home folder."""


def sources(name: str, places: Sequence[Path]) -> list[tuple[Importer, Path]]:
    """Pairs of the named importer with each path. Raises UsageError for an unknown name, or without paths."""
    importer = importers().get(name)
    if importer is None:
        names = ["auto", *importers()]
        raise UsageError(
            f"There is no importer {name!r}", f"{did_you_mean(name, names)}Choose from: {', '.join(names)}."
        )
    if not places:
        homes = f" They usually are in ~/{importer.homes[0]}." if importer.homes else ""
        raise UsageError(f"No logs of {name} are named", f"Name files or folders.{homes}")
    return [(importer, place) for place in places]


def based(base: str, repo: Path | None) -> tuple[Path, str]:
    """The repository and the commit's id in DIR@COMMIT. Raises UsageError if one of them does not exist."""
    folder, _, name = base.rpartition("@")
    if repo is not None or not folder or not name or name.startswith("-"):
        raise UsageError(
            f"--base {base} is not DIR@COMMIT, or --repo is given too", "Write: --base path/to/repo@1a2b3c4"
        )
    repository = Repository.at(Path(folder).absolute())
    if repository is None:
        raise UsageError(f"{folder} is in no git repository", "Name the folder of a clone that has the commit.")
    with repository:
        commit = (repository.output("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}") or b"").decode().strip()
    if not commit:
        raise UsageError(f"{folder} has no commit {name}", "Fetch it, or name another one.")
    return Path(folder).absolute(), commit


def sessions(name: str, places: Sequence[Path]) -> Iterator[tuple[Importer, Log]]:
    """The sessions at some paths, each with its importer; with `auto`, the importer that reads most of the session's
    calls.

    Raises UsageError for an unknown name, for a missing path, and for a path without logs of the importer.
    """
    if name != "auto":
        for importer, place in sources(name, places):
            yield from ((importer, log) for log in logs_at(importer, place))
        return
    for place in places:
        if not place.exists():
            raise UsageError(f"There is no {place}", "Name a log, or a folder of logs.")
        yield from _recognized(place)


def recognized(places: Sequence[Path]) -> list[tuple[Importer, Path]]:
    """Each log at some paths with the importer that reads most of its calls. Raises UsageError if there is none."""
    found = [(importer, log.path) for importer, log in sessions("auto", places) if log.path is not None]
    if not found:
        names = f"Name the format: {', '.join(importers())}."
        if unread := next((line for place in places for line in _unread(place)), None):
            raise UsageError(f"No importer reads a call in {unread}", names)
        raise UsageError(f"No agent's logs were found below {places[0]}", names)
    return found


def _recognized(place: Path) -> Iterator[tuple[Importer, Log]]:
    """The sessions that an importer can read. Each importer whose file names match reads the first calls of a log."""
    for _, found in sorted(_candidates(place).items()):
        read = [_first_calls(importer, log)[0] for importer, log in found]
        if most := max(read):
            yield found[read.index(most)]


def _candidates(place: Path) -> dict[str, list[tuple[Importer, Log]]]:
    """The logs at a path by their names, each with the importers whose file names match."""
    found: dict[str, list[tuple[Importer, Log]]] = {}
    for importer in importers().values():
        for log in importer.logs(place):
            found.setdefault(log.name, []).append((importer, log))
    return found


def _unread(place: Path) -> Iterator[str]:
    """Each database of an agent that no importer reads, with what its first importer counted in it."""
    for name, found in sorted(_candidates(place).items()):
        if name.endswith(".db"):
            yield f"{name} ({', '.join(_first_calls(*found[0])[1].counts) or 'no calls'})"


def _first_calls(importer: Importer, log: Log) -> tuple[int, Tally]:
    """Number of a log's first calls that an importer reads, and what it counted."""
    with closing(Surroundings()) as surroundings:
        n = 0
        for event in importer.events(log, surroundings):
            if isinstance(event, Sample):
                return 0, surroundings.tally
            n += isinstance(event, Read | Wrote | Attempt)
            if n == _N_SAMPLED_CALLS:
                break
        return n, surroundings.tally


def installed(home: Path) -> list[tuple[Importer, Path, int]]:
    """Importer, folder and number of logs of each agent below a home folder. Raises UsageError if there is none."""
    found = []
    for importer in importers().values():
        for pattern in importer.homes:
            for folder in sorted(home.glob(pattern)):
                n_logs = sum(1 for _ in importer.logs(folder))
                if n_logs:
                    found.append((importer, folder, n_logs))
    unread = list(unread_stores(home))
    if not found and unread:
        raise UsageError(
            f"No importer reads the only sessions below {home}: {'; '.join(unread)}",
            "Write an importer as a plug-in: see docs/library.md.",
        )
    if not found:
        raise UsageError(
            f"No agent's logs were found below {home}", "Name the format and the path: `editgauge import FORMAT PATH`."
        )
    return found


def unread_stores(home: Path) -> Iterator[str]:
    """The stores below a home folder that are known and that no importer reads."""
    yield from (f"{agent} in {home / place}" for agent, place in _UNREAD.items() if (home / place).exists())


def summary_lines(done: Imported, *, has_repo: bool = True) -> Iterator[str]:
    if not done.calls.counts and not done.n_samples:
        if n_written := done.tally.counts[WHOLE_FILES]:
            yield f"no edit calls: the model wrote {counted(n_written, 'whole file')}"
        else:
            yield "no edit calls: another agent may have written the logs"
    if done.tally.counts[TEXT_UNKNOWN] and not has_repo:
        yield "texts that the logs lack are taken from a clone of the repository: --repo DIR, or --base DIR@COMMIT"
    yield from call_lines(done.calls)
    yield f"{done.n_samples:,} samples from {counted(done.n_logs, 'log')}"
    for (label, source), n in sorted(done.labels.items()):
        yield f"  {n:>7,}  {label}, {source}"
    for heading, counts in (("replaced", done.scrubbed), ("seen", done.tally.counts)):
        if counts:
            yield f"{heading}:"
        for what, n in sorted(counts.items()):
            places = done.tally.named.get(what) if heading == "seen" else None
            yield f"  {n:>7,}  {what}{f': {places[0]}' if places else ''}{', ...' if places and n > 1 else ''}"


def call_lines(calls: CallCounts) -> Iterator[str]:
    """The edit calls by what became of them, then by agent, model and month."""
    for counts in calls.by().values():
        yield f"{counts.total():,} edit calls, by what became of them:"
        for outcome, meaning in OUTCOMES.items():
            if n := counts[outcome]:
                yield f"  {n:>7,}  {100 * n / counts.total():>5.1f} %  {outcome}: {meaning}"
    found = calls.by("agent", "model", "month")
    if len(found) > 1:
        yield "edit calls that were not applied, by agent, model and month:"
    for (agent, model, month), counts in list(found.items())[:_MOST_GROUPS] if len(found) > 1 else ():
        lost = counts - Counter(applied=counts["applied"])
        named = ", ".join(f"{n} {outcome}" for outcome, n in lost.most_common())
        share = f"{lost.total():,} of {counts.total():,} ({100 * lost.total() / counts.total():.1f} %)"
        yield f"  {share:>22}  {' '.join(filter(None, (agent, model, month)))}{': ' * bool(named)}{named}"
    if len(found) > _MOST_GROUPS:
        yield f"  and {len(found) - _MOST_GROUPS} more: --json"


def document(done: Imported, out: Path) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "corpus": str(out),
        "n_logs": done.n_logs,
        "n_samples": done.n_samples,
        "labels": [
            {"label": label, "label_source": source, "n": n} for (label, source), n in sorted(done.labels.items())
        ],
        "calls": done.calls.rows(),
        "replaced": dict(sorted(done.scrubbed.items())),
        "seen": {
            what: {"n": n, "where": done.tally.named.get(what, [])} for what, n in sorted(done.tally.counts.items())
        },
    }


@click.command("import")
@click.argument("form", metavar="FORMAT")
@click.argument("places", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@CORPUS_FILE
@click.option(
    "--repo", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="DIR",
    help="The project's git repository, for file texts that the log lacks. Default: the session's own folder; PATH for "
    "entire.",
)  # fmt: skip
@click.option(
    "--base", metavar="DIR@COMMIT",
    help="The repository and the commit at which the sessions began, for logs without it.",
)  # fmt: skip
@click.option("--strict", is_flag=True, help="Leave out failed edits whose file text is only known from a commit.")
@click.option("-y", "--yes", is_flag=True, help="With auto: import from the home folder without asking.")
@REPLACE_FILE
@JSON
@QUIET
def import_(
    form: str, places: Sequence[Path], out: Path, repo: Path | None, base: str | None, strict: bool, yes: bool,
    replace: bool, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Turn agents' session logs into a corpus.

    FORMAT is one of `editgauge ls importers`, or auto: all logs below each PATH, or the logs of agents in your home
    folder. Each PATH is a log or a folder of logs. Every edit call becomes a sample: the files before it, the edit as
    the model wrote it, and the right result where that is certain. Known kinds of keys, passwords, e-mail addresses,
    home paths and private host names are replaced; IP addresses and telephone numbers are not. Prompts and chat are
    never stored. If the logs have no sample, no corpus is written and the exit code is 1.
    """
    if form == "auto" and places:
        wanted = recognized(places)
        for name, n_logs in Counter(importer.name for importer, _ in wanted).items():
            tell(f"{name}: {counted(n_logs, 'log')}")
    elif form == "auto":
        found = installed(Path.home())
        for importer, folder, n_logs in found:
            tell(f"{importer.name}: {counted(n_logs, 'log')} in {folder}")
        for store in unread_stores(Path.home()):
            tell(f"not read: {store}; an importer can be a plug-in (docs/library.md)")
        if not yes and not _is_agreed(out):
            tell("nothing imported")
            sys.exit(1)
        wanted = [(importer, folder) for importer, folder, _ in found]
    else:
        wanted = sources(form, places)
    repo, commit = (repo, None) if base is None else based(base, repo)
    with show_progress("logs", quiet=quiet) as report:
        done = collect(wanted, out, repo=repo, base=commit, replace=replace, strict=strict, report=report)
    if as_json:
        print_json(document(done, out))
    else:
        print_lines(summary_lines(done, has_repo=repo is not None))
    if not done.n_samples:
        tell(f"nothing imported: {out} is not written")
        sys.exit(1)
    tell(f"corpus: {out}")


def _is_agreed(out: Path) -> bool:
    """True if the user agrees to import to a file. Raises UsageError where nobody can answer."""
    try:
        return click.confirm(f"Import them to {out}?", err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        click.echo(err=True)
        raise UsageError("There is nobody to ask", "Add --yes to import them.") from None
