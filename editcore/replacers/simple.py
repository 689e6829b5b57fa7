"""The exact match."""

from __future__ import annotations

from collections.abc import Iterator

from editcore.text.document import Document


def simple(document: Document, find: str) -> Iterator[str]:
    """The search text itself, whatever the content.

    Forgives nothing. First in the order: an exact, unique match is never anybody else's business.

        find     timeout = 5
        content  timeout = 5        <- replaced

    Known false positive: no rule about word boundaries.

        find     max_retries
        content  max_retries_default = 3        <- edited inside the longer name
    """
    del document
    yield find
