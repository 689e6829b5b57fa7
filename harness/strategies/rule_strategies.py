"""The rules of editcore as strategies: those of its tables, and variants that a name describes.

    replacer/block_anchor                       a replacer alone
    replacer/block_anchor@similarity=0.5        with another threshold or guard; tiers and agents alike
    tier/indentation                            a tier alone
    cascade/reference                           a cascade
    cascade/simple+line_trimmed+block_anchor    these replacers in this order, without guards; variants too
    cascade/exact+blank_lines+indentation       these tiers in this order; variants too
    agent/zed@share=0.9                         the rule of an agent
    begin_patch/lenient                         a reading of patches
    stale/merge3@exact                          a rule for stale edits, with another cascade
    anchors/h2_oh_my_pi@without=range_end       a rule for anchored edits without a correction; `all` is every one

`Spec` parses every such name. `stale/` rules apply to samples that say what the model saw. They match any other sample
as their cascade does, and runs leave such samples out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from corpora.sample import Sample
from editcore import __version__
from editcore.agents import AGENTS, named_agent
from editcore.anchors import ANCHOR_RULES, apply_anchored
from editcore.cascade import CASCADES, RECOMMENDED, Cascade, named_cascade
from editcore.errors import UsageError
from editcore.formats import EDIT_FORMATS, FORMATS, Format
from editcore.formats.str_replace import apply_edits
from editcore.patches.begin_patch import READINGS, apply_begin_patch
from editcore.patches.line_edits import insert_split
from editcore.patches.search_replace import apply_blocks
from editcore.patches.unified_diff import STRICTNESSES, apply_unified_diff, counted_as_seen
from editcore.quoting import first_line
from editcore.replacers import REPLACERS
from editcore.stale import STALE_RULES
from editcore.stale.rule import placed_in_files
from editcore.text.document import Document
from editcore.thresholds import AT
from editcore.tiers import TIERS
from editcore.types import EditResult, File, Reason, Rejected
from harness.strategies.strategy import Apply, BytesBy, Strategy, by_path

THEN = "+"
"""Separates the replacers of a cascade in a name that describes it."""
_WITHOUT = "without="


class Spec(NamedTuple):
    """A name `family/member@settings` in its parts."""

    family: str
    member: str
    settings: str | None
    described: str
    """`member@settings`. In a cascade, each replacer may have settings: the first `@` separates nothing there."""

    @classmethod
    def of(cls, name: str) -> Spec:
        family, _, described = name.partition("/")
        member, at, settings = described.partition(AT)
        return cls(family, member, settings if at else None, described)


def rule_strategies() -> Iterator[Strategy]:
    """Every rule of the tables, in their order: cascades and agents, patches, stale and anchored edits."""
    for family, (members, make) in FAMILIES.items():
        if family == "stale":
            yield from patch_strategies()
        for member in members:
            if found := make(f"{family}/{member}", Spec.of(f"{family}/{member}")):
                yield found


def described_rule(name: str) -> Strategy | None:
    """The variant of a rule that a name describes; None if it describes none.

    Raises UsageError for a rule, threshold, cascade or correction that does not exist.
    """
    spec = Spec.of(name)
    return FAMILIES[spec.family][1](name, spec) if spec.family in FAMILIES else None


# Cascades, replacers and tiers


def cascade_of(name: str) -> Cascade | None:
    """The cascade of the strategy with that name; None for a strategy of another family. Raises UsageError."""
    family, alone, settings, member = Spec.of(name)
    if family == "cascade":
        if THEN in member or alone in REPLACERS:
            return parse_cascade(member, spec=name)
        return CASCADES.get(member) or (named_cascade(member) if alone in CASCADES else None)
    rules: Mapping[str, object] | None = {"replacer": REPLACERS, "tier": TIERS}.get(family)
    if rules is None or (settings is None and alone not in rules):
        return None
    summary = first_line(rules[alone].__doc__ or "") if alone in rules else ""
    summary += "" if settings is None else f" ({member})"
    if family == "tier":
        return Cascade(member, tiers=(member,), summary=summary, literal=member == "exact")
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


def _cascade(name: str, _: Spec) -> Strategy | None:
    cascade = cascade_of(name)
    if cascade is None:
        return None
    apply = partial(apply_pairs, cascade)
    return Strategy(name, frozenset(EDIT_FORMATS), apply, cascade.summary, version_with(cascade))


def apply_pairs(cascade: Cascade, sample: Sample, document: Document | None) -> EditResult:
    """Apply the sample's pairs of texts in order through a cascade, all or nothing."""
    file = sample.before[0]
    return apply_edits(
        document or file.content, sample.edits or (), cascade, path=file.path,
        whole_lines=sample.format == "search_replace",
    )  # fmt: skip


