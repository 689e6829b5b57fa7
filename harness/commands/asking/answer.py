"""`answer`: the format and the rule that suit a model that was asked."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from corpora.load import load
from editcore.errors import UsageError
from editcore.quoting import printable
from harness.ask.replies_file import ABOUT_FORMATS, Entry, RepliesFile, sample_id
from harness.commands.asking.model_options import REPLIES
from harness.commands.options import JOBS, JSON, QUIET, RUN_FOLDER, STRATEGIES, Number
from harness.progress import show_progress
from harness.run.plan import Request
from harness.run.runner import run
from harness.strategies.registry import select
from harness.terminal import print_json, print_lines, tell, warn
from reports.asked import AskedReply, advice, compared, document, keep_answer, legend, print_table, sentences
from reports.runs.run_folder import RunFolder


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@STRATEGIES
@click.option(
    "--wrong-cost", type=Number(0.1, 1000), default=5.0, show_default=True, metavar="N",
    help="The number of missed edits that a wrong one is as bad as.",
)  # fmt: skip
@JOBS
@RUN_FOLDER
@JSON
@QUIET
def answer(
    files: Sequence[Path], patterns: Sequence[str], wrong_cost: float, jobs: int | None, out: Path | None,
    as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Say which format and which rule suit a model that was asked.

    Each FILE is a corpus that `editgauge ask` wrote, with its replies file beside it. Replies are scored under every
    strategy, which makes a run folder like any other. Formats are compared on the tasks that have a reply in each of
    them, task by task, so several FILEs with the same tasks can be compared: models, or styles. The run's page begins
    with the answer. Asks no model.
    """
    replies: list[AskedReply] = []
    apart, models = Counter[str](), dict[str, None]()
    for file in files:
        label = f"{file.stem}: " if len(files) > 1 else ""
        replies_file = _replies_of(file)
        written = {sample.id for sample in load(file)}
        with RepliesFile(replies_file) as kept:
            for entry in kept.entries():
                _count(entry, label, written, replies, apart, models)
    if not any(one.is_edit for one in replies):
        raise UsageError("None of the replies has an edit", "Ask again, with --style text if the model calls no tools.")
    request = Request(list(map(str, files)), select(patterns), out, n_workers=jobs, argv=sys.argv[1:], n_repeated=0)
    with show_progress(quiet=quiet) as report:
        folder = run(request, report=report, warn=warn)
    found = compared(replies, RunFolder(folder))
    if not found.pairs or not found.n_tasks:
        raise UsageError("No task has a reply in every format", "Ask more tasks, or fewer formats.")
    model, given = " and ".join(models), advice(found, wrong_cost)
    keep_answer(folder, sentences(given, model))
    if as_json:
        print_json(
            {"schema_version": 1, "run": str(folder), **document(given, model), "apart": dict(sorted(apart.items()))}
        )
    else:
        print_lines(sentences(given, model))
        click.echo("")
        print_table(given)
        click.echo(legend(given))
        for what, n in sorted(apart.items()):
            click.echo(printable(f"counted apart: {what}: {n:,}"))
    tell(f"run: {folder}")


def _replies_of(file: Path) -> Path:
    """Path of the replies file beside a corpus. Raises UsageError where one of the two is missing."""
    replies = file.with_suffix(REPLIES)
    for one in (file, replies):
        if not one.is_file():
            raise UsageError(f"There is no {one}", "`editgauge ask -o FILE` writes a corpus and its replies file.")
    return replies


def _count(
    entry: Entry, label: str, written: set[str], replies: list[AskedReply], apart: Counter[str], models: dict[str, None]
) -> None:
    """Add a reply that says something about its format to `replies`, or count it in `apart`."""
    name = f"{label}{entry.format}"
    if entry.class_ not in ABOUT_FORMATS or entry.reply is None:
        apart[f"{name}: {entry.class_}"] += 1
        return
    if entry.class_ == "answered" and sample_id(entry.key) not in written:
        apart[f"{name}: not in the corpus"] += 1
        return
    models[entry.reply.model or "?"] = None
    usage = entry.reply.usage
    replies.append(
        AskedReply(
            sample_id(entry.key), entry.task, name, entry.must_change, entry.class_ == "answered", usage.input,
            usage.output, entry.cost_usd, retry_of=sample_id(entry.retry_of) if entry.rule else "", rule=entry.rule,
        )
    )  # fmt: skip
