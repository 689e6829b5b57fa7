"""The severity of a wrong edit of a data file, by the parser of its format: is the file read, and does it say the
same?

The parser process bounds CPU time and memory. Nothing is fetched, no entity is expanded, no object of a program is
made, and values that a file repeats by reference are compared once.
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
"""The most bytes that are parsed. Longer texts exceed the time limit and are left to the grammar."""


class _Malformed(Exception):
    """The text is malformed."""


class _NotJudged(Exception):
    """The text may be well-formed, but it is not read here."""


def severity(language: str, right: bytes, given: bytes) -> str | None:
    """The severity of a text compared with the right text; None if this format cannot tell.

    It cannot if the right text is malformed, a text is too deep or declares entities, or the format is no data
    format.
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
    """True if two values are equal and of the same types. Nothing recurses; shared values are compared once."""
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
    """The data of a notebook. A list of lines becomes one text."""
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
    """The safe loader. A value with an unknown tag becomes a pair of the tag and the plain value."""
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
    """The elements, texts and instructions, in order. Comments, and whitespace alone between tags, are layout."""
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
"""Language, as in `corpora.languages` -> a reader of texts. It raises ValueError for a malformed text."""
