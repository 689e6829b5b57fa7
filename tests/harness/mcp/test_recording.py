"""The recording of an agent's calls: samples, labels, and calls that are left out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from corpora.check import check
from corpora.load import load
from corpora.sample import Sample
from corpora.write import SampleAppender
from editcore.host.tool import Result
from editcore.host.tools import Host
from editcore.host.workspace import Workspace
from editcore.types import Reason
from harness.mcp.recording import Recording, SessionRecording
from tests.harness.mcp.connected import TEXT, User, connected


async def _recorded(folder: Path, calls: list[tuple[str, Mapping[str, Any]]], user: User | None = None) -> None:
    level = "edits" if user else "nothing"
    async with connected(folder, level=level, user=user, record=folder.parent / "edits.jsonl") as client:
        for tool, arguments in calls:
            await client.call_tool(tool, dict(arguments))


def recorded(folder: Path, *calls: tuple[str, Mapping[str, Any]], user: User | None = None) -> list[Sample]:
    """The samples of a session with these calls."""
    anyio.run(partial(_recorded, folder, list(calls), user))
    path = folder.parent / "edits.jsonl"
    found = list(load(str(path))) if path.read_text() else []
    assert not check(str(path)).problems if found else True
    return found


READ = ("read", {"filePath": "shop.py"})


_PATCH = "*** Begin Patch\n*** Update File: shop.py\n@@\n-total = 0\n+total = 1\n*** End Patch"


def edit(old: str, new: str, **more: Any) -> tuple[str, Mapping[str, Any]]:
    return "edit", {"filePath": "shop.py", "oldString": old, "newString": new, **more}


def test_an_exact_edit_is_labelled(shop: Path) -> None:
    [found] = recorded(shop, READ, edit("price = 0", "price = 1"))
    assert (found.label, found.label_source, found.format) == ("apply", "exact", "str_replace")
    assert [(file.path, file.content) for file in found.before] == [("shop.py", TEXT)]
    assert found.target is not None
    assert found.target[0].content == TEXT.replace("price = 0", "price = 1")
    assert found.provenance.recorded_outcome == "applied"
    assert found.provenance.agent == "mcp"
    assert {"tool:edit", "language:python"} <= set(found.tags)


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        ("# 設定ファイルを読み込む\nprice = 0\n".encode("shift_jis"), "shift_jis"),
        (b"# Jos\xe9\nprice = 0\n", "latin-1"),
        ("\ufeff# é\r\nprice = 0\r\n".encode("utf-16-le"), "utf-16-le"),
        ("# é “è” —\n".encode() + b"# \xff\nprice = 0\n", None),
    ],
)
def test_an_edit_of_a_file_that_is_not_utf_8_is_recorded_with_its_bytes(
    shop: Path, raw: bytes, encoding: str | None
) -> None:
    (shop / "shop.py").write_bytes(raw)
    width = "utf-16-le" if encoding == "utf-16-le" else "ascii"
    [found] = recorded(shop, READ, edit("price = 0", "price = 1"))
    assert (found.label, found.label_source) == ("apply", "exact")
    assert [(file.raw, file.encoding) for file in found.before] == [(raw, encoding)]
    assert found.target is not None
    after = raw.replace("price = 0".encode(width), "price = 1".encode(width))
    assert [(file.raw, file.encoding) for file in found.target] == [(after, encoding)]
    assert (shop / "shop.py").read_bytes() == after


def test_an_inexact_edit_is_no_proof_that_it_is_right(shop: Path) -> None:
    loop = "for item in basket:\n  total += item\n  total += item"
    [found] = recorded(shop, READ, edit(loop, loop.replace("item\n", "2 * item\n")))
    assert (found.label, found.target) == ("unlabelled", None)
    assert found.provenance.recorded_outcome == "applied_with_fuzz"


def test_an_ambiguous_edit_had_to_be_refused(shop: Path) -> None:
    [found] = recorded(shop, READ, edit("    total += item\n", "    pass\n"))
    assert (found.label, found.label_source) == ("refuse", "exact_ambiguous")
    assert found.provenance.recorded_outcome == "ambiguous"


def test_a_failed_edit_gets_its_label_from_the_retry(shop: Path) -> None:
    failed = edit("prise = 0\nfor item in the_basket:", "prise = 1\nfor item in the_basket:")
    found = recorded(shop, READ, failed, edit("price = 0\nfor item in basket:", "price = 1\nfor item in basket:"))
    assert sorted(one.provenance.recorded_outcome or "" for one in found) == ["applied", "no_match"]
    assert {one.label_source for one in found if one.label == "apply"} >= {"exact"}


def test_a_failed_edit_without_a_retry_is_written_at_the_end(shop: Path) -> None:
    [found] = recorded(shop, READ, edit("nothing like it\nanywhere in here", "x"))
    assert (found.label, found.provenance.recorded_outcome) == ("unlabelled", "no_match")
    assert found.provenance.recorded_error is not None


@pytest.mark.parametrize(
    ("tool", "arguments", "form"),
    [
        (
            "multi_edit",
            {"filePath": "shop.py", "edits": [{"oldString": "total = 0", "newString": "total = 1"}]},
            "str_replace",
        ),
        ("edit_file", {"path": "shop.py", "old_content": "total = 0", "new_content": "total = 1"}, "str_replace"),
        ("patch_file", {"path": "shop.py", "patch": "@@ -1 +1 @@\n-total = 0\n+total = 1\n"}, "unified_diff"),
        ("insert_at", {"path": "shop.py", "line": 1, "content": "x = 1"}, "insert"),
        ("edit_patch", {"patch": _PATCH}, "begin_patch"),
    ],
)
def test_each_tool_that_edits_is_recorded(shop: Path, tool: str, arguments: Mapping[str, Any], form: str) -> None:
    [found] = recorded(shop, READ, (tool, arguments))
    assert found.format == form
    assert f"tool:{tool}" in found.tags
    assert found.before[0].content == TEXT
    if found.label == "apply":
        assert found.target is not None
        assert found.target[0].content == (shop / "shop.py").read_text()


def test_what_says_nothing_about_an_edit_is_not_recorded(shop: Path) -> None:
    (shop.parent / "outside.py").write_text("a = 1\n")
    (shop / "below").mkdir()
    (shop / "below" / "shop.py").write_text(TEXT)
    assert not recorded(
        shop,
        READ,
        edit("price = 0", "price = 1"),  # Refused by the user.
        ("edit", {"filePath": "none.py", "oldString": "a", "newString": "b"}),
        ("edit", {"filePath": "../outside.py", "oldString": "a = 1", "newString": "a = 2"}),
        ("edit", {"filePath": "new.py", "oldString": "", "newString": "a = 2\n"}),
        ("write", {"filePath": "made.py", "content": "a = 2\n"}),
        ("edit", {"filePath": 5}),
        ("edit_patch", {"patch": _PATCH, "dry_run": True}),
        ("edit_patch", {"patch": _PATCH, "workspace_root": "below"}),
        ("bash", {"command": "true"}),
        user=User("no", "once", "once", "once", "once", "once", "once", "once"),
    )


def test_secrets_are_scrubbed(shop: Path) -> None:
    key = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gI3kM5"
    (shop / "shop.py").write_text(f"TOKEN = '{key}'\nprice = 0\n")
    [found] = recorded(shop, READ, edit("price = 0", "price = 1"))
    assert key not in (shop.parent / "edits.jsonl").read_text()
    assert (found.label, found.label_source) == ("apply", "exact")


def test_sessions_of_one_file_add_up_with_ids_of_their_own(shop: Path) -> None:
    recorded(shop, READ, edit("price = 0", "price = 1"))
    found = recorded(shop, READ, edit("price = 1", "price = 0"))
    assert len({one.id for one in found}) == 2


# What the agent had seen.


class Change:
    """Another hand's change of `shop.py` between two calls."""

    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new


