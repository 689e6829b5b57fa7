"""Whether a corpus is what it says: every sample valid, every label certain where that can be seen, no secrets."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from corpora.generation.referee import objection
from corpora.load import load
from corpora.sample import Sample, SampleError, texts
from corpora.scrub import look

_EXAMPLES = 5
"""So many samples are named for each kind of problem; the rest is counted."""
_ALWAYS_SECRET = {"private_key", "key", "token", "bearer", "password_in_url"}
"""What no corpus may hold; addresses and paths may stand in published sources, and must not come from logs."""
_SIZES = ((1_000, "under 1 kB"), (10_000, "1 to 10 kB"), (100_000, "10 to 100 kB"))


@dataclass(slots=True)
class CheckReport:
    """What a check found."""

    n_samples: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    examples: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Problem -> the first samples that have it."""
    balance: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Samples by label, language, size and mutator."""

    def add(self, problem: str, sample_id: str) -> None:
        """Count a problem, and name the sample if it is one of the first."""
        self.problems[problem] += 1
        if len(self.examples[problem]) < _EXAMPLES:
            self.examples[problem].append(sample_id)


def check(name: str) -> CheckReport:
    """Everything that is wrong with a corpus, and what it holds how much of."""
    done = CheckReport()
    ids: set[str] = set()
    twins: dict[str, str] = {}

    def bad(error: SampleError) -> None:
        done.add("malformed", error.message)

    for sample in load(name, skip_bad=True, on_bad=bad):
        done.n_samples += 1
        if sample.id in ids:
            done.add("id stands twice", sample.id)
        ids.add(sample.id)
        for problem in _problems(sample):
            done.add(problem, sample.id)
        for tag in sample.tags:
            if tag.startswith("twin:"):
                twins[tag.removeprefix("twin:")] = sample.id
        _count_balance(sample, done)
    for twin, sample_id in twins.items():
        if twin not in ids:
            done.add("its twin is missing", sample_id)
    return done


def _problems(sample: Sample) -> Iterator[str]:
    if sample.label == "apply" and sample.target is not None and set(sample.target) == set(sample.before):
        yield "to be applied, but the target is the files as they were"
    if sample.label == "refuse" and sample.target is not None and set(sample.target) != set(sample.before):
        yield "to be refused, but has another target"
    if sample.label == "unlabelled" and sample.target is not None:
        yield "unlabelled, but has a target"
    if sample.label_source == "constructed" and sample.provenance.mutator and (why := objection(sample)):
        yield f"label not certain: {why}"
    for text in dict.fromkeys(texts(sample)):
        seen = look(text)
        found = set(seen.found) & _ALWAYS_SECRET if not sample.provenance.agent else set(seen.found)
        for kind in sorted(found | ({seen.left} if seen.left else set())):
            yield f"holds a secret: {kind}"


def _count_balance(sample: Sample, done: CheckReport) -> None:
    language = next((tag.partition(":")[2] for tag in sample.tags if tag.startswith("language:")), "-")
    size = sum(len(file.content) for file in sample.before)
    done.balance["label"][sample.label] += 1
    done.balance["language"][language] += 1
    done.balance["size"][next((words for limit, words in _SIZES if size < limit), "over 100 kB")] += 1
    if sample.provenance.mutator:
        done.balance["mutator"][sample.provenance.mutator] += 1
