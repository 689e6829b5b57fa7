"""Steps through samples with several edits: each replacer, tier or rung turns one text into another.

`orderings` needs them. The result of an ordering does not follow from the outcomes of single replacers, because each
edit is applied to the text that the edit before it left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from corpora.sample import Sample
from editcore.cascade import Cascade
from editcore.text.document import Document
from editcore.types import Applied, Edit, EditResult, Reason, Rejected
from harness.run.scoring import Judge
from harness.strategies.rule_strategies import cascade_of
from harness.strategies.strategy import Strategy
from reports.runs.rows import Step

MOST_TEXTS = 2_000
"""The most intermediate texts of a sample; a sample with more gets no steps."""


class Rung(NamedTuple):
    """One replacer, tier or rung of one's own, as the steps need it."""

    family: str
    name: str
    apply: Callable[[Sample, Document, Edit], EditResult]
    """(sample with the text and the one edit, its text as a document, the edit) -> result"""


def lone_rungs(strategies: Sequence[Strategy]) -> list[Rung]:
    """The strategies that are one replacer, one tier or one rung; none of a family with a single member."""
    found = [rung for one in strategies if (rung := _rung(one))]
    sizes = Counter(one.family for one in found)
    return [one for one in found if sizes[one.family] > 1]


def _rung(strategy: Strategy) -> Rung | None:
    family, _, name = strategy.name.partition("/")
    if family == "rung":
        return Rung(family, name, lambda sample, document, _: strategy.apply(sample, document))
    if family not in ("replacer", "tier") or cascade_of(strategy.name) is None:
        return None
    cascade = Cascade(name, (name,)) if family == "replacer" else Cascade(name, tiers=(name,))

    def apply(sample: Sample, document: Document, edit: Edit) -> EditResult:
        return cascade.apply(document, edit, whole_lines=sample.format == "search_replace", path=sample.before[0].path)

    return Rung(family, name, apply)


def steps_of(sample: Sample, rungs: Sequence[Rung]) -> list[Step]:
    """Every step that any ordering of the rungs can take through the sample's edits; none for a single edit.

    Each family is ordered by itself.
    """
    if len(sample.edits or ()) < 2:
        return []
    families = dict.fromkeys(one.family for one in rungs)
    return [step for family in families for step in _steps(sample, [one for one in rungs if one.family == family])]


def _steps(sample: Sample, rungs: Sequence[Rung]) -> list[Step]:
    edits = sample.edits or ()
    judge = Judge(sample)
    start = (0, sample.before[0].content)
    nodes, waiting = {start: 0}, [start]
    found = []
    # The loop appends to the list it iterates over.
    for n_done, text in waiting:
        document = Document(text)
        edit = edits[n_done]
        now = replace(sample, before=(replace(sample.before[0], content=text, raw=None),), edits=(edit,))
        for rung in rungs:
            result = rung.apply(now, document, edit)
            node = nodes[n_done, text]
            if _stops(rung, result) or (isinstance(result, Applied) and n_done + 1 == len(edits)):
                found.append(Step(sample.id, node, rung.name, None, judge.verdict(result)))
            elif isinstance(result, Applied):
                after = (n_done + 1, result.content or "")
                if after not in nodes:
                    nodes[after] = len(nodes)
                    waiting.append(after)
                found.append(Step(sample.id, node, rung.name, nodes[after]))
        if len(nodes) > MOST_TEXTS:
            return [Step(sample.id, 0, None)]
    return found


def _stops(rung: Rung, result: EditResult) -> bool:
    """True if a refusal also stops the tiers below: an edit that was made before is not searched further."""
    return rung.family == "tier" and isinstance(result, Rejected) and result.reason is Reason.IDENTICAL
