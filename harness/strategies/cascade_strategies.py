"""Replacers and cascades as strategies: those of the tables, and those that a name describes.

replacer/block_anchor                       a replacer of the table, alone
replacer/block_anchor@similarity=0.5        a replacer with other thresholds or guards
cascade/reference                           a cascade of the table
cascade/simple+line_trimmed+block_anchor    these replacers in this order, without guards; variants too
tier/indentation                            a tier of the table, alone
tier/drift@score=0.8                        a tier with other thresholds
cascade/exact+blank_lines+indentation       these tiers in this order; variants too
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from corpora.sample import Sample
from editcore import __version__
from editcore.cascade import CASCADES, Cascade, named_cascade
from editcore.errors import UsageError
from editcore.formats import EDIT_FORMATS
from editcore.formats.str_replace import apply_edits
from editcore.quoting import first_line
from editcore.replacers import REPLACERS
from editcore.text.document import Document
from editcore.thresholds import AT
from editcore.tiers import TIERS
from editcore.types import EditResult
from harness.strategies.strategy import Strategy

THEN = "+"
"""Separates the replacers of a cascade in a name that describes it."""
_ALONE: Mapping[str, Mapping[str, object]] = {"replacer": REPLACERS, "tier": TIERS}
"""Family -> the rules that are strategies by themselves."""


def cascade_strategies() -> Iterator[Strategy]:
    """Every replacer of the table alone, every tier of the table alone, then every cascade of the table."""
    for family, table in (*_ALONE.items(), ("cascade", CASCADES)):
        for member in table:
            if made := described_cascade_strategy(f"{family}/{member}"):
                yield made


def described_cascade_strategy(name: str) -> Strategy | None:
    """The strategy that a `replacer/...`, `tier/...` or `cascade/...` name describes; None if it is no description.

    Raises UsageError for a description of replacers, tiers or parameters that do not exist.
    """
    cascade = cascade_of(name)
    return _strategy(name, cascade) if cascade else None


def cascade_of(name: str) -> Cascade | None:
    """The cascade that the strategy of that name applies edits with; None for strategies of other families.

    Raises UsageError as `described_cascade_strategy` does.
    """
    family, _, member = name.partition("/")
    alone, has_settings, _ = member.partition(AT)
    if family == "cascade":
        is_described = THEN in member or alone in REPLACERS
        if is_described:
            return parse_cascade(member, spec=name)
        return CASCADES.get(member) or (named_cascade(member) if alone in CASCADES else None)
    rules = _ALONE.get(family)
    if rules is None or not (has_settings or alone in rules):
        return None
    summary = first_line(rules[alone].__doc__ or "") if alone in rules else ""
    summary += f" ({member})" if has_settings else ""
    if family == "tier":
        return Cascade(member, tiers=(member,), summary=summary)
    return Cascade(member, (member,), literal=True, summary=summary)


def parse_cascade(name: str, *, spec: str = "") -> Cascade:
    """The cascade of that name, or of the replacers or tiers that the name lists, as in `simple+line_trimmed`.

    Raises UsageError if there is none; `spec` is how the user wrote it.
    """
    replacers = name.split(THEN)
    if len(replacers) == 1 and replacers[0].partition(AT)[0] not in REPLACERS:
        return named_cascade(name)
    if len(set(replacers)) < len(replacers):
        raise UsageError(f"{spec or name} names a replacer twice", "The second would never decide: name each once.")
    if all(one.partition(AT)[0] in TIERS for one in replacers):
        return Cascade(name, tiers=tuple(replacers))
    return Cascade(name, tuple(replacers), literal=True)


def _strategy(name: str, cascade: Cascade) -> Strategy:
    return Strategy(
        name, frozenset(EDIT_FORMATS), partial(apply_pairs, cascade), cascade.summary, version_with(cascade)
    )


def apply_pairs(cascade: Cascade, sample: Sample, document: Document | None) -> EditResult:
    """Apply the sample's pairs of texts in order through a cascade, all or nothing."""
    file = sample.before[0]
    return apply_edits(
        document or file.content, sample.edits or (), cascade, path=file.path,
        whole_lines=sample.format == "search_replace",
    )  # fmt: skip


def version_with(cascade: Cascade) -> str:
    """The version of editcore, with that of the cascade where it has one: `0.1.0+recommended.1`."""
    return f"{__version__}+{cascade.name}.{cascade.version}" if cascade.version else __version__
