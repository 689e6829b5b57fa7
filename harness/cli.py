"""The commands. stdout carries the answer and nothing else; progress, warnings and paths go to stderr.

Exit codes: 0 well; 1 a gate failed, or an edit was refused; 2 could not run, in two lines: what, and what
to do; 130 interrupted, with what was done on disk.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

import click

from editcore import __version__
from editcore.errors import UsageError
from harness.compare_commands import compare
from harness.corpus_commands import corpus, import_, mutate
from harness.fuzz_commands import fuzz, shrink
from harness.merge_commands import merge
from harness.nightly_commands import baseline, history, nightly, sql
from harness.ordering_commands import orderings, sweep
from harness.peer_commands import peers
from harness.protocol_commands import protocol
from harness.replay_commands import replay
from harness.terminal import pipe_may_close, printable


class _Commands(click.Group):
    """Turns what can end a command early into an exit code, and the user's mistakes into two lines."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with _ending_well(ctx):
            return super().parse_args(ctx, args)

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
        _complain(context, f"{place}{error.strerror or error}", "Mend that and try again; --resume goes on with a run.")


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


@main.command()
@click.argument("corpora", nargs=-1, metavar="[CORPUS]...")
@click.option(
    "-s",
    "--strategy",
    "patterns",
    multiple=True,
    metavar="NAME",
    help="A strategy, or a glob; again for more. Default: all.",
)
@click.option("-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Worker processes. Default: one a core.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=1),
    metavar="LIMIT",
    help="At most so many samples a corpus, drawn with the seed.",
)
@click.option("-k", "matching", metavar="EXPR", help="Only samples whose id or tags hold this: 'python and not stale'.")
@click.option(
    "--seed", type=int, default=0, show_default=True, metavar="N", help="For -n: other seeds draw other samples."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    metavar="S",
    help="Seconds a call may take.",
)
@click.option(
    "-o", "--out", metavar="DIR", help="The run folder, or a URL that fsspec knows. Default: runs/<time>-<hash>."
)
@click.option("--resume", is_flag=True, help="Go on with the run in -o.")
@click.option("--replace", is_flag=True, help="Throw the run in -o away first.")
@click.option("--skip-bad", is_flag=True, help="Leave malformed samples out and count them, instead of stopping.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of the table.")
@click.option("--shard", metavar="I/N", help="Do the I-th of N shares; `editgauge merge` joins them.")
@click.option("--scheduler", metavar="ADDRESS", help="Leave the work to a dask cluster: tcp://HOST:PORT.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def run(
    corpora: Sequence[str],
    patterns: Sequence[str],
    jobs: int | None,
    limit: int | None,
    matching: str | None,
    seed: int,
    timeout: float,
    out: str | None,
    resume: bool,
    replace: bool,
    skip_bad: bool,
    as_json: bool,
    shard: str | None,
    scheduler: str | None,
    quiet: bool,
) -> None:
    """Score strategies on corpora.

    A CORPUS is a name (see `editgauge ls corpora`), a .jsonl or .parquet file, a folder of them, or hub:OWNER/NAME.
    Default: house, under every built-in strategy. The result does not depend on -j, nor on interruptions.
    """
    from corpora import load
    from harness.progress import shown
    from harness.runner import Request
    from harness.runner import run as run_all
    from harness.selection import Division, Selection
    from harness.strategies import select
    from harness.summary import print_run
    from reports.remote import mirror

    if out is None and (resume or replace):
        raise UsageError(f"--{'resume' if resume else 'replace'} needs the run folder", "Name it with -o DIR.")
    if resume and replace:
        raise UsageError("--resume and --replace exclude each other", "Choose one.")
    if jobs and scheduler:
        raise UsageError("-j and --scheduler exclude each other", "A cluster has as many workers as it has.")
    with mirror(out) as (local, remote):
        request = Request(
            corpora or [load.DEFAULT],
            select(patterns),
            local,
            Selection(matching, limit, seed),
            jobs,
            timeout,
            skip_bad,
            resume,
            replace,
            sys.argv[1:],
            Division.parsed(shard) if shard else None,
            scheduler,
            remote,
        )
        with shown(quiet=quiet) as report:
            folder = run_all(
                request, report=report, warn=lambda line: click.echo(f"warning: {printable(line)}", err=True)
            )
        print_run(folder, place=out or folder, as_json=as_json)


