"""Peer: somebody else's way to apply an edit, and the package that provides it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from corpora.sample import Format


@dataclass(frozen=True, slots=True)
class Package:
    """A package of a registry, at the version that this editgauge was tested with."""

    name: str
    version: str
    client: Literal["pip", "npm"] = "pip"
    beside: tuple[str, ...] = ()
    """Further requirements, installed with it."""
    minors: range = range(11, 100)
    """Minor versions of Python 3 that it runs on."""
    program: str = ""
    """npm: a glob for the program it installs, relative to its environment; empty for a library."""
    link: str = ""
    """npm: the name of a symbolic link to the program, for programs that act by the name they are called by."""
    runtime: str = ""
    """npm: a glob for the program that runs its adapter, relative to its environment; empty for node."""
    megabytes: int = 1
    """Megabytes on disk with all that it needs, measured on Linux."""

    @property
    def requirements(self) -> tuple[str, ...]:
        """The requirements to pass to the client."""
        separator = "==" if self.client == "pip" else "@"
        return (f"{self.name}{separator}{self.version}", *self.beside)

    @property
    def is_library(self) -> bool:
        """Whether it is a library for Node.js, which an adapter in JavaScript calls."""
        return self.client == "npm" and not self.program


@dataclass(frozen=True, slots=True)
class Peer:
    """Somebody else's way to apply an edit."""

    name: str
    formats: tuple[Format, ...]
    summary: str
    """One line."""
    package: Package | None = None
    """None for a program that operating systems provide."""
    command: tuple[str, ...] = ()
    """Program and arguments that apply a patch from stdin to the current folder; empty if the peer has an adapter."""
    needs_context: bool = False
    """Whether it needs unchanged lines around the change in a search text."""
