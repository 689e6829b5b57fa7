"""`serve`: the page of a run of any size, on this machine."""

from __future__ import annotations

import secrets
from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.option(
    "--port", type=click.IntRange(min=0, max=65535), default=0, show_default=True, metavar="N",
    help="Port on 127.0.0.1; 0 is any free port.",
)  # fmt: skip
def serve(folder: Path, port: int) -> None:
    """Serve the page of a run on this machine.

    The page is that of `editgauge report`, for runs too large for one file: samples are read from the run folder when
    they are looked at. It prints an address with a token, answers on 127.0.0.1 only and under that name only, and ends
    with Ctrl-C.
    """
    from editcore.errors import UsageError
    from harness.commands.runs.page_progress import page_progress
    from harness.commands.runs.serving import serve_run
    from harness.fuzz.properties import sentences
    from reports.history.nights import is_history
    from reports.page.served import ServedRun

    if is_history(folder):
        raise UsageError(
            f"{folder} is a history of nights",
            f"Serve one of them, such as {folder}/nights/night=...; `editgauge report {folder}` writes their index.",
        )

    token = secrets.token_urlsafe(24)
    with page_progress(folder) as progress:
        run = ServedRun(folder, properties=sentences(), token=token, progress=progress)
    serve_run(run, token, port=port, announce=lambda url: click.echo(url))
