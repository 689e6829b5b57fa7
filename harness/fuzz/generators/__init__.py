"""Generators of inputs, by format. They draw from a Random, which may be Hypothesis's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random

from corpora.sample import Sample
from editcore.formats import FORMATS, Written
from editcore.types import File
from harness.fuzz.generators import edits, patches
from harness.fuzz.generators.documents import document
from harness.fuzz.generators.drawn import DRAWN
from harness.fuzz.generators.edits import changed
from harness.fuzz.inputs import FORMS, PATH, Fields

Generator = Callable[[Random], Fields]


def _well_written(format: str, rng: Random) -> Fields:
    """A change of a text as a careful writer makes it; the text alone if the format cannot express the change."""
    before = document(rng)
    edit = FORMATS[format].write(PATH, before, changed(before, rng)) or Written(patch="")
    files = (File(PATH, before),)
    sample = Sample("input", format, files, "unlabelled", edit.edits, edit.patch, edit.line, edit.end_line)
    return FORMS[format].fields(sample) or (before,)


GENERATORS: Mapping[str, Generator] = {
    **{format: partial(_well_written, format) for format in FORMATS},
    **{format: partial(patches.noisy, format) for format in DRAWN},
    "str_replace": edits.str_replace,
}
"""Format -> the generator of its inputs. A format without a generator of its own has well written edits."""


_DRAWN_SHARE = 0.85
"""The share of inputs with answers, where they can be drawn."""


def generator(format: str) -> Generator:
    """The generator of inputs for strategies: mostly with answers, where a format has such inputs."""
    plain, drawn = GENERATORS[format], DRAWN.get(format)
    return plain if drawn is None else lambda rng: (drawn if rng.random() < _DRAWN_SHARE else plain)(rng)
