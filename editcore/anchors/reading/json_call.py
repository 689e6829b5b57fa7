"""Calls in JSON: the fields of a call and of its edits, as typed values. Raises PatchError for any other."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from editcore.errors import PatchError

_LONGEST = 8 << 20
"""Characters of a call."""
_MOST_EDITS = 10_000
_LONGEST_NUMBER = 12
"""Digits of a line number."""


def fields_of_call(patch: str, known: Collection[str]) -> dict[str, Any]:
    """The fields of a call that is a JSON object. Raises PatchError."""
    if len(patch) > _LONGEST:
        raise PatchError(f"the call has {len(patch)} characters; at most {_LONGEST} are read.")
    try:
        call = json.loads(patch)
    except (ValueError, RecursionError) as error:
        raise PatchError(f"the call is not JSON: {error!s:.200}.") from None
    return _checked(call, known, "the call")


def edits_of_call(call: Mapping[str, Any], known: Collection[str]) -> list[dict[str, Any]]:
    """The edits of a call, each an object of known fields. Raises PatchError."""
    edits = call.get("edits")
    if not isinstance(edits, list):
        raise PatchError("`edits` must be a list of edits.")
    if len(edits) > _MOST_EDITS:
        raise PatchError(f"the call has {len(edits)} edits; at most {_MOST_EDITS} are read.")
    return [_checked(edit, known, f"edit {n}") for n, edit in enumerate(edits, 1)]


def _checked(value: object, known: Collection[str], what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise PatchError(f"{what} must be an object.")
    strange = [key for key in value if key not in known]
    if strange:
        raise PatchError(f"{what} has a field {strange[0]!a:.80}; known are {', '.join(known)}.")
    return value


def text_in(value: Mapping[str, Any], key: str, what: str) -> str:
    """The text in a field. Raises PatchError."""
    found = value.get(key)
    if not isinstance(found, str):
        raise PatchError(f"{what}: `{key}` must be a text.")
    return found


def optional_text(value: Mapping[str, Any], key: str, what: str) -> str | None:
    """The text in a field; None where the field is null or missing. Raises PatchError."""
    return None if value.get(key) is None else text_in(value, key, what)


def flag_in(value: Mapping[str, Any], key: str, what: str) -> bool:
    """The truth value in a field, false if there is none. Raises PatchError."""
    found = value.get(key)
    if found is not None and not isinstance(found, bool):
        raise PatchError(f"{what}: `{key}` must be true or false.")
    return bool(found)


def line_number(digits: str, what: str) -> int:
    """The number of a line. Raises PatchError for one that no file has."""
    if len(digits) > _LONGEST_NUMBER:
        raise PatchError(f"{what} names a line that no file has.")
    return int(digits)
