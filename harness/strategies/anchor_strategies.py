"""Rules for anchored edits as strategies: `anchors/RULE`, and `anchors/RULE@without=NAME+NAME` without corrections."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from corpora.sample import Sample
from editcore import __version__
from editcore.anchors import ANCHOR_RULES, apply_anchored
from editcore.errors import UsageError
from editcore.quoting import first_line
from editcore.text.document import Document
from editcore.thresholds import AT
from editcore.types import EditResult
from harness.strategies.strategy import Strategy, by_path

FAMILY = "anchors/"
_WITHOUT = "without="


def anchor_strategies() -> Iterator[Strategy]:
    """Every rule, with all its corrections."""
    for name in ANCHOR_RULES:
        yield _strategy(f"{FAMILY}{name}", name, ())


def described_anchor_strategy(name: str) -> Strategy | None:
    """The strategy that a name `anchors/RULE@without=NAME+NAME` describes; None if it is no such name.

    Raises UsageError for a correction that the rule does not have; `all` is every one.
    """
    rule, _, rest = name.removeprefix(FAMILY).partition(AT)
    if not name.startswith(FAMILY) or rule not in ANCHOR_RULES or not rest:
        return None
    known = ANCHOR_RULES[rule].corrections
    names = known if rest == f"{_WITHOUT}all" else tuple(rest.removeprefix(_WITHOUT).split("+"))
    if not rest.startswith(_WITHOUT) or not {*names} <= {*known}:
        raise UsageError(
            f"{name!r} names no correction of {rule}",
            f"Write {FAMILY}{rule}{AT}{_WITHOUT}all, or names joined by +: {', '.join(known) or 'it makes none'}.",
        )
    return _strategy(name, rule, names)


def _strategy(name: str, rule: str, without: tuple[str, ...]) -> Strategy:
    found = ANCHOR_RULES[rule]
    summary = first_line(found.apply.__doc__ or "")
    return Strategy(
        name, frozenset(found.readings), partial(_apply, rule, without), summary, __version__, reads="patch"
    )


def _apply(rule: str, without: tuple[str, ...], sample: Sample, _: Document | None) -> EditResult:
    seen = None if sample.seen is None else by_path(sample.seen)
    shown: dict[str, tuple[tuple[int, int], ...]] = {}
    for one in sample.seen_lines or ():
        shown[one.path] = (*shown.get(one.path, ()), (one.first, one.last))
    return apply_anchored(
        by_path(sample.before), sample.patch or "", sample.format, rule=rule, seen=seen, shown=shown, without=without
    )
