"""The matrix of programs, versions, defects and rates: results, their check, and the page.

A result is of one version of a program on the suite: a JSON file that anybody can make and anybody can check.
`outcomes` has one letter for each sample of the suite, in the order of `corpora.edition.sample_ids`:

    c correct   w wrong   W wrong where refusing was right   m missed   r refused
    u unlabelled or unstable   x crashed   t timed out   - not run

Counts and defects follow from it, and the digest is of it: a file in which they differ was changed by hand.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import msgspec
import xxhash

from corpora.defects import MECHANISMS, defects
from corpora.edition import EDITION, sample_ids
from corpora.regular_file import content
from editcore.errors import UsageError
from editcore.quoting import first_line, printable, quoted
from reports.runs.rows import Verdict

LETTERS: Mapping[str, str] = {
    Verdict.CORRECT: "c", Verdict.WRONG_EDIT: "w", Verdict.MISSED: "m", Verdict.REFUSED: "r",
    Verdict.UNLABELLED: "u", Verdict.UNSTABLE: "u", Verdict.CRASHED: "x", Verdict.TIMED_OUT: "t",
}  # fmt: skip
UNASKED, NOT_RUN = "W", "-"
_ALL = "".join(sorted({UNASKED, NOT_RUN, *LETTERS.values()}))
DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")
_LARGEST = 1 << 20

Line = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class Counts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Outcomes on `house`."""

    right: int
    wrong: int
    missed: int
    refused: int
    other: int
    """Crashed, timed out, unlabelled or unstable."""


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One version of a program on one edition of the suite."""

    schema_version: Annotated[int, msgspec.Meta(ge=1, le=1)]
    program: Line
    version: Line
    date: str
    """The day, month or year of the version: 2026-02-11, 2026-02 or 2026; empty if unknown."""
    strategy: Line
    """The strategy that was run: `agent/aider`, or `cmd/mine` for a program."""
    command: Line
    """What repeats the run."""
    suite: str
    """The edition, `corpora.edition.EDITION`."""
    machine: Annotated[str, msgspec.Meta(max_length=200)]
    counts: Counts
    defects: tuple[str, ...]
    """Ids of the named defects that the program has."""
    outcomes: str
    digest: str
    """`digest_of` the result."""

    @property
    def anchor(self) -> str:
        """The permanent anchor of the result's row: `codex-0.77-agent-codex_0_77`."""
        return re.sub(r"[^a-z0-9._]+", "-", f"{self.program} {self.version} {self.strategy}".lower()).strip("-")

    @property
    def wrong_rate(self) -> float | None:
        """The share of wrong edits among labelled samples of `house`; None without any."""
        one = self.counts
        n = one.right + one.wrong + one.missed + one.refused
        return one.wrong / n if n else None

    @property
    def match_rate(self) -> float | None:
        """The share of right edits among the samples of `house` that are to be applied; None without any."""
        n = self.counts.right + self.counts.missed + _of_house(self.outcomes).count("w")
        return self.counts.right / n if n else None


def result(
    *, program: str, version: str, date: str, strategy: str, command: str, machine: str, letters: Mapping[str, str],
    had: tuple[str, ...],
) -> Result:  # fmt: skip
    """The result of outcomes: `letters` maps the ids of the samples that were run to their letters."""
    outcomes = "".join(letters.get(id, NOT_RUN) for id in sample_ids())
    return Result(
        1, program, version, date, strategy, command, EDITION, machine, _counts(outcomes), had, outcomes,
        _digest(EDITION, program, version, strategy, outcomes),
    )  # fmt: skip


def read_result(path: Path) -> Result:
    """The result in a file. Raises UsageError for a file that is none, or whose parts contradict each other."""
    try:
        found = msgspec.json.decode(content(path, _LARGEST), type=Result)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror or error}", "Name a file that `matrix result` wrote."
        ) from None
    except ValueError as error:
        raise UsageError(f"{path} is no result: {first_line(error)}", _TIP) from None
    for problem in problems(found):
        raise UsageError(f"{path}: {problem}", _TIP)
    return found


_TIP = "Make it with `editgauge matrix result`; docs/matrix.md has its schema."


