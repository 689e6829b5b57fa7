"""`apply`: apply edits for agents in other languages."""

from __future__ import annotations

import click

from editcore.errors import UsageError


@click.command()
@click.option("--server", is_flag=True, help="Answer requests on stdin until it ends.")
@click.option(
    "--cascade", default="recommended", show_default=True, metavar="NAME",
    help="For requests of search/replace edits that name none.",
)  # fmt: skip
def apply(server: bool, cascade: str) -> None:
    """Apply edits as a service, a line of JSON each way.

    For agents that would rather call than port: requests come on stdin, answers go to stdout, as docs/protocol.md has
    them. A request has the careful rule of its format. No file is read or written. `python -m editcore.server` is the
    same without the rest of editgauge, and starts faster.
    """
    import sys

    from editcore.cascade import named_cascade
    from editcore.server import answers

    if not server:
        raise UsageError(
            "apply needs --server",
            "`editgauge try FILE --old TEXT --new TEXT` prints the diff of one edit, and writes nothing.",
        )
    named_cascade(cascade)
    for answer in answers(sys.stdin.buffer, cascade):
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
