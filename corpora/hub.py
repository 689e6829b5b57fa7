"""Whether the hub of `hub:OWNER/NAME` can be reached: asked first, since its library tries again for half a minute."""

from __future__ import annotations

import socket
import sys
from importlib.util import find_spec
from threading import Thread
from urllib.parse import urlsplit
from urllib.request import getproxies

from editcore.errors import UsageError, importing

_LIMIT_S = 2.0


def check_reachable(name: str) -> None:
    """Raise UsageError within seconds if the hub's server cannot be reached; `name` is the dataset asked for.

    Behind a proxy, and where HF_HUB_OFFLINE says that only local copies are used, nothing is asked.
    """
    if sys.modules.get("datasets") is None and find_spec("datasets") is None:
        return  # The import that follows says what to install.
    with importing("hub", needed_by=name):
        from huggingface_hub import constants

    server = urlsplit(constants.ENDPOINT)
    if constants.HF_HUB_OFFLINE or server.scheme in getproxies() or not server.hostname:
        return
    address = (server.hostname, server.port or (80 if server.scheme == "http" else 443))
    failed: list[str] = [f"no answer in {_LIMIT_S:g} s"]

    def connect() -> None:
        try:
            socket.create_connection(address, _LIMIT_S).close()
            failed.clear()
        except OSError as error:
            failed[:] = [error.strerror or str(error)]

    # In a thread, since looking a name up has no time limit.
    asking = Thread(target=connect, daemon=True)
    asking.start()
    asking.join(_LIMIT_S)
    if failed:
        raise UsageError(
            f"{name} cannot be loaded: {server.hostname} cannot be reached ({failed[0]})",
            "Check the network; HF_HUB_OFFLINE=1 takes the copy of an earlier run.",
        )
