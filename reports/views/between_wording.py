"""Strategies of one run against each other, as tables, sentences and diffs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from operator import attrgetter
from typing import Any, TextIO

from editcore.quoting import printable
from reports.compare.between import Between, Differing, GroupCompared, PairCompared, Together
from reports.compare.contrasts import Matrix
from reports.compare.costs import BreakEven, Choice
from reports.statistics.significance import FEWEST
from reports.views.comparison_wording import contrast_column, p_value, points, side_lines, side_text, verdict_text
from reports.views.tables import ABSENT, Column, print_rows, row_columns, visible
from reports.wording import counted

KINDS: dict[Together, str] = {
    Together.BOTH_RIGHT: "both right",
    Together.ONLY_FIRST: "only first",
    Together.ONLY_SECOND: "only second",
    Together.WRONG_ALIKE: "wrong alike",
    Together.WRONG_DIFFERENTLY: "wrong differently",
}
_LEGEND = (
    ("right", "right: a correct edit or a rightful refusal"),
    ("alike", "wrong alike: both refused, or both left the same text"),
    (
        "change",
        "change: second - first, in percentage points, with its 95 % interval by itself, clustered by repository; "
        f"where samples of fewer than {FEWEST} repositories differ, the numbers of samples instead",
    ),
    ("p", "p: McNemar's exact test, clustered by repository, corrected by Holm for the number of rows"),
    (
        "break-even",
        "break-even: the number of missed edits that one wrong edit must be as bad as for both to be equally good",
    ),
)
"""A word of headings, and its meaning."""
MATRIX_LEGEND = (
    "samples on which the row's strategy is right and the column's is not; right: a correct edit or a rightful "
    "refusal; -: no labelled sample in common"
)


def cost(number: float) -> str:
    """A cost with two significant digits: `0.57`, `12`."""
    return f"{number:.2g}" if number < 100 else f"{number:.0f}"


def break_even_text(found: BreakEven | None) -> str:
    """The break-even cost with its interval: `0.57 (0.2 to 1.1)`."""
    if found is None:
        return ABSENT
    interval = f" ({cost(found.interval[0])} to {cost(found.interval[1])})" if found.interval else ""
    return f"{cost(found.cost)}{interval}"


def _kind(kind: Together) -> Column[Any]:
    """The number of samples of a kind, for a pair or a group of it."""
    number = attrgetter(f"tally.{kind.value}")
    return Column(KINDS[kind], "samples", lambda one: f"{number(one):,}", number)


_CHANGE = "second - first"
_COUNTED: tuple[Column[Any], ...] = (
    Column("samples", "that count", lambda one: f"{one.tally.n:,}", lambda one: one.tally.n),
    *map(_kind, Together),
    contrast_column("right change", _CHANGE, points, lambda one: one.right),
    contrast_column(
        "p", "corrected for the rows, in a group for those of its property", p_value, lambda one: one.right
    ),
)
"""Columns of a pair and of a group of it."""
_COLUMNS: tuple[Column[PairCompared], ...] = (
    Column("first", "a strategy", lambda pair: visible(pair.first)),
    Column("second", "a strategy", lambda pair: visible(pair.second)),
    *_COUNTED,
    contrast_column("match change", _CHANGE, points, lambda pair: pair.match_rate),
    contrast_column("match p", _CHANGE, p_value, lambda pair: pair.match_rate),
    contrast_column("wrong change", _CHANGE, points, lambda pair: pair.wrong_rate),
    contrast_column("wrong p", _CHANGE, p_value, lambda pair: pair.wrong_rate),
    Column("break-even", "cost of a wrong edit", lambda pair: break_even_text(pair.break_even), lambda _: None),
)
_COUNTS = (
    "wrong alike", "wrong differently", "samples", "both right", "only second", "only first"
)  # fmt: skip
_DROPPED_FIRST = ("match p", "match change", "wrong p", "wrong change", *_COUNTS, "p", "break-even")
"""The least important columns first: the table is about being right more often."""


def print_pairs(found: Between, *, file: TextIO | None = None) -> frozenset[str]:
    """Print a row for each pair of strategies; returns the headings of the printed columns."""
    return print_rows(found.pairs, _COLUMNS, dropped_first=_DROPPED_FIRST, file=file)


def legend(headings: Collection[str]) -> str:
    """The meaning of the columns with these headings."""
    words = {word for heading in headings for word in heading.split()}
    return "; ".join(text for word, text in _LEGEND if word in words)


def print_matrix(found: Matrix, *, file: TextIO | None = None) -> None:
    """Print the matrix; a column has the number of its strategy's row."""
    rows = [
        [
            number,
            name,
            *((ABSENT if cell is None else f"{cell.n_only_row:,}{'*' if cell.is_better else ''}") for cell in cells),
        ]
        for number, (name, cells) in enumerate(zip(found.strategies, found.cells, strict=True), 1)
    ]
    columns = row_columns(["", "right", *map(str, range(1, len(rows) + 1))], rows)
    numeric = [Column(one.heading, one.meaning, one.text, lambda _: None) for one in columns[2:]]
    print_rows(rows, [*columns[:2], *numeric], file=file)


def matrix_legend(found: Matrix) -> str:
    """The meaning of the cells."""
    test = f"McNemar's exact test, clustered by repository, Holm for {counted(found.n_pairs, 'pair')}"
    return f"{MATRIX_LEGEND}; *: the row's is right significantly more often ({test})"


