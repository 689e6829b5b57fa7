"""`repair`: what a model makes of edits that a rule refuses."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.asking.model_options import HOW, WHOM, model_of, price_of
from harness.commands.options import JOBS, JSON, MATCHING, QUIET, Output, seed
from harness.progress import show_progress
from harness.terminal import pipe_may_close, print_json, warn

if TYPE_CHECKING:
    from corpora.sample import Sample
    from editcore.types import EditResult
    from harness.ask.replies_file import RepliesFile
    from harness.repair.questions import RepairQuestion
    from harness.repair.settings import RepairSettings
    from harness.repair.table import Kept, Worth
    from harness.run.plan import Selection
    from harness.strategies.strategy import Strategy

ENDING = ".replies"


@click.command()
@click.argument("corpora", nargs=-1, required=True, metavar="CORPUS...")
@click.option(
    "-s", "--strategy", "rule", default="cascade/recommended", show_default=True, metavar="RULE",
    help="The rule whose refusals are asked about, or `nothing`: every edit goes to the model.",
)  # fmt: skip
@WHOM
@click.option("--shapes", metavar="NAME,...", help="What is sent about a refusal. Default: all shapes.")
@click.option(
    "--repeat", "n_repeats", type=click.IntRange(1, 100), default=3, show_default=True, metavar="N",
    help="Times that each question is asked.",
)  # fmt: skip
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=200, show_default=True, metavar="N",
    help="Samples of each corpus, drawn with --seed.",
)  # fmt: skip
@MATCHING
@HOW
@seed("Seed of the samples that are drawn.")
@click.option("--dry-run", is_flag=True, help="Count tokens and money, and ask nothing.")
@click.option(
    "-o", "--out", type=Output(dir_okay=False), required=True, metavar="FILE",
    help="File with the replies, which ends in .replies; what it has is not asked again.",
)  # fmt: skip
@click.option("--run", "folder", type=Output(file_okay=False), metavar="DIR", help="Run folder to write.")
@JOBS
@JSON
@QUIET
def repair(
    corpora: Sequence[str], rule: str, shapes: str | None, n_repeats: int, limit: int, matching: str | None, seed: int,
    dry_run: bool, out: Path, folder: Path | None, jobs: int | None, as_json: bool, quiet: bool, **how: Any,
) -> None:  # fmt: skip
    """Ask a model to repair what a rule refuses, and score it.

    Each refusal of one edit of one file is sent to the model in the shape of a program that does so. The replies are
    kept in FILE, and paid once. Then the rule is scored alone and with each reply behind it, as the strategies
    'repair/SHAPE#DRAW@RULE=FILE', which `editgauge run` takes too and which ask no model. Without --model this asks
    nothing, and scores what FILE has.

    The table: rescued are edits that the rule missed and that are right with the model; wrong, those that only the
    model gets wrong; forced, those of them that must be refused; outside, those of them that change other lines than
    the right answer does; unsteady, refusals whose draws do not agree; unread, replies that are cut off, declined or
    not as the shape asks for.
    """
    from harness.repair.questions import NOTHING
    from harness.run.plan import Selection
    from harness.strategies.registry import strategy

    if out.suffix != ENDING:
        raise UsageError(f"{out} does not end in {ENDING}", "Replies are kept in such a file: name one.")
    base = None if rule == NOTHING else strategy(rule)
    if base and base.start is not None:
        raise UsageError(f"The rule {rule} is another program's", "Name a rule of editgauge itself.")
    names = _shapes(shapes)
    chosen = Selection(matching, limit, seed)
    if how["name"]:
        _ask(corpora, chosen, base, names, n_repeats, how, out, dry_run=dry_run, quiet=quiet)
    elif dry_run:
        raise UsageError("--model is missing", "Name the model whose tokens are to be counted.")
    if not dry_run:
        _score(corpora, chosen, rule, base, out, folder, jobs, as_json=as_json, quiet=quiet)


def _shapes(given: str | None) -> list[str]:
    from harness.repair.shapes import SHAPES
    from harness.strategies.repair_strategies import check_shape

    names = [one.strip() for one in given.split(",")] if given is not None else [*SHAPES]
    for name in names:
        check_shape(name)
    return names


def _samples(corpora: Sequence[str], chosen: Selection) -> Iterator[Sample]:
    """The samples that a run of these corpora has."""
    from corpora.load import segments
    from corpora.segments import read_segment

    for corpus in corpora:
        found = segments(corpus)
        numbers = chosen.choose(found)
        for segment in found:
            if numbers is None or segment.name in numbers:
                only = None if numbers is None else numbers[segment.name]
                yield from (sample for _, sample in read_segment(segment, only=only))


def _questions(
    corpora: Sequence[str], chosen: Selection, base: Strategy | None, shapes: Iterable[str], n_repeats: int
) -> Iterator[RepairQuestion]:
    from harness.repair.questions import UNTRIED, repair_questions

    def rule(sample: Sample) -> EditResult | None:
        if base is None:
            return UNTRIED
        return base.apply(sample, None) if base.takes(sample) else None

    return repair_questions(_samples(corpora, chosen), rule, shapes, n_repeats)


def _kept(replies: RepliesFile[RepairSettings], questions: Iterable[RepairQuestion]) -> dict[str, Kept]:
    """Shape -> what there is of the questions' replies."""
    from harness.repair.questions import kept_reply
    from harness.repair.table import Kept

    assert replies.settings
    found = {shape: Kept() for shape in replies.settings.words}
    for question in questions:
        if entry := kept_reply(question, replies):
            found[question.shape].add(question.sample_id, entry)
    return found


