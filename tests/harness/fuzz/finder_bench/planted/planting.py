"""Planted bugs: a change to the source of one function that reports when it runs and when it makes a difference."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any, TypeVar

from harness.fuzz.finding import Violation
from harness.fuzz.inputs import Fields
from harness.fuzz.target import Target, observe

T = TypeVar("T")

CANARY = "canary"
"""The function that planted code calls, `canary(right, wrong)`; it returns the wrong value."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A bug, and the fuzz target that has to find it."""

    name: str
    target: str
    area: str
    summary: str
    """One line."""
    function: str
    """The function whose source is changed: module:name."""
    was: str
    """A piece of that source, which occurs in it once."""
    becomes: str
    """The piece that replaces it, which calls the canary."""
    example: Fields
    """An input that detects the bug."""


class Canary:
    """Reports whether the code of a planted bug ran, and whether it made a difference."""

    def __init__(self, notice: Callable[[str], None]) -> None:
        """`notice` gets `reached` and `triggered` at once, because the process may die right after."""
        self._notice = notice
        self.is_reached = self.is_triggered = False

    def __call__(self, right: T, wrong: T) -> T:
        if not self.is_reached:
            self.is_reached = True
            self._notice("reached")
        if not self.is_triggered and right != wrong:
            self.is_triggered = True
            self._notice("triggered")
        return wrong

    def reset(self) -> None:
        """Forget what has happened so far."""
        self.is_reached = self.is_triggered = False


class Bug:
    """A planted bug in this process, which can be removed again.

    The code object of the function is replaced, not the function, so every reference to it has the bug.
    """

    def __init__(
        self,
        planted: Planted,
        *,
        instrument: Callable[[FunctionType], object] | None = None,
        notice: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.planted, self.canary = planted, Canary(notice)
        self._function = _function(planted.function)
        self._right = self._function.__code__
        self._function.__code__ = _changed(self._function, planted)
        if instrument is not None:
            instrument(self._function)
        self._wrong = self._function.__code__
        self._function.__globals__[CANARY] = self.canary

    def plant(self) -> None:
        """Give the function its wrong code."""
        self._function.__code__ = self._wrong

    def remove(self) -> None:
        """Give the function its right code again."""
        self._function.__code__ = self._right

    def detect(self, target: Target, fields: Fields, *, thorough: bool = False) -> Violation | None:
        """A violation on an input that does not occur without the bug; None if there is none."""
        self.canary.reset()
        found = observe(target, fields, thorough=thorough)
        if not found or not self.canary.is_triggered:
            return None
        self.remove()
        others = {one.property for one in observe(target, fields, thorough=thorough)}
        self.plant()
        return next((one for one in found if one.property not in others), None)


def _function(name: str) -> FunctionType:
    module, _, path = name.partition(":")
    # Through import_module: a package may have a function with the name of one of its modules.
    found: Any = reduce(getattr, path.split("."), import_module(module))
    if not isinstance(found, FunctionType):
        raise TypeError(f"{name} is not a plain function")
    return found


def _changed(function: FunctionType, planted: Planted) -> CodeType:
    """The code of the function with the piece replaced. Raises ValueError unless it occurs exactly once."""
    source = textwrap.dedent(inspect.getsource(function))
    if source.count(planted.was) != 1:
        raise ValueError(f"{planted.name}: {planted.function} holds the piece {source.count(planted.was)} times")
    source = source.replace(planted.was, planted.becomes)
    above = "\n" * (function.__code__.co_firstlineno - 1)
    compiled = compile(
        above + source,
        function.__code__.co_filename,
        "exec",
        flags=annotations.compiler_flag,
        dont_inherit=True,
    )
    return next(code for code in compiled.co_consts if isinstance(code, CodeType) and code.co_name == function.__name__)