async def _with_changes(folder: Path, calls: list[Any]) -> None:
    async with connected(folder, record=folder.parent / "edits.jsonl", backups=True) as client:
        for call in calls:
            if isinstance(call, Change):
                text = (folder / "shop.py").read_text()
                (folder / "shop.py").write_text(text.replace(call.old, call.new))
            else:
                await client.call_tool(call[0], dict(call[1]))


def with_changes(folder: Path, *calls: Any) -> list[Sample]:
    """The samples of a session with these calls and changes, in the order of their recording."""
    anyio.run(_with_changes, folder, list(calls))
    found = list(load(str(folder.parent / "edits.jsonl")))
    assert not check(str(folder.parent / "edits.jsonl")).problems
    return found


def seen_in(sample: Sample) -> str | None:
    """The text that was seen of the one file; `same` if the edit met the same text, None if it is not known."""
    if "seen:same" in sample.tags:
        assert sample.seen is None
        return "same"
    return sample.seen[0].content if sample.seen else None


WIDER = Change("total = 0\n", "import os\n\ntotal = 0\n")


def test_a_file_that_was_not_changed_is_seen_as_it_is(shop: Path) -> None:
    first, other = with_changes(shop, READ, edit("price = 0", "price = 1"), edit("price = 1", "price = 2"))
    assert (seen_in(first), seen_in(other)) == ("same", "same")
    [unread] = with_changes(shop, ("edit_file", {"path": "shop.py", "old_content": "price = 2", "new_content": "p"}))[
        2:
    ]
    assert seen_in(unread) is None


