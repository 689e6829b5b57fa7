"""`ask`: ask a model for edits, and keep what it writes as a corpus."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Container, Iterator, Sequence
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from typing import Any

import click

from editcore.errors import UsageError, did_you_mean
from editcore.quoting import printable
from harness.ask.asking import Asking, Estimate, Price, estimate
from harness.ask.clients.client import Client, Sampling
from harness.ask.formats import ASKED, Style
from harness.ask.questions import Settings, TaskQuestion, task_questions, template_hash
from harness.ask.replies_file import RepliesFile, Written, retries, write_corpus
from harness.ask.tasks import LEVELS, Level, Task
from harness.commands.asking.model_options import DRY_RUN, HOW, REPEAT, REPLIES, WHOM, Asked, rule_of, tokens_text
from harness.commands.options import JSON, QUIET, Output, seed
from harness.strategies.registry import select
from harness.strategies.strategy import Strategy
from harness.terminal import print_json, tell, warn


@click.command()
@WHOM
@click.option(
    "--tasks", "source", default="mutations:house", show_default=True, metavar="SOURCE",
    help="mutations:PATH (source files or a corpus, changed), git:REPOSITORY (its commits), or a corpus (its targets).",
)  # fmt: skip
@click.option(
    "--level", "levels", multiple=True, type=click.Choice(LEVELS),
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
@REPEAT
@click.option(
    "--retry", "rules", multiple=True, metavar="RULE",
    help="Send the refusals of this strategy back to the model, once; repeat for more. Default: none.",
)  # fmt: skip
@HOW
@seed("Seed of the tasks.")
@click.option("--print-tasks", is_flag=True, help="Print the tasks and ask nothing.")
@DRY_RUN
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
    source: str, levels: Sequence[Level], limit: int, formats: str | None, style: Style, n_repeats: int, seed: int,
    rules: tuple[str, ...], asked: Asked, print_tasks: bool, dry_run: bool, exported: Path | None, out: Path | None,
    as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Ask a model for edits, and keep what it writes as a corpus.

    Each task is a change of a file with one right result, and is asked in each format. What the model writes becomes a
    sample as it is, which `editgauge run` scores under every strategy, and `editgauge answer` sums up. Only this
    command and `editgauge repair` talk to a model. A reply is paid once: asked again with the same -o, known questions
    cost nothing, so a stopped asking is resumed by the same command.

    Needs the packages of `pip install 'editgauge[models]'`. docs/ask.md has an example for each provider.
    """
    _retry_rules(rules)
    settings = Settings(
        source=source, levels=tuple(levels) or ("copy",), seed=seed, model=asked.model or "", api="", address="",
        style=style, sampling=Sampling(asked.max_tokens), words=_formats(formats), n_tasks=limit, n_repeats=n_repeats,
    )  # fmt: skip
    if print_tasks:
        _print_tasks(settings.tasks(), as_json)
        return
    if exported:
        _export(settings, exported)
        return
    client, price = asked.client(needs_key=not dry_run), asked.costs()
    next(settings.tasks())  # Raises where there are none.
    settings = replace(settings, api=asked.api, address=client.address, sampling=asked.sampling, rules=rules)
    replies = _replies_file(out, is_needed=not dry_run)
    if dry_run:
        _print_estimate(settings, price, replies, as_json)
    else:
        assert out
        assert replies
        _ask(settings, asked, client, out, replies, as_json=as_json, quiet=quiet)


def _export(settings: Settings, folder: Path) -> None:
    from harness.inspect_ai import export

    names = export(settings, folder)
    where, n = shlex.quote(str(folder)), settings.n_repeats
    click.echo(printable(f"cd {where} && inspect eval {names[-1]} --epochs {n} --model PROVIDER/MODEL"))


def _retry_rules(names: tuple[str, ...]) -> list[Strategy]:
    """The named rules. Raises UsageError for an unknown name, and for a rule that another program applies."""
    found = select(names) if names else []
    for one in found:
        if one.start is not None or one.name not in names:
            raise UsageError(
                f"--retry takes no {one.name}", "Name single rules of editgauge itself: cascade/recommended."
            )
    return found


