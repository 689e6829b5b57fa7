"""A table of members by name, whose modules are imported when a member is first used.

    Members("editcore.tiers", {"spacing": "squeezed"})["spacing"]   ->   editcore.tiers.squeezed.spacing

Nine of ten edits are decided by the first tier; the modules of the others are most of what an import would cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TypeVar, cast

T = TypeVar("T")


class Members(Mapping[str, T]):
    """Name -> function of that name, in the order of the table."""

    def __init__(self, package: str, modules: Mapping[str, str]) -> None:
        """`modules`: name -> module in `package` that defines it."""
        self._package, self._modules = package, modules

    def __getitem__(self, name: str) -> T:
        return cast(T, getattr(import_module(f"{self._package}.{self._modules[name]}"), name))

    def __contains__(self, name: object) -> bool:
        return name in self._modules

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)