@main.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), metavar="FILE", help="The page. Default: RUN/report.html."
)
@click.option(
    "--against",
    "base",
    type=click.Path(path_type=Path),
    metavar="BASE",
    help="A run to compare it with, as `editgauge compare` does; the page begins with it.",
)
def report(folder: Path, out: Path | None, base: Path | None) -> None:
    """Write the page of a run, and its plots.

    report.html is one file that needs no other; the plots lie beside it as PNG and SVG.
    """
    from reports.compare.comparison import compare as compare_runs
    from reports.compare.gate import Gate, failures
    from reports.page import write_page

    comparison = compare_runs(base, folder) if base else None
    failed = failures(comparison, Gate()) if comparison else None
    for path in write_page(folder, out or folder / "report.html", comparison=comparison, failures=failed):
        click.echo(path)


@main.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.argument("sample_id", metavar="SAMPLE")
def show(folder: Path, sample_id: str) -> None:
    """Show what became of one sample of a run.

    The outcome under every strategy, the edit as written, and the diffs of the wrong edits.
    """
    from harness.showing import lines_about

    for line in lines_about(folder, sample_id):
        click.echo(printable(line))


@main.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.option("--by", "key", required=True, metavar="KEY", help="mutator, agent, model, repo, or the key of a tag.")
@click.option(
    "-s", "--strategy", "patterns", multiple=True, metavar="NAME", help="A strategy, or a glob. Default: all."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
def table(folder: Path, key: str, patterns: Sequence[str], as_json: bool) -> None:
    """Print a run's rates by a property of its samples.

    A row for each mutator, language, severity, model, ...; a column for each strategy.
    """
    from harness.strategies import matching
    from reports.breakdown import breakdown
    from reports.runs import read_manifest
    from reports.tables import breakdown_document, print_breakdown

    used = [one.name for one in read_manifest(folder).strategies]
    found = breakdown(folder, key, strategies=matching(used, patterns))
    if as_json:
        click.echo(json.dumps(breakdown_document(found), indent=2))
    else:
        with pipe_may_close():
            print_breakdown(found)


@main.command("try")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--old", required=True, metavar="TEXT", help="The text to replace; @FILE reads it from a file.")
@click.option("--new", required=True, metavar="TEXT", help="The text to put there; @FILE reads it from a file.")
@click.option("--cascade", default="reference", show_default=True, metavar="NAME", help="See `editgauge ls cascades`.")
@click.option("--all", "replace_all", is_flag=True, help="Replace every occurrence.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
def try_(file: Path, old: str, new: str, cascade: str, replace_all: bool, as_json: bool) -> None:
    """Apply one edit by hand, without writing.

    Shows what every replacer offers, which one decides, and the diff. Exit code 1 where the edit is refused.
    """
    from dataclasses import asdict

    from editcore.cascade import named_cascade
    from editcore.document import Document
    from editcore.types import Applied, Edit
    from harness.explain import explanation, offers

    chosen = named_cascade(cascade)
    document, edit = Document(_text_of(file)), Edit(_argument(old), _argument(new), replace_all)
    result, lines = explanation(chosen, document, edit, path=file.name)
    applied = isinstance(result, Applied)
    if as_json:
        found = [asdict(offer) for offer in offers(chosen, document, edit.old_string)]
        status = "applied" if applied else "rejected"
        click.echo(json.dumps({"schema_version": 1, "status": status, **asdict(result), "offers": found}, indent=2))
    else:
        for line in lines:
            click.echo(printable(line))
    sys.exit(0 if applied else 1)


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not UTF-8: byte {error.start} is {error.object[error.start]:#04x}", "Convert it first."
        ) from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", "Check the path.") from None


def _argument(text: str) -> str:
    return _text_of(Path(text[1:])) if text.startswith("@") and os.path.isfile(text[1:]) else text


@main.command("ls")
@click.argument(
    "what", type=click.Choice(["strategies", "corpora", "cascades", "importers", "mutators", "tools", "targets"])
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
def ls(what: str, as_json: bool) -> None:
    """List what there is, a line each."""
    from harness.listing import print_listing

    print_listing(what, as_json=as_json)


@main.command()
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=100, show_default=True, metavar="N", help="Finds to try."
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Other seeds try other finds.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of the tables.")
def bench(limit: int, seed: int, as_json: bool) -> None:
    """Time the replacers.

    Against their literal port on the standard library's sources, and on the worst cases known.
    """
    from harness.benchtables import print_bench

    print_bench(limit, seed, as_json=as_json)


_COMMANDS = (
    compare, orderings, sweep, nightly, baseline, history, sql, merge, import_, mutate, corpus, replay, protocol,
    peers, fuzz, shrink,
)  # fmt: skip

for command in _COMMANDS:
    main.add_command(command)


if __name__ == "__main__":
    main()