def _replies_file(out: Path | None, *, is_needed: bool) -> Path | None:
    """Path of the replies file beside the corpus `out`. Raises UsageError."""
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
    """Hash of the words of each named format, or of all. Raises UsageError for an unknown name."""
    names = [one.strip() for one in given.split(",")] if given is not None else [*ASKED]
    for name in names:
        if name not in ASKED:
            raise UsageError(
                f"There is no format {name!r} to ask for",
                f"{did_you_mean(name, ASKED)}Choose from: {', '.join(ASKED)}.",
            )
    return {name: template_hash("common", name) for name in names}


def _print_tasks(tasks: Iterator[Task], as_json: bool) -> None:
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


def _estimate(settings: Settings, replies_file: Path | None) -> Estimate:
    """Count the tokens of the questions that the replies file, if there is one, has no replies to."""
    known: Container[str] = ()
    if replies_file and replies_file.exists():
        with RepliesFile(replies_file) as replies:
            settings, known = replies.settings.joined(settings) if replies.settings else settings, replies.places
    return estimate(task_questions(settings), settings, known)


def _print_estimate(settings: Settings, price: Price | None, replies_file: Path | None, as_json: bool) -> None:
    found = _estimate(settings, replies_file)
    usages = {"most": found.most, "likely": found.likely}
    if as_json:
        counts: dict[str, Any] = {"schema_version": 1, "n_questions": found.n_questions, "n_known": found.n_known}
        for name, usage in usages.items():
            counts[f"{name}_tokens"] = {"input": usage.input, "output": usage.output}
            counts[f"{name}_usd"] = price.cost(usage) if price else None
        print_json(counts)
        return
    click.echo(f"{found.n_questions:,} questions, of which {found.n_known:,} are answered already")
    click.echo(f"at most {tokens_text(found.most, price)}")
    click.echo(f"likely {tokens_text(found.likely, price)}")


def _ask(
    settings: Settings, asked: Asked, client: Client, out: Path, replies_file: Path, *, as_json: bool, quiet: bool
) -> None:
    asked.agree(_estimate(settings, replies_file), client)
    with RepliesFile(replies_file) as replies:
        settings = replies.begin(settings)

        def stages() -> Iterator[Iterator[TaskQuestion]]:
            yield task_questions(settings)
            # The second stage needs the replies of the first.
            yield retries(replies, {one.name: rule_of(one) for one in _retry_rules(settings.rules)})

        n = settings.n_tasks * settings.n_repeats * len(settings.words)
        try:
            asking = asked.ask(stages(), n, client, replies, quiet=quiet)
        finally:
            # An interrupted or refused asking is written too: what is in the replies file is paid.
            written = write_corpus(chain.from_iterable(stages()), replies, out)
        _print_asked(asking, written, out, as_json)
    tell(f"corpus: {out}")
    if written.n_lost:
        warn(f"{written.n_lost:,} replies are to questions that {settings.source} gives no longer: name another -o")
    if not written.n_samples:
        sys.exit(1)


def _print_asked(asking: Asking, written: Written, out: Path, as_json: bool) -> None:
    budget = asking.budget
    if as_json:
        print_json(
            {
                "schema_version": 1, "corpus": str(out), "n_samples": written.n_samples, "n_known": asking.n_known,
                "n_sent": asking.n_sent, "classes": dict(sorted(asking.classes.items())),
                "cost_usd": budget.spent_usd if budget.price else None, "is_stopped": asking.is_stopped,
                "left_out": dict(sorted(written.left_out.items())),
            }
        )  # fmt: skip
        return
    click.echo(
        f"{written.n_samples:,} samples of {len(asking.replies.places):,} replies; asked now: {asking.n_sent:,} "
        f"({asking.so_far}), known before: {asking.n_known:,}"
    )
    for why, n in sorted(written.left_out.items()):
        click.echo(printable(f"  left out: {why}: {n:,}"))
