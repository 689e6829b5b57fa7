"""A model as it is asked: where, under which name, with which sampling; and what it can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from harness.ask.clients.client import Client, Reply, Request, Sampling
from harness.ask.replies_file import Class, key_of


class Askable(Protocol):
    """A question that a model can be asked."""

    @property
    def repeat(self) -> int:
        """Which time it is asked, from 0."""
        ...

    @property
    def rule(self) -> str:
        """The rule that has refused an edit before it was asked; empty where none has."""
        ...

    @property
    def kind(self) -> str | None:
        """What the first reply to a question of its kind says something about; None where it says nothing."""
        ...

    @property
    def must_change(self) -> bool:
        """Whether the right answer changes anything."""
        ...

    def request(self, model: str, sampling: Sampling) -> Request:
        """The question as it is sent."""
        ...

    def class_of(self, reply: Reply) -> tuple[Class, str]:
        """The class of a reply, and why it is malformed."""
        ...

    def about(self) -> Mapping[str, Any]:
        """Fields of an `Entry` that say what was asked."""
        ...


@dataclass(frozen=True, slots=True)
class Model:
    """Whom to ask, and how a reply is drawn."""

    name: str
    api: str
    client: Client
    sampling: Sampling

    def request(self, question: Askable) -> Request:
        """A question as it is sent."""
        return question.request(self.name, self.sampling)

    def key(self, question: Askable, request: Request | None = None) -> str:
        """What the reply is known by."""
        return key_of(request or self.request(question), self.client.address, self.api, question.repeat, question.rule)
