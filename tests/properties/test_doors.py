"""One edit through every door: the function, the server, the strategies and the tools write the same text, or refuse.

An edit is drawn with the file as the model read it and the file as it is now. A door gets both in its own way: the
function as `seen`, the server as a field, a strategy as a sample, a tool by a reading and another hand's write.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from corpora.sample import Sample
from editcore import apply_begin_patch, apply_unified_diff, unified_diff
from editcore import replace as replaced
from editcore.host.host import Agent, Host
from editcore.host.registry import Registry
from editcore.host.tool import Context
from editcore.host.tools import TOOLS
from editcore.host.workspace import Workspace
from editcore.server import answer
from editcore.types import Applied, Edit, EditResult, File
from harness.strategies.registry import strategy
from tests.samples import sample

NAME = "a.py"
LINES = st.lists(
    st.sampled_from(["a = 1", "b = 2", "    c = 3", "d(a, b)", "", "    return a", "}"]), min_size=1, max_size=10
)


@dataclass(frozen=True)
class Drawn:
    """An edit, the file as it was read, and the file as it is now."""

    seen: str
    now: str
    format: str
    edit: dict[str, Any] = field(default_factory=dict)
    """The fields of a request to the server that say what is edited."""

    def of(self, result: EditResult) -> str:
        """The text that the file has after this result."""
        if not isinstance(result, Applied):
            return self.now
        files = {NAME: result.content or ""} if result.files is None else result.files
        return files[NAME]

    @property
    def is_stale(self) -> bool:
        return self.seen != self.now

    def server(self) -> str:
        seen = {"seen": [{"path": f"./{NAME}", "content": self.seen}]} if self.is_stale else {}
        asked = {"id": "1", "format": self.format, "before": [{"path": NAME, "content": self.now}], **seen, **self.edit}
        told = json.loads(answer(json.dumps(asked).encode()))
        assert told["status"] == "applied" or told.get("fault") != "caller", told
        return told["after"][0]["content"] if told["status"] == "applied" else self.now

    def strategy(self, name: str) -> str:
        edits = self.edit.get("edits")
        one: Sample = replace(
            sample(0), format=self.format, before=(File(NAME, self.now),),
            edits=edits and tuple(Edit(**fields) for fields in edits), patch=self.edit.get("patch"),
            line=self.edit.get("line"), end_line=self.edit.get("end_line"),
            seen=(File(NAME, self.seen),) if self.is_stale else None, label="unlabelled", target=None,
        )  # fmt: skip
        return self.of(strategy(name).apply(one, None))

    def tool(self, name: str, **params: Any) -> str:
        with TemporaryDirectory() as folder:
            root = Path(folder) / "project"
            root.mkdir()
            file = root / NAME
            file.write_text(self.seen)
            registry = Registry(Host(Workspace(root, durable=False, lock_directory=Path(folder) / "locks")), TOOLS)
            context = Context("s")
            assert not registry.call(Agent(), "read", context, {"filePath": NAME}).is_error
            file.write_text(self.now)
            registry.call(Agent(), name, context, params)
            return file.read_text()


def text(lines: list[str]) -> str:
    return "".join([f"{line}\n" for line in lines])


@st.composite
def files(draw: st.DrawFn) -> tuple[str, str]:
    """A file as it was read, and as it is now: the same, with a few lines changed, added or deleted."""
    seen = draw(LINES)
    now = list(seen)
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(now)))
        now[at : at + draw(st.integers(0, 2))] = draw(LINES)[:2]
    return text(seen), text(now) or "a = 1\n"


def agree(found: Mapping[str, str], now: str) -> None:
    event("refused" if {*found.values()} == {now} else "written")
    assert len({*found.values()}) == 1, found


@settings(max_examples=60)
@given(files(), st.data(), st.booleans())
def test_a_pair(both: tuple[str, str], data: st.DataObject, everywhere: bool) -> None:
    seen, now = both
    lines = seen.split("\n")
    first = data.draw(st.integers(0, len(lines) - 1))
    old = "\n".join(lines[first : first + data.draw(st.integers(1, 3))])
    new = data.draw(LINES.map("\n".join))
    assume(old and old != new)
    one = Drawn(
        seen, now, "str_replace", {"edits": [{"old_string": old, "new_string": new, "replace_all": everywhere}]}
    )
    pair = {"oldString": old, "newString": new, "replaceAll": everywhere}
    known = seen if one.is_stale else None
    rule = "stale/recommended" if one.is_stale else "cascade/recommended"
    agree(
        {
            "function": one.of(replaced(now, old, new, replace_all=everywhere, seen=known, path=NAME)),
            "server": one.server(),
            rule: one.strategy(rule),
            "tool/edit": one.strategy("tool/edit"),
            "edit": one.tool("edit", filePath=NAME, **pair),
            "multi_edit": one.tool("multi_edit", filePath=NAME, edits=[pair]),
        },
        now,
    )


@settings(max_examples=60)
@given(files(), st.data(), st.lists(st.sampled_from(["new()", "other()"]), min_size=1, max_size=2).map(text))
def test_lines_by_number(both: tuple[str, str], data: st.DataObject, new: str) -> None:
    seen, now = both
    line = data.draw(st.integers(1, seen.count("\n")))
    one = Drawn(seen, now, "insert", {"patch": new, "line": line})
    agree(
        {
            "server": one.server(),
            "tool/insert_at": one.strategy("tool/insert_at"),
            "insert_at": one.tool("insert_at", path=NAME, line=line, content=new),
            "hunk": one.tool(
                "patch_file", path=NAME, patch=f"@@ -{line},0 +{line + 1},{new.count(chr(10))} @@\n{plus(new)}"
            ),
        },
        now,
    )


def plus(new: str) -> str:
    return "".join([f"+{line}\n" for line in new.split("\n")[:-1]])


def patches(both: tuple[str, str], wanted: str) -> Iterator[tuple[str, str]]:
    """The format and text of a patch of the file as it was read, in each format of patches."""
    diff = unified_diff(both[0], wanted, path=NAME)
    if diff:
        yield "unified_diff", diff
        yield "begin_patch", f"*** Begin Patch\n*** Update File: {NAME}\n{diff.split(chr(10), 2)[2]}*** End Patch\n"


@settings(max_examples=60)
@given(files(), LINES.map(text))
def test_a_patch(both: tuple[str, str], wanted: str) -> None:
    seen, now = both
    for format, patch in patches(both, wanted):
        one = Drawn(seen, now, format, {"patch": patch})
        known = {"seen": {NAME: seen}} if one.is_stale else {}
        apply = apply_unified_diff if format == "unified_diff" else apply_begin_patch
        tool = ("patch_file", {"path": NAME}) if format == "unified_diff" else ("edit_patch", {})
        agree(
            {
                "function": one.of(apply({NAME: now}, patch, **known)),
                "server": one.server(),
                "strategy": one.strategy(f"tool/{tool[0]}"),
                tool[0]: one.tool(tool[0], patch=patch, **tool[1]),
            },
            now,
        )
