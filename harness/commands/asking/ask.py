"""`ask`: ask a model for edits, and keep what it writes as a corpus."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from editcore.errors import UsageError, did_you_mean
from editcore.quoting import printable
from harness.commands.asking.model_options import HOW, WHOM, model_of, price_of
from harness.commands.options import JSON, QUIET, Output, seed
from harness.progress import show_progress
from harness.terminal import print_json, warn

if TYPE_CHECKING:
    from harness.ask.asking import Asked
    from harness.ask.budget import Budget, Price
    from harness.ask.model import Model
    from harness.ask.replies_file import RepliesFile
    from harness.ask.settings import Settings
    from harness.ask.tasks import Task
    from harness.strategies.strategy import Strategy

REPLIES = ".replies"
"""The ending of the file with all replies, beside the corpus."""
_LEVELS = ("copy", "located", "undo")


@click.command()
@WHOM
@click.option(
    "--tasks", "source", default="mutations:house", show_default=True, metavar="SOURCE",
    help="mutations:PATH (source files or a corpus, changed), git:REPOSITORY (its commits), or a corpus (its targets).",
)  # fmt: skip
@click.option(
    "--level", "levels", multiple=True, type=click.Choice(_LEVELS),
    help="copy: old and new lines are shown; located: place and change are named; undo: a mistake is hinted at. "
    "Repeat for more. Default: copy.",
)  # fmt: skip
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=60, show_default=True, metavar="N", help="Tasks to ask."
)
@click.option("--formats", metavar="NAME,...", help="The formats to ask for. Default: all of them.")
@click.option(
    "--style", type=click.Choice(("tool", "text")), default="tool", show_default=True,
    help="The edit as a call of a tool, or as text in a fence.",
)  # fmt: skip
@click.option(
    "--repeat", "n_repeats", type=click.IntRange(1, 100), default=3, show_default=True, metavar="N",
    help="Times that each question is asked.",
)  # fmt: skip
@click.option(
    "--retry", "rules", multiple=True, metavar="RULE",
    help="Send the refusals of this strategy back to the model, once; repeat for more. Default: none.",
)  # fmt: skip
@HOW
@seed("Seed of the tasks.")
@click.option("--print-tasks", is_flag=True, help="Print the tasks and ask nothing.")
@click.option("--dry-run", is_flag=True, help="Count tokens and money, and ask nothing.")
@click.option(
    "--export-inspect", "exported", type=Output(file_okay=False), metavar="DIR",
    help="Write the questions as a task of inspect_ai, and ask nothing.",
)  # fmt: skip
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), metavar="FILE",
    help="Corpus to write, a .jsonl file; every reply is kept beside it, in FILE with the ending .replies.",
)  # fmt: skip
@JSON
@QUIET
def ask(
    source: str, levels: Sequence[str], limit: int, formats: str | None, style: str, n_repeats: int, seed: int,
    rules: tuple[str, ...], print_tasks: bool, dry_run: bool, exported: Path | None, out: Path | None, as_json: bool,
    quiet: bool, **how: Any,
) -> None:  # fmt: skip
    """Ask a model for edits, and keep what it writes as a corpus.

    Each task is a change of a file with one right result, and is asked in each format. What the model writes becomes a
    sample as it is, which `editgauge run` scores under every strategy, and `editgauge answer` sums up. Only this
    command and `editgauge repair` talk to a model. A reply is paid once: asked again with the same -o, known questions
    cost nothing, so a stopped asking is resumed by the same command.

    Needs the packages of `pip install 'editgauge[models]'`. docs/ask.md has an example for each provider.
    """
    from harness.ask.settings import Settings
    from harness.ask.tasks import tasks

    _retry_rules(rules)
    chosen, levels = _formats(formats), levels or ("copy",)
    if print_tasks:
        _print_tasks(islice(tasks(source, levels=levels, seed=seed), limit), as_json)  # type: ignore[arg-type]
        return
    if exported:
        _export(source, levels, seed, chosen, style, limit, n_repeats, how, exported)
        return
    model, price = model_of(**how, needs_key=not dry_run), price_of(how["price"], how["cached_price"], how["budget"])
    next(tasks(source, levels=levels, seed=seed))  # type: ignore[arg-type]  # Raises where there are none.
    settings = Settings(
        source, tuple(levels), seed, model.name, model.api, model.client.address, style,  # type: ignore[arg-type]
        model.sampling, chosen, limit, n_repeats, rules,
    )  # fmt: skip
    replies = _replies_file(out, is_needed=not dry_run)
    if dry_run:
        _estimate(settings, model, price, replies, as_json)
    else:
        assert out
        assert replies
        _ask(settings, model, price, how, out, replies, as_json=as_json, quiet=quiet)


def _export(
    source: str, levels: Sequence[str], seed: int, words: dict[str, str], style: str, n_tasks: int, n_repeats: int,
    how: dict[str, Any], folder: Path,
) -> None:  # fmt: skip
    from harness.ask.clients.client import Sampling
    from harness.ask.settings import Settings
    from harness.evals.inspect_ai import export

    settings = Settings(
        source, tuple(levels), seed, how["name"] or "", "", "", style,  # type: ignore[arg-type]
        Sampling(how["max_tokens"]), words, n_tasks, n_repeats,
    )  # fmt: skip
    names = export(settings, folder)
    where = shlex.quote(str(folder))
    click.echo(printable(f"cd {where} && inspect eval {names[-1]} --epochs {n_repeats} --model PROVIDER/MODEL"))


def _retry_rules(names: tuple[str, ...]) -> list[Strategy]:
    """The rules with these names. Raises UsageError for one that is none, or that another program applies."""
    from harness.strategies.registry import select

    found = select(names) if names else []
    for one in found:
        if one.start is not None or one.name not in names:
            raise UsageError(
                f"--retry takes no {one.name}", "Name single rules of editgauge itself: cascade/recommended."
            )
    return found


def _replies_file(out: Path | None, *, is_needed: bool) -> Path | None:
    """The file beside the corpus. Raises UsageError."""
    if out is None:
        if is_needed:
            raise UsageError("-o is missing", "Name the corpus to write: -o mine.jsonl.")
        return None
    if out.suffix != ".jsonl":
        raise UsageError(f"{out} does not end in .jsonl", "Samples are written to a JSON Lines file: name one.")
    replies = out.with_suffix(REPLIES)
    if out.exists() and not replies.exists():
        raise UsageError(f"{out} exists already, and no replies file {replies.name} beside it", "Name another file.")
    return replies


def _formats(given: str | None) -> dict[str, str]:
    """Format -> the hash of its words, of the formats that are named, or of all."""
    from harness.ask.formats import ASKED
    from harness.ask.questions import template_hash

    names = [one.strip() for one in given.split(",")] if given is not None else [*ASKED]
    for name in names:
        if name not in ASKED:
            raise UsageError(
                f"There is no format {name!r} to ask for",
                f"{did_you_mean(name, ASKED)}Choose from: {', '.join(ASKED)}.",
            )
    return {name: template_hash(name) for name in names}


def _print_tasks(tasks: Iterator[Task], as_json: bool) -> None:
    import json
    from dataclasses import asdict

    for task in tasks:
        if as_json:
            document = {
                "id": task.id, "level": task.level, "kind": task.kind, "axes": dict(task.axes),
                "instruction": task.instruction, "shown": [asdict(one) for one in task.shown],
                "before": [asdict(one) for one in task.live], "target": [asdict(one) for one in task.target],
            }  # fmt: skip
            click.echo(json.dumps(document))
            continue
        axes = ", ".join(f"{axis} {value}" for axis, value in task.axes.items() if value != "none")
        files = ", ".join(file.path for file in task.shown)
        click.echo(printable(f"== {task.id}  {task.level}, {task.kind}, {axes}: {files}"))
        for line in task.instruction.split("\n"):
            click.echo(f"   {printable(line)}")


def _estimate(settings: Settings, model: Model, price: Price | None, replies: Path | None, as_json: bool) -> None:
    from harness.ask.estimate import estimated
    from harness.ask.questions import questions
    from harness.ask.replies_file import RepliesFile
    from harness.ask.settings import Settings

    with RepliesFile(replies, Settings) if replies and replies.exists() else nullcontext() as known:
        joined = known.settings.joined(settings) if known and known.settings else settings
        found = estimated(questions(joined), model, known)
    most, likely = (price.cost(one) if price else None for one in (found.most, found.likely))
    if as_json:
        print_json(
            {
                "schema_version": 1, "n_questions": found.n_questions, "n_known": found.n_known,
                "most_tokens": {"input": found.most.input, "output": found.most.output}, "most_usd": most,
                "likely_tokens": {"input": found.likely.input, "output": found.likely.output}, "likely_usd": likely,
            }
        )  # fmt: skip
        return
    click.echo(f"{found.n_questions:,} questions, of which {found.n_known:,} are answered already")
    for word, usage, cost in (("at most", found.most, most), ("likely", found.likely, likely)):
        money = "" if cost is None else f": {cost:,.2f} US dollars"
        click.echo(f"{word} {usage.input:,} tokens of input and {usage.output:,} of output{money}")


def _ask(
    settings: Settings, model: Model, price: Price | None, how: dict[str, Any], out: Path, replies_file: Path, *,
    as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    from harness.ask.asking import Asked
    from harness.ask.asking import ask as ask_all
    from harness.ask.budget import Budget
    from harness.ask.corpus import write_corpus
    from harness.ask.questions import questions
    from harness.ask.replies_file import RepliesFile
    from harness.ask.retrying import retries
    from harness.ask.settings import Settings

    with RepliesFile(replies_file, Settings) as replies:
        settings = replies.begin(settings)
        n = settings.n_tasks * settings.n_repeats * len(settings.words)
        budget = Budget(price, how["budget"], replies.cost_usd)
        try:
            with show_progress("questions", quiet=quiet) as report:

                def on_progress(found: Asked) -> None:
                    report(found.n_known + found.n_sent, n, below=[_so_far(found, budget)])

                found = Asked()
                # The second stage needs the replies of the first.
                for stage in (questions(settings), retries(settings, model, replies, _retry_rules(settings.rules))):
                    ask_all(
                        stage, model, replies, budget, found, concurrency=how["concurrency"], report=on_progress,
                        warn=warn,
                    )  # fmt: skip
        finally:
            # Also where it was interrupted or refused: what is in the replies file is paid.
            both = chain(questions(settings), retries(settings, model, replies, _retry_rules(settings.rules)))
            written = write_corpus(both, model, replies, out)
        _print_asked(found, budget, replies, written, out, as_json)
    click.echo(f"corpus: {printable(str(out))}", err=True)
    if found.is_stopped:
        click.echo("the budget is used up: raise --budget and ask again to go on", err=True)
    if written.n_lost:
        warn(f"{written.n_lost:,} replies are to questions that {settings.source} gives no longer: name another -o")
    if not written.n_samples:
        sys.exit(1)


def _so_far(found: Asked, budget: Budget) -> str:
    classes = ", ".join(f"{name} {n:,}" for name, n in sorted(found.classes.items()))
    money = f"; {budget.spent_usd:,.4f} US dollars" if budget.price else ""
    return f"{classes or 'nothing sent'}{money}"


def _print_asked(
    found: Asked, budget: Budget, replies: RepliesFile[Settings], written: Any, out: Path, as_json: bool
) -> None:
    if as_json:
        print_json(
            {
                "schema_version": 1, "corpus": str(out), "n_samples": written.n_samples, "n_known": found.n_known,
                "n_sent": found.n_sent, "classes": dict(sorted(found.classes.items())),
                "cost_usd": budget.spent_usd if budget.price else None, "is_stopped": found.is_stopped,
                "left_out": dict(sorted(written.left_out.items())),
            }
        )  # fmt: skip
        return
    click.echo(
        f"{written.n_samples:,} samples of {len(replies.places):,} replies; asked now: {found.n_sent:,} "
        f"({_so_far(found, budget)}), known before: {found.n_known:,}"
    )
    for why, n in sorted(written.left_out.items()):
        click.echo(printable(f"  left out: {why}: {n:,}"))
