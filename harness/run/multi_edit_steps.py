"""Steps through samples with several edits: each replacer or tier turns one text into another.

`orderings` needs them. The result of an ordering does not follow from the outcomes of single replacers, because each
edit is applied to the text that the edit before it left.
"""

from __future__ import annotations

from collections.abc import Sequence

from corpora.sample import Sample
from editcore.cascade import Cascade
from editcore.text.document import Document
from editcore.types import Applied, EditResult, Reason, Rejected
from harness.run.scoring import Judge
from harness.strategies.rule_strategies import cascade_of
from harness.strategies.strategy import Strategy
from reports.runs.rows import Step

MOST_TEXTS = 2_000
"""The most intermediate texts of a sample; a sample with more gets no steps."""


def lone_replacers(strategies: Sequence[Strategy]) -> list[Cascade]:
    """The strategies that are one replacer or one tier, as cascades; none of a kind with a single member."""
    replacers, tiers = (
        [one.name.removeprefix(family) for one in strategies if one.name.startswith(family) and cascade_of(one.name)]
        for family in ("replacer/", "tier/")
    )
    found = [Cascade(name, (name,)) for name in replacers] if len(replacers) > 1 else []
    return found + ([Cascade(name, tiers=(name,)) for name in tiers] if len(tiers) > 1 else [])


def steps_of(sample: Sample, replacers: Sequence[Cascade]) -> list[Step]:
    """Every step that any ordering of the replacers can take through the sample's edits; none for a single edit.

    Tiers among `replacers` are ordered apart from them.
    """
    if len(sample.edits or ()) < 2 or not replacers:
        return []
    by_kind = ([one for one in replacers if bool(one.tiers) == is_tier] for is_tier in (False, True))
    return [step for some in by_kind if some for step in _steps(sample, some)]


def _steps(sample: Sample, replacers: Sequence[Cascade]) -> list[Step]:
    edits = sample.edits or ()
    judge = Judge(sample)
    start = (0, sample.before[0].content)
    nodes, waiting = {start: 0}, [start]
    found = []
    # The loop appends to the list it iterates over.
    for n_done, text in waiting:
        document = Document(text)
        for replacer in replacers:
            result = replacer.apply(
                document, edits[n_done], whole_lines=sample.format == "search_replace", path=sample.before[0].path
            )
            node = nodes[n_done, text]
            if _stops(replacer, result) or (isinstance(result, Applied) and n_done + 1 == len(edits)):
                found.append(Step(sample.id, node, replacer.name, None, judge.verdict(result)))
            elif isinstance(result, Applied):
                after = (n_done + 1, result.content or "")
                if after not in nodes:
                    nodes[after] = len(nodes)
                    waiting.append(after)
                found.append(Step(sample.id, node, replacer.name, nodes[after]))
        if len(nodes) > MOST_TEXTS:
            return [Step(sample.id, 0, None)]
    return found


def _stops(cascade: Cascade, result: EditResult) -> bool:
    """True if a refusal also stops the tiers below: an edit that was made before is not searched further."""
    return bool(cascade.tiers) and isinstance(result, Rejected) and result.reason is Reason.IDENTICAL
