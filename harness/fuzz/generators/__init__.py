"""Generators of inputs, by format. They draw from a Random, which may be Hypothesis's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random

from corpora.sample import Sample
from editcore.formats import ANCHORED_FORMATS, FORMATS, Written
from editcore.types import File
from harness.fuzz.generators import edits, writing
from harness.fuzz.generators.changes import PATHS, Change, drawn_change
from harness.fuzz.generators.documents import document
from harness.fuzz.generators.edits import changed
from harness.fuzz.generators.mutate import with_errors
from harness.fuzz.generators.patches import PIECES
from harness.fuzz.generators.rows import ROWS
from harness.fuzz.generators.rows.row import ALL, NUMBERED, PAIRS
from harness.fuzz.inputs import FORMS, PATH, Fields, Meant, answered, question_of

Generator = Callable[[Random], Fields]

# Inputs that are drawn with their answer

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


DRAWN: Mapping[str, Generator] = {format: partial(_drawn, format) for format in _WRITERS}
"""Format -> the generator of inputs with answers."""


# Inputs without an answer


def _well_written(format: str, rng: Random) -> Fields:
    """A change of a text as a careful writer makes it; the text alone if the format cannot express the change."""
    before = document(rng)
    edit = FORMATS[format].write(PATH, before, changed(before, rng)) or Written(patch="")
    files = (File(PATH, before),)
    sample = Sample("input", format, files, "unlabelled", edit.edits, edit.patch, edit.line, edit.end_line)
    return FORMS[format].fields(sample) or (before,)


def _noisy(format: str, rng: Random) -> Fields:
    """A drawn edit and its files, the first field mostly with a few small errors, sometimes cut off."""
    patch, *files = question_of(DRAWN[format](rng))
    (patch,) = with_errors((patch,), rng, PIECES.get(format, ()))
    return patch[: rng.randint(0, len(patch))] if rng.random() < 0.05 else patch, *files


GENERATORS: Mapping[str, Generator] = {
    **{format: partial(_well_written, format) for format in FORMATS},
    **{format: partial(_noisy, format) for format in DRAWN},
    "str_replace": edits.str_replace,
}
"""Format -> the generator of its inputs. A format without a generator of its own has well written edits."""


_DRAWN_SHARE = 0.85
"""The share of inputs with answers, where they can be drawn."""


def generator(format: str) -> Generator:
    """The generator of inputs for strategies: mostly with answers, where a format has such inputs."""
    plain, drawn = GENERATORS[format], DRAWN.get(format)
    return plain if drawn is None else lambda rng: (drawn if rng.random() < _DRAWN_SHARE else plain)(rng)
