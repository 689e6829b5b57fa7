"""The settings of a repairing: whom a replies file is of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from editcore.errors import UsageError
from harness.ask.clients.client import Sampling


@dataclass(frozen=True, slots=True)
class RepairSettings:
    """Whom to ask, and in which shapes."""

    model: str
    api: str
    address: str
    sampling: Sampling
    words: Mapping[str, str]
    """Shape -> the hash of its words."""
    n_repeats: int

    def joined(self, other: RepairSettings) -> RepairSettings:
        """The settings of both, of which `other` are the new ones. Raises UsageError where they do not go together."""
        for one in fields(self):
            old, new = getattr(self, one.name), getattr(other, one.name)
            if one.name not in ("words", "n_repeats") and old != new:
                raise UsageError(
                    f"The replies file was begun with another {one.name}: {old}, not {new}",
                    "Ask with the same settings, or name another -o.",
                )
        for name, mark in self.words.items():
            if other.words.get(name, mark) != mark:
                raise UsageError(f"The words of {name} have changed since the file was begun", "Name another -o.")
        words, n_repeats = {**self.words, **other.words}, max(self.n_repeats, other.n_repeats)
        return replace(other, words=words, n_repeats=n_repeats)
