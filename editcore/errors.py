"""The exceptions, as a tree.

    EditgaugeError            everything this project raises on purpose
      UsageError              a mistake of the user; shown as two lines, exit code 2
      PatchError              a patch that cannot be read or placed; never leaves an apply function
      WorkspaceError          a path that a workspace refuses, or a failing disk; nothing was changed
      ToolError               a call that a tool refuses; never leaves the tool, which returns it as its result
      DocumentError           a request that a store of documents refuses; nothing was changed
        BaseMovedError        a document session that is not accepted over what its user saved since
      Cancelled               a call that its caller cancelled; never leaves the tool, which returns it as its result
      Unmeasured              a shell command whose edits are not worked out: an outcome of its own, never zero

An edit that cannot be applied is not an exception, but a `editcore.types.Rejected`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from importlib.util import find_spec
from typing import Any

from editcore.types import Match, Reason

_LONGEST_MESSAGE = 1000
_LONGEST_NAME = 200
"""Characters of an unknown name that are compared."""


class EditgaugeError(Exception):
    """Everything this project raises on purpose."""


class UsageError(EditgaugeError):
    """A mistake of the user: two lines (what is wrong, what to do) and exit code 2, without a traceback."""

    def __init__(self, message: str, tip: str) -> None:
        super().__init__(message)
        self.message = message
        self.tip = tip

    def __str__(self) -> str:
        return f"{self.message}\n  {self.tip}"

    def __reduce__(self) -> tuple[type[UsageError], tuple[str, str]]:
        """Pickle both arguments, for errors raised in worker processes."""
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
    """The start of a tip on an unknown name: "Did you mean a or b? " with a space at its end, or "" if none is near.

    Names at most three of `names`, the most similar first.
    """
    near = similar_names(name, names)
    return f"Did you mean {' or '.join(near)}? " if near else ""


def similar_names(name: str, names: Iterable[str], *, limit: int = 3, similarity: float = 0.7) -> list[str]:
    """At most `limit` of `names` that are at least so similar to `name` (0 to 1), the most similar first."""
    from difflib import get_close_matches  # Seldom needed, and slow to import.

    return get_close_matches(name[:_LONGEST_NAME], list(names), limit, similarity)


class PatchError(EditgaugeError):
    """A patch that cannot be read or placed. The apply functions return it as `Rejected`."""

    def __init__(
        self, message: str, *, line: int | None = None, reason: Reason = Reason.MALFORMED,
        candidates: tuple[Match, ...] = (),
    ) -> None:  # fmt: skip
        super().__init__(message)
        # One line of readable length, whatever path or line of the patch it quotes.
        message = " ".join(message.splitlines())
        if len(message) > _LONGEST_MESSAGE:
            message = f"{message[: _LONGEST_MESSAGE // 2]} [...] {message[-_LONGEST_MESSAGE // 2 :]}"
        self.message = message if line is None else f"line {line} of the patch: {message}"
        self.reason = reason
        self.candidates = candidates


class WorkspaceError(EditgaugeError):
    """A path that a workspace refuses, or a failing disk. Unless the message says otherwise, no file was changed.

    The message is one line: what, where, what to do; paths are relative to the root. `reason` is None if the disk
    failed. Otherwise the request is at fault, and the tools return the error as `Rejected`.
    """

    def __init__(self, message: str, *, reason: Reason | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason


class ToolError(EditgaugeError):
    """A call that a tool refuses, with one line for the model. `Tool.execute` returns it as the result."""

    def __init__(self, message: str, *, reason: Reason, metadata: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.metadata = metadata or {}
        """Metadata of the result, besides the reason."""


class Cancelled(EditgaugeError):
    """A call that its caller has cancelled. Raised before anything was written."""


class ErrorCode(StrEnum):
    """Why a store of documents refuses a request. A closed set, on which models and user interfaces rely."""

    NO_MATCH = "NO_MATCH"
    AMBIGUOUS_MATCH = "AMBIGUOUS_MATCH"
    DOC_NOT_FOUND = "DOC_NOT_FOUND"
    SESSION_NOT_FOUND = "SESSION_NOT_FOUND"
    INVALID_INPUT = "INVALID_INPUT"
    CONFLICT = "CONFLICT"
    """The user saved the document since its session began, in ways that accepting it would drop."""


class DocumentError(EditgaugeError):
    """A request that a store of documents refuses, with one line for the model. No document was changed."""

    def __init__(self, message: str, *, code: ErrorCode, reason: Reason | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.reason = reason
        """Why a cascade refuses the edit; None for any other cause."""


class BaseMovedError(DocumentError):
    """A document session that is not accepted, because its user saved the document since it began. It has three texts.

    `base` is the document when the session began, `user` the text saved since, `suggested` the session's version.
    `merged` is what a merge makes of them, with markers around its conflicts; None where none was asked for.
    """

    def __init__(self, message: str, *, base: str, user: str, suggested: str, merged: str | None = None) -> None:
        super().__init__(message, code=ErrorCode.CONFLICT)
        self.base = base
        self.user = user
        self.suggested = suggested
        self.merged = merged


class Unmeasured(EditgaugeError):
    """A shell command whose edits are not worked out: the message says what about it is known only when it runs."""
