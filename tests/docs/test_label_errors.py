"""The trial of the label rules on samples whose label is hidden."""

from __future__ import annotations

from corpora.sample import Label, Provenance, Sample
from docs.label_errors import measure, report
from editcore.types import Edit, File

TEXT = "def f():\n    x = 1\n    return x\n"
DONE = TEXT.replace("1", "2")


def sample(name: str, old: str, outcome: str | None, label: Label, target: str | None, repo: str = "o/r") -> Sample:
    return Sample(
        id=name,
        format="str_replace",
        before=(File("a.py", TEXT),),
        edits=(Edit(old, "    x = 2\n"),),
        label=label,
        target=(File("a.py", target),) if target is not None else None,
        provenance=Provenance(agent="tester", repo=repo, recorded_outcome=outcome),
    )


def test_labels_of_rules_are_compared_with_hidden_ones() -> None:
    retry = sample("retry", "    x = 1\n", "applied", "apply", DONE)
    done = measure(
        [
            sample("right", "    x = 7\n", "no_match", "apply", DONE),
            sample("wrong", "    x = 8\n", "no_match", "refuse", None),
            sample("open", "    x = 9\n", "no_match", "unlabelled", None),
            sample("indented", "\tx = 1\n", "no_match", "apply", DONE),
            sample("alone", "    x = 7\n", "no_match", "apply", DONE, repo="o/other"),
            retry,
        ]
    )
    assert (done.n_failed, done.n_with_retry, done.n_pairs) == (5, 4, 4)
    assert done.results == {
        ("failed", "retry_corrected", "right"): 1,
        ("failed", "retry_corrected", "wrong"): 1,
        ("failed", "retry_corrected", "unknown"): 1,
        ("failed", "retry", "right"): 1,
    }
    assert done.wrong == [("retry_corrected", "wrong", "retry")]
    assert list(report(done)) == [
        "5 failed edits, 4 with an applied edit of the same file texts",
        "4 pairs of an edit and an applied edit of the same file texts",
        "edits   rule                 labelled  right  wrong  not known",
        "failed  retry                       1      1      0          0",
        "failed  retry_corrected             3      1      1          1",
        "wrong: retry_corrected wrong retry",
    ]


def test_edits_that_were_applied_are_tried_as_failed_ones_too() -> None:
    done = measure(
        [sample("one", "    x = 1\n", "applied", "apply", DONE), sample("two", "    x = 1", "applied", "apply", TEXT)]
    )
    assert done.n_failed == 0
    assert done.results["any", "retry", "wrong"] == 2


def test_a_sample_that_nobody_recorded_did_not_fail() -> None:
    done = measure([sample("made", "    x = 1\n", None, "apply", DONE)])
    assert (done.n_failed, done.results) == (0, {})
