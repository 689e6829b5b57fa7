"""A property that is computed on first use and kept, without the lock of `functools.cached_property` in Python 3.11.

The lock costs 0.5 us, which is more than most of the properties that an edit in its plain place needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class computed(Generic[T]):
    """The decorator of such a property; the value is kept in the object's `__dict__`, under the property's name."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute, self._name, self.__doc__ = compute, compute.__name__, compute.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...
    @overload
    def __get__(self, owner: object, kind: type) -> T: ...
    def __get__(self, owner: object | None, kind: type) -> T | Self:
        if owner is None:
            return self
        value = owner.__dict__[self._name] = self._compute(owner)
        return value
