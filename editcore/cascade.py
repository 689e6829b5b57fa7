"""Cascades: replacers in an order, and the rule that takes one of their candidates.

The rule, for each replacer in order and each of its candidates in order:

1. a candidate that does not occur in the file text is skipped;
2. with a size guard, a candidate out of proportion to the search text refuses the edit;
3. with `replace_all`, every occurrence of the candidate is replaced, and that is the result;
4. a candidate that occurs once is replaced, and that is the result;
5. a candidate that occurs more than once is skipped, and the next one is tried; after more than a hundred of them in a
   long text the edit is refused as ambiguous.

Uniqueness is decided for each candidate, not for the number of places that all of them match. An ambiguous search
text can therefore replace an unintended place. OpenCode's edit tool works by this rule, and this is its reference
implementation; `tests/cases` shows what it does to code.

A cascade may consist of tiers instead (see `editcore.tiers`), which name a place and merge the edit into it. There the
first tier that is certain decides, and a search text that occurs several times is refused by all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

from editcore.diagnosis import disproportionate, empty, identical, no_match, no_such_occurrence, several_matches
from editcore.errors import UsageError, did_you_mean
from editcore.replacers import REPLACERS, Replacer
from editcore.replacers.size_guard import SizeGuard
from editcore.text.document import Document
from editcore.thresholds import AT
from editcore.tiers import Tier
from editcore.tiers.decide import decide
from editcore.types import Applied, Edit, EditResult, Match
from editcore.variants import check_replacer, check_tier, named_replacer, named_tier

_MOST_AMBIGUOUS = 100
"""Ambiguous candidates that are tried in any text, however long."""
_MOST_CHARACTERS = 1 << 24
"""Characters that may be read for all ambiguous candidates together; in a short text, more of them are tried."""


@dataclass(frozen=True, slots=True)
class Guards:
    single_similarity: float = 0.0
    """Least similarity (0 to 1) that `block_anchor` requires of a block when only one has both anchors."""
    several_similarity: float = 0.3
    """Least similarity (0 to 1) that `block_anchor` requires of the best of several blocks."""
    size_window: float | None = None
    """Share of the search text's line count by which a block may differ; None for no limit."""
    size_guard: SizeGuard | None = None
    """Refuses candidates out of proportion to the search text; None accepts every candidate."""


