"""Steps behind a match: what programs do with an accepted edit before they write it, as an option of any strategy.

cascade/exact@step=minimised                   only what differs is written
cmd:mine=node edit.js@step=streamed            the lines that differ are written one change after the other
cascade/recommended@step=mine.py:minimise      a step of one's own: the file text and the result -> what is written

file       |a = 0           result     |a = 0       a step that looks for `b = 0` again and takes the first line
           |b = 0                      |b = 1       that has it, and not the place of the match, can break a right
                                                    match: `editgauge fuzz steps` and `fuzz differential` find it
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, cast

from corpora.sample import Sample
from editcore.errors import UsageError, did_you_mean
from editcore.quoting import first_line
from editcore.text.diff import changed_ranges, common_ends
from editcore.text.document import Document
from editcore.text.lines import with_feeds
from editcore.types import EditResult, Rejected
from harness.strategies.rung_strategies import functions_of, source_version
from harness.strategies.strategy import Strategy, by_path, files_after

OPTION = "@step="


class Step(NamedTuple):
    apply: Callable[[str, str], str]
    """(the text before, the result of the match) -> what is written."""
    shape: Callable[[str], str] = str
    """What a step leaves as it was: the written text has the shape of the result of the match."""


def minimised(before: str, after: str) -> str:
    """Only what differs is written: equal characters at both ends are the file's."""
    start, end = common_ends(before, after)
    return before[:start] + after[start : len(after) - end] + before[len(before) - end :]


def streamed(before: str, after: str) -> str:
    """The lines that differ are written one change after the other, each where those above it have moved its place."""
    return _written(before, after, str)


def formatted(before: str, after: str) -> str:
    """The lines that differ are written without their trailing spaces and tabs; the others stay."""
    return _written(before, after, _trimmed)


def _written(before: str, after: str, form: Callable[[str], str]) -> str:
    lines, shift = with_feeds(before), 0
    for first, last, new in changed_ranges(before, after):
        made = with_feeds(form(new))
        lines[first - 1 + shift : last + shift] = made
        shift += len(made) - (last + 1 - first)
    return "".join(lines)


def _trimmed(text: str) -> str:
    ends = [(line.rstrip(" \t\r\n"), line[len(line.rstrip("\r\n")) :]) for line in with_feeds(text)]
    return "".join([f"{line}{end}" for line, end in ends])


STEPS: Mapping[str, Step] = {
    "minimised": Step(minimised), "streamed": Step(streamed), "formatted": Step(formatted, _trimmed)
}  # fmt: skip
"""Name -> step."""


def step_strategy(spec: str, find: Callable[[str], Strategy]) -> Strategy:
    """The strategy `NAME@step=STEP`; `find` finds the strategy NAME. Raises UsageError."""
    named, _, step = spec.rpartition(OPTION)
    one, path = find(named), step.rpartition(":")[0]
    found: Mapping[str, Callable[..., str]]
    if path.endswith(".py"):
        found = {f"{path}:{name}": cast(Callable[..., str], one) for name, one in functions_of(path).items()}
    else:
        found = {name: known.apply for name, known in STEPS.items()}
    if step not in found:
        raise UsageError(
            f"There is no step {step!r}",
            f"{did_you_mean(step, found)}Choose from: {', '.join([*found])}; or name FILE.py:FUNCTION.",
        )
    apply_step, name = found[step], step.rpartition(":")[2]

    def apply(sample: Sample, document: Document | None) -> EditResult:
        result = one.apply(sample, document)
        if isinstance(result, Rejected):
            return result
        before = by_path(sample.before)
        files = {
            path: text if before.get(path, text) == text else apply_step(before[path], text)
            for path, text in files_after(sample, result).items()
        }
        return replace(result, content=None, files=files)

    version = f"{one.version}+{source_version(Path(path))}" if path.endswith(".py") else one.version
    summary = f"{one.name}, then: {first_line(apply_step.__doc__ or '') or step}"
    return replace(one, name=f"{one.name}{OPTION}{name}", apply=apply, summary=summary, version=version, written=spec)