def sentence(pair: PairCompared) -> str:
    """The better of two strategies, depending on the cost of a wrong edit, and the certainty of that."""
    one, other = pair.standings
    counts = ", ".join(
        f"{side.strategy} misses {side.n_missed:,} and gets {side.n_wrong:,} wrong" for side in pair.standings
    )
    even = pair.break_even
    if (one.n_missed, one.n_wrong) == (other.n_missed, other.n_wrong):
        advice = "Take either: both miss and get wrong equally many"
    elif even is None:
        (best,) = pair.together[0].strategies
        advice = f"Take {best} at any cost of a wrong edit"
    else:
        within = f" (95 %: {cost(even.interval[0])} to {cost(even.interval[1])})" if even.interval else ""
        advice = (
            f"Take {even.keener} if a wrong edit is less bad than {cost(even.cost)} missed ones{within}, "
            f"else {even.safer}"
        )
    return f"{advice}: of {pair.tally.n:,} samples, {counts}. {_certainty(pair)}"


def _certainty(pair: PairCompared) -> str:
    """The significant differences of a pair, and those that may be chance."""
    tested = [("match rates", pair.match_rate), ("wrong rates", pair.wrong_rate)]
    settled = [what for what, one in tested if one and one.is_significant()]
    unsettled = [what for what, one in tested if one and not one.is_significant()]
    parts = []
    if settled:
        parts.append(f"the {' and the '.join(settled)} differ significantly")
    if unsettled:
        parts.append(f"the difference of the {' and that of the '.join(unsettled)} may be chance")
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def advice(found: Between) -> Iterator[str]:
    """A sentence for each pair; for three or more strategies, first the best of all for each cost."""
    if len(found.pairs) > 1 and found.n_common:
        yield f"Of all, on the {found.n_common:,} samples that count for each: {'; '.join(map(_range, found.choices))}."
    for pair in found.pairs:
        yield sentence(pair)


def _range(choice: Choice) -> str:
    names = " or ".join(choice.strategies)
    if choice.upto is None:
        return f"{names} if it is worse than {cost(choice.above)} missed ones" if choice.above else f"{names} always"
    start = f"from {cost(choice.above)} " if choice.above else ""
    return f"{names} if a wrong edit is as bad as {start}{'to' if start else 'up to'} {cost(choice.upto)} missed ones"


def caveats(found: Between) -> Iterator[str]:
    unlabelled = max((pair.n_unlabelled for pair in found.pairs), default=0)
    if unlabelled:
        yield f"Samples without a known right answer do not count: {unlabelled:,}."
    for pair in found.pairs:
        both = f"{pair.first} and {pair.second}"
        if pair.n_failed:
            yield f"Samples of {both} on which one crashed or timed out do not count: {pair.n_failed:,}."


def print_groups(pair: PairCompared, *, file: TextIO | None = None) -> None:
    """Print a row for each group of samples: two strategies by format, language, mutator."""
    columns: list[Column[GroupCompared]] = [
        Column("by", "a property of samples", lambda one: one.key),
        Column("group", "its value", lambda one: visible(one.group)),
        *_COUNTED,
    ]
    print_rows(pair.groups, columns, dropped_first=_COUNTS, file=file)


def heading(pair: PairCompared, kind: Together) -> str:
    """The kind of discordant samples of a pair, in words, with their number."""
    n = len(pair.discordant[kind])
    match kind:
        case Together.ONLY_FIRST:
            return f"ONLY {pair.first} is right, not {pair.second} ({n:,})"
        case Together.ONLY_SECOND:
            return f"ONLY {pair.second} is right, not {pair.first} ({n:,})"
    return f"BOTH {pair.first} and {pair.second} are wrong, in different ways ({n:,})"


def lines_about(pair: PairCompared, found: Mapping[Together, list[Differing]]) -> Iterator[str]:
    """The discordant samples of a pair under a heading for each kind, with both outcomes and diffs."""
    for kind, samples in found.items():
        if not samples:
            continue
        yield from ("", heading(pair, kind))
        for one in samples:
            yield from ("", f"{one.sample_id}: {verdict_text(one.sides[0])} | {verdict_text(one.sides[1])}")
            yield from side_lines(map(side_text, (pair.first, pair.second), one.sides, one.edits))
        left_out = len(pair.discordant[kind]) - len(samples)
        if left_out:
            yield from ("", f"{left_out:,} more: -n shows more of them, `editgauge show` one with its edit")


def document(found: Between, matrix: Matrix, shown: Sequence[Mapping[Together, list[Differing]]]) -> dict[str, Any]:
    pairs = []
    for pair, samples in zip(found.pairs, shown, strict=True):
        one = asdict(pair)
        one["discordant"] = {
            kind.value: {"n": len(pair.discordant[kind]), "samples": [_sample(each) for each in some]}
            for kind, some in samples.items()
        }
        one["sentence"] = sentence(pair)
        pairs.append(one)
    return {
        "schema_version": 1,
        "pairs": pairs,
        "choices": [asdict(one) for one in found.choices],
        "n_common": found.n_common,
        "matrix": asdict(matrix),
        "advice": [printable(line) for line in advice(found)],
    }


def _sample(one: Differing) -> dict[str, Any]:
    edits = [edit and {"path": edit.path, "line": edit.line, "expected": edit.expected, "given": edit.given}
             for edit in one.edits]  # fmt: skip
    return {"sample_id": one.sample_id, "outcomes": [asdict(side) for side in one.sides], "wrong_edits": edits}
