"""`import`: turn agents' session logs into a corpus."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from corpora.importers.collect import collect
from editcore.errors import UsageError
from harness.commands.corpora.import_report import (
    based,
    document,
    installed,
    recognized,
    sources,
    summary_lines,
    unread_stores,
)  # fmt: skip
from harness.commands.options import CORPUS_FILE, JSON, QUIET, REPLACE_FILE
from harness.progress import show_progress
from harness.terminal import print_json, print_lines, tell
from reports.wording import counted


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
