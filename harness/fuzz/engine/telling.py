"""A finding as a person would tell it: what happened, the edit, the files before, what was meant and what was made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from corpora.defects import page_of
from corpora.sample import Sample, right_answers
from editcore.text.diff import unified_diff
from harness.fuzz.finding import Finding, defects_shown, drawn, sample_of
from harness.fuzz.properties import sentences
from harness.strategies.strategy import by_path

_MOST_LINES = 40
"""The most lines of one text that are shown."""
_MOST_FIELDS = 400


def story(finding: Finding, folder: Path | None = None) -> Iterator[str]:
    """The lines that tell of a finding, whose files are in `folder`/findings."""
    yield f"{finding.target}: {finding.detail}"
    sample = sample_of(finding)
    if sample is None:
        yield f"  input: {ascii(finding.fields)[:_MOST_FIELDS]}"
    else:
        for title, text in texts_of(sample):
            yield from shown(title, text)
        yield from _outcome(sample, finding)
    promise = sentences().get(finding.property, "")
    yield f"  breaks {finding.property}{f': {promise}' if promise else ''} ({finding.path})"
    for one in defects_shown(finding, sample) if sample else ():
        yield f"  a known defect: {one.id} {one.title} {page_of(one)}"
    if folder is not None:
        yield f"  kept as {folder / 'findings' / finding.id}.jsonl"


def texts_of(sample: Sample) -> Iterator[tuple[str, str]]:
    """(title, text) of the edit of a sample and its files."""
    if sample.patch is not None:
        yield "the patch", sample.patch
    for edit in sample.edits or () if sample.patch is None else ():
        yield "the old text" + (", everywhere" if edit.replace_all else ""), edit.old_string
        yield "the new text", edit.new_string
    if sample.line is not None:
        yield "the line", f"{sample.line} to {sample.end_line}" if sample.end_line else str(sample.line)
    for file in sample.seen or ():
        yield f"{file.path} as it was seen", file.content
    for file in sample.before:
        yield f"{file.path} before", file.content


def shown(title: str, text: str) -> Iterator[str]:
    """A text below its title, in which invisible characters are drawn."""
    yield f"  --- {title}"
    lines = drawn(text, is_file=True).splitlines()
    yield from (f"  {line}" for line in lines[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        yield f"  ... {len(lines) - _MOST_LINES:,} more lines"


def _outcome(sample: Sample, finding: Finding) -> Iterator[str]:
    """The files that were meant beside those that were made, as a diff; beside those before if no answer is known."""
    before, got = by_path(sample.before), finding.got
    meant = by_path(right_answers(sample)[0]) if sample.label == "apply" else None
    if sample.label == "refuse":
        yield "  meant: a refusal"
    if isinstance(got, str):
        yield f"  refused: {got}"
        got = None
    pair = [(name, files) for name, files in (("before", before), ("meant", meant), ("made", got)) if files is not None]
    if len(pair) > 1:
        yield from _differences(*pair[-2:])


def _differences(one: tuple[str, Mapping[str, str]], other: tuple[str, Mapping[str, str]]) -> Iterator[str]:
    for path in dict.fromkeys((*one[1], *other[1])):
        texts = [files.get(path) for _, files in (one, other)]
        if texts[0] != texts[1]:
            names = [name if path in files else f"{name}, where it is missing" for name, files in (one, other)]
            diff = unified_diff(texts[0] or "", texts[1] or "", path=path)
            yield from shown(f"{path}: {names[0]} (-), {names[1]} (+)", diff.split("\n", 2)[2] if diff else "")
