"""The steps to an answer: an unfinished port can be compared with them.

Line numbers are 0-based. A "solid" line is not blank; most numbers count solid lines only. Offsets are code points in
the file as an edit sees it: without its byte order mark, and with a line feed for each CR LF.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from corpora.sample import Sample
from editcore.anchors import READINGS
from editcore.anchors.calls import Call
from editcore.errors import PatchError
from editcore.formats import ANCHORED_FORMATS
from editcore.patches.reading.lenient import parse_lenient
from editcore.patches.reading.unified_tolerant import parse_tolerant
from editcore.text.keys import BODY, FOLDED, RIGHT_TRIMMED, SQUEEZED, Key
from editcore.text.lines import BOM
from editcore.tiers import Tier
from editcore.tiers.decide import decide
from editcore.tiers.drift import aligned
from editcore.tiers.merging.frame import Frame
from editcore.tiers.merging.merge import Doubt, frame_and_partners, merged
from editcore.tiers.query import Place, Query, line_by_line
from editcore.tiers.squeezed import squeezed_place
from editcore.tiers.votes import likely_places, with_surroundings
from editcore.types import Applied, EditResult, FilePatch, Landing
from harness.strategies.registry import strategy
from harness.strategies.rule_strategies import cascade_of

KEYS: Mapping[str, Key] = {"right_trimmed": RIGHT_TRIMMED, "body": BODY, "folded": FOLDED, "squeezed": SQUEEZED}
_MOST_PLACES = 10


class Keys(Struct, frozen=True):
    """The keys by one fold of the solid lines of each text."""

    search: list[str]
    new: list[str]
    file: list[str]


class Likely(Struct, frozen=True):
    """A place that is like the search text."""

    score: Annotated[float, Meta(description="Rounded to six digits.")]
    pairs: Annotated[list[tuple[int, int]], Meta(description="Equal solid lines: of the search text, of the file.")]


class Asked(Struct, frozen=True):
    """A tier that was asked."""

    tier: str
    says: Annotated[str, Meta(description="`applied`, `passes`, or the reason of its refusal.")]


class Merge(Struct, frozen=True, omit_defaults=True):
    """An edit merged into a place."""

    key: Annotated[str, Meta(description="The fold by which lines of search text and new text are aligned.")]
    place: Annotated[
        list[tuple[list[int], list[int]]],
        Meta(description="Solid lines of the search text, and those of the file that stand for them."),
    ]
    partners: Annotated[
        list[int | None], Meta(description="For each solid line of the new text, that of the search text that it is.")
    ]
    frame: Annotated[Frame | None, Meta(description="How new lines are indented; null where that is not certain.")]
    doubt: Annotated[str | UnsetType, Meta(description="Why there is no merge: `indentation`, `within_line`.")] = UNSET
    first: Annotated[int | UnsetType, Meta(description="The first line of the file that is replaced.")] = UNSET
    last: Annotated[int | UnsetType, Meta(description="One past the last.")] = UNSET
    lines: Annotated[
        list[str | int] | UnsetType, Meta(description="New lines, and numbers of lines of the file that stay.")
    ] = UNSET


class Steps(Struct, frozen=True, omit_defaults=True):
    """What is found on the way; of each case what its format and its rule have."""

    exact_places: Annotated[list[int] | UnsetType, Meta(description="Offsets, overlapping ones too; at most ten.")] = (
        UNSET
    )
    keys: Annotated[dict[str, Keys] | UnsetType, Meta(description="By name of the fold.")] = UNSET
    places: Annotated[
        dict[str, list[int]] | UnsetType,
        Meta(description="By name of the fold: the first solid line of each place that has the search text's keys."),
    ] = UNSET
    likely: Annotated[list[Likely] | UnsetType, Meta(description="Best first, of the tier drift.")] = UNSET
    merge: Annotated[
        Merge | UnsetType, Meta(description="At the place of the tier that decided, or of the first that has one.")
    ] = UNSET
    asked: Annotated[list[Asked] | UnsetType, Meta(description="In order, to the one that decides.")] = UNSET
    repaired: Annotated[list[str] | UnsetType, Meta(description="What the deciding tier undid or forgave.")] = UNSET
    sections: Annotated[list[FilePatch] | UnsetType, Meta(description="The patch as it is read.")] = UNSET
    landings: Annotated[list[Landing] | UnsetType, Meta(description="Where each hunk was placed.")] = UNSET
    calls: Annotated[list[Call] | UnsetType, Meta(description="The anchored call as it is read.")] = UNSET
    on_seen: Annotated[str | UnsetType, Meta(description="What the edit is on the text that was seen, alone.")] = UNSET
    on_now: Annotated[str | UnsetType, Meta(description="What it is on the text of now, alone.")] = UNSET


def steps(rule: str, sample: Sample) -> Steps:
    if sample.seen is not None and rule.startswith("stale/"):
        return _stale_steps(rule, sample)
    if sample.edits and len(sample.edits) == 1:
        return Steps(**_of_edit(rule, sample))
    if sample.format in ANCHORED_FORMATS:
        return Steps(calls=_read(lambda: READINGS[sample.format](sample.patch or "")))
    if sample.format in ("unified_diff", "begin_patch"):
        return _patch_steps(rule, sample)
    return Steps()


def definitions() -> dict[str, Any]:
    """The JSON Schema of steps and of all that is in them, by name."""
    _, found = msgspec.json.schema_components([Steps], ref_template="#/$defs/{name}")
    return found


def _of_edit(rule: str, sample: Sample) -> dict[str, Any]:
    """The steps of one edit through all tiers of a rule's cascade."""
    assert sample.edits
    content, edit = sample.before[0].content.lstrip(BOM), sample.edits[0]
    if edit.old_string.startswith(BOM):  # As `apply_edit` has it.
        edit = replace(edit, old_string=edit.old_string.lstrip(BOM), new_string=edit.new_string.lstrip(BOM))
    whole = sample.format == "search_replace"
    cascade = cascade_of(rule) or cascade_of("cascade/recommended")
    assert cascade
    query = Query(content, edit, whole_lines=whole, path=sample.before[0].path)
    asked: list[Asked] = []
    tiers = [(name, _listening(name, tier, asked)) for name, tier in cascade.steps]
    result = decide(tiers, content, edit, whole_lines=whole, path=sample.before[0].path)
    found: dict[str, Any] = {"exact_places": query.exact_places, "asked": asked}
    names = _names_of(cascade.order)
    found["keys"] = {
        name: Keys(query.old.keys(KEYS[name]), query.new.keys(KEYS[name]), query.view.keys(KEYS[name]))
        for name in names
    }
    found["places"] = {
        name: query.view.windows(KEYS[name], query.old.keys(KEYS[name]), most=_MOST_PLACES)
        for name in names
        if name != "squeezed"
    }
    if "drift" in cascade.order:
        found["likely"] = [
            Likely(round(one.score, 6), list(with_surroundings(query, one).pairs)) for one in likely_places(query)
        ]
    if isinstance(result, Applied) and result.evidence and result.evidence.repaired:
        found["repaired"] = list(result.evidence.repaired)
    # The place of the tier that decides, if one does.
    decided = [one.tier for one in asked[-1:] if one.says == "applied"]
    if (merge := _merge(query, [*decided, *cascade.order])) is not None:
        found["merge"] = merge
    return found


