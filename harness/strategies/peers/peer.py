"""What a peer is: somebody else's way to apply an edit, and the package that brings it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from corpora.sample import Format


@dataclass(frozen=True, slots=True)
class Package:
    """What a registry offers, at the version that the peers of this editgauge were tried with."""

    name: str
    version: str
    client: Literal["pip", "npm"] = "pip"
    beside: tuple[str, ...] = ()
    """Requirements that are installed with it."""
    minors: range = range(11, 100)
    """The minor versions of Python 3 that it runs on."""
    program: str = ""
    """Of npm: a pattern for the program that it brings, in its environment."""
    link: str = ""
    """Of npm: the name to call it by, which may decide what it does."""

    @property
    def requirements(self) -> tuple[str, ...]:
        """What the client is asked for."""
        between = "==" if self.client == "pip" else "@"
        return (f"{self.name}{between}{self.version}", *self.beside)


@dataclass(frozen=True, slots=True)
class Peer:
    """Somebody else's way to apply an edit."""

    name: str
    formats: tuple[Format, ...]
    summary: str
    """One line."""
    package: Package | None = None
    """None where it is a program that systems provide."""
    command: tuple[str, ...] = ()
    """A program that reads the patch and works in a folder; none where an adapter speaks for the peer."""
