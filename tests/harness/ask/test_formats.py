"""Formats and shapes: a well-written reply becomes the right edit, any other is malformed, and all texts reach the
model.
"""

from __future__ import annotations

import json
from functools import cache
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.sample import Sample
from editcore.types import Applied, Edit
from harness.ask.clients.client import Call, Reply, Sampling, Usage
from harness.ask.formats import ASKED, SHAPES, Broken, Style, Unreadable, Whole, payloads
from harness.ask.questions import RepairQuestion, TaskQuestion, template, template_hash
from harness.ask.tasks import LEVELS, Task, tasks
from harness.run.scoring import Judge
from harness.strategies.registry import strategy
from tests.harness.ask.scripted_model import said, well_written

_RULES = {"str_replace": "cascade/recommended", "multi_edit": "cascade/recommended", "whole_file": "line_range/lines"}
_RULES |= {"search_replace": "search_replace/recommended", "begin_patch": "begin_patch/lenient"}
_RULES |= {"unified_diff": "unified_diff/tolerant"}
_IN_TEXT = ("str_replace", "multi_edit", "search_replace", "whole_file", "hashline_h4")
_STYLES: tuple[Style, ...] = ("tool", "text")


@cache
def _tasks() -> list[Task]:
    return list(islice(tasks("mutations:house", levels=LEVELS, seed=3), 14))


def _read(question: TaskQuestion, reply: Reply) -> Sample:
    sample = question.read(reply)
    assert sample
    return sample


def _reply(question: TaskQuestion, edit: str) -> Reply:
    one = said(question, edit)
    return Reply(one.text, tuple(Call(name, arguments) for name, arguments in one.calls), "end", Usage())


@pytest.mark.parametrize(
    ("name", "style"), [*((name, "tool") for name in ASKED), *((name, "text") for name in _IN_TEXT)]
)
def test_a_well_written_reply_is_right(name: str, style: Style) -> None:
    rule = strategy(_RULES.get(name, "anchors/recommended"))
    n = 0
    for task in _tasks():
        edit = well_written(task, name) if ASKED[name].takes(task) else None
        # A whole file that was changed since says nothing of what another hand did.
        if edit is None or (name == "whole_file" and task.shown != task.live):
            continue
        question = TaskQuestion(task, name, style, 0)
        sample = _read(question, _reply(question, edit))
        assert sample.format == ASKED[name].format
        result = rule.apply(sample, None)
        assert isinstance(result, Applied), (task.id, task.axes, result)
        assert Judge(sample).verdict(result) == "correct", (task.id, task.axes)
        n += 1
    assert n > 5


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("str_replace", '{"path": "PATH", "old_string": "a"', "not JSON"),
        ("str_replace", '{"path": "PATH", "old_string": "a", "new_string": 3}', "`new_string` is no text"),
        ("str_replace", '{"path": "other.py", "old_string": "a", "new_string": "b"}', "names another file"),
        ("str_replace", "[1]", "no JSON object"),
        ("multi_edit", '{"path": "PATH", "edits": "all"}', "no list of objects"),
        ("multi_edit", '{"path": "PATH", "edits": []}', "no edits"),
        ("unified_diff", '{"patch": null}', "`patch` is no text"),
        ("whole_file", '{"path": "PATH"}', "`content` is no text"),
        ("str_replace", "[" * 100_000, "not JSON"),
    ],
)
def test_a_call_that_cannot_be_read_is_malformed(name: str, arguments: str, why: str) -> None:
    task = next(one for one in _tasks() if len(one.shown) == 1)
    question = TaskQuestion(task, name, "tool", 0)
    call = Call(template(name)["name"], arguments.replace("PATH", task.shown[0].path))
    with pytest.raises(Unreadable, match=why):
        _read(question, Reply("", (call,), "end", Usage()))


def test_the_raw_call_is_the_patch_of_a_format_whose_rules_read_it() -> None:
    task = next(one for one in _tasks() if len(one.shown) == 1)
    question = TaskQuestion(task, "hashline_h2", "tool", 0)
    raw = '{ "filePath":"x", "edits" :[ ] } broken'
    assert _read(question, Reply("", (Call("edit", raw),), "end", Usage())).patch == raw


def test_fences_are_read_by_their_length() -> None:
    text = "Well:\n````\na\n```\nb\n```\n````\nand\n```py\nc\n```\nand ```\nopen"
    assert payloads(Reply(text, (), "end", Usage()), "text", "edit") == ["a\n```\nb\n```\n", "c\n"]


def test_calls_of_other_tools_are_no_edits() -> None:
    reply = Reply("", (Call("bash", "{}"),), "end", Usage())
    assert payloads(reply, "tool", "edit") == []


@pytest.mark.parametrize("style", _STYLES)
@pytest.mark.parametrize("name", ASKED)
def test_a_question_has_the_file_and_the_task_in_the_words_of_the_format(name: str, style: Style) -> None:
    task = next(one for one in _tasks() if len(one.shown) == 1 and one.level == "copy")
    request = TaskQuestion(task, name, style, 0).request("m", Sampling(100))
    text = request.turns[0].text
    assert task.instruction in text
    assert task.shown[0].path in text
    assert (request.tool is not None) == (style == "tool")
    if request.tool:
        assert json.loads(json.dumps(request.tool.schema))["required"]
    assert "$" not in text.replace(task.shown[0].content, "").replace(task.instruction, "").replace(">$", "")


# Shapes of repair: what is sent has every text in it as it is, and what is no answer is no repair.

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
