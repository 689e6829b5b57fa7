"""Inputs that are drawn with their answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random

from editcore.formats import ANCHORED_FORMATS
from editcore.types import File
from harness.fuzz.generators import writing
from harness.fuzz.generators.changes import PATHS, Change, drawn_change
from harness.fuzz.generators.rows import ROWS
from harness.fuzz.generators.rows.row import ALL, NUMBERED, PAIRS
from harness.fuzz.inputs import PATH, Fields, Meant, answered

_WRITERS: Mapping[str, Callable[[Change], list[str]]] = {
    "begin_patch": writing.begin_patch,
    "unified_diff": writing.unified_diff,
    "search_replace": writing.search_replace,
    "str_replace": writing.str_replace,
    **dict.fromkeys((*NUMBERED, *ANCHORED_FORMATS), writing.by_format),
}
_ROWS = {format: [row for row in ROWS for _ in range(row.weight) if format in row.formats] for format in _WRITERS}


_OF_ONE_FILE = (*PAIRS, *NUMBERED, *ANCHORED_FORMATS)

_CATALOGUE_SHARE = 0.06
"""The share of inputs that are damaged by a row of the catalogue of malformations."""


def _drawn(format: str, rng: Random) -> Fields:
    while True:
        if format in ALL and rng.random() >= 1 - _CATALOGUE_SHARE:
            from harness.fuzz.generators.catalogue import damaged  # Half a second, which the first inputs do not need.

            fields = damaged(format, rng)
            if fields is not None:
                return fields
            continue
        paths = [PATH] if format in _OF_ONE_FILE else rng.choice(PATHS[rng.choice((1, 1, 1, 2, 3))])
        change = drawn_change(format, paths, rng)
        row = rng.choice(_ROWS[format])
        effect = row.draw(change)
        if effect is None:
            continue
        change.is_refused = effect == "refused"
        if not (text := _WRITERS[format](change)):
            continue
        fields = writing.fields_of(change, text)
        results = change.results()
        if format == "str_replace" and change.main.ending != "mixed":
            pasted = _pasted(fields)
            if (effect == "refused") is (pasted is not None):
                continue  # Within a longer line, an old text has another place.
            results = pasted or results
        if format in NUMBERED and not change.main.is_ended:
            # A line is put in its place, and the last line stays as it ends.
            results = [files for files in results if not files[PATH].endswith("\n")] or results
        rights = tuple(tuple(File(path, text) for path, text in files.items()) for files in results)
        return answered(fields, Meant(rights, "" if effect == "made" else row.name))


def _pasted(fields: Fields) -> list[dict[str, str]] | None:
    """The text with each new text in the place of its old text; None if an old text has another place."""
    text = fields[0]
    for old, new, flag in zip(fields[1::3], fields[2::3], (*fields[3::3], ""), strict=False):
        if flag:
            text = text.replace(old, new)
            continue
        at = text.find(old)
        if at < 0 or text.find(old, at + 1) >= 0 or fields[0].count(old) != 1 or old == new:
            return None
        text = text[:at] + new + text[at + len(old) :]
    return [{PATH: text}]


DRAWN: Mapping[str, Callable[[Random], Fields]] = {format: partial(_drawn, format) for format in _WRITERS}
"""Format -> the generator of inputs with answers."""
