"""Write the figures of docs/study.md and docs/study/: `make study`, or `make study CORPUS=FILE` with recorded edits.

A figure stands between `<!-- begin PART_CORPUS -->` and its end. Parts about a corpus that is not given stay as they
are. Latencies differ from machine to machine and run to run; every other part about `house` is deterministic.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from docs.byte_files import BYTE_PARTS, run_bytes
from docs.cohorts import COHORT_PARTS
from docs.editions import EDITION_PARTS
from docs.figures import FIGURE_PARTS
from docs.formats import FORMAT_PARTS, run_anchored, run_slips
from docs.lists import LIST_PARTS, run_lists
from docs.studies import ROOT, Study, program, run, table
from harness.fuzz.engine.known import counted
from reports.compare.costs import Standing, choices
from reports.measurements.interval import rate_with_interval
from reports.measurements.table import CORRECT, MATCH_RATE, MISSED, P50, P99, PRECISION, REFUSED, WRONG, WRONG_RATE
from reports.runs.manifest import Unmeant
from reports.runs.rows import Damage, Severity, Verdict, WrongEdit
from reports.statistics.summary import Summary
from reports.views.between_wording import cost
from reports.views.comparison_wording import diff_of
from reports.views.tables import duration

PAGE = ROOT / "docs" / "study.md"
PAGES = (PAGE, *sorted((ROOT / "docs" / "study").glob("*.md")))
CORPORA = ("house", "generated", "recorded", "stale", "slips", "anchored", "lists", "bytes")
"""The names of corpora in the pages; the reader gives the file of `recorded`, and the last five are made of `house`."""
_PAIRS = "format=str_replace or format=search_replace"
_FIELD = ("cascade/*", "agent/*", "tier/*")
_SHORT = (
    "cascade/recommended", "cascade/exact", "cascade/opencode_1_17", "cascade/reference", "agent/opencode_2",
    "agent/codex", "agent/copilot", "agent/gemini", "agent/zed", "agent/cline_v3", "agent/aider", "agent/roo",
)  # fmt: skip
"""Strategies of the short tables, which stand for the field."""
_LADDERS = ("cascade/recommended", "cascade/reference")
"""Strategies whose rungs are shown one by one."""
PARTS_IN = re.compile(r"(<!-- begin (\w+)_(\w+) -->\n).*?(<!-- end \2_\3 -->)", re.DOTALL)
_N_SHOWN, _LONGEST_DIFF = 5, 24
_STALE_NAME = re.compile(r"^since_|_(?:diff|envelope)$")


def run_field(corpus: str, folder: Path) -> Study:
    """Score the field on the search/replace edits of a corpus. Raises CalledProcessError if the run fails."""
    return run(corpus, folder, strategies=_FIELD, only=_PAIRS)


def run_stale(folder: Path) -> Study:
    """Score the rules for stale edits on edits of `house` and changes by another hand. Raises CalledProcessError."""
    corpus = folder.with_suffix(".parquet")
    program("mutate", "house", "-m", "since_*", "-q", "-o", str(corpus))
    return run(str(corpus), folder, strategies=("stale/*",), only="not role=twin")


# Parts


def short(study: Study) -> str:
    """Counts and rates of the strategies that stand for the field; of all where there are few."""
    some = [one for one in study.summaries if one.strategy in _SHORT]
    return _field(some or study.summaries)


def field(study: Study) -> str:
    """Counts and rates of every strategy."""
    return _field(study.summaries)


def _field(summaries: Sequence[Summary]) -> str:
    rows = (
        (
            f"`{one.strategy}`",
            *map(str, (one[CORRECT], one[WRONG], one[MISSED], one[REFUSED])),
            rate_with_interval(one[MATCH_RATE]),
            rate_with_interval(one[WRONG_RATE]),
        )
        for one in summaries
    )
    return table(("strategy", "correct", "wrong", "missed", "refused", "match rate", "wrong rate"), rows)


def latency(study: Study) -> str:
    """Median and tail of one call."""
    rows = ((f"`{one.strategy}`", duration(one[P50]), duration(one[P99])) for one in study.summaries)
    return table(("strategy", "p50", "p99"), rows)


def wrong(study: Study) -> str:
    """Wrong edits by severity and by damage."""
    found = study.outcomes[study.outcomes["verdict"] == Verdict.WRONG_EDIT]
    severities, damages = (
        pd.crosstab(found["strategy"].astype(str), found[column].astype(str)) for column in ("severity", "damage")
    )

    def counts(name: str) -> Iterator[str]:
        for counted_of, kinds in ((severities, Severity), (damages, Damage)):
            for kind in kinds:
                yield str(counted_of[kind].get(name, 0)) if kind in counted_of else "0"

    rows = (
        (f"`{one.strategy}`", str(one[WRONG]), rate_with_interval(one[WRONG_RATE]), *counts(one.strategy))
        for one in study.summaries
    )
    return table(("strategy", "wrong", "wrong rate", *Severity, *Damage), rows)


def rungs(study: Study) -> str:
    """What each rung decides, rightly and wrongly, and what share of it is right."""

    def rows() -> Iterator[Sequence[str]]:
        for ladder in _LADDERS:
            found = study.outcomes[(study.outcomes["strategy"] == ladder) & study.outcomes["replacer"].notna()]
            table = pd.crosstab(found["replacer"].astype(str), found["verdict"].astype(str))
            table = table.reindex(columns=[Verdict.CORRECT, Verdict.WRONG_EDIT], fill_value=0)
            for name, n_correct, n_wrong in table.sort_values(Verdict.CORRECT, ascending=False).itertuples():
                precision = study.summaries_where(replacer={name})[ladder][PRECISION]
                yield f"`{ladder}`", f"`{name}`", str(n_correct), str(n_wrong), rate_with_interval(precision)

    return table(("strategy", "rung", "correct", "wrong", "precision"), rows())


def price(study: Study) -> str:
    """The best strategies for every price of a wrong edit."""
    whole = [one for one in study.summaries if not one.strategy.startswith("tier/")]
    standings = [Standing(one.strategy, one[MISSED], one[WRONG]) for one in whole]
    rows = (
        (
            f"{cost(choice.above)} to {cost(choice.upto)}"
            if choice.upto is not None
            else f"above {cost(choice.above)}",
            ", ".join(f"`{name}`" for name in choice.strategies),
        )
        for choice in choices(standings)
    )
    return table(("a wrong edit is as bad as so many missed ones", "best"), rows)


def families(study: Study) -> str:
    """Right and wrong results of each rule, by what another hand has changed since."""
    rows = study.described.assign(
        family=study.described["mutator"].astype(str).str.replace(_STALE_NAME, "", regex=True)
    )
    names = list(dict.fromkeys(rows["strategy"].astype(str)))
    right = {Verdict.CORRECT, Verdict.REFUSED}

    def cells(group: pd.DataFrame) -> Iterator[str]:
        for name in names:
            verdicts = group.loc[group["strategy"] == name, "verdict"]
            yield f"{verdicts.isin(right).sum()} / {(verdicts == Verdict.WRONG_EDIT).sum()}"

    found = rows.groupby("family", observed=True)
    rates = {one.strategy: rate_with_interval(one[WRONG_RATE]) for one in study.summaries}
    of_all = ("wrong rate of all", str(rows["sample_id"].nunique()), *(rates[name] for name in names))
    lines = ((f"`{family}`", str(group["sample_id"].nunique()), *cells(group)) for family, group in found)
    return table(("changed since", "edits", *(f"`{name.partition('/')[2]}`" for name in names)), [*lines, of_all])


def meant(_study: Study) -> str:
    """What each strategy writes that was not meant, as it was counted on drawn edits, whatever the corpus."""

    def per_million(n: int, total: int) -> str:
        return f"{n * 1_000_000 / total:,.0f}" if total else "-"

    rows = (
        (
            f"`{name}`",
            *(f"{n:,}" for n in (one.n_intents, one.n_contradictions)),
            per_million(one.n_wrong, one.n_intents),
            per_million(one.n_applied, one.n_contradictions),
        )
        for name, one in sorted(counted().items(), key=lambda pair: _unmeant_rate(pair[1]))
    )
    heads = ("strategy", "intents", "contradictions", "wrong per million intents", "applied per million contradictions")
    return table(heads, rows)


def _unmeant_rate(one: Unmeant) -> tuple[float, float]:
    return one.n_wrong / max(one.n_intents, 1), one.n_applied / max(one.n_contradictions, 1)


def examples(study: Study) -> str:
    """Five wrong edits that parse and mean something else, of different agents and kinds of damage if possible."""
    silent = [edit for edit in study.wrong_edits if edit.severity == Severity.OTHER_TREE and not edit.n_omitted]
    silent = [edit for edit in silent if diff_of(edit).count("\n") <= _LONGEST_DIFF]
    silent.sort(key=lambda edit: (-(edit.n_lines_lost or 0), len(edit.expected) + len(edit.given)))
    shown: list[WrongEdit] = []
    while silent and len(shown) < _N_SHOWN:
        damages = [one.damage for one in shown]
        edit = min(silent, key=lambda one: damages.count(one.damage))
        shown.append(edit)
        silent = [one for one in silent if one.sample_id != edit.sample_id and _author(one) != _author(edit)]
    return "\n".join(map(_example, shown))


def _author(edit: WrongEdit) -> str:
    """The strategy without its version."""
    return edit.strategy.partition("_")[0]


def _example(edit: WrongEdit) -> str:
    by = f", decided by `{edit.replacer}`" if edit.replacer else ""
    lost = f", lines lost that nobody asked to lose: {edit.n_lines_lost}" if edit.n_lines_lost else ""
    about = f"`{edit.strategy}`{by}, on `{edit.sample_id}`: {edit.damage}{lost}."
    # A page is read with its line endings made one.
    shown = diff_of(edit).rstrip().replace("\r", "\u240d")
    return f"{about} From the right text to the result:\n\n```diff\n{shown}\n```\n"


PARTS: Mapping[str, Callable[[Study], str]] = {
    "short": short,
    "field": field,
    "wrong": wrong,
    "rungs": rungs,
    "price": price,
    "families": families,
    "meant": meant,
    "latency": latency,
    "examples": examples,
    **FORMAT_PARTS,
    **LIST_PARTS,
    **BYTE_PARTS,
    **COHORT_PARTS,
    **EDITION_PARTS,
    **FIGURE_PARTS,
}
"""Name of a part -> what stands there, of one corpus."""


def filled(text: str, studies: Mapping[str, Study], *, only: Sequence[str] = tuple(PARTS)) -> str:
    """The text of a page with the parts about these corpora made anew; `only` the parts of these names."""

    def fill(match: re.Match[str]) -> str:
        begin, part, corpus, end = match.groups()
        return f"{begin}\n{PARTS[part](studies[corpus])}\n{end}" if corpus in studies and part in only else match[0]

    return PARTS_IN.sub(fill, text)


def main() -> None:
    given = {"house": "house", "generated": "generated", **({"recorded": sys.argv[1]} if sys.argv[1:] else {})}
    with tempfile.TemporaryDirectory() as folder:
        studies = {name: run_field(corpus, Path(folder) / name) for name, corpus in given.items()}
        made = {
            "stale": run_stale, "slips": run_slips, "anchored": run_anchored, "lists": run_lists, "bytes": run_bytes,
        }  # fmt: skip
        studies |= {name: make(Path(folder) / name) for name, make in made.items()}
        for page in PAGES:
            text = filled(page.read_text(encoding="utf-8"), studies)
            page.write_text(text if page == PAGE else text.replace('="images/', '="../images/'), encoding="utf-8")


if __name__ == "__main__":
    main()