def _ask(
    corpora: Sequence[str], chosen: Selection, base: Strategy | None, shapes: Sequence[str], n_repeats: int,
    how: dict[str, Any], out: Path, *, dry_run: bool, quiet: bool,
) -> None:  # fmt: skip
    from harness.ask.asking import Asked, ask
    from harness.ask.budget import Budget
    from harness.ask.estimate import estimated
    from harness.ask.replies_file import RepliesFile
    from harness.repair.questions import distinct
    from harness.repair.settings import RepairSettings
    from harness.repair.shapes import words_hash

    model, price = model_of(**how, needs_key=not dry_run), price_of(how["price"], how["cached_price"], how["budget"])
    questions = list(distinct(_questions(corpora, chosen, base, shapes, n_repeats), model.name, model.sampling))
    if dry_run:
        found = estimated(questions, model, None)
        for word, usage in (("at most", found.most), ("likely", found.likely)):
            money = f": {price.cost(usage):,.2f} US dollars" if price else ""
            click.echo(
                f"{found.n_questions:,} questions, {word} {usage.input:,} tokens of input and {usage.output:,} of "
                f"output{money}"
            )
        return
    settings = RepairSettings(
        model.name, model.api, model.client.address, model.sampling, {one: words_hash(one) for one in shapes}, n_repeats
    )
    with RepliesFile(out, RepairSettings) as replies:
        replies.begin(settings)
        budget, done = Budget(price, how["budget"], replies.cost_usd), Asked()
        with show_progress("questions", quiet=quiet) as report:
            ask(
                questions, model, replies, budget, done, concurrency=how["concurrency"], warn=warn,
                report=lambda found: report(found.n_known + found.n_sent, len(questions)),
            )  # fmt: skip
    classes = ", ".join(f"{name} {n:,}" for name, n in sorted(done.classes.items()))
    click.echo(f"asked now: {done.n_sent:,} ({classes or 'nothing sent'}), known before: {done.n_known:,}", err=True)
    if done.is_stopped:
        click.echo("the budget is used up: raise --budget and ask again to go on", err=True)


def _score(
    corpora: Sequence[str], chosen: Selection, rule: str, base: Strategy | None, out: Path, folder: Path | None,
    jobs: int | None, *, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    from harness.ask.replies_file import RepliesFile
    from harness.repair.settings import RepairSettings
    from harness.repair.table import worth
    from harness.run.plan import Request
    from harness.run.runner import run
    from harness.strategies.registry import strategy

    if not out.is_file():
        raise UsageError(f"There is no {out}", "Name a model to ask: --model NAME.")
    with RepliesFile(out, RepairSettings, is_only_read=True) as replies:
        settings = replies.settings
        if settings is None or not replies.places:
            raise UsageError(f"{out} has no replies", "The rule refuses none of these samples, or no model was asked.")
        kept = _kept(replies, _questions(corpora, chosen, base, settings.words, settings.n_repeats))
    draws = {
        shape: [strategy(f"repair/{shape}#{draw}@{rule}={out}") for draw in range(settings.n_repeats)]
        for shape in settings.words
    }
    strategies = [*([base] if base else []), *(one for some in draws.values() for one in some)]
    request = Request(
        corpora, strategies, folder, selection=chosen, n_workers=jobs, argv=sys.argv[1:], n_repeated=0, timeout_s=30.0
    )
    with show_progress(quiet=quiet) as report:
        place = run(request, report=report, warn=warn)
    found = worth(place, rule, {shape: [one.name for one in some] for shape, some in draws.items()}, kept)
    if as_json:
        rows = [{**asdict(one), "wrong_per_rescued": one.wrong_per_rescued} for one in found]
        print_json({"schema_version": 1, "run": str(place), "rule": rule, "model": settings.model, "shapes": rows})
    else:
        click.echo(printable(f"{settings.model} behind {rule}, each question asked {settings.n_repeats} times"))
        with pipe_may_close():
            _print(found)
    click.echo(f"run: {printable(str(place))}", err=True)


def _print(found: Sequence[Worth]) -> None:
    from reports.views.tables import ABSENT, Column, print_rows

    def number(value: float | None, digits: int = 1) -> str:
        return ABSENT if value is None else f"{value:,.{digits}f}"

    columns: list[Column[Worth]] = [
        Column("shape", "what the model is sent", lambda one: one.shape),
        Column("asked", "refusals that it was asked about", lambda one: str(one.n_asked)),
        Column("rescued", "missed by the rule, right with the model, of one draw", lambda one: number(one.rescued)),
        Column("wrong", "wrong with the model alone, of one draw", lambda one: number(one.wrong)),
        Column("forced", "of these, edits that must be refused", lambda one: number(one.forced)),
        Column("outside", "of these, edits that change other lines than is right", lambda one: number(one.outside)),
        Column("lines lost", "lines that these take away and should not", lambda one: number(one.lines_lost)),
        Column("wrong per rescued", "wrong / rescued", lambda one: number(one.wrong_per_rescued, 2)),
        Column("unsteady", "refusals whose draws do not agree", lambda one: str(one.n_unsteady)),
        Column("unread", "replies that are cut off, declined or not as asked for", lambda one: str(one.n_unread)),
        Column("tokens", "of all questions and replies", lambda one: f"{one.tokens:,}"),
        Column("US dollars", "of all questions and replies", lambda one: number(one.usd, 4)),
        Column("seconds", "median of a reply", lambda one: number(one.seconds, 2)),
    ]
    print_rows(found, columns)
