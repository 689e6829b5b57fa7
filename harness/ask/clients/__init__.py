"""The table of clients: each sends questions to one kind of server. A client imports its SDK when it is made."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from types import MappingProxyType
from urllib.parse import urlsplit
from urllib.request import getproxies

from editcore.errors import UsageError
from harness.ask.clients.chat_api import ChatClient
from harness.ask.clients.client import Client
from harness.ask.clients.messages_api import MessagesClient

_PORTS = {"http": 80, "https": 443}
_PATIENCE_S = 2.0
"""Time to connect to a server."""
Make = Callable[[str, str | None, float], Client]
"""(base URL, key, time limit in seconds) -> client."""
CLIENTS: Mapping[str, tuple[Make, str, str]] = MappingProxyType(
    {
        "openai": (ChatClient, "OPENAI_API_KEY", "https://api.openai.com/v1"),
        "anthropic": (MessagesClient, "ANTHROPIC_API_KEY", "https://api.anthropic.com"),
    }
)
"""Name of a wire format -> maker of its client, variable with the key of its own provider, and that provider's
address.

The address is always given to the SDK, which would otherwise read one from the environment.
"""


def client(
    api: str, base_url: str | None, key_variable: str | None, timeout_s: float, *, needs_key: bool = True
) -> Client:
    """Make the client of a wire format. Raises UsageError.

    The key is read from the environment variable `key_variable`. Without that name, a server that is named by its URL
    gets no key: the key of the usual provider must not reach another server.
    """
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


def check_reachable(address: str) -> None:
    """Raise UsageError if nothing listens at the address of a server. A proxy is not asked."""
    parts = urlsplit(address)
    if getproxies().get(parts.scheme):
        return
    try:
        socket.create_connection((parts.hostname, parts.port or _PORTS[parts.scheme]), timeout=_PATIENCE_S).close()
    except OSError as error:
        raise UsageError(
            f"{address} cannot be reached: {error.strerror or error}", "Start that server, or name another: --base-url."
        ) from None


def _check(base_url: str) -> None:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{base_url!r} is not the URL of a server", "Write it as http://127.0.0.1:8080/v1.")
    if parts.username or parts.password or parts.query:
        raise UsageError("The URL of the server holds a password or a query", "Put keys into the environment only.")
