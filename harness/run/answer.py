"""What a call came to: why it is no answer, and by what two answers to one question are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sized
from typing import NamedTuple

import xxhash

from corpora.sample import Sample
from editcore.quoting import first_line
from editcore.types import Applied, EditResult, Rejected
from harness.run.latency import Timed
from harness.run.results import OncePerResult
from harness.strategies.strategy import files_after

_ERROR_CHARACTERS = 1000
"""The most characters that are kept of an exception's message."""


class Answer(NamedTuple):
    """All that is compared of an answer: equal ones leave the same bytes, or refuse for the same reason."""

    kind: str
    """In words."""
    digest: str = ""
    """Of the files that it leaves, 128 bits in hexadecimal; empty of a refusal."""


class Answers:
    """What is compared of the results for one sample. Strategies often agree, so what they leave is hashed once."""

    def __init__(self, sample: Sample, *, back: Callable[[str], str] | None = None) -> None:
        """`back` turns the texts of a renamed sample into those before."""
        self.sample = sample
        self._back = back
        self._applied = OncePerResult(self._hashed)

    def of(self, result: EditResult) -> Answer:
        """What is compared of a result."""
        return Answer(f"refused ({result.reason})") if isinstance(result, Rejected) else self._applied(result)

    def _hashed(self, result: Applied) -> Answer:
        state = xxhash.xxh3_128()
        for path, content in sorted(files_after(self.sample, result).items()):
            for text in (path, self._back(content) if self._back else content):
                data = text.encode("utf-8", "surrogatepass")
                state.update(b"%d:" % len(data))
                state.update(data)
        return Answer("applied", state.hexdigest())


def failure_of(sample: Sample, call: Timed) -> str | None:
    """Why a call is no answer to the sample, in one line; None if it is one."""
    return _crash(call.value) if call.raised else _type_error(sample, call.value)


def _crash(error: object) -> str:
    kind, line = type(error).__name__, first_line(error, limit=_ERROR_CHARACTERS)
    return kind if line == kind else f"{kind}: {line}"


def _type_error(sample: Sample, result: object) -> str | None:
    """Why a strategy's return value is not a result for this sample; None if it is. Plug-ins may return anything."""
    if isinstance(result, Rejected):
        return None if isinstance(result.reason, str) else "returned Rejected without a reason"
    if not isinstance(result, Applied):
        return f"returned {type(result).__name__}, not Applied or Rejected"
    if not isinstance(result.replacer, str | None) or not isinstance(result.matches, Sized):
        return "returned Applied with a replacer or matches of another type"
    if result.files is None:
        complete = isinstance(result.content, str) and bool(sample.before)
    else:
        complete = isinstance(result.files, Mapping) and all(
            isinstance(path, str) and isinstance(content, str) for path, content in result.files.items()
        )
    return None if complete else "returned Applied without the text afterwards"
