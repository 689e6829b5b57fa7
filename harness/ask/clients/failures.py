"""Failures of an SDK as `ProviderError`: both SDKs name them alike."""

from __future__ import annotations

import email.utils
import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from harness.ask.clients.client import ProviderError

LONGEST_WAIT_S = 600.0


@contextmanager
def provider_errors(sdk: Any) -> Iterator[None]:
    """Turn what an SDK raises, and what its HTTP library or a malformed answer lets through, into ProviderError."""
    try:
        yield
    except sdk.APIStatusError as error:
        raise ProviderError(
            f"status {error.status_code}",
            status=error.status_code,
            retry_after_s=retry_after_s(error.response.headers),
        ) from None
    except sdk.APITimeoutError:
        raise ProviderError("time limit", is_lost=True) from None
    except sdk.APIConnectionError as error:
        refused = isinstance(error.__cause__, Exception) and "Connect" in type(error.__cause__).__name__
        raise ProviderError("no connection" if refused else "connection cut", is_lost=not refused) from None
    except ProviderError:
        raise
    except Exception as error:
        # A cut stream, an answer that is no JSON or has another shape: the SDKs let other exceptions through.
        raise ProviderError(f"unreadable answer ({type(error).__name__})", is_lost=True) from None


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """The seconds that a provider asks to wait; None where it does not say."""
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
