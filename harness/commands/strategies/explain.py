"""`explain`: what a rule forgives, a drawn example, what it is known to do wrong, and its figures on a corpus.

Nothing is written down a second time: the words are the docstrings of rules and the declarations of `agents.toml`, and
the figures and examples are of a run on the corpus. docs/rules has the same text for every rule.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from inspect import cleandoc
from typing import NamedTuple

import click

from corpora.load import load
from corpora.sample import Sample
from editcore.agents.rule import AgentRule
from editcore.anchors.rules import ANCHOR_RULES
from editcore.errors import UsageError
from editcore.formats import EDIT_FORMATS
from editcore.replacers import REPLACERS
from editcore.stale import STALE_RULES
from editcore.text.diff import unified_diff
from editcore.tiers import TIERS
from editcore.types import Applied, Rejected
from harness.run.scoring import Judge
from harness.strategies.registry import strategy
from harness.strategies.rule_strategies import parse_cascade
from harness.strategies.strategy import Strategy, by_path, files_after
from harness.terminal import print_lines
from reports.runs.rows import Verdict

_STRICTEST = {"unified_diff": "unified_diff/strict", "begin_patch": "begin_patch/strict"}
"""Format -> the rule that forgives nothing; for others `cascade/exact`, and `anchors/strict` where lines are named."""
_MOST_LINES = 10
"""Lines of a text that an example shows."""
_EVIDENCE = {
    "run": "The program was run beside this rule.",
    "read": "The program's source was read.",
    "documented": "The program's authors describe it.",
    "inferred": "It is inferred: no source was found.",
}


class Example(NamedTuple):
    sample: Sample
    result: Applied


class Figures(NamedTuple):
    """The verdicts on a corpus, the smallest edit that is forgiven, and the smallest that is applied wrongly."""

    counts: Mapping[str, int]
    strictest: str
    forgiven: Example | None
    wrong: Example | None


@click.command()
@click.argument("name", metavar="STRATEGY")
@click.argument("corpus", default="house")
def explain(name: str, corpus: str) -> None:
    """Say what a rule forgives, what it does wrong, and its figures on CORPUS (default: house).

    STRATEGY is a rule of this program: a tier, a replacer, a cascade, an agent's rule, a reading of patches
    (`editgauge ls strategies`).
    """
    chosen = strategy(name)
    if chosen.start is not None or chosen.origin != "editgauge":
        raise UsageError(
            f"{chosen.name} is not a rule of editgauge, so nothing is known of it but its results",
            f"Score it: editgauge run -s '{chosen.spec}'.",
        )
    samples = [sample for sample in load(corpus) if chosen.is_run_on(sample)]
    print_lines([f"# {chosen.name}", "", *about(chosen), *figure_lines(chosen, figures(chosen, samples), corpus)])


# What the rule says of itself


def about(chosen: Strategy) -> Iterator[str]:
    """What is known of the rule, as paragraphs of Markdown."""
    family, _, member = chosen.name.partition("@")[0].partition("/")
    if chosen.agent is not None:
        yield from _about_agent(chosen.agent)
        return
    if family == "cascade":
        yield from _about_cascade(member)
        return
    documented = _documented(family, member)
    yield from (documented or chosen.summary).split("\n")
    yield ""


def _documented(family: str, member: str) -> str:
    """The docstring of a replacer, a tier, or a rule for stale or anchored edits; empty for others.

    A rule that is alone in its module may be described there.
    """
    tables: Mapping[str, Mapping[str, object]] = {
        "replacer": REPLACERS,
        "tier": TIERS,
        "stale": STALE_RULES,
        "anchors": {name: one.apply for name, one in ANCHOR_RULES.items()},
    }
    rule = tables.get(family, {}).get(member)
    if rule is None:
        return ""
    own = cleandoc(rule.__doc__ or "")
    module = sys.modules[rule.__module__]
    of_module = cleandoc(module.__doc__ or "")
    is_alone = rule.__module__.rpartition(".")[2] == member
    return f"{own}\n\n{of_module}" if is_alone and "\n" not in own else own


def _about_cascade(member: str) -> Iterator[str]:
    cascade = parse_cascade(member)
    version = f" Version {cascade.version}." if cascade.version else ""
    yield from (f"{cascade.summary}{version} In this order, the first rung that decides wins:", "")
    family = "tier" if cascade.tiers else "replacer"
    for n, name in enumerate(cascade.order, 1):
        first = _documented(family, name.partition("@")[0]).partition("\n")[0]
        yield f"{n}. `{family}/{name}`: {first}"
    yield ""


def _about_agent(agent: AgentRule) -> Iterator[str]:
    yield from (agent.summary, "")
    known = {
        "program": agent.program,
        "known by": f"{_EVIDENCE[agent.evidence]} {agent.basis}".strip(),
        "of several places": agent.decides,
        "line endings": agent.endings,
        "bytes": agent.on_bytes and f"by the habit `{agent.on_bytes.habit.name}` ({agent.on_bytes.source})",
        "source": agent.source and str(agent.source),
        **{f"threshold `{one.name}`": f"{one.meaning}." for one in agent.thresholds},
    }
    yield from (f"- {name}: {text}" for name, text in known.items() if text)
    if agent.failures:
        yield from ("", "Known failures, rebuilt with it:", "", *(f"- {one}" for one in agent.failures))
    yield ""


# What it does on a corpus


def figures(chosen: Strategy, samples: Iterable[Sample]) -> Figures:
    """The verdicts of the rule on samples that it takes, with two examples."""
    strictest = strategy(_strictest(chosen))
    counts: Counter[str] = Counter()
    found: dict[str, Example] = {}
    for sample in samples:
        result = chosen.call(sample, None)()
        verdict = Judge(sample).verdict(result)
        counts[verdict] += 1
        if not isinstance(result, Applied):
            continue
        kept = found.get(verdict)
        is_smaller = kept is None or _size(sample) < _size(kept.sample)
        if is_smaller and (verdict is not Verdict.CORRECT or _refuses(strictest, sample)):
            found[verdict] = Example(sample, result)
    return Figures(counts, strictest.name, found.get(Verdict.CORRECT), found.get(Verdict.WRONG_EDIT))


def _strictest(chosen: Strategy) -> str:
    if chosen.name.startswith("anchors/"):
        return "anchors/strict"
    return next((rule for format, rule in _STRICTEST.items() if chosen.formats == {format}), "cascade/exact")


def _refuses(strictest: Strategy, sample: Sample) -> bool:
    return strictest.takes(sample) and isinstance(strictest.call(sample, None)(), Rejected)


def _size(sample: Sample) -> tuple[bool, int, str]:
    """Smaller for samples that are easier to read: one edit, short texts."""
    edits = sample.edits or ()
    written = sum(len(one.old_string) + len(one.new_string) for one in edits) + len(sample.patch or "")
    return len(edits) > 1, written, sample.id


def figure_lines(chosen: Strategy, found: Figures, corpus: str) -> Iterator[str]:
    """The figures and examples, as Markdown."""
    n = sum(found.counts.values())
    if not n:
        yield f"`{corpus}` has no edits in a format that it takes: {', '.join(sorted(chosen.formats))}."
        return
    right, wrong, missed, refused = (
        found.counts.get(name, 0) for name in ("correct", "wrong_edit", "missed", "refused")
    )
    rest = n - right - wrong - missed - refused
    unlabelled = f", {rest:,} without a label" if rest else ""
    yield (
        f"Of {n:,} edits of `{corpus}`: {right:,} right, {wrong:,} wrong, {missed:,} missed, {refused:,} refused as "
        f"they should be{unlabelled}."
    )
    for example, heading, drawn in (
        (found.forgiven, f"An edit that it makes, and `{found.strictest}` refuses", _made),
        (found.wrong, "The shortest edit that it gets wrong", _got_wrong),
    ):
        if example is not None:
            yield from ("", f"{heading} (`{example.sample.id}`):", "")
            yield from (f"    {line}".rstrip() for line in drawn(example))


def _made(example: Example) -> Iterator[str]:
    yield from _edit(example.sample)
    yield from ("", "written:")
    yield from _diff(by_path(example.sample.before), files_after(example.sample, example.result))


def _got_wrong(example: Example) -> Iterator[str]:
    sample, given = example.sample, files_after(example.sample, example.result)
    yield from _edit(sample)
    if sample.label == "refuse" or sample.target is None:
        yield from ("", "should have been refused; written:")
        yield from _diff(by_path(sample.before), given)
        return
    yield from ("", "from the right answer (-) to what was written (+):")
    yield from _diff(by_path(sample.target), given)


def _edit(sample: Sample) -> Iterator[str]:
    """The edit as the model wrote it."""
    if sample.format not in EDIT_FORMATS:
        yield from _shortened((sample.patch or "").removesuffix("\n").split("\n"))
        return
    edit = (sample.edits or ())[0]
    for heading, text in (("search text", edit.old_string), ("new text", edit.new_string)):
        lines = list(_shortened(text.removesuffix("\n").split("\n")))
        yield from (f"{heading if n == 0 else '':<11}  |{line}" for n, line in enumerate(lines))
    if len(sample.edits or ()) > 1:
        yield f"... and {len(sample.edits or ()) - 1} more edits"


def _diff(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for path in dict.fromkeys([*before, *after]):
        if before.get(path) != after.get(path):
            yield from _shortened(unified_diff(before.get(path, ""), after.get(path, ""), path=path).split("\n")[2:-1])


def _shortened(lines: list[str]) -> Iterator[str]:
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield f"... ({len(lines) - _MOST_LINES} more lines)"
