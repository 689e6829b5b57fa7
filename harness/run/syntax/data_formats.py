"""How bad a wrong edit of a data file is, by the parser of its own format: is it read, and does it say the same?

Runs in the process of the parsers, which bounds CPU time and memory. Nothing is fetched, no entity is expanded, no
object of a program is made, and values that a file repeats by reference are compared once.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from math import isnan
from types import MappingProxyType
from typing import Any
from xml.parsers import expat

from editcore.notebooks import Unreadable, cells

_LARGEST_YAML = 200_000
"""Bytes: longer ones take longer than the process may, and are left to the grammar."""


class _Malformed(Exception):
    """A text that its format does not take."""


class _NotJudged(Exception):
    """A text that is well-formed, perhaps, but not read here."""


def severity(language: str, right: bytes, given: bytes) -> str | None:
    """The severity of a text compared with the right one; None where this format does not tell.

    It does not where the right text is malformed, either is too deep or declares entities, or the format is no data.
    """
    read = READERS.get(language)
    if read is None:
        return None
    try:
        wanted = _read(read, right)
    except (_Malformed, _NotJudged):
        return None
    try:
        found = _read(read, given)
    except _Malformed:
        return "broken"
    except _NotJudged:
        return None
    return "same_tree" if is_same(wanted, found) else "other_tree"


def _read(read: Callable[[str], Any], data: bytes) -> Any:
    try:
        return read(data.decode("utf-8", "surrogatepass"))
    except (ValueError, expat.ExpatError) as error:
        raise _Malformed from error
    except (RecursionError, ArithmeticError) as error:
        raise _NotJudged from error


def is_same(left: Any, right: Any) -> bool:
    """Whether two values are equal, and of the same types. Nothing recurses; shared values are compared once."""
    waiting, seen = [(left, right)], set[tuple[int, int]]()
    while waiting:
        one, other = waiting.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, dict | list | tuple):
            if (id(one), id(other)) in seen:
                continue
            seen.add((id(one), id(other)))
            if len(one) != len(other):
                return False
            if isinstance(one, dict):
                if one.keys() != other.keys():
                    return False
                waiting += ((value, other[key]) for key, value in one.items())
            else:
                waiting += zip(one, other, strict=True)
        elif one != other and not (isinstance(one, float) and isnan(one) and isnan(other)):
            return False
    return True


def _json(text: str) -> Any:
    return json.loads(text, parse_int=Decimal, parse_float=Decimal, parse_constant=_no_constant)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _notebook(text: str) -> Any:
    """Its data, in which a text is the same as a list of its lines."""
    if isinstance(cells(text), Unreadable):
        raise ValueError("no notebook")
    data = json.loads(text)
    for cell in data["cells"]:
        outputs = cell.get("outputs")
        for part in (cell, *(outputs if isinstance(outputs, list) else ())):
            for key in ("source", "text"):
                lines = part.get(key) if isinstance(part, dict) else None
                if isinstance(lines, list) and all(isinstance(one, str) for one in lines):
                    part[key] = "".join(lines)
    return data


def _yaml(text: str) -> Any:
    import yaml

    if len(text.encode("utf-8", "surrogatepass")) > _LARGEST_YAML:
        raise _NotJudged
    try:
        return list(yaml.load_all(text, _yaml_loader()))
    except yaml.YAMLError as error:
        raise _Malformed from error


@cache
def _yaml_loader() -> Any:
    """The safe loader, with values of unknown tags as what they are tagged with and on."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        pass

    def tagged(loader: Any, node: Any) -> Any:
        make = {yaml.ScalarNode: loader.construct_scalar, yaml.SequenceNode: loader.construct_sequence}
        plain = make.get(type(node))
        return (node.tag, plain(node) if plain else loader.construct_mapping(node, deep=True))

    Loader.add_constructor(None, tagged)
    return Loader


def _xml(text: str) -> Any:
    """Its elements, texts and instructions, in order. Whitespace alone between tags is layout, and so are comments."""
    found: list[tuple[Any, ...]] = []
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: found.append(("<", name, tuple(sorted(attributes.items()))))
    parser.EndElementHandler = lambda name: found.append((">", name))
    parser.CharacterDataHandler = lambda data: found.append(("text", data))
    parser.ProcessingInstructionHandler = lambda target, data: found.append(("?", target, data))
    parser.EntityDeclHandler = _no_entity
    parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    return list(_without_layout(found))


def _no_entity(*_: Any) -> None:
    raise _NotJudged


def _without_layout(found: list[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    text = ""
    for one in [*found, ("",)]:
        if one[0] == "text":
            text += one[1]
            continue
        if text.strip():
            yield ("text", text)
        text = ""
        yield one


READERS: Mapping[str, Callable[[str], Any]] = MappingProxyType(
    {"json": _json, "notebook": _notebook, "toml": tomllib.loads, "xml": _xml, "yaml": _yaml}
)
"""Language, as `corpora.languages` calls it -> what reads a text of it. Raises ValueError for a malformed one."""
