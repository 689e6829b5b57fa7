"""A terminal for tables to be printed on."""

from __future__ import annotations

import io


class Terminal(io.StringIO):
    """A text stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True
