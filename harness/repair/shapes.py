"""Shapes of repair: what a model is sent about a refused edit, and what is read of its reply."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import Any

from editcore.types import Edit
from harness.ask.clients.client import Request, Sampling, Turn
from harness.ask.formats import Unreadable, fences

_WORDS = Path(__file__).parent / "words"


@dataclass(frozen=True, slots=True)
class Broken:
    """An edit that a rule refuses."""

    path: str
    text: str
    """Of the file, with line feeds."""
    edit: Edit
    message: str
    """The refusal."""


@dataclass(frozen=True, slots=True)
class Whole:
    """The whole file as it shall be, with line feeds."""

    text: str


Repaired = Edit | Whole | None
"""None: the model says that nothing can or need be done, and the refusal stands."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What is sent, and how a reply is read."""

    summary: str
    read: Callable[[Broken, str], Repaired]
    """Raises Unreadable."""
    rule: str = ""
    """The strategy that applies what is read; empty: the one that has refused."""
    keeps_replace_all: bool = False
    """Whether a corrected edit is made everywhere if the refused one was to be; otherwise it must stand once."""


def request_of(shape: str, broken: Broken, model: str, sampling: Sampling) -> Request:
    """The question as it is sent."""
    words = words_of(shape)
    given = {
        "path": broken.path, "file": broken.text, "search": broken.edit.old_string, "replace": broken.edit.new_string,
        "message": broken.message,
        "edit": json.dumps(
            {
                "file": broken.text,
                "edit": {"type": "diff", "search": broken.edit.old_string, "replace": broken.edit.new_string},
            },
            ensure_ascii=False,
        ),
    }  # fmt: skip
    said = Template(words["user"]).substitute(given).strip()
    return Request(model, words["system"].strip(), (Turn("user", said),), None, sampling)


@lru_cache(maxsize=16)
def words_of(shape: str) -> Mapping[str, Any]:
    """The words of a shape."""
    return tomllib.loads((_WORDS / f"{shape}.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=16)
def words_hash(shape: str) -> str:
    """The hash of the words of a shape."""
    return hashlib.sha256((_WORDS / f"{shape}.toml").read_bytes()).hexdigest()[:12]


def _bare(said: str) -> str:
    """What a reply says, without the fence if it is all in one."""
    text = said.strip()
    inside = fences(text)
    return inside[0] if len(inside) == 1 and text.startswith("```") and text.endswith("```") else said


def _json(said: str) -> Any:
    try:
        return json.loads(_bare(said))
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"the reply is not JSON: {error!s:.120}") from None


def _object(said: str) -> Mapping[str, Any]:
    found = _json(said)
    if not isinstance(found, dict):
        raise Unreadable("the reply is no JSON object")
    return found


def _text(fields: Mapping[str, Any], name: str) -> str:
    if not isinstance(fields.get(name), str):
        raise Unreadable(f"`{name}` is no text")
    return str(fields[name])


def _read_gemini(_: Broken, said: str) -> Repaired:
    found = _object(said)
    if found.get("noChangesRequired") is True:
        return None
    return Edit(_text(found, "search"), _text(found, "replace"))


def _read_copilot(_: Broken, said: str) -> Repaired:
    found = _object(said)
    return Edit(_text(found, "corrected_target_snippet"), _text(found, "corrected_newString"))


def _read_diff_apply(_: Broken, said: str) -> Repaired:
    found = _json(said)
    if found is None:
        return None
    if isinstance(found, dict) and isinstance(found.get("edit"), dict):
        found = found["edit"]
    if not isinstance(found, dict):
        raise Unreadable("the reply is neither an edit nor null")
    return Edit(_text(found, "search"), _text(found, "replace"))


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
"""Name -> shape; each has a file of `words` with its name."""
