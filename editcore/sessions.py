"""A document's suggested edits and its running version, in a database."""

from __future__ import annotations


class Documents:
    """To be written."""
