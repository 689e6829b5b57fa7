"""The interface of clients: the question they get, the reply they give, and their failures."""

from __future__ import annotations

import email.utils
import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, Literal, Protocol

from editcore.errors import EditgaugeError

Stop = Literal["end", "length", "refused"]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool, as the model wrote it."""

    name: str
    arguments: str
    """JSON, if the model wrote it correctly."""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: Literal["user", "model", "result"]
    text: str
    calls: tuple[Call, ...] = ()
    """Calls of a model's turn."""
    call_id: str = ""
    """The call that a result belongs to."""


@dataclass(frozen=True, slots=True)
class Tool:
    """The one tool that a model may call."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sampling:
    """Parameters of drawing a reply. A field that is None is left to the provider."""

    max_tokens: int
    temperature: float | None = None
    seed: int | None = None
    effort: str | None = None
    stream: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """A question as a client sends it."""

    model: str
    system: str
    turns: tuple[Turn, ...]
    tool: Tool | None
    sampling: Sampling


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, as the provider counts them."""

    input: int = 0
    """All input tokens, with those read from a cache."""
    cached: int = 0
    """Input tokens that were read from a cache."""
    output: int = 0
    """All output tokens, with those of reasoning."""
    reasoning: int = 0

    @classmethod
    def reported(cls, sent: object, cached: object, output: object, reasoning: object) -> Usage:
        """The counts that a server reports, each a whole number from 0; all 0 where those of the bill are not."""
        counts = [_count(one) for one in (sent, cached, output, reasoning)]
        if counts[0] is None or counts[2] is None:
            return cls()
        return cls(counts[0], min(counts[1] or 0, counts[0]), counts[2], min(counts[3] or 0, counts[2]))

    def plus(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


_MOST_TOKENS = 1_000_000_000
"""The greatest count of tokens that is believed."""


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and 0 <= value <= _MOST_TOKENS else None


_LONGEST_NAME = 200
"""Characters of a model's name or fingerprint that are kept."""


def name_of(value: object) -> str:
    """A name that a server reports, cut; "" for anything but a text."""
    return value[:_LONGEST_NAME] if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a model to one request."""

    text: str
    calls: tuple[Call, ...]
    stop: Stop
    usage: Usage
    model: str = ""
    """The model's name as the provider writes it."""
    fingerprint: str = ""

    @property
    def is_counted(self) -> bool:
        """True if the provider counted the question, and the answer if there is one."""
        return self.usage.input > 0 and (self.usage.output > 0 or not (self.text or self.calls))


class Client(Protocol):
    """A way to ask a provider's models."""

    @property
    def address(self) -> str:
        """URL of the server."""
        ...

    def complete(self, request: Request) -> Reply:
        """Send a question and wait for its reply. Raises ProviderError."""
        ...


class ProviderError(EditgaugeError):
    """A question without a reply. The provider's own words are left out, because they may quote a key."""

    def __init__(
        self, what: str, *, status: int | None = None, retry_after_s: float | None = None, is_lost: bool = False
    ) -> None:
        super().__init__(what)
        self.what = what
        self.status = status
        """HTTP status; None if there was no answer."""
        self.retry_after_s = retry_after_s
        self.is_lost = is_lost
        """True if the model may have answered, so that the reply has to be paid."""

    @property
    def is_passing(self) -> bool:
        """True if the same question may succeed later."""
        return self.status is None or self.status in (408, 409, 425, 429) or self.status >= 500


# Failures of an SDK

LONGEST_WAIT_S = 600.0


@contextmanager
def provider_errors(sdk: Any) -> Iterator[None]:
    """Raise ProviderError for errors of an SDK, its HTTP library, or a malformed answer. Both SDKs name them alike."""
    try:
        yield
    except sdk.APIStatusError as error:
        raise ProviderError(
            f"status {error.status_code}", status=error.status_code, retry_after_s=retry_after_s(error.response.headers)
        ) from None
    except sdk.APITimeoutError:
        raise ProviderError("time limit", is_lost=True) from None
    except sdk.APIConnectionError as error:
        refused = isinstance(error.__cause__, Exception) and "Connect" in type(error.__cause__).__name__
        raise ProviderError("no connection" if refused else "connection cut", is_lost=not refused) from None
    except ProviderError:
        raise
    except Exception as error:
        # The SDKs let other exceptions through: for a cut stream, and for an answer without JSON or of another form.
        raise ProviderError(f"unreadable answer ({type(error).__name__})", is_lost=True) from None


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds that a provider asks to wait; None where it does not say."""
    try:
        if (ms := headers.get("retry-after-ms")) is not None:
            return _bounded(float(ms) / 1000)
        if (text := headers.get("retry-after")) is None:
            return None
        try:
            return _bounded(float(text))
        except ValueError:
            when = email.utils.parsedate_to_datetime(text)
            return _bounded(when.timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def _bounded(seconds: float) -> float | None:
    return min(max(seconds, 0.0), LONGEST_WAIT_S) if math.isfinite(seconds) else None
