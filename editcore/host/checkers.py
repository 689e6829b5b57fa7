"""Checkers: errors in a file after an edit, reported to the model with the result."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType

_MAX_CHARACTERS = 1_000_000
"""Longer files are not checked, because the caller waits."""


@dataclass(frozen=True, slots=True)
class DiagnosticError:
    """An error at a position in a file."""

    line: int
    """1-based."""
    column: int
    """1-based, in code points."""
    message: str


Checker = Callable[[str, str], Sequence[DiagnosticError]]
"""Path and text of a file -> its errors."""


def python(path: str, text: str) -> Sequence[DiagnosticError]:
    """The syntax errors that Python's compiler reports. Nothing is executed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Bytes that are no text are lone surrogates, which the compiler does not take.
            compile(text.encode("utf-8", "replace").decode(), path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return [DiagnosticError(error.lineno or 1, max(error.offset or 1, 1), error.msg)]
    except (ValueError, RecursionError, MemoryError) as error:
        return [DiagnosticError(1, 1, str(error) or type(error).__name__)]
    return []


CHECKERS: Mapping[str, Checker] = MappingProxyType({".py": python, ".pyi": python})
"""Suffix -> checker."""


def diagnose(path: str, text: str, checkers: Mapping[str, Checker]) -> Sequence[DiagnosticError]:
    """The errors found by the checker for the file's suffix; none where no checker has it."""
    checker = checkers.get(PurePosixPath(path).suffix.lower())
    return checker(path, text) if checker and len(text) <= _MAX_CHARACTERS else []
