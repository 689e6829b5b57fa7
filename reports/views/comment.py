"""A run or a comparison in Markdown of the size of a comment on a pull request.

What does not fit is left out as a whole, and the last line counts it. Long lists and diffs are folded. Ids, messages
and texts are not trusted: they are quoted, and characters that cannot be printed become escapes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from editcore.quoting import markdown_code, markdown_prose, printable
from reports.compare.comparison import Comparison, Turn
from reports.compare.gate import Failure
from reports.history.fuzz_nights import FuzzNight, fuzz_lines
from reports.runs.manifest import NIGHT, Manifest
from reports.runs.run_folder import RunFolder
from reports.statistics import summary as of_run
from reports.statistics.summary import Summary
from reports.views import tables
from reports.views.comparison_wording import (
    LEGEND,
    Group,
    columns,
    gate_lines,
    has_diff,
    heading,
    notes,
    sentence,
    side_texts,
)
from reports.views.tables import Row
from reports.wording import counted, listed

COMMENT_LIMIT = 60_000
"""Bytes. A comment on GitHub has at most 65,536 characters; the rest is for text around it."""
SUMMARY_LIMIT = 2**20
"""Bytes: GitHub's limit for a job's summary."""
_MOST_OPEN = 12
"""Lines of a diff, rows and entries that are shown unfolded."""
_MOST_BLOCKS = 100
"""Rows and entries of one list if not everything fits: diffs are worth more than further rows."""

Lines = tuple[str, ...]


class Block(NamedTuple):
    """Lines that are shown together or not at all."""

    kind: str
    """A noun for what is left out with the lines; empty if nobody misses them."""
    lines: Lines
    shorter: Lines = ()
    """The lines without their diffs; empty if there are none."""


class Part(NamedTuple):
    """Blocks under a heading, which is shown if any of them is."""

    blocks: Sequence[Block]
    opening: Lines = ()
    closing: Lines = ()


def fitted(parts: Sequence[Part], limit: int, *, rest: str) -> str:
    """The parts as text of at most `limit` bytes: the blocks that fit, without their diffs if need be.

    `rest` says where to find what is left out. Empty where not even the first block fits.
    """
    whole = [line for part in parts for line in _framed(part, [block.lines for block in part.blocks])]
    if _size(whole) <= limit:
        return _text(whole)
    kinds = dict.fromkeys(block.kind for part in parts for block in part.blocks)
    room = limit - _size(_rest(Counter(dict.fromkeys([*kinds, "diff"], 10**9)), rest))
    shown: list[list[Block]] = [[] for _ in parts]
    left_out: Counter[str] = Counter()
    for part, kept in zip(parts, shown, strict=True):
        for block in part.blocks:
            need = _size(block.shorter or block.lines) + (0 if kept else _size([*part.opening, *part.closing]))
            if need <= room and len(kept) < _MOST_BLOCKS:
                room -= need
                kept.append(block)
            elif not any(shown):
                return ""
            else:
                left_out[block.kind] += 1
    lines: list[str] = []
    for part, kept in zip(parts, shown, strict=True):
        texts = []
        for block in kept:
            more = _size(block.lines) - _size(block.shorter) if block.shorter else 0
            fits = more <= room
            room -= more if fits else 0
            left_out["diff"] += not fits
            texts.append(block.lines if fits else block.shorter)
        lines += _framed(part, texts)
    return _text([*lines, *_rest(left_out, rest)])


def _framed(part: Part, shown: Sequence[Lines]) -> list[str]:
    return [*part.opening, *(line for lines in shown for line in lines), *part.closing] if shown else []


def _rest(left_out: Counter[str], rest: str) -> list[str]:
    counts = [counted(n, kind) for kind, n in left_out.items() if kind and n]
    return ["", f"*Left out, for a comment has a limit: {listed(counts)}. {rest}*"] if counts else []


def _size(lines: Iterable[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _folded(blocks: Sequence[Block], title: str) -> Part:
    """The blocks under a line that unfolds them; not folded if they are few."""
    if len(blocks) <= _MOST_OPEN:
        return Part(blocks, ("",))
    return Part(blocks, ("", f"<details><summary>{title}</summary>", ""), ("", "</details>"))


# A comparison


def comparison_markdown(
    comparison: Comparison,
    failures: Sequence[Failure] | None,
    groups: Sequence[Group],
    *,
    fuzzed: FuzzNight | None = None,
    limit: int = COMMENT_LIMIT,
) -> str:
    """A comparison: the gate's result, the table, fuzzing if there was any, the turned samples with their diffs."""
    command = markdown_code(f"editgauge report {comparison.run} --against {comparison.base}")
    return fitted(list(_compared(comparison, failures, groups, fuzzed)), limit, rest=f"The page has it: {command}.")


