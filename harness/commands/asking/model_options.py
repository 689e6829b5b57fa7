"""What commands that ask a model have in common: whom to ask, how, and what it may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from editcore.errors import UsageError
from harness.commands.options import SECONDS, Command, Number, Option

if TYPE_CHECKING:
    from harness.ask.budget import Price
    from harness.ask.model import Model

_DOLLARS = Number(min=0)


def _all_of(*options: Option) -> Option:
    """All options, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


WHOM = _all_of(
    click.option("--model", "name", metavar="NAME", help="The model, as its provider names it."),
    click.option(
        "--api",
        type=click.Choice(("openai", "anthropic")),
        default="openai",
        show_default=True,
        help="What the server speaks: /chat/completions or /v1/messages.",
    ),
    click.option(
        "--base-url", metavar="URL", help="Another server than the API's own. It gets a key with --key-env only."
    ),
    click.option(
        "--key-env",
        "key_variable",
        metavar="NAME",
        help="The environment variable with the key. Default: OPENAI_API_KEY or ANTHROPIC_API_KEY, without --base-url.",
    ),
)
HOW = _all_of(
    click.option(
        "--concurrency",
        type=click.IntRange(1, 64),
        default=4,
        show_default=True,
        metavar="N",
        help="Questions in flight at a time.",
    ),
    click.option(
        "--budget",
        type=_DOLLARS,
        metavar="USD",
        help="Money that -o may cost, with what it has cost already; see --price.",
    ),
    click.option(
        "--price",
        type=_DOLLARS,
        nargs=2,
        metavar="IN OUT",
        help="US dollars for a million tokens, of input and of output.",
    ),
    click.option(
        "--cached-price", type=_DOLLARS, metavar="USD", help="The same of input read from the provider's cache."
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(min=1),
        default=8192,
        show_default=True,
        metavar="N",
        help="Tokens of a reply, at most.",
    ),
    click.option("--temperature", type=Number(0, 2), metavar="T", help="Default: the provider's."),
    click.option("--sampling-seed", type=int, metavar="N", help="Seed that is sent to the provider. Default: none."),
    click.option("--effort", metavar="LEVEL", help="Reasoning effort, such as low. Default: the provider's."),
    click.option("--stream", is_flag=True, help="Receive replies piece by piece."),
    click.option(
        "--timeout",
        type=SECONDS,
        default=300.0,
        show_default=True,
        metavar="S",
        help="Time limit of a reply, in seconds.",
    ),
)


def model_of(
    *,
    name: str | None,
    api: str,
    base_url: str | None,
    key_variable: str | None,
    timeout: float,
    max_tokens: int,
    temperature: float | None,
    sampling_seed: int | None,
    effort: str | None,
    stream: bool,
    needs_key: bool = True,
    **_: Any,
) -> Model:
    """The model that the options name; where nothing is asked, no key is needed. Raises UsageError."""
    from harness.ask.clients import client
    from harness.ask.clients.client import Sampling
    from harness.ask.model import Model

    if not name:
        raise UsageError(
            "--model is missing", "Name the model as its provider does, or look at the tasks: --print-tasks."
        )
    sampling = Sampling(max_tokens, temperature, sampling_seed, effort, stream)
    return Model(name, api, client(api, base_url, key_variable, timeout, needs_key=needs_key), sampling)


def price_of(given: tuple[float, float] | None, cached: float | None, budget: float | None) -> Price | None:
    """The price that the options give. Raises UsageError for a budget without one."""
    from harness.ask.budget import Price

    if not given:
        if budget is not None or cached is not None:
            raise UsageError(
                "--budget and --cached-price need --price", "Say what a million tokens cost: --price IN OUT."
            )
        return None
    return Price(*given, cached)
