"""The chapter of docs/study.md on whom edits are from: by the file's language, and by the family and year of the model.

A group has a row if it has thirty edits that should be applied. What a cascade is worth in it is the difference of two
match rates on the same edits, with the interval of paired samples of its repositories.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import pandas as pd

from docs.studies import Study, table
from editcore.errors import UsageError
from reports.compare.between import between
from reports.compare.contrasts import Contrast
from reports.measurements.interval import rate_with_interval
from reports.measurements.table import MATCH_RATE, WRONG_RATE
from reports.runs.run_folder import RunFolder
from reports.statistics.breakdown import groups_of

EXACT, REFERENCE, RECOMMENDED = "cascade/exact", "cascade/reference", "cascade/recommended"
_FEWEST = 30
"""Edits labelled `apply` that a group needs for a row."""
_FAMILIES = (
    ("Claude", "claude"), ("GPT", r"gpt|\bo[134]\b|horizon"), ("Gemini", "gemini"), ("DeepSeek", "deepseek"),
    ("Grok", "grok"), ("Qwen", "qwen"), ("GLM", "glm"),
)  # fmt: skip
"""Families, and what the names of their models have; the first that fits."""
_YEARS = (
    (2023, r"gpt-4(?![.\do-])"),
    (2024, r"claude-3-opus|claude-3[.-]5|gpt-4o|gemini-2\.0|deepseek-(?:coder|chat)"),
    (2025, r"claude-3[.-]7|claude-4-sonnet|claude-(?:sonnet|opus|haiku)-4(?:$|[.-][15](?!\d))"),
    (2025, r"gpt-5(?![.\d])|gpt-4\.1|\bo[34]\b|o4-mini|horizon|gemini-2\.5|gemini-3-|deepseek-r1|grok-4|qwen3"),
    (2026, r"claude-(?:sonnet|opus|haiku)-4[.-][6-9]|claude-fable|gpt-5\.[2-9]|gemini-3\.[1-9]|deepseek-v4"),
)
"""Years in which models came out, and what their names have; the first that fits, where no name has a date."""
_DATED = re.compile(r"(?<!\d)(20[23]\d)-?[01]\d-?[0-3]\d(?!\d)")


def family_and_year(model: str | None) -> tuple[str, str]:
    """The family of a model and the year in which it came out, by its name; `-` for what is not known."""
    name = (model or "").lower()
    family = next((family for family, pattern in _FAMILIES if re.search(pattern, name)), "-")
    if dated := _DATED.search(name):
        return family, dated[1]
    return family, next((str(year) for year, pattern in _YEARS if re.search(pattern, name)), "-")


def languages(study: Study) -> str:
    """What a cascade finds and gets wrong, by the language of the file."""
    groups = groups_of(_samples(study), "language")
    return _table("language", study, {name: set(one["sample_id"]) for name, one in groups.groupby("group")})


def models(study: Study) -> str:
    """What a cascade finds and gets wrong, by the family and year of the model, and of all models of a year."""
    samples = _samples(study)
    kinds = [family_and_year(model) for model in samples["model"]]
    named = samples.assign(family=[family for family, _ in kinds], year=[year for _, year in kinds])
    groups = {_words(family, year): set(one["sample_id"]) for (family, year), one in named.groupby(["family", "year"])}
    of_years = {f"**all of {year}**": ids for year, ids in years(study).items()}
    return _table("model", study, {**groups, **of_years})


def years(study: Study) -> dict[str, set[str]]:
    """The samples of all models that came out in a year; years with few edits to apply are left out."""
    samples = _samples(study)
    year_of = pd.Series([family_and_year(model)[1] for model in samples["model"]], index=samples.index)
    groups = {str(year): set(one["sample_id"]) for year, one in samples.groupby(year_of) if year != "-"}
    apply = set(samples.loc[samples["label"] == "apply", "sample_id"])
    return {year: ids for year, ids in groups.items() if len(ids & apply) >= _FEWEST}


def _words(family: str, year: str) -> str:
    known = year if year != "-" else "year not known"
    return f"{family}, {known}" if family != "-" else f"other, {known}"


def _samples(study: Study) -> pd.DataFrame:
    return study.samples.drop_duplicates("sample_id", keep="last")


def _table(heading: str, study: Study, groups: Mapping[str, set[str]]) -> str:
    heads = (
        heading, "edits to apply", "found exactly", "found by `recommended`", "more, in points",
        "wrong by `recommended`", "wrong by `reference`",
    )  # fmt: skip
    return table(heads, _rows(study, groups))


def _rows(study: Study, groups: Mapping[str, set[str]]) -> Iterator[Sequence[str]]:
    apply = set(study.samples.loc[study.samples["label"] == "apply", "sample_id"])
    for name, ids in groups.items():
        if len(ids & apply) < _FEWEST:
            continue
        found = study.summaries_where(sample_id=ids)
        exact, recommended, reference = (found[one] for one in (EXACT, RECOMMENDED, REFERENCE))
        yield (
            name, f"{len(ids & apply):,}", rate_with_interval(exact[MATCH_RATE]),
            rate_with_interval(recommended[MATCH_RATE]), _points(_gain(study, ids)),
            rate_with_interval(recommended[WRONG_RATE]), rate_with_interval(reference[WRONG_RATE]),
        )  # fmt: skip


def _gain(study: Study, ids: set[str]) -> Contrast | None:
    """The match rate of `recommended` beside that of an exact match; None where nothing can be compared."""
    try:
        [pair] = between(RunFolder(study.folder), (EXACT, RECOMMENDED), only=ids).pairs
    except UsageError:
        return None
    return pair.match_rate


def _points(gain: Contrast | None) -> str:
    if gain is None:
        return "-"
    low, high = gain.interval or (None, None)
    within = f" ({100 * low:+.1f} to {100 * high:+.1f})" if low is not None and high is not None else ""
    return f"{100 * gain.delta:+.1f}{within}"


COHORT_PARTS: Mapping[str, Callable[[Study], str]] = {"languages": languages, "models": models}
"""Name of a part -> what stands there."""
