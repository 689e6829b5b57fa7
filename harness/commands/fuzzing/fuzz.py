"""`fuzz`: search for inputs that break a property that should always hold."""

from __future__ import annotations

import click

from editcore.errors import UsageError
from harness.commands.fuzzing.coverage import coverage
from harness.commands.fuzzing.drill import drill
from harness.commands.fuzzing.minimize import minimize
from harness.commands.fuzzing.nightly import nightly
from harness.commands.fuzzing.reproduce import reproduce
from harness.commands.fuzzing.run import run

_FORMER_OPTIONS = {
    "--reproduce": "reproduce",
    "--merge": "minimize",
    "--coverage-html": "coverage",
    "--nightly": "nightly",
}
"""Option of `fuzz` in former versions -> the command that replaces it."""


class _FuzzGroup(click.Group):
    """A group whose arguments are those of its default command if the first one is no command."""

    default_command = "run"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] not in [[name] for name in (*self.commands, *ctx.help_option_names)]:
            for option in (arg.partition("=")[0] for arg in args):
                if option in _FORMER_OPTIONS:
                    command = _FORMER_OPTIONS[option]
                    raise UsageError(f"{option} is a command now", f"See `editgauge fuzz {command} --help`.")
            args = [self.default_command, *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(self.commands)  # In the order in which they are added.


@click.group(cls=_FuzzGroup, subcommand_metavar="[run] TARGET... | COMMAND")
def fuzz() -> None:
    """Search for inputs that break a property that should always hold.

    `editgauge fuzz TARGET...` is short for `editgauge fuzz run TARGET...`.
    """


for _command in (run, reproduce, minimize, coverage, drill, nightly):
    fuzz.add_command(_command)
