"""Names -> strategies: everything a sample can be tried with.

A strategy's name is `family/member`. Built-ins come first; those of other packages, registered as entry
points of the group `editgauge.strategies`, come after and never replace one. Some need no entry, since their
name says what they are:

    replacer/block_anchor@similarity=0.5        a replacer with other thresholds or guards
    cascade/simple+line_trimmed+block_anchor    replacers in any order, such variants too
    tool/edit@CASCADE                           the tool `edit` with a cascade, named or described so
    cmd:mine=COMMAND                            a program, as `cmd/mine` (see `harness.strategies.external`)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib.metadata import EntryPoint

from corpora.plugins import with_plugins
from corpora.sample import EDIT_FORMATS, Sample
from editcore import __version__
from editcore.cascade import CASCADES, Cascade, named_cascade
from editcore.document import Document
from editcore.errors import UsageError
from editcore.quoting import first_line
from editcore.replacers import REPLACERS
from editcore.types import Applied, EditResult, Rejected
from editcore.variants import AT
from harness.strategies.external import SPEC, parsed_command
from harness.strategies.patch_strategies import patch_strategies
from harness.strategies.peers import PEERS, missing, peer_strategies
from harness.strategies.strategy import Strategy
from harness.strategies.tool_strategies import edit_tool, tool_strategies

ENTRY_POINTS = "editgauge.strategies"
THEN = "+"
"""Stands between the replacers of a cascade that its name describes."""
EDIT_WITH = f"edit{AT}"
"""Stands before the cascade with which the tool `edit` is to find what it replaces."""


def _cascade_strategy(name: str, cascade: Cascade, summary: str) -> Strategy:
    def apply(sample: Sample, document: Document | None) -> EditResult:
        return apply_edits(cascade, sample, document)

    order = tuple(name for name, _ in cascade.rungs)
    return Strategy(name, frozenset(EDIT_FORMATS), apply, summary, __version__, order=order)


def apply_edits(cascade: Cascade, sample: Sample, document: Document | None) -> EditResult:
    """The sample's edits in order through a cascade, all or nothing.

    The matches are those of each edit in the text as the edits before left it; `replacer` is the one
    furthest down the order of those that decided.
    """
    edits = sample.edits or ()
    document = document or Document(sample.before[0].content)
    result: EditResult = cascade.apply(document, edits[0])
    if len(edits) == 1 or isinstance(result, Rejected):
        return result
    applied = [result]
    for edit in edits[1:]:
        result = cascade.apply(Document(applied[-1].content or ""), edit)
        if isinstance(result, Rejected):
            return result
        applied.append(result)
    order = [name for name, _ in cascade.rungs]
    furthest = max((step.replacer or "" for step in applied), key=order.index)
    return Applied(applied[-1].content, tuple(match for step in applied for match in step.matches), furthest)


_SUMMARIES = {
    "reference": "The nine replacers in their order, thresholds 0.0 and 0.3, no guards.",
    "opencode_1_17": "The nine with thresholds 0.65, a block-size window and a size guard.",
    "exact": "The exact, unique match and nothing else.",
}


@cache
def strategies() -> Mapping[str, Strategy]:
    """Every strategy there is, by name: replacers alone, cascades, patches, tools, peers, then plug-ins."""
    table = {
        f"replacer/{name}": _cascade_strategy(
            f"replacer/{name}", Cascade(name, (name,)), first_line(replacer.__doc__ or "")
        )
        for name, replacer in REPLACERS.items()
    }
    for name, cascade in CASCADES.items():
        table[f"cascade/{name}"] = _cascade_strategy(f"cascade/{name}", cascade, _SUMMARIES[name])
    table |= {strategy.name: strategy for strategy in (*patch_strategies(), *tool_strategies(), *peer_strategies())}
    return with_plugins(table, "strategy", ENTRY_POINTS, _plugin)


def _plugin(point: EntryPoint) -> tuple[str, Strategy]:
    """Name and strategy of another package. Raises whatever a broken one raises."""
    loaded = point.load()
    if isinstance(loaded, Strategy):
        return loaded.name, loaded
    if not callable(loaded):
        raise TypeError(f"{point.value} is not callable")
    function: Callable[[Sample], EditResult] = loaded
    strategy = Strategy(
        point.name,
        frozenset(EDIT_FORMATS),
        lambda sample, _: function(sample),
        first_line(function.__doc__ or "") or point.value,
        point.dist.version if point.dist else "?",
        point.dist.name if point.dist else "?",
    )
    return strategy.name, strategy


@cache
def strategy(spec: str) -> Strategy:
    """The strategy of that name, made if its name says how. Raises UsageError where there is none."""
    found = strategies().get(spec) or _made(spec)
    if found is None:
        raise _unknown(spec)
    return found


def _made(spec: str) -> Strategy | None:
    """The strategy that the name itself describes; None for a mere name."""
    if spec.startswith(SPEC):
        return parsed_command(spec)
    family, _, member = spec.partition("/")
    if family == "replacer" and AT in member:
        cascade = Cascade(member, (member,))
        return _cascade_strategy(
            spec, cascade, f"{first_line(REPLACERS[member.partition(AT)[0]].__doc__ or '')} ({member})"
        )
    if family == "cascade" and (THEN in member or member.partition(AT)[0] in REPLACERS):
        return _cascade_strategy(spec, parse_cascade(member, spec=spec), "These replacers in this order, no guards.")
    if family == "tool" and member.startswith(EDIT_WITH):
        return edit_tool(spec, parse_cascade(member.removeprefix(EDIT_WITH), spec=spec))
    return None


def parse_cascade(name: str, *, spec: str = "") -> Cascade:
    """The cascade of that name, or of the replacers that the name lists. Raises UsageError where there is none."""
    rungs = name.split(THEN)
    if len(rungs) == 1 and rungs[0].partition(AT)[0] not in REPLACERS:
        return named_cascade(name)
    if len(set(rungs)) < len(rungs):
        raise UsageError(f"{spec or name} names a replacer twice", "The second would never decide: name each once.")
    return Cascade(name, tuple(rungs))


def _unknown(pattern: str) -> UsageError:
    family, _, member = pattern.partition("/")
    if family == "peer" and member in PEERS:
        return missing(member)
    return UsageError(
        f"There is no strategy {pattern!r}",
        "See `editgauge ls strategies`; globs such as 'replacer/*' work too.",
    )


def select(patterns: Iterable[str]) -> list[Strategy]:
    """The strategies that the names or globs stand for, in the table's order, then those that are made.

    All of the table for none. Raises UsageError for a pattern that nothing matches.
    """
    table, patterns = strategies(), list(patterns)
    made = {spec: found for spec in patterns if spec not in table and (found := _made(spec))}
    globs = [pattern for pattern in patterns if pattern not in made]
    listed = [table[name] for name in matching_names(list(table), globs)] if globs or not made else []
    chosen = {one.name: one for one in [*listed, *made.values()]}
    if len(chosen) < len(listed) + len(made):
        raise UsageError("Two strategies have one name", "Give each a name of its own.")
    return list(chosen.values())


def matching_names(names: Sequence[str], patterns: Iterable[str]) -> list[str]:
    """The names that names or globs stand for, in their order; all of them for none.

    Raises UsageError for a pattern that nothing matches.
    """
    patterns = list(patterns)
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise _unknown(pattern)
    return [name for name in names if not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)]