def _listening(name: str, tier: Tier, asked: list[Asked]) -> Tier:
    """The tier, which also records its answer."""

    def listening(query: Query) -> EditResult | None:
        result = tier(query)
        applied = isinstance(result, Applied)
        asked.append(Asked(name, "applied" if applied else "passes" if result is None else str(result.reason)))  # type: ignore[union-attr]
        return result

    return listening


_FOLD_OF = {
    "blank_lines": "right_trimmed", "indentation": "body", "look_alikes": "folded", "drift": "folded",
    "spacing": "squeezed", "line_breaks": "squeezed",
}  # fmt: skip


def _names_of(tiers: Sequence[str]) -> list[str]:
    """The folds by which the tiers compare lines."""
    return [name for name in KEYS if any(_FOLD_OF.get(tier) == name for tier in tiers)]


def _merge(query: Query, tiers: Sequence[str]) -> Merge | None:
    """The edit merged at the place of the first tier that has a single one; None if no tier has."""
    found = next((one for tier in tiers if (one := _place(query, tier)) is not None), None)
    if found is None:
        return None
    name, place = found
    frame, partners = frame_and_partners(place, query.old, query.new, KEYS[name])
    groups = [(list(ours), list(theirs)) for ours, theirs in place.groups]
    result = merged(place, query.old, query.new, KEYS[name])
    if isinstance(result, Doubt):
        return Merge(name, groups, partners, frame, str(result))
    return Merge(name, groups, partners, frame, UNSET, result.first, result.last, list(result.lines))


def _place(query: Query, tier: str) -> tuple[str, Place] | None:
    """The fold of a tier and its place; None unless the tier has a single place of whole lines."""
    name = _FOLD_OF.get(tier)
    if name is None or query.edit.replace_all or not query.old.solid:
        return None
    if name == "squeezed":
        place = squeezed_place(query)
    elif tier == "drift":
        likely = likely_places(query)
        place = aligned(query, with_surroundings(query, likely[0])) if likely and likely[0].pairs else None
    else:
        key = KEYS[name]
        at = query.view.windows(key, query.old.keys(key))
        place = line_by_line(query.view, at[0], len(query.old.solid)) if len(at) == 1 else None
    return (name, place) if isinstance(place, Place) else None


def _patch_steps(rule: str, sample: Sample) -> Steps:
    patch, paths = sample.patch or "", [file.path for file in sample.before]
    if sample.format == "begin_patch":
        sections = _read(lambda: list(parse_lenient(patch)[0]))
    else:
        sections = _read(lambda: list(parse_tolerant(patch, paths).sections))
    result = strategy(rule).call(sample, None)()
    return Steps(sections=sections, landings=list(result.landings) if isinstance(result, Applied) else UNSET)


def _read(parse: Any) -> Any:
    """The result of a parser; unset if the text cannot be parsed."""
    try:
        return parse()
    except PatchError:
        return UNSET


def _stale_steps(rule: str, sample: Sample) -> Steps:
    assert sample.seen is not None
    apply = strategy(rule).apply
    texts = {file.path: file for file in sample.seen}
    before = tuple(texts.get(file.path, file) for file in sample.before)
    on_seen = apply(replace(sample, before=before, seen=None), None)
    on_now = apply(replace(sample, seen=None), None)
    return Steps(on_seen=_said(on_seen), on_now=_said(on_now))


def _said(result: EditResult) -> str:
    if isinstance(result, Applied):
        return f"applied by {result.replacer}" if result.replacer else "applied"
    return str(result.reason)
