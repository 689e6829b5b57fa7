"""A sample in other words: the same edit of texts that no strategy has seen. A remembered answer is of no use there.

    def total(basket):              def prkqe(basket):
        return total_of(basket)         return prkqe_of(basket)

A new word of the same length replaces one word of the edit, everywhere in the edit and in the files. Sizes, lines and
equalities stay the same, and the answer is the old answer with that word replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from string import ascii_lowercase
from typing import NamedTuple

from corpora.sample import Sample
from editcore.text.encodings import with_text

_WORD = re.compile(r"[A-Za-z]{3,}")
_MARKER = re.compile(
    "Add|Begin|Delete|End|File|Move|Patch|REPLACE|SEARCH|Update|deleted|diff|file|from|git|index|mode|new|rename"
)
"""Words with a meaning in the syntax of patches."""
_TRIES = 8


class Renamed(NamedTuple):
    sample: Sample
    old: str
    new: str

    def back(self, text: str) -> str:
        """The text of an answer with the old word put back. An answer that still has the old word equals no first."""
        return text.replace(self.old, "\0").replace(self.new, self.old)


def renamed(sample: Sample) -> Renamed | None:
    """The sample with one word replaced, which its id chooses; None if no word can be replaced."""
    random = Random(sample.id)  # Python hashes texts as seeds in the same way in each process.
    written = "\n".join([sample.patch or "", *(f"{one.old_string}\n{one.new_string}" for one in sample.edits or ())])
    paths = "\n".join(file.path for file in sample.before)
    files = "\n".join(file.content for file in sample.before)
    words = sorted({word for word in _WORD.findall(written) if not _MARKER.fullmatch(word) and word not in paths})
    tried = random.sample(words, min(_TRIES, len(words))) if sample.before else []
    kept = sample.patch or "\n".join(one.new_string for one in sample.edits or ())
    # One that the answer has, too, tells an answer that was remembered from a new one.
    for word in _best_first(tried, files, kept):
        new = "".join(_letter(random, like) for like in word)
        if not any(new in text for text in (written, paths, files)):
            return Renamed(_with(sample, word, new), word, new)
    return None


def _best_first(words: Sequence[str], files: str, kept: str) -> Iterator[str]:
    """The words that occur in the files first, and among equals the words that the new text keeps."""
    ordered = sorted(words, key=lambda word: word not in kept)
    others = []
    for word in ordered:
        if word in files:
            yield word
        else:
            others.append(word)
    yield from others


def _letter(random: Random, like: str) -> str:
    letter = random.choice(ascii_lowercase)
    return letter.upper() if like.isupper() else letter


def _with(sample: Sample, old: str, new: str) -> Sample:
    edits = sample.edits and tuple(
        replace(one, old_string=one.old_string.replace(old, new), new_string=one.new_string.replace(old, new))
        for one in sample.edits
    )
    before = tuple(with_text(file, file.content.replace(old, new)) for file in sample.before)
    return replace(sample, before=before, edits=edits, patch=sample.patch and sample.patch.replace(old, new))
