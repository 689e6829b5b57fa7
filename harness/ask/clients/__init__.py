"""Clients of providers: one question in, one reply out. Their table; each imports its SDK when it is made."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

from editcore.errors import UsageError
from harness.ask.clients.chat_api import ChatClient
from harness.ask.clients.client import Client
from harness.ask.clients.messages_api import MessagesClient

Make = Callable[[str, str | None, float], Client]
"""(base URL, key, time limit in seconds) -> client."""
CLIENTS: Mapping[str, tuple[Make, str, str]] = MappingProxyType(
    {
        "openai": (ChatClient, "OPENAI_API_KEY", "https://api.openai.com/v1"),
        "anthropic": (MessagesClient, "ANTHROPIC_API_KEY", "https://api.anthropic.com"),
    }
)
"""Name of a wire format -> what makes its client, the variable with its own provider's key, and the address that
gets it.

The address is always given to the SDK, which would read another one from the environment."""


def client(
    api: str, base_url: str | None, key_variable: str | None, timeout_s: float, *, needs_key: bool = True
) -> Client:
    """The client of a wire format. The key is read from the environment; without a name of the variable, a server that
    is named by its URL gets none. What asks nothing needs no key. Raises UsageError."""
    make, usual, own = CLIENTS[api]
    if base_url is not None:
        _check(base_url)
    variable = key_variable or (usual if base_url is None else None)
    key = os.environ.get(variable) if variable else None
    if variable and not key and needs_key:
        raise UsageError(
            f"The environment variable {variable} is not set", "Put the provider's key there; it is stored nowhere."
        )
    return make(base_url or own, key, timeout_s)


def _check(base_url: str) -> None:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{base_url!r} is not the URL of a server", "Write it as http://127.0.0.1:8080/v1.")
    if parts.username or parts.password or parts.query:
        raise UsageError("The URL of the server holds a password or a query", "Put keys into the environment only.")
