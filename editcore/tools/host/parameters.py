"""A tool's parameters: one dataclass -> JSON Schema 2020-12, and what a model sent -> an instance of it, or why not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec

from editcore.errors import ToolError
from editcore.quoting import shown
from editcore.types import Reason

_Parameters = TypeVar("_Parameters")
_MISSING = re.compile(r"Object missing required field `(.+?)`(?: - at `\$(.*)`)?")
_WRONG = re.compile(r"(.*?)(?: - at `\$(.*)`)?", re.DOTALL)
_NAMES = {
    "str": "a text", "int": "a whole number", "float": "a number", "bool": "true or false", "array": "a list",
    "object": "an object", "null": "null", "None": "null",
}  # fmt: skip


def schema(parameters: type) -> dict[str, Any]:
    """JSON Schema 2020-12 of a dataclass, in one piece; other names than its own are refused."""
    made = msgspec.json.schema(parameters)
    definitions = made.get("$defs", {})
    found: dict[str, Any] = _resolved(made, definitions)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}


def declaration(id: str, description: str, parameters: type) -> dict[str, Any]:
    """A tool in the shape that model APIs take."""
    return {"name": id, "description": description, "input_schema": schema(parameters)}


def _resolved(node: Any, definitions: Mapping[str, Any]) -> Any:
    """Without references: not every model API follows them."""
    if isinstance(node, list):
        return [_resolved(one, definitions) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        beside = {key: value for key, value in node.items() if key not in ("$ref", "$defs")}
        target = definitions[node["$ref"].rpartition("/")[2]]
        node = {**target, **beside}
        # The title is the name of a class, the description its docstring: neither is for the model.
        node = {key: value for key, value in node.items() if key != "title" and (key != "description" or key in beside)}
        node["additionalProperties"] = False
    return {key: _resolved(value, definitions) for key, value in node.items() if key != "$defs"}


def read(tool: str, parameters: type[_Parameters], sent: object) -> _Parameters:
    """What was sent, as the dataclass. Raises ToolError, which names the tool, the field and what was expected."""
    if isinstance(sent, parameters):
        return sent
    plain = _plain(sent)
    try:
        _check_names(parameters, plain, "$")
        return msgspec.convert(plain, parameters)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        # Msgspec can't tell of half a character: only where it would have to quote it is one of a wrong type.
        known = isinstance(error, msgspec.ValidationError)
        field, problem = _told(str(error)) if known else ("", "there is half a character where no text may be")
        where = f"parameter {shown(field)}" if field else "the parameters"
        raise ToolError(
            f"{tool}: {where}: {problem}. Send the call again with it put right.",
            reason=Reason.MALFORMED,
            metadata={"tool": tool, "field": field},
        ) from None


def _plain(sent: Any, depth: int = 0) -> Any:
    """What JSON Schema takes for the same: 5.0 is a whole number."""
    if depth > 100:
        raise ToolError("The parameters are nested too deeply.", reason=Reason.MALFORMED)
    if isinstance(sent, float) and sent.is_integer():
        return int(sent)
    if isinstance(sent, Mapping):
        return {key: _plain(value, depth + 1) for key, value in sent.items()}
    if isinstance(sent, list | tuple):
        return [_plain(value, depth + 1) for value in sent]
    return sent


def _check_names(kind: Any, sent: Any, place: str) -> None:
    """Raises ValidationError for a name that a dataclass, or one within it, does not have."""
    if isinstance(sent, list):
        for n, one in enumerate(sent):
            _check_names(kind, one, f"{place}[{n}]")
    if not isinstance(sent, dict):
        return
    for one in _dataclasses(kind):
        names = [field.name for field in fields(one)]
        for name in sent:
            if name not in names:
                near = get_close_matches(str(name), names, 1)
                meant = f"did you mean {near[0]}" if near else f"there are {', '.join(names)}"
                raise msgspec.ValidationError(f"there is no such parameter, {meant} - at `{place}.{name}`")
        hints = _hints(one)
        for name, value in sent.items():
            _check_names(hints[name], value, f"{place}.{name}")


_hints = cache(get_type_hints)


def _dataclasses(kind: Any) -> list[Any]:
    """The dataclass that a type is, or that it holds: the one of `list[D]` and of `D | None`."""
    if isinstance(kind, type) and is_dataclass(kind):
        return [kind]
    return [found for part in get_args(kind) for found in _dataclasses(part)][:1]


def _told(message: str) -> tuple[str, str]:
    """Field and problem of what msgspec says."""
    if missing := _MISSING.fullmatch(message):
        above = (missing[2] or "").lstrip(".")
        return f"{above}.{missing[1]}" if above else missing[1], "it is missing, and required"
    found = _WRONG.fullmatch(message)
    assert found
    problem = re.sub(r"`(\w+(?: \| \w+)*)`", lambda types: _named(types[1]), found[1])
    return (found[2] or "").lstrip(".").rstrip("."), problem[:1].lower() + problem[1:]


def _named(types: str) -> str:
    return " or ".join(_NAMES.get(one, one) for one in types.split(" | "))
