"""`repair`: ask a model to repair edits that a rule refuses, and score its repairs."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from corpora.load import segments
from corpora.sample import Sample
from corpora.segments import read_segment
from editcore.errors import UsageError
from editcore.quoting import printable
from harness.ask.asking import estimate
from harness.ask.formats import SHAPES
from harness.ask.questions import NOTHING, UNTRIED, RepairQuestion, Settings, distinct, repair_questions, template_hash
from harness.ask.replies_file import RepliesFile
from harness.ask.worth import Kept, Worth, worth
from harness.commands.asking.model_options import DRY_RUN, HOW, REPEAT, REPLIES, WHOM, Asked, rule_of, tokens_text
from harness.commands.options import JOBS, JSON, MATCHING, QUIET, Output, seed
from harness.progress import show_progress
from harness.run.plan import Request, Selection
from harness.run.runner import run
from harness.strategies.registry import strategy
from harness.strategies.repair_strategies import check_shape
from harness.strategies.strategy import Strategy
from harness.terminal import print_json, tell, warn
from reports.views.tables import ABSENT, Column, print_rows


@dataclass(frozen=True, slots=True)
class _Refusals:
    """The refused edits that are asked about."""

    corpora: Sequence[str]
    chosen: Selection
    rule: str
    base: Strategy | None
    """The rule's strategy; None for `nothing`, which refuses every edit."""

    def questions(self, shapes: Sequence[str], n_repeats: int) -> Iterator[RepairQuestion]:
        """The questions about all refusals. Samples with the same texts give equal questions."""
        rule = rule_of(self.base) if self.base else lambda _: UNTRIED
        return repair_questions(self._samples(), rule, shapes, n_repeats)

    def _samples(self) -> Iterator[Sample]:
        """The samples that a run of these corpora has."""
        for corpus in self.corpora:
            found = segments(corpus)
            numbers = self.chosen.choose(found)
            for segment in found:
                if numbers is None or segment.name in numbers:
                    only = None if numbers is None else numbers[segment.name]
                    yield from (sample for _, sample in read_segment(segment, only=only))


@click.command()
@click.argument("corpora", nargs=-1, required=True, metavar="CORPUS...")
@click.option(
    "-s", "--strategy", "rule", default="cascade/recommended", show_default=True, metavar="RULE",
    help="The rule whose refusals are asked about, or `nothing`: every edit goes to the model.",
)  # fmt: skip
@WHOM
@click.option("--shapes", metavar="NAME,...", help="What is sent about a refusal. Default: all shapes.")
@REPEAT
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=200, show_default=True, metavar="N",
    help="Samples of each corpus, drawn with --seed.",
)  # fmt: skip
@MATCHING
@HOW
@seed("Seed of the samples that are drawn.")
@DRY_RUN
@click.option(
    "-o", "--out", type=Output(dir_okay=False), required=True, metavar="FILE",
    help="File with the replies, which ends in .replies; what it has is not asked again.",
)  # fmt: skip
@click.option("--run", "folder", type=Output(file_okay=False), metavar="DIR", help="Run folder to write.")
@JOBS
@JSON
@QUIET
def repair(
    corpora: Sequence[str], rule: str, shapes: str | None, n_repeats: int, limit: int, matching: str | None,
    asked: Asked, seed: int, dry_run: bool, out: Path, folder: Path | None, jobs: int | None, as_json: bool,
    quiet: bool,
) -> None:  # fmt: skip
    """Ask a model to repair what a rule refuses, and score it.

    Each refusal of one edit of one file is sent to the model in the shape of a program that does so. The replies are
    kept in FILE, and paid once. Then the rule is scored alone and with each reply behind it, as the strategies
    'repair/SHAPE#DRAW@RULE=FILE', which `editgauge run` takes too and which ask no model. Without --model this asks
    nothing, and scores what FILE has.

    The table counts edits. rescued: missed by the rule, and right with the model. wrong: wrong with the model, and
    not without it. forced: wrong, and should have been refused. outside: wrong, and changes other lines than the
    right answer does. unsteady: refusals whose draws disagree. unread: replies that are cut off, declined or not in
    the form that the shape asks for.
    """
    if out.suffix != REPLIES:
        raise UsageError(f"{out} does not end in {REPLIES}", "Replies are kept in such a file: name one.")
    base = None if rule == NOTHING else strategy(rule)
    if base and base.start is not None:
        raise UsageError(f"The rule {rule} is another program's", "Name a rule of editgauge itself.")
    names = [one.strip() for one in shapes.split(",")] if shapes is not None else [*SHAPES]
    for name in names:
        check_shape(name)
    refusals = _Refusals(corpora, Selection(matching, limit, seed), rule, base)
    if asked.model:
        _ask(refusals, asked, names, n_repeats, out, dry_run=dry_run, quiet=quiet)
    elif dry_run:
        raise UsageError("--model is missing", "Name the model whose tokens are to be counted.")
    if not dry_run:
        _score(refusals, out, folder, jobs, as_json=as_json, quiet=quiet)


