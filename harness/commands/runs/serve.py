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
    they are looked at. Of a history of nights, RUN is its folder, and the page its index, with links to the page of
    every night. It prints an address with a token, answers on 127.0.0.1 only and under that name only, and ends with
    Ctrl-C.
    """
    from harness.commands.runs.page_progress import page_progress
    from harness.commands.runs.serving import Nights, OneRun, Site, serve_site
    from harness.fuzz.properties import sentences
    from reports.history.index_page import index_html
    from reports.history.nights import History, is_history
    from reports.page.served import ServedRun

    token = secrets.token_urlsafe(24)
    site: Site
    if is_history(folder):
        history = History(folder)
        history.check_begun()
        site = Nights(
            lambda: index_html(history, token=token).encode("utf-8", "backslashreplace"),
            history.nights,
            lambda name: ServedRun(history.night(name), properties=sentences(), token=token),
        )
    else:
        with page_progress(folder) as progress:
            site = OneRun(ServedRun(folder, properties=sentences(), token=token, progress=progress))
    serve_site(site, token, port=port, announce=lambda url: click.echo(url))
