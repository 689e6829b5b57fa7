"""A task: files as a model is shown them, what is to be done to them, and the one right result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

import xxhash

from corpora.sample import Provenance
from editcore.types import File
from harness.ask.tasks.steps import Step

Level = Literal["copy", "located", "undo"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""copy: the old and the new lines are shown; located: place and change are named; undo: a mistake is hinted at."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a model is asked to do, in no format yet."""

    level: Level
    kind: str
    """The kind of change: a mutation, or `commit` or `sample` where it comes from one."""
    shown: tuple[File, ...]
    """The files as the model sees them."""
    live: tuple[File, ...]
    """As they are when the edit is applied."""
    target: tuple[File, ...]
    """As they must be afterwards; equal to `live` where nothing may change."""
    steps: Mapping[str, tuple[Step, ...]]
    """Path -> what is to be done to the file as it is shown."""
    axes: Mapping[str, str]
    """What the task tries: length, hunks, special."""
    origin: Provenance = field(default_factory=Provenance)

    @property
    def id(self) -> str:
        """A hash of all that is shown and right."""
        state = xxhash.xxh3_64()
        for files in (self.shown, self.live, self.target):
            for file in files:
                for text in (file.path, file.content):
                    data = text.encode("utf-8", "surrogatepass")
                    state.update(b"%d:" % len(data) + data)
        state.update(f"{self.level}\0{self.instruction}".encode("utf-8", "surrogatepass"))
        return f"task-{state.hexdigest()}"

    @property
    def instruction(self) -> str:
        """All steps in words, the same for every format."""
        several = sum(map(len, self.steps.values())) > 1
        said = list[str]()
        for path, steps in self.steps.items():
            said += [f"In {path}:"] if len(self.steps) > 1 else []
            said += [f"{n}. {step.words}" if several else step.words for n, step in enumerate(steps, 1)]
        return "\n\n".join(said)

    @property
    def must_change(self) -> bool:
        """Whether the right answer changes anything."""
        return self.live != self.target
