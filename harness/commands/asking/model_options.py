"""Options and steps that all commands share that ask a model: whom to ask, how, for how much money, and the asking."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass

import click

from editcore.errors import UsageError
from harness.ask.asking import Asking, Budget, Estimate, Price
from harness.ask.clients.client import Client, Sampling, Usage
from harness.ask.questions import Question, Rule
from harness.ask.replies_file import RepliesFile
from harness.commands.options import SECONDS, Number, all_of, group
from harness.progress import show_progress
from harness.strategies.strategy import Strategy
from harness.terminal import tell, warn

REPLIES = ".replies"
"""The ending of a file with replies."""
_DOLLARS = Number(min=0)


@dataclass(frozen=True, slots=True)
class Asked:
    """The values of the options `WHOM` and `HOW`, under the names of their parameters."""

    model: str | None
    api: str
    base_url: str | None
    key_variable: str | None
    concurrency: int
    budget: float | None
    price: tuple[float, float] | None
    cached_price: float | None
    max_tokens: int
    temperature: float | None
    sampling_seed: int | None
    effort: str | None
    stream: bool
    timeout: float
    is_agreed: bool

    @property
    def sampling(self) -> Sampling:
        return Sampling(self.max_tokens, self.temperature, self.sampling_seed, self.effort, self.stream)

    def client(self, *, needs_key: bool) -> Client:
        """Make the client of the model's server. Raises UsageError."""
        from harness.ask.clients import client

        if not self.model:
            raise UsageError(
                "--model is missing", "Name the model as its provider does, or look at the tasks: --print-tasks."
            )
        return client(self.api, self.base_url, self.key_variable, self.timeout, needs_key=needs_key)

    def costs(self) -> Price | None:
        """The price of tokens. Raises UsageError for a budget without one."""
        if self.price:
            return Price(*self.price, self.cached_price)
        if self.budget is not None or self.cached_price is not None:
            raise UsageError(
                "--budget and --cached-price need --price", "Say what a million tokens cost: --price IN OUT."
            )
        return None

    def agree(self, found: Estimate, client: Client) -> None:
        """Say how much would be sent, unless a budget limits it.

        Raises UsageError if nobody agrees to that, for a budget below the most that one question can cost, and for a
        server that cannot be reached.
        """
        from harness.ask.clients import check_reachable

        n = found.n_questions - found.n_known
        price = self.costs()
        if price and self.budget is not None and not found.n_known and price.cost(found.first) > self.budget:
            raise UsageError(
                f"--budget {self.budget:g} does not cover the first question, which may cost "
                f"{price.cost(found.first):.4f}",
                "Raise it, or lower --max-tokens.",
            )
        if n:
            check_reachable(client.address)
        if self.budget is not None or not n:
            return
        what = f"{n:,} questions: at most {tokens_text(found.most, price)}"
        if self.is_agreed:
            tell(what)
        elif not sys.stdin.isatty():
            raise UsageError(
                f"Nothing was sent: {what}", "Agree with --yes, or set a limit: --price IN OUT --budget USD."
            )
        elif not click.confirm(f"{what}. Send them?", err=True):
            raise UsageError("Nothing was sent", "Set a limit with --price IN OUT --budget USD, or ask less with -n.")

    def ask(
        self, stages: Iterable[Iterable[Question]], n: int, client: Client, replies: RepliesFile, *, quiet: bool
    ) -> Asking:
        """Ask the questions of each stage, `n` questions in all, and show progress. Raises UsageError."""

        def progress(asking: Asking) -> None:
            report(asking.n_known + asking.n_sent, n, below=[asking.so_far])

        budget = Budget(self.costs(), self.budget, replies.cost_usd)
        asking = Asking(client, replies, budget, concurrency=self.concurrency, report=progress, warn=warn)
        with show_progress("questions", quiet=quiet) as report:
            for stage in stages:
                asking.ask(stage)
        if asking.is_stopped:
            tell("the budget is used up: raise --budget and ask again to go on")
        return asking


def rule_of(strategy: Strategy) -> Rule:
    """Turn a strategy into a rule whose refusals a model is asked about."""
    return lambda sample: strategy.apply(sample, None) if strategy.takes(sample) else None


def tokens_text(usage: Usage, price: Price | None) -> str:
    """Tokens in words, with their cost where there is a price."""
    money = f": {price.cost(usage):,.2f} US dollars" if price else ""
    return f"{usage.input:,} tokens of input and {usage.output:,} of output{money}"


WHOM = all_of(
    click.option("--model", metavar="NAME", help="The model, as its provider names it."),
    click.option(
        "--api", type=click.Choice(("openai", "anthropic")), default="openai", show_default=True,
        help="What the server speaks: /chat/completions or /v1/messages.",
    ),
    click.option(
        "--base-url", metavar="URL", help="Another server than the API's own. It gets a key with --key-env only."
    ),
    click.option(
        "--key-env", "key_variable", metavar="NAME",
        help="The environment variable with the key. Default: OPENAI_API_KEY or ANTHROPIC_API_KEY, without --base-url.",
    ),
)  # fmt: skip
"""Options that name the model. A command that has them also has `HOW`, which takes their values."""
HOW = group(
    "asked", Asked,
    click.option(
        "--concurrency", type=click.IntRange(1, 64), default=4, show_default=True, metavar="N",
        help="Questions in flight at a time.",
    ),
    click.option(
        "--budget", type=_DOLLARS, metavar="USD",
        help="Money that -o may cost, with what it has cost already; see --price.",
    ),
    click.option(
        "--price", type=_DOLLARS, nargs=2, metavar="IN OUT",
        help="US dollars for a million tokens, of input and of output.",
    ),
    click.option(
        "--cached-price", type=_DOLLARS, metavar="USD", help="The same of input read from the provider's cache."
    ),
    click.option(
        "--max-tokens", type=click.IntRange(min=1), default=8192, show_default=True, metavar="N",
        help="Tokens of a reply, at most.",
    ),
    click.option("--temperature", type=Number(0, 2), metavar="T", help="Default: the provider's."),
    click.option("--sampling-seed", type=int, metavar="N", help="Seed that is sent to the provider. Default: none."),
    click.option("--effort", metavar="LEVEL", help="Reasoning effort, such as low. Default: the provider's."),
    click.option("--stream", is_flag=True, help="Receive replies piece by piece."),
    click.option(
        "--timeout", type=SECONDS, default=300.0, show_default=True, metavar="S",
        help="Time limit of a reply, in seconds.",
    ),
    click.option(
        "--yes", "is_agreed", is_flag=True, help="Send the questions without a --budget and without being asked."
    ),
)  # fmt: skip
"""Options that say how to ask and for how much; the command gets them, with `WHOM`, as one `asked`."""
REPEAT = click.option(
    "--repeat", "n_repeats", type=click.IntRange(1, 100), default=3, show_default=True, metavar="N",
    help="Times that each question is asked.",
)  # fmt: skip
DRY_RUN = click.option("--dry-run", is_flag=True, help="Count tokens and money, and ask nothing.")
