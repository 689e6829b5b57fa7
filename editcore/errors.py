"""The exceptions, as a tree.

    EditgaugeError            everything this project raises on purpose
      UsageError              the user's mistake: shown as two lines, exit code 2
      PatchError              a patch that cannot be read or placed; never leaves an apply function
      WorkspaceError          a path that a workspace refuses, or a disk that fails; nothing changed on it
      ToolError               a call that a tool refuses; never leaves the tool, which answers with it
      DocumentError           what a store of documents refuses to do; nothing changed in it

An edit that cannot be applied is no exception: see `editcore.types.Rejected`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from enum import StrEnum
from importlib.util import find_spec
from typing import Any

from editcore.types import Match, Reason

_LONGEST_MESSAGE = 1000
_LONGEST_NAME = 200
"""Characters of a name that are compared with the names that there are."""


class EditgaugeError(Exception):
    """Everything this project raises on purpose."""


class UsageError(EditgaugeError):
    """The user's mistake. Shown as two lines (what, and what to do) with exit code 2, no traceback."""

    def __init__(self, message: str, tip: str) -> None:
        super().__init__(message)
        self.message = message
        self.tip = tip

    def __reduce__(self) -> tuple[type[UsageError], tuple[str, str]]:
        """Survive the trip from a worker process."""
        return type(self), (self.message, self.tip)


def missing_extra(packages: str, *, extra: str, needed_by: str) -> UsageError:
    """The error for packages that an extra of editgauge would have installed: `editgauge[extra]`."""
    are = "are" if ", " in packages else "is"
    return UsageError(
        f"{needed_by} needs {packages}, which {are} not installed", f"Install it: pip install 'editgauge[{extra}]'."
    )


@contextmanager
def importing(extra: str, *, needed_by: str) -> Iterator[None]:
    """Import packages that a plain install does not have. Raises UsageError, which names the extra that has them.

    >>> with importing("sql", needed_by="--where"):
    ...     import duckdb
    """
    try:
        yield
    except ImportError as error:
        raise missing_extra(error.name or str(error), extra=extra, needed_by=needed_by) from error


def check_installed(*packages: str, extra: str, needed_by: str) -> None:
    """Raise the same UsageError for packages that are not installed, without importing them."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise missing_extra(", ".join(missing), extra=extra, needed_by=needed_by)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """How the tip of a UsageError begins that refuses an unknown name: "Did you mean a or b? ", or nothing.

    At most three of the names that there are, the most similar first.
    """
    near = get_close_matches(name[:_LONGEST_NAME], list(names), 3, 0.7)
    return f"Did you mean {' or '.join(near)}? " if near else ""


class PatchError(EditgaugeError):
    """A patch that cannot be read or placed. Raised inside; the apply functions turn it into `Rejected`."""

    def __init__(
        self,
        message: str,
        *,
        line: int | None = None,
        reason: Reason = Reason.MALFORMED,
        candidates: tuple[Match, ...] = (),
    ) -> None:
        super().__init__(message)
        # One line, also where a path or a line of the patch that it quotes is not, and of a length to be read.
        message = " ".join(message.splitlines())
        if len(message) > _LONGEST_MESSAGE:
            message = f"{message[: _LONGEST_MESSAGE // 2]} [...] {message[-_LONGEST_MESSAGE // 2 :]}"
        self.message = message if line is None else f"line {line} of the patch: {message}"
        self.reason = reason
        self.candidates = candidates


class WorkspaceError(EditgaugeError):
    """A path that a workspace refuses, or a disk that fails. The files are as they were, unless it says otherwise.

    One line: what, where, what to do; paths as seen from the root. `reason` is set where the request is at
    fault, which the tools turn into `Rejected`, and None where the disk is.
    """

    def __init__(self, message: str, *, reason: Reason | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason


class ToolError(EditgaugeError):
    """A call that a tool refuses. Raised inside; `Tool.execute` makes it the result. One line for the model."""

    def __init__(self, message: str, *, reason: Reason, metadata: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.metadata = metadata or {}
        """What the result's metadata has beside the reason."""


class ErrorCode(StrEnum):
    """Why a store of documents refuses. A closed set: models and user interfaces rely on these words."""

    NO_MATCH = "NO_MATCH"
    AMBIGUOUS_MATCH = "AMBIGUOUS_MATCH"
    DOC_NOT_FOUND = "DOC_NOT_FOUND"
    SESSION_NOT_FOUND = "SESSION_NOT_FOUND"
    INVALID_INPUT = "INVALID_INPUT"


class DocumentError(EditgaugeError):
    """What a store of documents refuses to do. One line for the model; the documents are as they were."""

    def __init__(self, message: str, *, code: ErrorCode) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
