"""The formats that are asked for: how each shows a file, and how a reply becomes a sample; the shapes of repairs.

A reply is read, never repaired: the text in the tool's argument or in the fence goes into the sample unchanged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from corpora.languages import language
from corpora.sample import SEEN_SAME, Format, Provenance, Sample, validated
from editcore.anchors import show
from editcore.formats import FORMATS
from editcore.text.endings import line_feeds
from editcore.types import Edit, File
from harness.ask.clients.client import Reply
from harness.ask.tasks import Task

Style = Literal["tool", "text"]
_OPENING = re.compile(r"[ ]{0,3}(`{3,})[^`]*")
_MOST_EDITS = 10_000


class Unreadable(Exception):
    """A reply whose edit cannot be read, with the reason."""


Fields = dict[str, Any]
Read = Callable[[Task, Sequence[str], Style], Fields]
"""(task, payloads of the reply, style) -> fields of a sample that hold the edit. Raises Unreadable."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A format as a model is asked for it."""

    format: Format
    """Format of the samples."""
    read: Read
    several_calls: bool = False
    """True if a call makes one change, so that several changes need several calls."""

    def takes(self, task: Task) -> bool:
        """True if the format can express the task's change."""
        return FORMATS[self.format].several_files or len(task.shown) == 1

    def shown(self, file: File) -> str:
        """A file as the model sees it, with line feeds, as every tool shows files."""
        view = FORMATS[self.format].view
        return line_feeds(file.content) if view is None else show(file.content, view, path=file.path)


def payloads(reply: Reply, style: Style, tool: str) -> list[str]:
    """Arguments of the calls of the tool, or texts in fences; empty for a reply without an edit."""
    if style == "tool":
        return [call.arguments for call in reply.calls if call.name == tool]
    return fences(reply.text)


def fences(text: str) -> list[str]:
    """Texts of the fenced blocks, each with its final line feed. An unclosed fence is no block."""
    found, inside, marks = list[str](), list[str](), ""
    for line in text.split("\n"):
        line = line.removesuffix("\r") if not marks else line
        if not marks:
            opening = _OPENING.fullmatch(line)
            marks, inside = (opening[1], []) if opening else ("", inside)
        elif line.strip() == "`" * max(len(marks), len(line.strip())):
            found.append("".join(f"{one}\n" for one in inside))
            marks = ""
        else:
            inside.append(line)
    return found


def sample_of(
    asked: Asked, task: Task, said: Sequence[str], style: Style, *, id: str, origin: Provenance, tags: Sequence[str]
) -> Sample:
    """The sample of a reply with the payloads `said`. Raises Unreadable."""
    fields = asked.read(task, said, style)
    stale = task.shown != task.live
    marks = [f"language:{language(task.shown[0].path)}", *tags, *(() if stale else (SEEN_SAME,))]
    try:
        return validated(
            Sample(
                id=id,
                format=asked.format,
                before=task.live,
                label="apply" if task.must_change else "refuse",
                target=task.target if task.must_change else None,
                label_source="asked",
                tags=tuple(marks),
                provenance=replace(origin, parent_id=task.id),
                seen=task.shown if stale else None,
                **fields,
            )
        )
    except ValueError as error:
        raise Unreadable(str(error)) from None


def _patch(_: Task, said: Sequence[str], style: Style) -> Fields:
    """The text of the edit. The texts of several calls or fences are joined."""
    texts = said if style == "text" else [text_field(json_object(one), "patch") for one in said]
    return {"patch": "".join(texts)}


def _json_call(task: Task, said: Sequence[str], _: Style) -> Fields:
    """The JSON of a call, which the format's rules read themselves. The edits of several calls are joined."""
    del task
    if len(said) == 1:
        return {"patch": said[0]}
    calls, edits = [json_object(one) for one in said], list[Any]()
    name = "cmds" if "cmds" in calls[0] else "edits"
    for call in calls:
        if not isinstance(call.get(name), list):
            raise Unreadable("several calls, one without a list of edits")
        edits += call[name]
    return {"patch": json.dumps({**calls[0], name: edits}, ensure_ascii=False)}


def _edit_calls(task: Task, said: Sequence[str], _: Style) -> Fields:
    return {"edits": _edits(task, [one for text in said for one in _objects(text)])}


def _edit_lists(task: Task, said: Sequence[str], _: Style) -> Fields:
    edits = list[Mapping[str, Any]]()
    for call in map(json_object, said):
        listed = call.get("edits")
        if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
            raise Unreadable("`edits` is no list of objects")
        _check_path(task, call)
        edits += listed
    return {"edits": _edits(task, edits)}


def _edits(task: Task, given: Sequence[Mapping[str, Any]]) -> tuple[Edit, ...]:
    if not given or len(given) > _MOST_EDITS:
        raise Unreadable("no edits, or too many")
    for one in given:
        if "path" in one:
            _check_path(task, one)
    return tuple(Edit(text_field(one, "old_string"), text_field(one, "new_string")) for one in given)


def _whole(task: Task, said: Sequence[str], style: Style) -> Fields:
    """The whole text, in place of all lines: the file keeps its line endings."""
    if len(said) != 1:
        raise Unreadable("more than one whole file")
    text = said[0]
    if style == "tool":
        call = json_object(text)
        _check_path(task, call)
        text = text_field(call, "content")
    n_lines = len(task.live[0].content.removesuffix("\n").split("\n"))
    return {"patch": text, "line": 1, "end_line": n_lines}


def _objects(text: str) -> list[Mapping[str, Any]]:
    value = json_value(text)
    objects = value if isinstance(value, list) else [value]
    if not all(isinstance(one, dict) for one in objects):
        raise Unreadable("the call is no JSON object")
    return objects


