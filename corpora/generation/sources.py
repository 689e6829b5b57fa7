"""Sources of clean edits: correct samples of a corpus, or changed spans of source files.

The layout of a file alone decides its spans: blocks by indentation, single lines, words. The new text of a span is
made from its old text. No matcher is involved.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random

import numpy as np
from rapidfuzz.distance import Indel
from rapidfuzz.process import extractOne

from corpora.languages import language
from corpora.mutators.clean_edit import CleanEdit
from corpora.regular_file import content
from corpora.sample import Sample, right_answers

# The audit: refuses clean edits whose search text could mean more than one place of the file.

MARGIN = 0.15
"""The least distance (0 to 1) between the old text and any other block of lines of the file."""
_SLACK = 2
"""Blocks of lines are compared that have up to this many lines more or fewer than the old text."""


def ambiguity(clean: CleanEdit) -> str | None:
    """Why the place of an edit is uncertain, as a code; None if the place is certain."""
    text, old = clean.content, clean.old
    if not old.strip():
        return "blank"
    if _occurs_twice(old, text):
        return "twice"
    bare, sums = _lines_without_whitespace(text)
    first = clean.line - 1
    n = old.count("\n") + 1
    meant = "".join(old.split())
    if _occurs_twice(meant, "".join(bare)):
        return "twice but for whitespace"
    if not clean.whole_lines:
        return None
    length = len(meant)
    for size in range(max(n - _SLACK, 1), n + _SLACK + 1):
        # Texts that are more similar than the margin allows have nearly the same length: others need no comparison.
        lengths = sums[size:] - sums[:-size]
        near = 2 * np.minimum(lengths, length) >= (1 - MARGIN) * (lengths + length)
        near[max(first - size + 1, 0) : first + n] = False
        others = ["".join(bare[at : at + size]) for at in np.flatnonzero(near)]
        if extractOne(meant, others, scorer=Indel.normalized_similarity, score_cutoff=1 - MARGIN):
            return "near twin"
    return None


def _occurs_twice(piece: str, text: str) -> bool:
    """True if a piece occurs in a text twice, overlapping or not."""
    return text.find(piece, text.find(piece) + 1) >= 0


@lru_cache(maxsize=4)
def _lines_without_whitespace(text: str) -> tuple[list[str], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """The lines of a text without whitespace, and the number of characters before each."""
    bare = ["".join(line.split()) for line in text.split("\n")]
    return bare, np.cumsum([0, *map(len, bare)])


_MIN_BYTES, _MIN_LINES, _MAX_LINE_LENGTH = 200, 12, 400
MAX_BYTES = 60_000
"""The size above which a source file is not used."""
_MAX_BLOCK_LINES = 20
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]{2,}")
_NUMBER = re.compile(r"(?<![\w.])\d{1,6}(?![\w.])")
_NON_LETTERS = re.compile(r"[^A-Za-z]")
_DISTINCTIVE_LETTERS, _DISTINCTIVE_ALONE = 8, 24
"""The least letters of a distinctive line, in a block and alone."""
_DISTINCTIVE_SHARE = 0.7
"""The least share (0 to 1) of a block's lines that must be distinctive."""
_NOT_SOURCE_CODE = {"other", "text", "html", "xml", "output", "rst", "restructuredtext", "csv"}


def clean_edit_from_sample(sample: Sample) -> CleanEdit | None:
    """The clean edit in a correct sample whose one search text occurs exactly once; None for any other sample.

    A sample with alternatives has more right results, and a mutator would keep only one of them.
    """
    if sample.label != "apply" or len(right_answers(sample)) != 1:
        return None
    if not sample.edits or len(sample.edits) != 1 or len(sample.target or ()) != 1 or sample.has_bytes:
        return None
    (edit,), (file,), (target,) = sample.edits, sample.before, sample.target or ()
    start = file.content.find(edit.old_string) if edit.old_string else -1
    if start < 0 or file.content.find(edit.old_string, start + 1) >= 0 or file.path != target.path:
        return None
    clean = CleanEdit(file.path, file.content, start, start + len(edit.old_string), edit.new_string)
    return clean if clean.target == target.content and clean.old != clean.new else None


