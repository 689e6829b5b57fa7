"""A case as text for a terminal. Control characters and markup that a model wrote have no effect.

Tabs, whitespace at line ends and carriage returns are drawn, because results often differ in these alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from rich.text import Text

from corpora.readings.reading import Reading
from corpora.sample import Sample
from editcore.diagnosis import similar_lines
from editcore.quoting import printable
from editcore.text.diff import unified_diff
from editcore.text.document import Document
from editcore.text.whitespace import trim
from editcore.types import File
from harness.labelling.sitting import Case, Result
from harness.strategies.strategy import by_path

# Places of the files that an edit's search text resembles, most similar first

MOST = 3
"""Number of places shown for a search text."""
_LEAST = 0.5
"""Least mean similarity of a shown place's lines to the search text's lines, from 0 to 1."""
_SEARCH_LINES, _FILE_LINES, _VOTES = 60, 20_000, 200
"""Lines of the search text and of the file that are compared, and most lines that one of the search text votes for."""


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file that resemble a search text."""

    path: str
    first: int
    """1-based."""
    last: int
    similarity: float
    """Mean over the lines, from 0 to 1. Whitespace at their ends does not count."""


def search_texts(sample: Sample) -> list[str]:
    """Texts that the edit expects in the file: search texts, or the old lines of each hunk of a patch."""
    if sample.edits:
        return [edit.old_string for edit in sample.edits if edit.old_string.strip()]
    hunks: list[list[str]] = [[]]
    for line in (sample.patch or "").split("\n"):
        if line.startswith(("@@", "---", "+++", "***", "<<<<<<<", "=======", ">>>>>>>", "diff ")):
            hunks.append([])
        elif line[:1] in (" ", "-"):
            hunks[-1].append(line[1:])
    return [text for hunk in hunks if (text := "\n".join(hunk)).strip()]


def numbered_places(sample: Sample) -> list[Place]:
    """The place that an edit names by line numbers; empty for an edit without line numbers."""
    if sample.line is None or not sample.before:
        return []
    last = sample.end_line if sample.end_line is not None else sample.line
    return [Place(sample.before[0].path, max(sample.line, 1), max(last, 1), 1.0)]


def places(sample: Sample) -> list[Place]:
    """At most `MOST` places for each of the first search texts, in the order of the search texts."""
    found = numbered_places(sample)
    for text in islice(search_texts(sample), 5):
        mine = [place for file in sample.before for place in _places(file, text)]
        found += sorted(mine, key=lambda place: -place.similarity)[:MOST]
    return list(dict.fromkeys(found))


def _places(file: File, text: str) -> list[Place]:
    """The best places without overlaps. Each line of the search text votes for the places where it may be."""
    wanted = [trim(line) for line in text.strip("\n").split("\n")][:_SEARCH_LINES]
    document = Document("\n".join(file.content.split("\n", _FILE_LINES)[:_FILE_LINES]))
    scores: defaultdict[int, float] = defaultdict(float)
    for nth, line in enumerate(wanted):
        for at, similarity in similar_lines(document, line, limit=_VOTES):
            scores[at - nth] += similarity
    found: list[Place] = []
    for at, score in sorted(scores.items(), key=lambda one: (-one[1], one[0])):
        if score < _LEAST * len(wanted) or len(found) == MOST:
            break
        first, last = max(at, 0) + 1, min(at + len(wanted), len(document.lines))
        if all(last < place.first or place.last < first for place in found):
            found.append(Place(file.path, first, last, score / len(wanted)))
    return found


_MOST_LINES = 400
"""Most lines of one text that are shown."""
_LONG_LINE = 300
"""Most characters of a line that are shown."""
_AROUND = 2
"""Lines shown on each side of a place."""
_TAB = 4
_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def drawn(line: str) -> str:
    """A line with its tabs and trailing whitespace drawn. Its line feed is left out, and a long line is cut."""
    cut = line[:_LONG_LINE]
    body = cut.rstrip(" ")
    shown = printable(body + "·" * (len(cut) - len(body)))
    width = "→".ljust(_TAB)
    return shown.replace("\t", width) + (f" ({len(line) - len(cut):,} characters more)" if len(line) > len(cut) else "")