def _ask(
    refusals: _Refusals, asked: Asked, shapes: Sequence[str], n_repeats: int, out: Path, *, dry_run: bool, quiet: bool
) -> None:
    client, price = asked.client(needs_key=not dry_run), asked.costs()
    settings = Settings(
        model=asked.model or "", api=asked.api, address=client.address, sampling=asked.sampling,
        words={name: template_hash(f"repairs/{name}") for name in shapes}, n_repeats=n_repeats,
    )  # fmt: skip
    questions = list(distinct(refusals.questions(shapes, n_repeats), settings))
    if dry_run:
        found = estimate(questions, settings)
        for word, usage in (("at most", found.most), ("likely", found.likely)):
            click.echo(f"{found.n_questions:,} questions, {word} {tokens_text(usage, price)}")
        return
    known: Container[str] = ()
    if out.exists():
        with RepliesFile(out, is_only_read=True) as replies:
            known = replies.places
    asked.agree(estimate(questions, settings, known), client)
    with RepliesFile(out) as replies:
        replies.begin(settings)
        asking = asked.ask([questions], len(questions), client, replies, quiet=quiet)
    tell(f"asked now: {asking.n_sent:,} ({asking.so_far}), known before: {asking.n_known:,}")


def _score(
    refusals: _Refusals, out: Path, folder: Path | None, jobs: int | None, *, as_json: bool, quiet: bool
) -> None:
    if not out.is_file():
        raise UsageError(f"There is no {out}", "Name a model to ask: --model NAME.")
    with RepliesFile(out, is_only_read=True) as replies:
        settings = replies.settings
        if settings is None or not replies.places:
            raise UsageError(f"{out} has no replies", "The rule refuses none of these samples, or no model was asked.")
        kept = {shape: Kept() for shape in settings.words}
        for question in refusals.questions([*settings.words], settings.n_repeats):
            if entry := replies.entry(settings.key(question)):
                kept[question.shape].add(question.sample_id, entry)
    rule, base = refusals.rule, refusals.base
    draws = {
        shape: [strategy(f"repair/{shape}#{draw}@{rule}={out}") for draw in range(settings.n_repeats)]
        for shape in settings.words
    }
    strategies = [*([base] if base else []), *(one for some in draws.values() for one in some)]
    request = Request(
        refusals.corpora, strategies, folder, selection=refusals.chosen, n_workers=jobs, argv=sys.argv[1:],
        n_repeated=0, timeout_s=30.0,
    )  # fmt: skip
    with show_progress(quiet=quiet) as report:
        place = run(request, report=report, warn=warn)
    found = worth(place, rule, {shape: [one.name for one in some] for shape, some in draws.items()}, kept)
    if as_json:
        rows = [{**asdict(one), "wrong_per_rescued": one.wrong_per_rescued} for one in found]
        print_json({"schema_version": 1, "run": str(place), "rule": rule, "model": settings.model, "shapes": rows})
    else:
        click.echo(printable(f"{settings.model} behind {rule}, each question asked {settings.n_repeats} times"))
        _print(found)
    tell(f"run: {place}")


def _print(found: Sequence[Worth]) -> None:
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
