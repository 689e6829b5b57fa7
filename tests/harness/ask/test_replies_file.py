"""The replies file: a killed asking leaves it whole, another file is refused, and nothing is overwritten."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from editcore.errors import UsageError
from harness.ask.clients.client import Call, Reply, Sampling, Usage
from harness.ask.questions import Settings
from harness.ask.replies_file import Entry, RepliesFile

_REPLY = Reply("x\ud800", (Call("edit", "{"),), "end", Usage(3, 1, 2))
_SETTINGS = Settings(
    source="house", levels=("copy",), model="m", api="openai", address="here", style="tool", sampling=Sampling(9),
    words={"a": "1"}, n_tasks=3, n_repeats=1,
)  # fmt: skip


def _entry(key: str, class_: str = "answered", **others: object) -> Entry:
    return Entry(key, "task", "copy", "a", "tool", 0, "t", class_, reply=_REPLY, cost_usd=0.5, **others)  # type: ignore[arg-type]


def _written(path: Path) -> Path:
    with RepliesFile(path) as replies:
        replies.begin(_SETTINGS)
        replies.add(_entry("one"))
        replies.add(_entry("two", "failed"))
        replies.add(_entry("three"))
    return path


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    with RepliesFile(_written(tmp_path / "a.replies")) as replies:
        assert list(replies.entries()) == [_entry("one"), _entry("three")]
        assert replies.entry("two") is None  # What failed is asked again.
        assert replies.cost_usd == 1.5
        assert replies.settings == _SETTINGS


@pytest.mark.parametrize("cut", [1, 5, 40, 200])
def test_an_unfinished_line_is_dropped(cut: int, tmp_path: Path) -> None:
    path = _written(tmp_path / "a.replies")
    path.write_bytes(path.read_bytes()[:-cut])
    with RepliesFile(path) as replies:
        assert [*replies.places] == ["one"]
        replies.add(_entry("three"))
    with RepliesFile(path) as replies:
        assert [*replies.places] == ["one", "three"]


@pytest.mark.parametrize(
    "text", ["hello\n", "hello", "[]\n", '{"key": 1}\n', '{"settings": {}}\n', "\x00\n", "[" * 9999 + "\n"]
)
def test_what_is_no_replies_file_is_refused_and_left_alone(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.replies"
    path.write_text(text)
    with pytest.raises(UsageError, match="is no replies file"), RepliesFile(path):
        pass
    assert path.read_text() == text


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with (
        RepliesFile(tmp_path / "a.replies"),
        pytest.raises(UsageError, match="is in use"),
        RepliesFile(tmp_path / "a.replies"),
    ):
        pass


def test_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("")
    (tmp_path / "a.replies").symlink_to(tmp_path / "other")
    with pytest.raises(UsageError, match="is a link"), RepliesFile(tmp_path / "a.replies"):
        pass


def test_settings_may_grow_and_not_change(tmp_path: Path) -> None:
    with RepliesFile(_written(tmp_path / "a.replies")) as replies:
        more = replies.begin(replace(_SETTINGS, words={"b": "2"}, n_tasks=2, n_repeats=4, rules=("r",)))
        assert (more.words, more.n_tasks, more.n_repeats, more.rules) == ({"a": "1", "b": "2"}, 3, 4, ("r",))
        for other in (replace(_SETTINGS, seed=1), replace(_SETTINGS, model="n"), replace(_SETTINGS, words={"a": "3"})):
            with pytest.raises(UsageError):
                replies.begin(other)