def lines_text(lines: Sequence[str], *, is_diff: bool = False, start: int | None = None) -> Text:
    """Lines as text: coloured if they are a diff, numbered from `start` on. Lines beyond the limit are only counted."""
    text = Text()
    for number, line in enumerate(lines[:_MOST_LINES]):
        prefix = f"{start + number:>6}  " if start is not None else ""
        style = _STYLES.get(line[:1], "") if is_diff and not line.startswith(("+++", "---")) else ""
        # The mark of a diff (+, - or space) is not part of the file's line.
        shown = f"{printable(line[:1])}{drawn(line[1:])}" if is_diff else drawn(line)
        text.append(f"{prefix}{shown}\n", style=style)
    if len(lines) > _MOST_LINES:
        text.append(f"({len(lines) - _MOST_LINES:,} lines more)\n", style="dim")
    return text


def head_text(sample: Sample, place: int, n: int, n_answered: int, reading: Reading | None) -> Text:
    """Number of the sample, its known properties, and its answer."""
    origin = sample.provenance
    known = (sample.format, origin.agent, origin.model, sample.label, origin.recorded_outcome)
    text = Text(f"{place + 1:,} of {n:,} ({n_answered:,} answered)  ", style="bold", end="")
    text.append(printable(sample.id), style="bold cyan")
    text.append("  " + ", ".join(printable(one) for one in known if one))
    if reading:
        what = {"apply": "a result is right", "refuse": f"refuse ({reading.reason})"}.get(reading.answer, "skipped")
        text.append(f"\nanswered: {what}; by {printable(reading.reader)}, {reading.at}", style="yellow")
    return text


def edit_text(sample: Sample) -> Text:
    if sample.edits:
        text = Text()
        for number, edit in enumerate(sample.edits, 1):
            which = f" {number} of {len(sample.edits)}" if len(sample.edits) > 1 else ""
            text.append(f"search text (-) and new text (+){which}{', everywhere' if edit.replace_all else ''}\n", "dim")
            whole = edit.old_string.count("\n") + edit.new_string.count("\n") + 1
            diff = unified_diff(edit.old_string, edit.new_string, path="", context=whole)
            text.append(lines_text(diff.split("\n")[3:-1] or edit.old_string.split("\n"), is_diff=True))
        return text
    text = Text()
    if sample.line is not None:
        lines = str(sample.line) if sample.end_line is None else f"{sample.line} to {sample.end_line}"
        text.append(f"{'after line' if sample.format == 'insert' else 'lines'} {lines}\n", style="dim")
    is_patch = sample.format in ("unified_diff", "begin_patch")
    text.append(lines_text((sample.patch or "").split("\n"), is_diff=is_patch))
    return text


def places_text(sample: Sample) -> Text:
    """The places that the edit resembles, with the file's lines there."""
    contents = {file.path: file.content.split("\n") for file in sample.before}
    text = Text()
    for place in places(sample):
        lines = contents[place.path]
        first, last = max(place.first - _AROUND, 1), min(place.last + _AROUND, len(lines))
        text.append(
            f"{printable(place.path)}, lines {place.first} to {place.last}: {int(100 * place.similarity)} % alike\n",
            style="dim",
        )
        text.append(lines_text(lines[first - 1 : last], start=first))
    return text if text else Text("No place of the file resembles the edit.\n", style="dim")


def result_texts(case: Case) -> list[Text]:
    """The results of the strategies, numbered like the keys that choose them."""
    texts = []
    for number, result in enumerate(case.results, 1):
        text = Text(f" {number} ", style="reverse bold")
        text = Text.assemble(text, (f" {printable(', '.join(result.strategies))}: ", "bold"))
        text.append(f"{_outcome(case.sample, result)}\n")
        text.append(result_diff(case.sample, result))
        text.rstrip()
        texts.append(text)
    return texts or [Text("None of the strategies takes this format.", style="dim")]


def _outcome(sample: Sample, result: Result) -> str:
    if result.files is None:
        return printable(result.failure or f"refused, {result.refusal}")
    return "changes nothing" if not list(_changes(sample, result.files)) else "applied"


def result_diff(sample: Sample, result: Result) -> Text:
    text = Text()
    for path, before, after in _changes(sample, result.files or ()) if result.files is not None else ():
        text.append(lines_text(unified_diff(before, after, path=path).split("\n")[:-1], is_diff=True))
    return text


def _changes(sample: Sample, files: Sequence[File]) -> Iterator[tuple[str, str, str]]:
    """Path, text before and text afterwards of each file that differs; a missing file has the text ""."""
    before, after = (by_path(some) for some in (sample.before, files))
    for path in dict.fromkeys([*before, *after]):
        if before.get(path) != after.get(path):
            yield path, before.get(path, ""), after.get(path, "")