def problems(one: Result) -> Iterator[str]:
    """What is wrong with a result, a sentence each."""
    if one.suite != EDITION:
        yield f"suite is {quoted(one.suite)}, and this editgauge has {EDITION!r}"
        return
    if len(one.outcomes) != len(sample_ids()) or not set(one.outcomes) <= set(_ALL):
        yield f"outcomes are not {len(sample_ids())} letters of {_ALL}"
        return
    if one.date and not DATE.fullmatch(one.date):
        yield f"date is {quoted(one.date)}, not a day, month or year"
    if one.counts != (counted := _counts(one.outcomes)):
        yield f"counts are {_said(one.counts)}, and outcomes have {_said(counted)}"
    if unknown := [id for id in one.defects if id not in defects()]:
        yield f"defects name {', '.join(map(quoted, unknown[:3]))}, which no edition has"
        return
    letters = {id: letter for id, letter in zip(sample_ids(), one.outcomes, strict=True) if id in defects()}
    wrong = {id for id, letter in letters.items() if letter in "wW"}
    refused = {id for id, letter in letters.items() if letter == "m" and defects()[id].harm == "refused"}
    if more := set(one.defects) - wrong - refused:
        yield f"defects name {min(more)}, whose sample was neither wrong nor missed"
    # A rule that never sees the text of before is not asked about stale edits.
    if fewer := {id for id in wrong if defects()[id].sample.seen is None}.difference(one.defects):
        yield f"defects leave out {min(fewer)}, whose sample is wrong"
    if one.digest != _digest(one.suite, one.program, one.version, one.strategy, one.outcomes):
        yield "digest is not the one of these outcomes"


def _of_house(outcomes: str) -> str:
    return "".join(letter for id, letter in zip(sample_ids(), outcomes, strict=True) if id not in defects())


def _counts(outcomes: str) -> Counts:
    n = Counter(_of_house(outcomes))
    return Counts(n["c"], n["w"] + n["W"], n["m"], n["r"], n["u"] + n["x"] + n["t"])


def _said(one: Counts) -> str:
    return f"{one.right} / {one.wrong} / {one.missed} / {one.refused}"


def _digest(*parts: str) -> str:
    return xxhash.xxh3_128_hexdigest(json.dumps(parts).encode())


# The matrix as one static page, a JSON document and a badge for each row. The page has no script.

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --bad: #c0392b; --good: #888a }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 100rem; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
.wide { overflow-x: auto } table { border-collapse: collapse }
th, td { padding: .2rem .5rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap }
.word { text-align: left } .version { text-align: left; white-space: normal; max-width: 6rem }
tr:target td { background: #fc03 } td svg { vertical-align: middle }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: Canvas }
.grid th, .grid td { padding: .1rem .15rem; text-align: center }
.grid th a { writing-mode: vertical-rl; font-size: 12px; text-decoration: none }
.grid td:first-child { text-align: left; padding-right: .6rem }
.has { color: var(--bad); font-weight: bold } .not { color: var(--good) }
.grid .first { border-left: 2px solid var(--line) }
@media (max-width: 600px) {
  body { padding: 0 .6rem; font-size: 14px }
  td:first-child { max-width: 7rem; white-space: normal }
}
"""
_HAS, _HAS_NOT = "<span class=has>✕</span>", "<span class=not>·</span>"
_DIGITS = re.compile(r"\d+")


def ordered(results: Sequence[Result]) -> list[Result]:
    """Results by program, each program's versions from old to new."""
    return sorted(results, key=lambda one: (one.program.lower().lstrip("@"), *age(one.version, one.date), one.strategy))


def age(version: str, date: str) -> tuple[str, list[int]]:
    """A key that orders the versions of a program from old to new: by their dates, then by their numbers."""
    return date, [int(n) for n in _DIGITS.findall(version)[:6]]


def document(results: Sequence[Result]) -> dict[str, Any]:
    """The matrix as JSON, without the outcomes of single samples."""
    rows = [
        {name: value for name, value in msgspec.to_builtins(one).items() if name != "outcomes"}
        | {"anchor": one.anchor, "match_rate": one.match_rate, "wrong_rate": one.wrong_rate}
        for one in ordered(results)
    ]
    return {"schema_version": 1, "suite": EDITION, "results": rows}


def badge(one: Result) -> str:
    """An SVG badge: the share of wrong edits, and the number of named defects."""
    left = "wrong edits"
    right = f"{_percent(one.wrong_rate)}, {len(one.defects)} defects"
    colour = "#4c9a52" if not one.defects else "#c78a1b" if len(one.defects) < 5 else "#c0392b"
    first, second = 7 * len(left) + 12, 7 * len(right) + 12
    label = escape(f"{one.program} {one.version}: {left} {right} ({one.suite})")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{first + second}" height="20" role="img" aria-label="{label}">'
        f'<title>{label}</title><rect width="{first}" height="20" fill="#555"/>'
        f'<rect x="{first}" width="{second}" height="20" fill="{colour}"/>'
        f'<g fill="#fff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{first / 2}" y="14">{left}</text><text x="{first + second / 2}" y="14">{right}</text></g></svg>\n'
    )


def page(results: Sequence[Result], *, made: str) -> str:
    """The page. `made` is the day on which it was made."""
    return "".join(_page(ordered(results), made))