def source_files(folders: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """The source files below some folders, in a fixed order, each with its name in samples.

    Hidden files and folders, such as `.git` and `.venv`, are skipped.
    """
    for folder in folders:
        if folder.is_file():
            yield folder.name, folder
            continue
        for path in sorted(folder.rglob("*")):
            if language(path.name) not in _NOT_SOURCE_CODE and path.is_file() and not path.is_symlink():
                name = path.relative_to(folder.parent).as_posix()
                if "/." not in name:
                    yield name, path


def source_text(path: Path) -> str | None:
    """The text of a source file; None if it is too small or large, not UTF-8, or has CRLF, NUL or very long lines."""
    try:
        text = (data := content(path, MAX_BYTES)).decode()
    except (OSError, UnicodeDecodeError):
        return None
    lines = text.split("\n")
    if len(data) < _MIN_BYTES or len(lines) < _MIN_LINES or max(map(len, lines)) > _MAX_LINE_LENGTH:
        return None
    if "\r" in text or "\0" in text:
        return None
    return text


def clean_edits_from_text(path: str, text: str, rng: Random, n: int) -> list[CleanEdit]:
    """Up to n clean edits of a file, in the order of their spans; the spans do not overlap."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    telling = _distinctive(lines)
    chances = [number for number, tells in enumerate(telling) if tells]
    words = Counter(_WORD.findall(text))
    found: dict[tuple[int, int], CleanEdit] = {}
    # Four tries a span: many overlap, are not distinctive or have nothing to change.
    for number in rng.sample(chances, min(len(chances), 4 * n)):
        if len(found) >= n:
            break
        # One span in ten is a few words, one is a single line; the others are blocks.
        kind = rng.random()
        if kind < 0.1:
            span = _rare_word_span(lines[number], starts[number], words, rng)
        else:
            first, last = (number, number) if kind < 0.2 else _block_around(lines, number, rng)
            n_telling = sum(telling[first : last + 1])
            if first == last and len(_NON_LETTERS.sub("", lines[first])) < _DISTINCTIVE_ALONE:
                continue
            if n_telling < _DISTINCTIVE_SHARE * sum(map(bool, map(str.strip, lines[first : last + 1]))):
                continue
            span = starts[first], starts[last + 1] - 1
        if span is None or any(span[0] < end and start < span[1] for start, end in found):
            continue
        new = changed_text(text[span[0] : span[1]], rng)
        if new is not None:
            found[span] = CleanEdit(path, text, *span, new)
    return [found[span] for span in sorted(found)]


def _distinctive(lines: list[str]) -> list[bool]:
    """For each line, True if its letters alone are unique in the file."""
    letters = [_NON_LETTERS.sub("", line) for line in lines]
    counts = Counter(letters)
    return [counts[line] == 1 and len(line) >= _DISTINCTIVE_LETTERS for line in letters]


def _indent_width(line: str) -> int:
    return len(line) - len(line.lstrip())


def _block_around(lines: list[str], number: int, rng: Random) -> tuple[int, int]:
    """First and last line of a block around a line: a head and the deeper lines below it, or some neighbours."""
    first = number
    for above in range(number, max(number - _MAX_BLOCK_LINES, -1), -1):
        if lines[above].strip() and _indent_width(lines[above]) < _indent_width(lines[number]):
            first = above
            break
    last = first
    while last + 1 < len(lines) and (
        not lines[last + 1].strip() or _indent_width(lines[last + 1]) > _indent_width(lines[first])
    ):
        last += 1
    if last + 1 < len(lines) and lines[last + 1].strip()[:1] in ("}", ")", "]") and last > first:
        last += 1
    while last > first and not lines[last].strip():
        last -= 1
    if not first < last < first + _MAX_BLOCK_LINES:
        first = max(number - rng.randint(0, 3), 0)
        last = min(number + rng.randint(1, 6), len(lines) - 1)
    while first < number and not lines[first].strip():
        first += 1
    while last > number and not lines[last].strip():
        last -= 1
    return first, last


def _rare_word_span(line: str, start: int, words: Counter[str], rng: Random) -> tuple[int, int] | None:
    """The span of a few words of a line, including a word that occurs nowhere else in the file."""
    rare = [match for match in _WORD.finditer(line) if words[match[0]] == 1]
    if not rare:
        return None
    match = rng.choice(rare)
    end = min(match.end() + rng.randint(0, 12), len(line.rstrip()))
    return start + match.start(), start + max(end, match.end())


def changed_text(old: str, rng: Random) -> str | None:
    """Another text for a span, made from its own text; None if the text has nothing to change."""
    ways = [_with_name_changed, _with_number_changed]
    if old.count("\n") > 1:
        ways += [_with_added_line, _with_removed_line, _with_added_line, _with_words_changed]
    for way in rng.sample(ways, len(ways)):
        new = way(old, rng)
        if new not in (None, old):
            return new
    return None


def _with_name_changed(old: str, rng: Random) -> str | None:
    words = sorted(set(_WORD.findall(old)))
    if not words:
        return None
    word = rng.choice(words)
    return re.sub(rf"\b{word}\b", f"{word}_{rng.choice(('next', 'inner', 'v2'))}", old)


def _with_number_changed(old: str, rng: Random) -> str | None:
    numbers = list(_NUMBER.finditer(old))
    if not numbers:
        return None
    match = rng.choice(numbers)
    return f"{old[: match.start()]}{int(match[0]) + rng.randint(1, 90)}{old[match.end() :]}"


def _with_added_line(old: str, rng: Random) -> str | None:
    """The lines and a copy of one of them, in which a word is changed."""
    lines = old.split("\n")
    candidates = [n for n, line in enumerate(lines) if len(_WORD.findall(line)) > 1]
    if not candidates:
        return None
    at = rng.choice(candidates)
    word = rng.choice(_WORD.findall(lines[at]))
    return "\n".join([*lines[: at + 1], lines[at].replace(word, f"{word}_too"), *lines[at + 1 :]])


def _with_removed_line(old: str, rng: Random) -> str | None:
    lines = old.split("\n")
    del lines[rng.randrange(1, len(lines) - 1)]
    return "\n".join(lines)


def _with_words_changed(old: str, rng: Random) -> str | None:
    """The lines, all but the first with their first word changed."""
    first, *rest = old.split("\n")
    ending = rng.choice(("next", "inner", "v2"))
    return "\n".join([first, *(_WORD.sub(lambda word: f"{word[0]}_{ending}", line, count=1) for line in rest)])
