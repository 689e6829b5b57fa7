"""A program that uses editcore, as its author writes it: it is checked, never run."""

from __future__ import annotations

from collections.abc import Mapping

from editcore import Rejected, apply_edit, apply_unified_diff, insert_lines, replace
from editcore.types import Edit


def edited(before: str, old: str, new: str) -> str:
    result = replace(before, old, new)
    if isinstance(result, Rejected):
        raise ValueError(result.message)
    return result.content


def written(before: bytes, old: str, new: str) -> bytes:
    result = replace(before, old, new)
    return before if isinstance(result, Rejected) else result.data


def put(before: str) -> str:
    first = apply_edit(before, Edit("a", "b"), cascade="recommended@3")
    second = insert_lines(before, 1, "c")
    if isinstance(first, Rejected) or isinstance(second, Rejected):
        return before
    return first.content + second.content


def patched(files: Mapping[str, str], patch: str) -> Mapping[str, str]:
    result = apply_unified_diff(files, patch)
    return files if isinstance(result, Rejected) else result.files
