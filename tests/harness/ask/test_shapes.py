"""Shapes of repair: what is sent has every text in it as it is, and what is no answer is no repair."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.types import Edit
from harness.ask.clients.client import Sampling
from harness.ask.formats import Unreadable
from harness.ask.questions import RepairQuestion, template, template_hash
from harness.ask.shapes import SHAPES, Broken, Whole

BROKEN = Broken("a.py", "a = 1\nb = 2\n", Edit("a = 2", "a = $& 3"), "it is not there")


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_has_words_and_they_hold_the_texts_as_they_are(shape: str) -> None:
    assert template(f"repairs/{shape}")["version"] == 1
    assert len(template_hash(f"repairs/{shape}")) == 12
    said = RepairQuestion("a", shape, BROKEN).request("m", Sampling(10)).turns[0].text
    shown = json.dumps(BROKEN.edit.new_string)[1:-1] if shape == "diff_apply" else BROKEN.edit.new_string
    assert shown in said
    assert (BROKEN.text.strip() in said) or (json.dumps(BROKEN.text)[1:-1] in said)


@pytest.mark.parametrize(
    ("shape", "reply", "repaired"),
    [
        ("gemini_cli", '{"search": "a = 1", "replace": "a = 3"}', Edit("a = 1", "a = 3")),
        ("gemini_cli", '```json\n{"search": "a", "replace": "b", "explanation": "x"}\n```', Edit("a", "b")),
        ("gemini_cli", '{"search": "", "replace": "", "noChangesRequired": true}', None),
        ("copilot", '{"corrected_target_snippet": "a = 1", "corrected_newString": "a = 3"}', Edit("a = 1", "a = 3")),
        ("diff_apply", "null", None),
        ("diff_apply", '{"type": "diff", "search": "a", "replace": "b"}', Edit("a", "b")),
        ("diff_apply", '{"file": "", "edit": {"search": "a", "replace": "b"}}', Edit("a", "b")),
        ("whole_file", "a = 3\nb = 2", Whole("a = 3\nb = 2\n")),
        ("whole_file", "```python\na = 3\nb = 2\n```", Whole("a = 3\nb = 2\n")),
        ("whole_file", "a = 1\nb = 2\n", None),
    ],
)
def test_a_reply_is_read_as_its_shape_asks_for(shape: str, reply: str, repaired: object) -> None:
    assert SHAPES[shape].read(BROKEN, reply) == repaired


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "whole_file"])
@given(reply=st.one_of(st.text(max_size=30), st.sampled_from(["[]", "{}", "1", '{"search": 1, "replace": 2}'])))
def test_any_other_reply_is_unreadable(shape: str, reply: str) -> None:
    try:
        found = SHAPES[shape].read(BROKEN, reply)
    except Unreadable:
        return
    assert found is None
    assert json.loads(reply) is None