def _compared(
    comparison: Comparison, failures: Sequence[Failure] | None, groups: Sequence[Group], fuzzed: FuzzNight | None
) -> Iterator[Part]:
    mark = "" if failures is None else "❌ " if failures else "✅ "
    heading_ = f"## {mark}{markdown_code(run_name(comparison.run))} against {markdown_code(run_name(comparison.base))}"
    first, *reasons = gate_lines(failures)
    yield Part([Block("heading", (heading_, "", markdown_prose(sentence(comparison)), "", f"**{first}**"))])
    yield _folded([Block("reason", (f"- {markdown_code(reason.strip())}",)) for reason in reasons], "The reasons")
    yield from _compared_rows(comparison)
    yield Part([Block("", ("", markdown_prose(LEGEND)))])
    yield Part([Block("note", (f"- {markdown_prose(note)}",)) for note in notes(comparison)], ("",))
    if fuzzed:
        yield fuzz_part(fuzzed)
    for turn in (Turn.WORSE, Turn.BETTER, Turn.CHANGED):
        mine = [group for group in groups if group.first.turn == turn]
        kind = f"{turn} sample"
        title = ("", f"### {turn.capitalize()}")
        drawn = [Block(kind, ("", *_diffs(group)), _in_a_line(group)) for group in mine if has_diff(group)]
        yield Part(drawn, title)
        others = [Block(kind, _in_a_line(group)) for group in mine if not has_diff(group)]
        folded = _folded(others, f"{counted(len(others), kind)} without diffs")
        yield folded if drawn else folded._replace(opening=(*title, *folded.opening))


def _compared_rows(comparison: Comparison) -> Iterator[Part]:
    """The strategies with turned samples, then the others, folded if they are many."""
    shown = columns(comparison)
    turned = {pair.strategy for pair in comparison.turned}
    header, rows = _table([one for one in comparison.strategies if one.strategy in turned], shown)
    _, others = _table([one for one in comparison.strategies if one.strategy not in turned], shown)
    if len(others) <= _MOST_OPEN:
        yield Part([*rows, *others], ("", *header))
        return
    yield Part(rows, ("", *header))
    same = _folded(others, f"{counted(len(others), 'strategy')} under which nothing turned")
    yield same._replace(opening=(*same.opening, *header))


def _diffs(group: Group) -> Iterator[str]:
    yield from (f"#### {markdown_code(heading(group))}", "", _under(group))
    for text, diff in side_texts(group):
        yield from ("", f"- {markdown_code(text)}")
        if diff:
            lines = _fenced(diff)
            is_long = len(lines) > _MOST_OPEN
            if is_long:
                yield from ("", f"<details><summary>{counted(len(lines) - 2, 'line')}</summary>")
            yield from ("", *lines)
            if is_long:
                yield from ("", "</details>", "")


def _in_a_line(group: Group) -> Lines:
    return (f"- {markdown_code(heading(group))} {_under(group)}",)


def _under(group: Group) -> str:
    return f"under {', '.join(map(markdown_code, group.strategies))}"


def _fenced(diff: str) -> Lines:
    lines = [printable(line) for line in diff.removesuffix("\n").split("\n")]
    longest = max(map(len, re.findall("`+", "\n".join(lines))), default=0)
    fence = "`" * max(3, 1 + longest)
    return (f"{fence}diff", *lines, fence)


def run_name(run: RunFolder) -> str:
    """The name of a night, or else the run folder."""
    night = run.folder.name.removeprefix(NIGHT)
    return str(run) if night == run.folder.name else f"night {night}"


def _table(rows: Sequence[Row], shown: Sequence[tables.Column[Row]]) -> tuple[Lines, list[Block]]:
    """The header of a table of strategies and its rows."""
    ruler = "|".join("---:" if column.number else "---" for column in shown)
    cells = [[_cell(column.text(one), is_name=not at) for at, column in enumerate(shown)] for one in rows]
    header = (f"| {' | '.join(column.heading for column in shown)} |", f"|{ruler}|")
    return header, [Block("strategy", (f"| {' | '.join(row)} |",)) for row in cells]


def _cell(text: str, *, is_name: bool) -> str:
    # GitHub ends a cell at a bar even within code.
    return (markdown_code(text) if is_name else printable(text)).replace("|", "\\|")


# A run


def run_markdown(
    summaries: Sequence[Summary],
    manifest: Manifest,
    folder: Path,
    *,
    advice: str = "",
    opening: Lines = (),
    fuzzed: FuzzNight | None = None,
    limit: int = COMMENT_LIMIT,
) -> str:
    """The sentence about a run, below the lines of `opening`, and the table of its strategies."""
    header, rows = _table(summaries, tables.columns(summaries))
    first = Block("heading", (*opening, markdown_prose(of_run.sentence(summaries, manifest, advice=advice))))
    parts = [Part([first]), Part(rows, ("", *header)), *([fuzz_part(fuzzed)] if fuzzed else [])]
    return fitted(parts, limit, rest=f"The page has it: {markdown_code(f'editgauge report {folder}')}.")


# Fuzzing


def fuzz_part(night: FuzzNight) -> Part:
    title, counts, *findings = fuzz_lines(night)
    blocks = [Block("night of fuzzing", (counts, "")), *(Block("finding", (line,)) for line in findings)]
    return Part(blocks, ("", title, ""))
