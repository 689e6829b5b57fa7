"""Excerpts, for people to read, of the changes that the results of a sample make to its files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from corpora.sample import Sample, right_answers
from editcore.types import Applied, Match
from harness.run.results import EXCERPT, Difference, OncePerResult, above, below
from harness.strategies.strategy import by_path, files_after
from reports.runs.rows import Change, SampleText

_PLACE_LINES = 12
_MOST_FILES = 5
"""The most changed files of one result whose excerpts are kept."""
_MOST_LINES = 10
"""The most lines that an outcome names."""


class Changes:
    """The right answer of a sample and the different results of its strategies, each result once."""

    def __init__(self, sample: Sample) -> None:
        self._sample = sample
        self._before = by_path(sample.before)
        right = right_answers(sample)[:1] if sample.label == "apply" else ()
        self._results: list[dict[str, str]] = [by_path(files) for files in right]
        self._by: list[list[str]] = [[] for _ in right]
        self._first_other = len(right)
        self._number_of = OncePerResult(lambda result: self._number(files_after(sample, result)))
        self._found: dict[int, list[Difference]] = {}
        self._line_at: dict[int, int] = {}

    def add(self, strategy: str, result: Applied) -> None:
        self._by[self._number_of(result)].append(strategy)

    def _number(self, given: dict[str, str]) -> int:
        if given not in self._results:
            self._results.append(given)
            self._by.append([])
        return self._results.index(given)

    def rows(self) -> list[Change]:
        """One row for each result and each file that the result changes."""
        first = 1 - self._first_other  # Number 0 is the right answer; without one, numbers begin at 1.
        return [
            Change(self._sample.id, first + number, tuple(names), changed.path, *changed.excerpt())
            for number, names in enumerate(self._by)
            for changed in self._changed(number)
        ]

    def _changed(self, number: int) -> list[Difference]:
        if number not in self._found:
            before, files = self._before, self._results[number]
            paths = [path for path in dict.fromkeys([*before, *files]) if before.get(path) != files.get(path)]
            self._found[number] = [
                Difference.of(path, before.get(path, ""), files.get(path, "")) for path in paths[:_MOST_FILES]
            ]
        return self._found[number]

    def lines(self, matches: object) -> str | None:
        """The lines of the file at which `matches` begin, as in `12, 40`.

        None without matches, and for a sample with several edits or files. A plug-in may return anything as matches;
        an object that is no list of matches has no lines.
        """
        sample = self._sample
        if not matches or not isinstance(matches, Sequence) or len(sample.edits or ()) != 1 or len(sample.before) != 1:
            return None
        if not all(isinstance(one, Match) for one in matches):
            return None
        return ", ".join([str(self._line(start)) for start in sorted({one.start for one in matches})[:_MOST_LINES]])

    def _line(self, start: int) -> int:
        if start not in self._line_at:
            self._line_at[start] = self._sample.before[0].content.count("\n", 0, start) + 1
        return self._line_at[start]

    def text(self) -> SampleText:
        edit = edit_text(self._sample)
        path, start, end = next(self._places())
        content = self._before.get(path, "")
        first, last = _widened(content, start, end, _PLACE_LINES)
        place = content[first:last]
        n_omitted = max(0, len(edit) - EXCERPT) + max(0, len(place) - EXCERPT)
        line = content.count("\n", 0, first) + 1
        n_characters = sum(map(len, self._before.values()))
        recorded = self._sample.provenance.recorded_outcome
        # None for plain UTF-8.
        encoding = next(
            (one.encoding or "unknown" for one in self._sample.before if one.path == path and one.raw), None
        )
        return SampleText(
            self._sample.id, edit[:EXCERPT], path, line, place[:EXCERPT], n_omitted, recorded, n_characters,
            **_seen_excerpts(self._sample, path), encoding=encoding,
        )  # fmt: skip

    def _places(self) -> Iterator[tuple[str, int, int]]:
        """Yield the file and the range of the text before that the edit is about, the most certain first."""
        for number in range(len(self._results)):
            for one in self._changed(number):
                yield one.path, one.head, len(one.before) - one.tail
        for file in self._sample.before[:1]:
            for edit in self._sample.edits or ():
                longest = max(edit.old_string.split("\n"), key=len).strip()
                start = file.content.find(longest) if longest else -1
                if start >= 0:
                    yield file.path, start, start + len(longest)
            yield file.path, 0, 0
        yield "", 0, 0


def _seen_excerpts(sample: Sample, path: str) -> dict[str, Any]:
    """Fields of `SampleText` for a file that changed after the model saw it: the text it saw, and the change since."""
    seen, now = by_path(sample.seen or ()), by_path(sample.before)
    changed = [one for one in seen if seen[one] != now.get(one, "")]
    if not changed:
        return {}
    path = path if path in changed else changed[0]
    since = Difference.of(path, seen[path], now.get(path, ""))
    line, was, is_now, n_omitted = since.excerpt()
    first, last = _widened(since.before, *_place_in(sample, since), _PLACE_LINES)
    lines = [(one.first, one.last) for one in sample.seen_lines or () if one.path == path]
    return {
        "seen_path": path, "seen_line": since.before.count("\n", 0, first) + 1,
        "seen": since.before[first:last][:EXCERPT],
        "seen_lines": ", ".join(f"{a}-{b}" if b > a else str(a) for a, b in lines[:_MOST_LINES]) or None,
        "since_line": line, "since_seen": was, "since_now": is_now,
        "n_seen_omitted": n_omitted + max(0, last - first - EXCERPT), "n_seen_files": len(changed),
    }  # fmt: skip


def _place_in(sample: Sample, since: Difference) -> tuple[int, int]:
    """The range of the seen text that an edit is about.

    That is its search text, or its longest line, or else the place that was changed since.
    """
    for edit in sample.edits or ():
        for wanted in (edit.old_string, max(edit.old_string.split("\n"), key=len).strip()):
            start = since.before.find(wanted) if wanted else -1
            if start >= 0:
                return start, start + len(wanted)
    return since.head, len(since.before) - since.tail


def edit_text(sample: Sample) -> str:
    """The edit as the model wrote it: pairs of texts as search/replace blocks, an edit by number below its number."""
    if sample.patch is not None:
        return f"{_by_number(sample)}{sample.patch}"
    blocks = (
        f"<<<<<<< SEARCH{' (all)' if edit.replace_all else ''}\n{edit.old_string}\n"
        f"=======\n{edit.new_string}\n>>>>>>> REPLACE"
        for edit in sample.edits or ()
    )
    return "\n".join(blocks)


def _by_number(sample: Sample) -> str:
    if sample.line is None:
        return ""
    return f"[below line {sample.line}]\n" if sample.end_line is None else f"[lines {sample.line}-{sample.end_line}]\n"


def _widened(text: str, start: int, end: int, n_lines: int) -> tuple[int, int]:
    return above(text, start, n_lines), below(text, end, n_lines)