def version_with(cascade: Cascade) -> str:
    """The version of editcore, and of the cascade if it has one: `0.1.0+recommended.1`."""
    return f"{__version__}+{cascade.name}.{cascade.version}" if cascade.version else __version__


# Patches

_READINGS = {
    "strict": "The envelope exactly by its grammar.",
    "codex": "The envelope as Codex 0.169 applies it: first match wins, a final line feed is forced.",
    "lenient": "What models write, if it can mean one place only.",
}
_STRICTNESSES = {
    "strict": "Positions and counts must be right.",
    "offset": "Counts must be right; searched outward from the stated line.",
    "fuzz": "Up to two outer context lines may differ too, as in GNU patch.",
    "tolerant": "Numbers are hints; the lines must mean one place only.",
}


def patch_strategies() -> Iterator[Strategy]:
    """Every reading of patches, and the rules of formats that have one rule only."""
    for reading in READINGS:
        yield _built_in("begin_patch", reading, _patched(apply_begin_patch, reading=reading), _READINGS[reading])
    for strictness in STRICTNESSES:
        apply = _patched(apply_unified_diff, strictness=strictness)
        yield _built_in("unified_diff", strictness, apply, _STRICTNESSES[strictness])
    for name, cascade in CASCADES.items():
        summary = f"Each block as written, through cascade {name}."
        yield _built_in(
            "search_replace", name, partial(apply_blocks_of, cascade), summary, version=version_with(cascade)
        )
    for one in FORMATS.values():
        if one.summary:
            yield _built_in(one.name, one.careful.partition("/")[2], partial(_careful, one), one.summary)
        if one.name == "insert":
            split = "The same as the widespread editor tool: a final line feed adds a line."
            yield _built_in("insert", "split", _insert_split, split)


def _built_in(family: str, member: str, apply: Apply, summary: str, *, version: str = __version__) -> Strategy:
    return Strategy(f"{family}/{member}", frozenset({family}), apply, summary, version, reads="patch")


def _patched(apply: Callable[..., EditResult], **how: str) -> Apply:
    return lambda sample, _: apply(by_path(sample.before), sample.patch or "", **how)


def apply_blocks_of(cascade: Cascade, sample: Sample, _: Document | None) -> EditResult:
    """Apply the sample's search/replace blocks as they are written, each through a cascade, all or nothing."""
    found = sample.blocks
    return found if isinstance(found, Rejected) else apply_blocks(by_path(sample.before), found, cascade=cascade)


def _insert_split(sample: Sample, _: Document | None) -> EditResult:
    if len(sample.before) != 1 or sample.line is None:
        return Rejected(Reason.MALFORMED, "An insertion needs exactly one file and a line.")
    return insert_split(sample.before[0].content, sample.line, sample.patch or "")


def _careful(format: Format, sample: Sample, _: Document | None) -> EditResult:
    return format.apply(by_path(sample.before), sample, None, RECOMMENDED)


# Stale edits

_PATCHES = ("begin_patch", "unified_diff", "insert")
"""Formats that are read by their careful rule."""


def _stale(name: str, spec: Spec) -> Strategy | None:
    if spec.member not in STALE_RULES or spec.settings == "":
        return None
    rule, own = spec.member, CASCADES["exact"] if spec.member == "claude_code" else RECOMMENDED
    cascade = parse_cascade(spec.settings, spec=name) if spec.settings else own
    table = {one.name: one.apply for one in patch_strategies()}
    ways: dict[str, Apply] = {format: table[FORMATS[format].careful] for format in _PATCHES}
    ways |= {"str_replace": partial(apply_pairs, cascade), "search_replace": partial(apply_blocks_of, cascade)}
    summary = first_line(STALE_RULES[rule].__doc__ or "")
    version = version_with(cascade) if cascade.version else __version__
    return Strategy(name, frozenset(ways), partial(_apply, rule, ways), summary, version, only_stale=True)