def test_an_edit_of_a_file_that_another_changed_says_what_was_seen(shop: Path) -> None:
    [found] = with_changes(
        shop, READ, WIDER, ("edit_file", {"path": "shop.py", "old_content": "price = 0", "new_content": "price = 1"})
    )
    assert seen_in(found) == TEXT
    assert found.before[0].content.startswith("import os")


def test_own_inexact_edits_and_writes_are_seen(shop: Path) -> None:
    inexact = edit("for item in basket:\n  total += item\n  total += item", "pass")
    _, found = with_changes(shop, READ, inexact, edit("price = 0", "price = 1"))
    assert seen_in(found) == "same"
    written = ("write", {"filePath": "shop.py", "content": "a = 1\n"})
    assert seen_in(with_changes(shop, READ, written, edit("a = 1", "a = 2"))[-1]) == "same"


def test_lines_that_were_read_are_said(shop: Path) -> None:
    part = ("read", {"filePath": "shop.py", "offset": 2, "limit": 2})
    asked = ("edit_file", {"path": "shop.py", "old_content": "price = 0", "new_content": "price = 1"})
    [found] = with_changes(shop, part, WIDER, asked)
    assert seen_in(found) == TEXT
    assert [(one.path, one.first, one.last) for one in found.seen_lines or ()] == [("shop.py", 2, 3)]


def test_what_an_answer_or_a_restored_file_shows_is_not_guessed(shop: Path) -> None:
    asked = ("edit_file", {"path": "shop.py", "old_content": "price = 0", "new_content": "price = 1"})
    grep = ("grep", {"pattern": "import"})
    assert seen_in(with_changes(shop, READ, WIDER, grep, asked)[-1]) is None
    assert seen_in(with_changes(shop, READ, ("rollback", {}), asked)[-1]) is None


def test_a_refusal_as_stale_is_kept(shop: Path) -> None:
    workspace = Workspace(shop, durable=False, lock_directory=shop.parent / "locks")
    with SampleAppender(shop.parent / "edits.jsonl") as appender:
        session = SessionRecording(Recording(Host(workspace), appender), "s", "mcp")
        lines = "".join(f"{n}: {line}\n" for n, line in enumerate(TEXT.splitlines(), 1))
        read = Result("shop.py", f"<content>\n{lines}</content>", {"first_line": 1, "last_line": 5, "n_lines": 5})
        session.showed("read", {"filePath": "shop.py"}, read)
        (shop / "shop.py").write_text("import os\n" + TEXT)
        sent = session.sent(*edit("price = 0", "price = 1"))
        assert sent is not None
        session.done(sent, Result("edit", "Changed since.", {"reason": str(Reason.STALE_READ)}, is_error=True))
        session.end()
    [found] = load(str(shop.parent / "edits.jsonl"))
    assert (found.provenance.recorded_outcome, found.label) == ("stale", "unlabelled")
    assert (seen_in(found), found.before[0].content) == (TEXT, "import os\n" + TEXT)
