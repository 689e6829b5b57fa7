"""Progress while a page is made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.progress import show_progress
from reports.page.packing import Progress
from reports.runs.manifest import read_manifest

_UPTO = {"outcomes": (0.0, 0.25), "rates": (0.25, 0.5), "texts": (0.5, 0.8), "packing": (0.8, 1.0)}
"""What is being done -> the shares of the whole at its start and end, as recorded edits take them."""


@contextmanager
def page_progress(folder: Path) -> Iterator[Progress]:
    """Progress on stderr while the block lasts, in samples of the run."""
    n = read_manifest(folder).n_samples
    with show_progress() as report:

        def progress(what: str, share: float, /) -> None:
            start, end = _UPTO[what]
            report(round(n * (start + share * (end - start))), n, below=[what])

        yield progress
