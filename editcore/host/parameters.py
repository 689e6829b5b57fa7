"""Parameters of tools: a dataclass -> its JSON Schema 2020-12; JSON from a model -> an instance, or an error."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from itertools import islice
from types import UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from editcore.errors import ToolError, similar_names
from editcore.quoting import shown
from editcore.types import Reason

_Parameters = TypeVar("_Parameters")
_MOST_NAMED = 10
"""Wrong names that a message lists."""
_WRONG = re.compile(r"(.*?)(?: - at `\$([^`]*)`)?", re.DOTALL)
_NO_CHOICE = re.compile(r"\Ainvalid enum value (.*)", re.DOTALL)
_NAMES = {
    "str": "a string", "int": "an integer", "float": "a number", "bool": "true or false", "array": "a list",
    "object": "an object", "null": "null", "None": "null",
}  # fmt: skip


def schema(parameters: type) -> dict[str, Any]:
    """JSON Schema 2020-12 of a dataclass. It has no references and forbids other names."""
    made = msgspec.json.schema(parameters)
    definitions = made.get("$defs", {})
    found: dict[str, Any] = _resolved(made, definitions)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}


def declaration(id: str, description: str, parameters: type) -> dict[str, Any]:
    """The tool as model APIs take it: `name`, `description`, `input_schema`."""
    return {"name": id, "description": description, "input_schema": schema(parameters)}


def _resolved(node: Any, definitions: Mapping[str, Any]) -> Any:
    """The schema with its references inlined, because some model APIs do not follow them."""
    if isinstance(node, list):
        return [_resolved(one, definitions) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        siblings = {key: value for key, value in node.items() if key not in ("$ref", "$defs")}
        target = definitions[node["$ref"].rpartition("/")[2]]
        node = {**target, **siblings}
        # The title is the name of a class and the description its docstring. Neither is meant for the model.
        node = {
            key: value for key, value in node.items() if key != "title" and (key != "description" or key in siblings)
        }
        node["additionalProperties"] = False
    return {key: _resolved(value, definitions) for key, value in node.items() if key != "$defs"}


def read(tool: str, parameters: type[_Parameters], sent: object) -> _Parameters:
    """Convert JSON values to the dataclass. Raises ToolError, which names the tool, the field and the problem."""
    if isinstance(sent, parameters):
        return sent
    plain = _as_meant(parameters, _plain(sent))
    names = list(islice(_wrong_names(parameters, plain, ""), _MOST_NAMED + 1))
    try:
        if names:
            field, problem = names[0].place, names[0].problem
        else:
            return msgspec.convert(plain, parameters)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        # Msgspec raises UnicodeEncodeError if the message would quote a lone surrogate.
        known = isinstance(error, msgspec.ValidationError)
        field, problem = (
            _field_and_problem(str(error)) if known else ("", "a lone surrogate where no string is allowed")
        )
    where = f"parameter {shown(field)}" if field else "the parameters"
    if choices := _choices(parameters, field):
        problem = _NO_CHOICE.sub(r"no \1", problem) + f": give one of {', '.join(map(repr, choices))}"
    raise ToolError(
        f"{tool}: {where}: {problem}{_others(names[1:])}. Correct it and send the call again.",
        reason=Reason.MALFORMED,
        metadata={"tool": tool, "field": field},
    )


def _plain(sent: Any, depth: int = 0) -> Any:
    """The same value with whole floats as integers, because JSON Schema accepts 5.0 as an integer."""
    if depth > 100:
        raise ToolError("The parameters are nested too deeply: send flat ones.", reason=Reason.MALFORMED)
    if isinstance(sent, float) and sent.is_integer():
        return int(sent)
    if isinstance(sent, Mapping):
        return {key: _plain(value, depth + 1) for key, value in sent.items()}
    if isinstance(sent, list | tuple):
        return [_plain(value, depth + 1) for value in sent]
    return sent


def _as_meant(kind: Any, sent: Any) -> Any:
    """The value as the type takes it, if it can mean nothing else.

    Text in JSON is a list or an object, "false" and "12" are a boolean and a number, one object is a list of one, and
    null is a field left out.
    """
    kinds = set(get_args(kind)) if isinstance(kind, UnionType) or get_origin(kind) is Union else {kind}
    item = next((get_args(one)[0] for one in kinds if get_origin(one) is list), None)
    if isinstance(sent, str) and not any(one is str or get_origin(one) is Literal for one in kinds):
        read = _read_text(sent)
        plain = [dict if is_dataclass(one) else get_origin(one) or one for one in (*kinds, item)]
        sent = read if type(read) in plain else sent
    found = next((one for one in kinds if isinstance(one, type) and is_dataclass(one)), None)
    if isinstance(sent, dict) and found is None and is_dataclass(item):
        sent = [sent]
    if isinstance(sent, list) and item is not None:
        return [_as_meant(item, one) for one in sent]
    if not isinstance(sent, dict) or found is None:
        return sent
    hints = _hints(found)
    optional = [one.name for one in fields(found) if one.default is not MISSING and one.default is not None]
    return {
        name: _as_meant(hints.get(name, Any), value)
        for name, value in sent.items()
        if value is not None or name not in optional
    }


def _read_text(text: str) -> Any:
    with suppress(ValueError, RecursionError):
        return _plain(json.loads(text.lower() if text in ("True", "False") else text, parse_constant=int))
    return text


class _WrongName(NamedTuple):
    """A name that is no parameter, or a required parameter that is missing."""

    place: str
    """Its place, such as `edits[0].op`."""
    problem: str
    near: str = ""
    """The parameter that an unknown name is most like."""
    is_missing: bool = False


def _wrong_names(kind: Any, sent: Any, place: str) -> Iterator[_WrongName]:
    """The wrong names of a dataclass, and of dataclasses inside it: at each place the unknown ones first."""
    if isinstance(sent, list):
        for n, one in enumerate(sent):
            yield from _wrong_names(kind, one, f"{place.removesuffix('.')}[{n}].")
    if not isinstance(sent, dict):
        return
    for one in _dataclasses(kind):
        names, meant = [field.name for field in fields(one)], set[str]()
        for name in (name for name in sent if name not in names):
            near = next(iter(similar_names(str(name), names, limit=1, similarity=0.6)), "")
            meant.add(near)
            told = f"did you mean {near}" if near else f"there are {', '.join(names)}"
            yield _WrongName(f"{place}{name}", f"there is no such parameter, {told}", near)
        for field in fields(one):
            is_required = field.default is MISSING and field.default_factory is MISSING
            if is_required and field.name not in sent and field.name not in meant:
                yield _WrongName(f"{place}{field.name}", "it is required, but missing", is_missing=True)
        for name in names:
            yield from _wrong_names(_hints(one)[name], sent.get(name), f"{place}{name}.")


def _others(names: Sequence[_WrongName]) -> str:
    """The end of a message about one wrong name that lists the others."""
    text = ""
    for heading, is_missing in (("also unknown", False), ("also missing", True)):
        found = [one for one in names[: _MOST_NAMED - 1] if one.is_missing == is_missing]
        listed = [f"{shown(one.place)}{f' ({one.near}?)' if one.near else ''}" for one in found]
        text += f"; {heading}: {', '.join(listed)}" if listed else ""
    return f"{text}, ..." if len(names) >= _MOST_NAMED else text


def _choices(kind: Any, field: str) -> list[Any]:
    """The values that a parameter may have if its type lists them. `field` is its place, such as `edits[0].op`."""
    for name in re.sub(r"\[\d+\]", "", field).split("."):
        kind = next((_hints(inner).get(name) for inner in _dataclasses(kind)), None)
    kinds = [kind, *get_args(kind)]
    return [value for one in kinds if get_origin(one) is Literal for value in get_args(one)]


_hints = cache(get_type_hints)


def _dataclasses(kind: Any) -> list[Any]:
    """The dataclass in a type, as a list of at most one: `D` of `list[D]` and of `D | None`."""
    if isinstance(kind, type) and is_dataclass(kind):
        return [kind]
    return [found for part in get_args(kind) for found in _dataclasses(part)][:1]


def _field_and_problem(message: str) -> tuple[str, str]:
    """The field and the problem that a message of msgspec names."""
    found = _WRONG.fullmatch(message)
    assert found
    spelled = re.compile(r"`(\w+(?: \| \w+)*)`").sub
    problem = spelled(lambda types: " or ".join(_NAMES.get(one, one) for one in types[1].split(" | ")), found[1])
    return (found[2] or "").lstrip(".").rstrip("."), problem[:1].lower() + problem[1:]