def json_object(text: str, *, what: str = "the call") -> Mapping[str, Any]:
    """The JSON object that a model wrote; `what` names the text in errors. Raises Unreadable."""
    value = json_value(text, what=what)
    if not isinstance(value, dict):
        raise Unreadable(f"{what} is no JSON object")
    return value


def json_value(text: str, *, what: str = "the call") -> Any:
    """The JSON value that a model wrote; `what` names the text in errors. Raises Unreadable."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{what} is not JSON: {error!s:.120}") from None


def text_field(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise Unreadable(f"`{name}` is no text")
    return value


def _check_path(task: Task, fields: Mapping[str, Any]) -> None:
    path = fields.get("path")
    if not isinstance(path, str) or path.removeprefix("./") != task.shown[0].path:
        raise Unreadable("the call names another file")


ASKED: Mapping[str, Asked] = MappingProxyType(
    {
        "str_replace": Asked("str_replace", _edit_calls, several_calls=True),
        "multi_edit": Asked("str_replace", _edit_lists),
        "search_replace": Asked("search_replace", _patch),
        "unified_diff": Asked("unified_diff", _patch),
        "begin_patch": Asked("begin_patch", _patch),
        "hashline_h2": Asked("hashline_h2", _json_call),
        "hashline_h4": Asked("hashline_h4", _patch),
        "exhash": Asked("exhash", _json_call),
        "whole_file": Asked("line_range", _whole),
    }
)
"""Name -> format; each has a file of `templates` with its name."""


# Shapes of repair: how other programs ask a model about a refused edit, and how they read its reply.
#
# Some agents send a refused edit, the file and the refusal to a second model, and apply its answer; others let a model
# merge every edit into the whole file. Whether this pays depends on what it rescues, what it gets wrong (above all
# edits that were refused rightly) and what it costs. Each refusal is asked about several times and the replies are
# kept. Strategies then read them offline, behind the rule:
#
#     sample -- RULE refuses --> RepairQuestion -- shape --> Reply --> replies file
#                                                                          |
#     `repair/SHAPE#DRAW@RULE=FILE.replies`  =  RULE, and where it refuses, the reply number DRAW
#
# Reading repairs nothing: after a reply in another form than the shape asks for, the refusal stays. To add a shape: a
# file in `templates/repairs`, a function that reads its replies, and a line in `SHAPES`.


@dataclass(frozen=True, slots=True)
class Broken:
    """An edit that a rule refuses."""

    path: str
    text: str
    """The file's text, with line feeds."""
    edit: Edit
    message: str
    """Message of the refusal."""


@dataclass(frozen=True, slots=True)
class Whole:
    """The corrected text of the whole file, with line feeds."""

    text: str


Repaired = Edit | Whole | None
"""None where the model says that nothing can or need be done: the refusal stands."""
_REPLY = "the reply"


@dataclass(frozen=True, slots=True)
class Shape:
    """How a program has edits repaired: the summary for users, and the reader of replies."""

    summary: str
    read: Callable[[Broken, str], Repaired]
    """Raises Unreadable."""
    rule: str = ""
    """Strategy that applies the corrected edit; empty for the rule that refused."""
    keeps_replace_all: bool = False
    """True if a corrected edit inherits `replace_all`; otherwise its search text must be in the file once."""


def _bare(said: str) -> str:
    """The text inside the fence that encloses a whole reply; any other reply as it is."""
    text = said.strip()
    inside = fences(text)
    return inside[0] if len(inside) == 1 and text.startswith("```") and text.endswith("```") else said


def _edit(fields: Mapping[str, Any], old: str = "search", new: str = "replace") -> Edit:
    return Edit(text_field(fields, old), text_field(fields, new))


def _read_gemini(_: Broken, said: str) -> Repaired:
    found = json_object(_bare(said), what=_REPLY)
    return None if found.get("noChangesRequired") is True else _edit(found)


def _read_copilot(_: Broken, said: str) -> Repaired:
    return _edit(json_object(_bare(said), what=_REPLY), "corrected_target_snippet", "corrected_newString")


def _read_diff_apply(_: Broken, said: str) -> Repaired:
    found = json_value(_bare(said), what=_REPLY)
    if found is None:
        return None
    if isinstance(found, dict) and isinstance(found.get("edit"), dict):
        found = found["edit"]
    if not isinstance(found, dict):
        raise Unreadable("the reply is neither an edit nor null")
    return _edit(found)


def _read_whole(broken: Broken, said: str) -> Repaired:
    text = _bare(said)
    if not text.strip() and broken.text.strip():
        raise Unreadable("the reply is empty")
    ended = text.removesuffix("\n") + "\n" * broken.text.endswith("\n")
    return None if ended == broken.text else Whole(ended)


SHAPES: Mapping[str, Shape] = MappingProxyType(
    {
        "gemini_cli": Shape(
            "Gemini CLI's fixer: file, both texts and the refusal; corrected texts, which the rule applies.",
            _read_gemini,
            keeps_replace_all=True,
        ),
        "copilot": Shape(
            "Copilot's healing, both of its questions in one: corrected texts; the old one must stand once.",
            _read_copilot,
            rule="cascade/exact",
        ),
        "diff_apply": Shape(
            "diff-apply's question: file and edit as JSON; the edit corrected, or null where it is ambiguous.",
            _read_diff_apply,
        ),
        "whole_file": Shape(
            "Morph's and Relace's merge: file and new lines between marks of what is left out; the whole file.",
            _read_whole,
        ),
    }
)
"""Name -> shape; each has a file of `templates/repairs` with its name."""
