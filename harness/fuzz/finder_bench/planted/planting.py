"""A planted bug: a change to the source of one function, as a bad commit would make it, that tells when it bites."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any, TypeVar

from harness.fuzz.engine.finding import Violation
from harness.fuzz.engine.inputs import Fields
from harness.fuzz.engine.target import Target, observe

T = TypeVar("T")

CANARY = "canary"
"""What a planted piece of code calls, `canary(right, wrong)`, to go on with what is wrong."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A bug, and the target that has to find it."""

    name: str
    target: str
    area: str
    summary: str
    """One line."""
    function: str
    """Whose source is changed: module:name."""
    was: str
    """A piece of that source, which it holds once."""
    becomes: str
    """The piece that takes its place, with a canary in it."""
    example: Fields
    """An input on which the bug shows."""


class Canary:
    """Tells of a planted bug whether its code ran, and whether it made a difference."""

    def __init__(self, notice: Callable[[str], None]) -> None:
        """`notice` is told `reached` or `triggered` at once: the process may not live to tell."""
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

    def rest(self) -> None:
        """Forget what happened so far."""
        self.is_reached = self.is_triggered = False


class Bug:
    """A planted bug in this process, which can be taken out again.

    Only the code of the function changes, not the function: whoever holds it, has the bug.
    """

    def __init__(
        self,
        planted: Planted,
        *,
        instrument: Callable[[FunctionType], object] | None = None,
        notice: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.planted, self.canary = planted, Canary(notice)
        self._function = _found(planted.function)
        self._right = self._function.__code__
        self._function.__code__ = _changed(self._function, planted)
        if instrument is not None:
            instrument(self._function)
        self._wrong = self._function.__code__
        self._function.__globals__[CANARY] = self.canary

    def put_in(self) -> None:
        """Have the function do wrong."""
        self._function.__code__ = self._wrong

    def take_out(self) -> None:
        """Have it do right."""
        self._function.__code__ = self._right

    def shown(self, target: Target, fields: Fields, *, thorough: bool = False) -> Violation | None:
        """What does not hold of an input, and would without the bug."""
        self.canary.rest()
        found = observe(target, fields, thorough=thorough)
        if not found or not self.canary.is_triggered:
            return None
        self.take_out()
        others = {one.property for one in observe(target, fields, thorough=thorough)}
        self.put_in()
        return next((one for one in found if one.property not in others), None)


def _found(name: str) -> FunctionType:
    module, _, path = name.partition(":")
    # By way of the modules' table: a package may have a function by the name of a module.
    found: Any = reduce(getattr, path.split("."), import_module(module))
    if not isinstance(found, FunctionType):
        raise TypeError(f"{name} is no plain function")
    return found


def _changed(function: FunctionType, planted: Planted) -> CodeType:
    """The code of the function with the piece in it changed. Raises ValueError where it holds no such piece."""
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