def _page(rows: list[Result], made: str) -> Iterator[str]:
    yield (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>How coding agents apply edits</title><style>{_STYLE}</style><h1>How coding agents apply edits</h1>"
        f"<p>{len(rows)} rules of {len({one.program for one in rows})} programs, scored on {_text(EDITION)} on "
        f"{_text(made)}. A rule is <b>wrong</b> if it writes something that was not meant. A refusal costs a retry and "
        "is not wrong. The edits of a format are given to the rules of that format only: compare rows with equal "
        "numbers of edits.</p><h2 id=rates>Rates</h2><div class=wide><table><tr><th>program"
        "<th class=version>version<th>wrong rate<th>defects<th>match rate<th>edits<th>right<th>wrong<th>missed"
        "<th class=word>rule<th class=word>date</tr>"
    )
    for one in rows:
        n = one.counts
        total = n.right + n.wrong + n.missed + n.refused + n.other
        cells = (
            _percent(one.wrong_rate), len(one.defects), _percent(one.match_rate), total, n.right, n.wrong, n.missed,
        )  # fmt: skip
        name = f"<a href='#{escape(one.anchor)}'>{_text(one.program)}</a><td class=version>{_text(one.version)}"
        numbers = "".join(f"<td>{_text(cell)}" for cell in cells)
        words = f"<td class=word>{_text(one.strategy)}<td class=word>{_text(one.date)}"
        yield f"<tr id='{escape(one.anchor)}'><td>{name}{numbers}{words}</tr>"
    yield "</table></div>"
    yield from _trends(rows)
    yield from _grid(rows)


def _trends(rows: list[Result]) -> Iterator[str]:
    """Programs with several versions: their wrong rates from old to new."""
    programs = [list(some) for _, some in groupby(rows, key=lambda one: (one.program, _kind(one)))]
    several = [some for some in programs if len({one.version for one in some}) > 1]
    if not several:
        return
    yield "<h2 id=trends>Over versions</h2><div class=wide><table>"
    yield "<tr><th>program<th class=word>versions<th class=word>wrong rate<th></tr>"
    for some in several:
        rates = [one.wrong_rate or 0.0 for one in some]
        words = " → ".join(_percent(one.wrong_rate) for one in some)
        versions = " → ".join(one.version for one in some)
        yield f"<tr><td>{_text(some[0].program)}<td class=word>{_text(versions)}<td class=word>{_text(words)}"
        yield f"<td>{_line(rates)}</tr>"
    yield "</table></div>"


def _kind(one: Result) -> str:
    """The samples that a rule was given, as far as they tell its format."""
    return "".join("-" if letter == NOT_RUN else "x" for letter in one.outcomes)


def _line(rates: Sequence[float]) -> str:
    top = max(*rates, 0.01)
    points = " ".join(
        f"{4 + at * 72 / (len(rates) - 1):.1f},{20 - 16 * rate / top:.1f}" for at, rate in enumerate(rates)
    )
    return f"<svg width=80 height=24><polyline points='{points}' fill=none stroke=currentColor stroke-width=2 /></svg>"


def _grid(rows: list[Result]) -> Iterator[str]:
    """A row a rule, a column a defect: has it, has it not, or was not asked."""
    listed = sorted(defects().values(), key=lambda one: list(MECHANISMS).index(one.mechanism))
    firsts = {next(one.id for one in listed if one.mechanism == name) for name in {one.mechanism for one in listed}}
    yield (
        f"<h2 id=defects>Defects</h2><p>{_HAS} has the defect, {_HAS_NOT} has not; empty: "
        "it is about another format. The columns are grouped by mechanism; the list below says what each is.</p>"
        "<div class=wide><table class=grid><tr><th>rule"
    )
    for one in listed:
        yield f"<th{_edge(one.id in firsts)}><a href='#{one.id}' title='{escape(one.title)}'>{one.id}</a>"
    yield "</tr>"
    for row in rows:
        had, outcomes = set(row.defects), _by_id(row)
        name = f"{row.program} {row.version}" if row.strategy.startswith("cmd/") else row.strategy
        yield f"<tr><td><a href='#{escape(row.anchor)}'>{_text(name)}</a>"
        for one in listed:
            mark = _HAS if one.id in had else "" if outcomes[one.id] == NOT_RUN else _HAS_NOT
            yield f"<td{_edge(one.id in firsts)}>{mark}"
        yield "</tr>"
    yield "</table></div><h2 id=list>What each defect is</h2><dl>"
    for one in listed:
        yield f"<dt id={one.id}><b>{one.id}</b> {_text(one.title)}<dd>{_text(one.why)} ({_text(one.mechanism)})"
    yield "</dl></html>\n"


def _edge(is_first: bool) -> str:
    return " class=first" if is_first else ""


def _by_id(one: Result) -> dict[str, str]:
    return dict(zip(sample_ids(), one.outcomes, strict=True))


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _text(value: object) -> str:
    return escape(printable(str(value)))
