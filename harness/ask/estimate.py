"""What an asking may take, before anything is asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from harness.ask.budget import likely_tokens, most_tokens
from harness.ask.clients.client import Usage
from harness.ask.model import Askable, Model
from harness.ask.replies_file import RepliesFile


@dataclass(frozen=True, slots=True)
class Estimated:
    """What an asking may take."""

    n_questions: int
    n_known: int
    most: Usage
    likely: Usage


def estimated(questions: Iterable[Askable], model: Model, replies: RepliesFile[Any] | None) -> Estimated:
    """Count the tokens of what is not known yet: the most that it can take, and what is likely."""
    n = n_known = 0
    totals = {"most": [0, 0], "likely": [0, 0]}
    for question in questions:
        n += 1
        if replies and model.key(question) in replies.places:
            n_known += 1
            continue
        request = model.request(question)
        for name, usage in (("most", most_tokens(request)), ("likely", likely_tokens(request))):
            totals[name][0] += usage.input
            totals[name][1] += usage.output
    most, likely = (Usage(input=given, output=said) for given, said in totals.values())
    return Estimated(n, n_known, most, likely)