@dataclass(frozen=True, slots=True)
class Cascade:
    """Replacers in an order, with guards, or tiers in an order. The order decides which candidate wins.

    `Cascade("mine", ("simple", "line_trimmed"))` takes any order and any subset of `REPLACERS` by name, with
    parameters of their own (`"block_anchor@single_similarity=0.8"`, see `editcore.variants`), and replacers of
    your own as functions. A variant in one line, with a summary of its own, derived where it is empty:
    `dataclasses.replace(CASCADES["reference"], name="strict", summary="", guards=Guards(single_similarity=0.8))`.
    `Cascade("mine", tiers=("exact", "indentation"))` takes tiers of `TIERS` by name, or your own.
    Raises UsageError for the name of an unknown replacer, tier or parameter, and for replacers and tiers at once.
    """

    name: str
    replacers: tuple[str | Replacer, ...] = ()
    """Names in `REPLACERS`, with or without parameters, or functions, which keep their own names."""
    tiers: tuple[str | Tier, ...] = field(default=(), kw_only=True)
    """Names in `TIERS`, or functions."""
    guards: Guards = field(default=Guards(), kw_only=True)
    literal: bool = field(default=False, kw_only=True)
    """True if the replacers see carriage returns and write the new text as it is, as the rebuilt programs do.
    Otherwise they see line feeds only, and each new line gets the ending of the line that it replaces. Of tiers, only
    `exact` heeds it: the line feed at the end of whole lines goes if the new text has none.
    """
    version: str = field(default="", kw_only=True)
    """The version of the list of tiers, for a cascade whose list may change; in the evidence of its results."""
    summary: str = field(default="", kw_only=True, compare=False)
    """One line for listings; by default the replacers in their order."""
    _functions: dict[int, Callable[..., Any]] = field(init=False, repr=False, compare=False, default_factory=dict)
    """Index of a replacer or tier -> its function, thresholds applied, once it was asked."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "replacers", tuple(self.replacers))
        object.__setattr__(self, "tiers", tuple(self.tiers))
        for replacer in self.replacers:
            if isinstance(replacer, str):
                check_replacer(replacer)
        for tier in self.tiers:
            if isinstance(tier, str):
                check_tier(tier)
        if self.replacers and self.tiers:
            raise UsageError(f"The cascade {self.name} has replacers and tiers", "Give either: their rules differ.")
        if not self.summary:
            order = ", ".join(self.order) or "no replacer"
            guards = "no guards" if self.guards == Guards() else "with thresholds and guards of its own"
            object.__setattr__(self, "summary", f"In this order: {order}; {guards}.")

    @property
    def order(self) -> tuple[str, ...]:
        """The names of its replacers or tiers, in order."""
        return tuple(map(_name, (*self.replacers, *self.tiers)))

    @property
    def rungs(self) -> Iterator[tuple[str, Replacer]]:
        """Name and function of each replacer, in order. One that is not asked is not imported."""
        for n, replacer in enumerate(self.replacers):
            if n not in self._functions:
                self._functions[n] = _rung(replacer, self.guards)
            yield _name(replacer), self._functions[n]

    @property
    def steps(self) -> Iterator[tuple[str, Tier]]:
        """Name and function of each tier, in order. One that is not asked is not imported."""
        for n, tier in enumerate(self.tiers):
            if n not in self._functions:
                self._functions[n] = named_tier(tier) if isinstance(tier, str) else tier
            yield _name(tier), self._functions[n]

    def candidates(self, document: Document, find: str) -> Iterator[tuple[str, str]]:
        """Every candidate for a search text, as (name of the replacer, text), in the order in which they are tried."""
        for name, replacer in self.rungs:
            for candidate in replacer(document, find):
                yield name, candidate

    def apply(
        self, document: Document, edit: Edit, *, whole_lines: bool = False, path: str | None = None
    ) -> EditResult:
        """Apply one edit to a document. Never raises, whatever the texts.

        `whole_lines` says that the edit's texts are whole lines by their format, `path` is the name of the file, if it
        is known. Only tiers heed them.
        """
        if self.tiers:
            return decide(
                self.steps, document.text, edit, whole_lines=whole_lines, version=self.version, path=path,
                literal=self.literal,
            )  # fmt: skip
        find, text = edit.old_string, document.text
        if find == edit.new_string:
            return identical()
        if not find:
            return empty()
        ambiguous: dict[str, None] = {}
        for name, candidate in self.candidates(document, find):
            if candidate in ambiguous:
                continue
            at = text.find(candidate)
            if at < 0:
                continue
            if self.guards.size_guard and self.guards.size_guard.refuses(candidate, find):
                return disproportionate(document, find, candidate, name)
            if edit.replace_all:
                return _replaced_everywhere(text, candidate, edit.new_string, name)
            if edit.occurrence is not None and candidate == find and not self.literal:
                return _replaced_at(text, edit, edit.occurrence, name)
            if text.find(candidate, at + 1) < 0:
                return _replaced(text, at, candidate, edit, name)
            ambiguous[candidate] = None
            if len(ambiguous) > _MOST_AMBIGUOUS and len(ambiguous) * len(text) > _MOST_CHARACTERS:
                break
        return several_matches(document, next(iter(ambiguous))) if ambiguous else no_match(document, find)


def _name(member: str | Callable[..., object]) -> str:
    return member if isinstance(member, str) else getattr(member, "__name__", "custom")


def _rung(replacer: str | Replacer, guards: Guards) -> Replacer:
    if not isinstance(replacer, str):
        return replacer
    if replacer == "block_anchor":
        names = ("single_similarity", "several_similarity", "size_window")
        return partial(REPLACERS[replacer], **{name: getattr(guards, name) for name in names})
    return named_replacer(replacer)


def _replaced(text: str, at: int, candidate: str, edit: Edit, name: str) -> Applied:
    similarity = 1.0
    if name.partition(AT)[0] == "block_anchor":
        from editcore.replacers.block_anchor import block_similarity

        similarity = block_similarity(candidate, edit.old_string)
    end = at + len(candidate)
    return Applied(text[:at] + edit.new_string + text[end:], (Match(at, end, name, similarity),), name)


def _replaced_at(text: str, edit: Edit, number: int, name: str) -> EditResult:
    """The text with exact place `number` replaced, counted from 1; -1 is the last."""
    places = list(_occurrences(text, edit.old_string, name))
    n = len(places) if number == -1 else number
    if not 1 <= n <= len(places):
        return no_such_occurrence(number, len(places))
    return _replaced(text, places[n - 1].start, edit.old_string, edit, name)


def _replaced_everywhere(text: str, candidate: str, new_string: str, name: str) -> Applied:
    return Applied(text.replace(candidate, new_string), tuple(_occurrences(text, candidate, name)), name)


def _occurrences(text: str, candidate: str, name: str) -> Iterator[Match]:
    """The occurrences that do not overlap; an empty candidate occurs before and after each character."""
    length = len(candidate)
    at = text.find(candidate)
    while at >= 0:
        yield Match(at, at + length, name)
        at = text.find(candidate, at + (length or 1))


# Literal, since both are pinned to a version: a tenth replacer must not change what they are.
REFERENCE = Cascade(
    "reference",
    (
        "simple", "line_trimmed", "block_anchor", "whitespace_normalized", "indentation_flexible", "escape_normalized",
        "trimmed_boundary", "context_aware", "multi_occurrence",
    ),
    literal=True,
    summary="The nine replacers in their order, thresholds 0.0 and 0.3, no guards.",
)  # fmt: skip
OPENCODE_1_17 = Cascade(
    "opencode_1_17",
    REFERENCE.replacers,
    guards=Guards(single_similarity=0.65, several_similarity=0.65, size_window=0.25, size_guard=SizeGuard()),
    literal=True,
    summary="The nine with thresholds 0.65, a block-size window and a size guard.",
)
EXACT = Cascade("exact", ("simple",), summary="The exact, unique match and nothing else; line endings aside.")

# Its tiers are named here, not taken from the table: whoever depends on it is told by the version what it is made of.
RECOMMENDED = Cascade(
    "recommended",
    tiers=(
        "exact", "blank_lines", "indentation", "look_alikes", "spacing", "line_breaks", "escapes", "pasted", "elision",
        "drift",
    ),
    version="3",
    summary="Merges the edit into the one place that fits, exactly or by a tier that forgives one thing; else refuses.",
)  # fmt: skip

CASCADES: Mapping[str, Cascade] = MappingProxyType(
    {cascade.name: cascade for cascade in (RECOMMENDED, REFERENCE, OPENCODE_1_17, EXACT)}
)
"""The built-in cascades by name. `reference` is the rule of OpenCode 1.0.0, `opencode_1_17` the rule of 1.17.0."""
VERSIONS: Mapping[str, Cascade] = MappingProxyType(
    {f"{cascade.name}@{cascade.version}": cascade for cascade in CASCADES.values() if cascade.version}
)
"""Cascades by name and version: `recommended@1` never changes while it is listed."""


def named_cascade(cascade: str | Cascade) -> Cascade:
    """The cascade of that name, or the cascade itself. Raises UsageError for an unknown name."""
    if isinstance(cascade, Cascade):
        return cascade
    found = CASCADES.get(cascade) or VERSIONS.get(cascade)
    if found is None:
        name, at, version = cascade.partition(AT)
        if at and name in CASCADES:
            listed = [one for one in VERSIONS if one.startswith(f"{name}{AT}")]
            there = f"there is {', '.join(listed)}" if listed else "it has none"
            raise UsageError(
                f"There is no version {version!r} of the cascade {name}: {there}", f"Or leave it out: {name}."
            )
        near = did_you_mean(cascade, CASCADES)
        raise UsageError(f"There is no cascade {cascade!r}", f"{near}Choose from: {', '.join(CASCADES)}.")
    return found
