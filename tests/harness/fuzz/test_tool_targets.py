"""The properties of the tools' fuzz targets find the defects that they are for."""

from __future__ import annotations

from random import Random

import pytest

from editcore.cascade import Cascade
from editcore.host.shell import script
from editcore.text.document import Document
from editcore.types import Edit, EditResult
from harness.fuzz.targets import tool_calls
from harness.fuzz.targets.tool_calls import line_endings_hold
from harness.fuzz.targets.tool_host import call, parameters_are_read, patterns_are_narrow


def _as_it_is(text: str, edit: Edit, cascade: Cascade) -> EditResult:
    return cascade.apply(Document(text), edit)


@pytest.mark.parametrize(
    ("text", "old", "new", "path"),
    [
        ("x\r\ny\r\nq\r\nx\ny\n", "x\ny", "z", "ambiguous"),
        ("a\r\nfoo\r\nb\r\n", "\nfoo", "", "uniform"),
        ("a\r\nfoo\r\nb\r\n", "foo", "bar\nbaz", "uniform"),
        ("a\nfoo\n", "foo", "bar\r\nbaz", "uniform"),
    ],
)
def test_an_edit_that_sees_carriage_returns_is_found(
    monkeypatch: pytest.MonkeyPatch, text: str, old: str, new: str, path: str
) -> None:
    assert line_endings_hold(text, old, new) == []
    monkeypatch.setattr(tool_calls, "apply_edit", _as_it_is)
    assert [one.path for one in line_endings_hold(text, old, new)] == [path]


def test_a_wrapper_that_widens_a_permission_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert patterns_are_narrow("ls a; git status") == ()
    monkeypatch.setattr(script, "QUIET", script.QUIET | {"setsid"})
    assert [one.property for one in patterns_are_narrow("rm a")] == ["patterns_are_narrow"]
    assert any(parameters_are_read(call(Random(seed)), False) for seed in range(2000))
