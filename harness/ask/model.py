"""A model as it is asked: where, under which name, with which sampling."""

from __future__ import annotations

from dataclasses import dataclass

from harness.ask.clients.client import Client, Request, Sampling
from harness.ask.ledger import key_of
from harness.ask.questions import Question, request_of


@dataclass(frozen=True, slots=True)
class Model:
    """Whom to ask, and how a reply is drawn."""

    name: str
    api: str
    client: Client
    sampling: Sampling

    def request(self, question: Question) -> Request:
        """A question as it is sent."""
        return request_of(question, self.name, self.sampling)

    def key(self, question: Question, request: Request | None = None) -> str:
        """What the reply is known by."""
        rule = question.refused.rule if question.refused else ""
        return key_of(request or self.request(question), self.client.address, self.api, question.repeat, rule)
