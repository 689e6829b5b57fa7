"""A check of a corpus: samples are valid and distinct, have labels that can be confirmed, and hold no secrets."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from corpora.duplicates import likeness
from corpora.generation.referee import objection
from corpora.load import load
from corpora.sample import SEEN_SAME, Sample, SampleError, right_answers, was_seen
from corpora.scrub import texts_of
from corpora.scrubbing.look import look

_EXAMPLES = 5
"""The most samples named for each kind of problem; further ones are only counted."""
_ALWAYS_SECRET = {"private_key", "key", "token", "bearer", "password_in_url"}
"""Secrets that no corpus may contain. Samples from logs may contain no addresses and paths either."""
_UNKNOWN = "unknown"
_SIZES = ((1_000, "under 1 kB"), (10_000, "1 to 10 kB"), (100_000, "10 to 100 kB"))


@dataclass(slots=True)
class CheckReport:
    """The result of a check."""

    n_samples: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    examples: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Problem -> ids of the first samples that have it."""
    near_duplicates: list[str] = field(default_factory=list)
    """Ids of samples whose edit and surrounding text equal an earlier sample's of another repository or parent. They
    are no problem, but intervals count such samples as one cluster.
    """
    balance: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """The number of samples by label, language, size, mutator, and by what the model had seen of their files."""

    def add(self, problem: str, sample_id: str) -> None:
        """Count a problem; keep the sample's id if the problem has few examples yet."""
        self.problems[problem] += 1
        if len(self.examples[problem]) < _EXAMPLES:
            self.examples[problem].append(sample_id)


def check(name: str) -> CheckReport:
    """Check every sample of a corpus, and count samples by label, language, size and mutator."""
    report = CheckReport()
    ids: set[str] = set()
    twins: dict[str, str] = {}
    homes: dict[int, str] = {}

    def count_bad(error: SampleError) -> None:
        report.add("malformed", error.message)

    for sample in load(name, skip_bad=True, on_bad=count_bad):
        report.n_samples += 1
        if sample.id in ids:
            report.add("duplicate id", sample.id)
        ids.add(sample.id)
        if homes.setdefault(likeness(sample), home := _home(sample)) != home:
            report.near_duplicates.append(sample.id)
        for problem in _problems(sample):
            report.add(problem, sample.id)
        for tag in sample.tags:
            if tag.startswith("twin:"):
                twins[tag.removeprefix("twin:")] = sample.id
        _count_balance(sample, report)
    if set(report.balance["seen"]) <= {_UNKNOWN}:
        del report.balance["seen"]
    for twin, sample_id in twins.items():
        if twin not in ids:
            report.add("twin missing", sample_id)
    return report


def _home(sample: Sample) -> str:
    """The origin that near-duplicates may share: the sample's repository, else its parent, else itself."""
    return sample.provenance.repo or sample.provenance.parent_id or sample.id


def _problems(sample: Sample) -> Iterator[str]:
    if sample.label == "apply" and sample.target is not None and set(sample.target) == set(sample.before):
        yield "labelled apply, but the target is the unchanged files"
    results = [frozenset(files) for files in right_answers(sample)]
    if len(set(results)) < len(results):
        yield "an alternative equals the target or another alternative"
    if frozenset(sample.before) in results[1:]:
        yield "an alternative is the unchanged files"
    if sample.label == "refuse" and sample.target is not None and set(sample.target) != set(sample.before):
        yield "labelled refuse, but the target differs from the files"
    if sample.label == "unlabelled" and sample.target is not None:
        yield "unlabelled, but has a target"
    if sample.label_source == "constructed" and sample.provenance.mutator and (why := objection(sample)):
        yield f"label not certain: {why}"
    yield from _problems_of_seen(sample)
    for text in dict.fromkeys(texts_of(sample)):
        seen = look(text)
        found = set(seen.found) & _ALWAYS_SECRET if not sample.provenance.agent else set(seen.found)
        for kind in sorted(found | ({seen.left} if seen.left else set())):
            # The scrubber replaces both, and a lone surrogate is no secret.
            is_text = kind != "surrogate"
            yield f"contains a secret: {kind}" if is_text else "contains a lone surrogate, which UTF-8 cannot encode"


def _problems_of_seen(sample: Sample) -> Iterator[str]:
    if sample.seen is None:
        return
    before = {file.path for file in sample.before}
    n_lines = {file.path: file.content.count("\n") + 1 for file in sample.seen}
    if SEEN_SAME in sample.tags:
        yield f"tagged {SEEN_SAME}, but has what was seen otherwise"
    if set(sample.seen) <= set(sample.before):
        yield f"what was seen equals the files before: it is none, and the tag {SEEN_SAME} says so"
    if any(path not in before and path not in (sample.patch or "") for path in n_lines):
        yield "a file was seen that is neither before the edit nor in its patch"
    if any(one.last > n_lines[one.path] for one in sample.seen_lines or ()):
        yield "lines were seen below the end of their file"


def _how_seen(sample: Sample) -> str:
    """What the model had seen of the files; for a stale edit also which of the texts has its search texts."""
    seen, edits = was_seen(sample), sample.edits or ()
    if seen != "other" or not edits:
        return seen or _UNKNOWN
    there = [all(edit.old_string in file.content for edit in edits) for file in (sample.seen or ())[:1] + sample.before]
    where = {(True, True): "what was seen and in the file", (True, False): "what was seen only"}
    return f"other, search texts in {where.get((there[0], there[-1]), 'the file only' if there[-1] else 'neither')}"


def _count_balance(sample: Sample, report: CheckReport) -> None:
    language = next((tag.partition(":")[2] for tag in sample.tags if tag.startswith("language:")), "-")
    size = sum(len(file.content) for file in sample.before)
    report.balance["label"][sample.label] += 1
    report.balance["language"][language] += 1
    report.balance["size"][next((words for limit, words in _SIZES if size < limit), "over 100 kB")] += 1
    report.balance["seen"][_how_seen(sample)] += 1
    if sample.provenance.mutator:
        report.balance["mutator"][sample.provenance.mutator] += 1
