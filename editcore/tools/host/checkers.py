"""What is wrong with a file after an edit, where a language has a checker: told to the model with the result."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType

_MOST_CHARACTERS = 1_000_000
"""A longer file is not checked: its author waits."""


@dataclass(frozen=True, slots=True)
class DiagnosticError:
    """A place in a file at which something is wrong."""

    line: int
    """1-based."""
    column: int
    """1-based, in code points."""
    message: str


Checker = Callable[[str, str], Sequence[DiagnosticError]]
"""Path and text of a file -> what is wrong with it."""


def python(path: str, text: str) -> Sequence[DiagnosticError]:
    """What Python's own compiler says. Nothing is run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return [DiagnosticError(error.lineno or 1, max(error.offset or 1, 1), error.msg)]
    except (ValueError, RecursionError, MemoryError) as error:
        return [DiagnosticError(1, 1, str(error) or type(error).__name__)]
    return []


CHECKERS: Mapping[str, Checker] = MappingProxyType({".py": python, ".pyi": python})
"""Suffix -> checker."""


def diagnose(path: str, text: str, checkers: Mapping[str, Checker]) -> Sequence[DiagnosticError]:
    """What the checker of the file's suffix says; nothing where there is none."""
    checker = checkers.get(PurePosixPath(path).suffix.lower())
    return checker(path, text) if checker and len(text) <= _MOST_CHARACTERS else []
