"""Whether the hub can be reached: said at once, and not asked where that would say nothing."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator

import pytest

from corpora.hub import check_reachable
from editcore.errors import UsageError


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A port of this machine to which the hub is moved, and where nobody listens unless a test does."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        found = taken.getsockname()[1]
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", f"http://127.0.0.1:{found}")
        yield found


@pytest.mark.usefixtures("port")
def test_a_server_that_refuses_is_named_with_what_to_do() -> None:
    with pytest.raises(UsageError, match=r"hub:a/b cannot be loaded: 127\.0\.0\.1 cannot be reached \(") as caught:
        check_reachable("hub:a/b")
    assert "HF_HUB_OFFLINE=1" in caught.value.tip


def test_a_server_that_listens_is_enough(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    del port
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", f"http://127.0.0.1:{server.getsockname()[1]}")
        check_reachable("hub:a/b")


@pytest.mark.usefixtures("port")
def test_nothing_is_asked_behind_a_proxy_or_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    check_reachable("hub:a/b")
    monkeypatch.delenv("http_proxy")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    check_reachable("hub:a/b")


@pytest.mark.usefixtures("port")
def test_nothing_is_asked_where_the_library_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    check_reachable("hub:a/b")