def _apply(rule: str, ways: Mapping[str, Apply], sample: Sample, document: Document | None) -> EditResult:
    way = ways[sample.format]
    if sample.seen is None:
        return way(sample, document)
    seen, live = by_path(sample.seen), by_path(sample.before)
    if rule == "recommended" and sample.format == "unified_diff":
        sample = replace(sample, patch=counted_as_seen(live, seen, sample.patch or ""))

    def decide(files: Mapping[str, str]) -> EditResult:
        before = tuple([File(path, content) for path, content in files.items()])
        result = way(replace(sample, before=before, seen=None), None)
        if isinstance(result, Rejected) or result.files is not None or len(before) != 1:
            return result
        return replace(result, files={before[0].path: result.content or ""})

    if FORMATS[sample.format].several_files:
        has_numbers = sample.format == "unified_diff"
        return placed_in_files(seen, live, decide, STALE_RULES[rule], has_numbers=has_numbers)
    path = sample.before[0].path
    return STALE_RULES[rule](seen.get(path, live[path]), live[path], partial(_of_one, path, decide))


def _of_one(path: str, decide: Callable[[Mapping[str, str]], EditResult], text: str) -> EditResult:
    result = decide({path: text})
    if isinstance(result, Rejected):
        return result
    return replace(result, content=(result.files or {}).get(path), files=None)


# Agents


def _agent(name: str, spec: Spec) -> Strategy | None:
    if spec.settings is None and spec.member not in AGENTS:
        return None
    agent = named_agent(spec.described)
    bytes_by: BytesBy = agent.on_bytes.habit if agent.on_bytes else "unknown"
    has_edits = agent.format == "edits"

    def apply(sample: Sample, _: Document | None) -> EditResult:
        if has_edits:
            return agent.apply_edits(sample.before[0].content, sample.edits or ())
        return agent.apply_patch(by_path(sample.before), sample.patch or "")

    return Strategy(
        name, frozenset(EDIT_FORMATS) if has_edits else frozenset({agent.format}), apply, agent.summary,
        agent.program, reads="edits" if has_edits else "patch", bytes_by=bytes_by, agent=agent,
    )  # fmt: skip


# Anchored edits


def _anchored(name: str, spec: Spec) -> Strategy | None:
    found = ANCHOR_RULES.get(spec.member)
    if found is None or spec.settings == "":
        return None
    known, rest = found.corrections, spec.settings
    without: tuple[str, ...] = ()
    if rest is not None:
        without = known if rest == f"{_WITHOUT}all" else tuple(rest.removeprefix(_WITHOUT).split("+"))
        if not rest.startswith(_WITHOUT) or not {*without} <= {*known}:
            example = f"{spec.family}/{spec.member}{AT}{_WITHOUT}all"
            raise UsageError(
                f"{name!r} names no correction of {spec.member}",
                f"Write {example}, or names joined by +: {', '.join(known) or 'it makes none'}.",
            )
    apply, summary = partial(_apply_anchored, spec.member, without), first_line(found.apply.__doc__ or "")
    return Strategy(name, frozenset(found.readings), apply, summary, __version__, reads="patch")


def _apply_anchored(rule: str, without: tuple[str, ...], sample: Sample, _: Document | None) -> EditResult:
    seen = None if sample.seen is None else by_path(sample.seen)
    shown: dict[str, tuple[tuple[int, int], ...]] = {}
    for one in sample.seen_lines or ():
        shown[one.path] = (*shown.get(one.path, ()), (one.first, one.last))
    return apply_anchored(
        by_path(sample.before), sample.patch or "", sample.format, rule=rule, seen=seen, shown=shown, without=without
    )


_Make = Callable[[str, Spec], Strategy | None]
"""(name, its parts) -> the strategy; None if the name describes none."""
FAMILIES: dict[str, tuple[Iterable[str], _Make]] = {
    "replacer": (REPLACERS, _cascade), "tier": (TIERS, _cascade), "cascade": (CASCADES, _cascade),
    "agent": (AGENTS, _agent), "stale": (STALE_RULES, _stale), "anchors": (ANCHOR_RULES, _anchored),
}  # fmt: skip
"""Family -> its rules, and what makes a strategy of a name."""
