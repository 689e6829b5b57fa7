"""Edits by anchors over the protocol: shown, made, recorded with what was seen, and scored as they were made."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest

from corpora.check import check
from corpora.load import load
from corpora.sample import Sample
from editcore.anchors import apply_anchored
from editcore.types import Applied
from tests.harness.mcp.connected import TEXT, call, connected, started

LATER = "import os\n\n"


def recorded(path: Path) -> list[Sample]:
    assert not check(str(path)).problems
    return list(load(str(path)))


@pytest.mark.slow
def test_the_program_serves_and_records_edits_of_h4(shop: Path) -> None:
    """The command, in a process of its own, with the official client at the other end."""
    corpus = shop.parent / "edits.jsonl"

    async def session() -> None:
        arguments = (shop, "--anchors", "hashline_h4", "--record", corpus, "--tools", "read,edit_lines")
        async with started(*arguments) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["read", "edit_lines"]
            _, text = await call(client, "read", filePath="shop.py", limit=2)
            header = text.split("\n")[1]
            assert header.startswith("[shop.py#")
            (shop / "shop.py").write_text(LATER + TEXT)
            # Of a line that was not shown, of one that was changed above since, and of what it was told then.
            loop = f"{header}\nPUT 3.=3:\n+for item in sorted(basket):\n"
            is_error, text = await call(client, "edit_lines", patch=loop)
            assert (is_error, text.split("\n")[1:]) == (True, [header, "3:for item in basket:"])
            assert not (await call(client, "edit_lines", patch=loop))[0]
            is_error, text = await call(client, "edit_lines", patch=f"{header}\nPUT 2.=2:\n+price = 1\n")
            assert not is_error
            fresh = next(line for line in text.split("\n") if line.startswith("[shop.py#"))
            assert not (await call(client, "edit_lines", patch=f"{fresh}\nCUT 7\n"))[0]

    anyio.run(session)
    after = LATER + TEXT.replace("price = 0", "price = 1").replace("in basket", "in sorted(basket)")
    assert (shop / "shop.py").read_text() == after.removesuffix("    total += item\n")
    found = recorded(corpus)
    assert {one.format for one in found} == {"hashline_h4"}
    outcomes = [one.provenance.recorded_outcome for one in found]
    assert sorted(map(str, outcomes)) == ["applied", "applied", "applied", "unread"]
    [fresh] = [one for one in found if "seen:same" in one.tags]
    assert (fresh.label, fresh.label_source) == ("apply", "exact")
    assert fresh.target is not None
    assert fresh.target[0].content == (shop / "shop.py").read_text()
    for one in found:
        if one is not fresh:
            assert one.seen is not None
            assert one.seen[0].content == TEXT
            live = {file.path: file.content for file in one.before}
            assert isinstance(apply_anchored(live, one.patch or "", one.format, seen={"shop.py": TEXT}), Applied)


def test_calls_of_h2_are_samples_of_h2(shop: Path) -> None:
    corpus = shop.parent / "edits.jsonl"

    async def session() -> None:
        async with connected(shop, anchors="hashline_h2", record=corpus) as client:
            _, text = await call(client, "read", filePath=str(shop / "shop.py"))
            anchors = [line.partition("|")[0] for line in text.split("\n")[1:-2]]
            edit = {"op": "replace", "pos": anchors[1], "lines": ["price = 1"]}
            path = str(shop / "shop.py")
            assert not (await call(client, "edit_lines", filePath=path, edits=[edit]))[0]
            (shop / "shop.py").write_text((shop / "shop.py").read_text().replace("total = 0", "total = 9"))
            edit = {"op": "replace", "pos": anchors[2], "end": anchors[3], "lines": None}
            assert not (await call(client, "edit_lines", filePath=path, edits=[edit]))[0]

    anyio.run(session)
    exact, stale = recorded(corpus)
    assert json.loads(exact.patch or "")["filePath"] == "shop.py"
    assert (exact.format, exact.label, exact.label_source) == ("hashline_h2", "apply", "exact")
    assert "seen:same" in exact.tags
    assert exact.target is not None
    assert exact.target[0].content == TEXT.replace("price = 0", "price = 1")
    assert stale.provenance.recorded_outcome == "applied"
    assert stale.seen is not None
    assert stale.seen[0].content == TEXT.replace("price = 0", "price = 1")
