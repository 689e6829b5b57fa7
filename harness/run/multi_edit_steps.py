"""Steps through samples with several edits: which replacer turns which text into which.

`orderings` needs them. What an ordering makes of such a sample does not follow from the outcomes of the single
replacers, because each edit is applied to the text that the edit before it left.
"""

from __future__ import annotations

from collections.abc import Sequence

from corpora.sample import Sample
from editcore.cascade import Cascade
from editcore.document import Document
from editcore.types import Applied
from harness.run.scoring import Judge
from harness.strategies.strategy import Strategy
from reports.runs.rows import Step

MOST_TEXTS = 2_000
"""A sample with more intermediate texts than this gets no steps."""


def lone_replacers(strategies: Sequence[Strategy]) -> list[Cascade]:
    """The single-replacer strategies, as cascades; empty if there are fewer than two to combine."""
    names = [one.order[0] for one in strategies if one.name.startswith("replacer/") and len(one.order) == 1]
    return [Cascade(name, (name,)) for name in names] if len(names) > 1 else []


def steps_of(sample: Sample, replacers: Sequence[Cascade]) -> list[Step]:
    """Every step that any ordering of the replacers can take through the sample's edits; empty for a single edit."""
    edits = sample.edits or ()
    if len(edits) < 2 or not replacers:
        return []
    judge = Judge(sample)
    start = (0, sample.before[0].content)
    nodes, waiting = {start: 0}, [start]
    found = []
    # The loop appends to the list it iterates over.
    for n_done, text in waiting:
        document = Document(text)
        for replacer in replacers:
            result = replacer.apply(document, edits[n_done])
            if not isinstance(result, Applied):
                continue
            node = nodes[n_done, text]
            if n_done + 1 == len(edits):
                found.append(Step(sample.id, node, replacer.name, None, judge.verdict(result)))
                continue
            after = (n_done + 1, result.content or "")
            if after not in nodes:
                nodes[after] = len(nodes)
                waiting.append(after)
            found.append(Step(sample.id, node, replacer.name, nodes[after]))
        if len(nodes) > MOST_TEXTS:
            return [Step(sample.id, 0, None)]
    return found
