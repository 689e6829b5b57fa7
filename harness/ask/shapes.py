"""Shapes of repair: how other programs ask a model about a refused edit, and how they read its reply.

Some agents send a refused edit, the file and the refusal to a second model, and apply its answer; others let a model
merge every edit into the whole file. Whether this pays depends on what it rescues, what it gets wrong (above all
edits that were refused rightly) and what it costs. Each refusal is asked about several times and the replies are
kept. Strategies then read them offline, behind the rule:

    sample -- RULE refuses --> RepairQuestion -- shape --> Reply --> replies file
                                                                         |
    `repair/SHAPE#DRAW@RULE=FILE.replies`  =  RULE, and where it refuses, the reply number DRAW

Reading repairs nothing: after a reply in another form than the shape asks for, the refusal stays. To add a shape: a
file in `templates/repairs`, a function that reads its replies, and a line in `SHAPES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from editcore.types import Edit
from harness.ask.formats import Unreadable, fences, json_object, json_value, text_field


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
            "Copilot's healing, both of its questions in one: corrected texts, of which the old one must stand once.",
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
