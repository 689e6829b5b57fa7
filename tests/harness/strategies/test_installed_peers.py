"""Peers for patches that need packages of their own, where those are installed: what their adapters do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpora.sample import Sample
from editcore.types import Applied, File, Reason, Rejected
from harness.strategies.peers import PEERS, check_peer, strategy_of
from harness.strategies.strategy import Strategy
from tests.answers import RECORDED, after_of, program_of, sample_of
from tests.answers import answers as recorded_answers

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

BEFORE = (File("a.py", "one = 1\ntwo = 2\nthree = 3\nfour = 4\nfive = 5\n"),)
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1,5 +1,5 @@\n one = 1\n two = 2\n-three = 3\n+three = 33\n four = 4\n five = 5\n"
AFTER = {"a.py": "one = 1\ntwo = 2\nthree = 33\nfour = 4\nfive = 5\n"}


def installed(name: str) -> Strategy:
    found = strategy_of(PEERS[name])
    if found is None:
        pytest.skip(f"peer/{name} is not installed: `editgauge peers install {name}`")
    return found


def diffed(patch: str, *before: File) -> Sample:
    return Sample("one", "unified_diff", before or BEFORE, "unlabelled", patch=patch)


@pytest.mark.parametrize("name", [name for name, peer in PEERS.items() if peer.package])
def test_an_example_is_applied(name: str) -> None:
    installed(name)
    check_peer(PEERS[name])


def test_jsdiff_applies_and_makes_and_deletes_files() -> None:
    jsdiff = installed("jsdiff")
    result = jsdiff.apply(diffed(DIFF), None)
    assert isinstance(result, Applied)
    assert result.files == AFTER
    patch = (
        f"--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+come\n{DIFF}"
    )
    result = jsdiff.apply(diffed(patch, File("old.py", "gone\n"), *BEFORE), None)
    assert isinstance(result, Applied)
    assert result.files == {"new.py": "come\n", **AFTER}


def test_jsdiff_lets_two_lines_of_context_differ_and_no_third() -> None:
    jsdiff = installed("jsdiff")
    result = jsdiff.apply(diffed(DIFF.replace(" one = 1", " uno = 1").replace(" five = 5", " cinque = 5")), None)
    assert isinstance(result, Applied)
    assert result.files == AFTER
    patch = DIFF.replace(" one = 1", " uno = 1").replace(" two = 2", " due = 2").replace(" five = 5", " cinque = 5")
    result = jsdiff.apply(diffed(patch), None)
    assert result == Rejected(Reason.NO_MATCH, "a hunk does not fit a.py")


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        ("", Reason.MALFORMED),
        ("nonsense", Reason.MALFORMED),
        (DIFF.replace("-1,5 +1,5", "-1,9 +1,9"), Reason.MALFORMED),
        (DIFF.replace("a.py", "b.py"), Reason.NOT_FOUND),
    ],
)
def test_jsdiff_refuses_and_goes_on(patch: str, reason: Reason) -> None:
    jsdiff = installed("jsdiff")
    result = jsdiff.apply(diffed(patch), None)
    assert isinstance(result, Rejected)
    assert result.reason == reason
    assert "\n" not in result.message
    assert isinstance(jsdiff.apply(diffed(DIFF), None), Applied)


@pytest.mark.parametrize("name", ["openai_agents", "cline_apply_patch"])
@pytest.mark.parametrize("path", ["../b.py", "/tmp/editgauge-outside.py"])
def test_an_envelope_that_leaves_the_folder_is_refused(name: str, path: str) -> None:
    one = Sample(
        "one", "begin_patch", BEFORE, "unlabelled", patch=f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch"
    )
    result = installed(name).apply(one, None)
    assert isinstance(result, Rejected)
    assert result.reason == Reason.OUTSIDE_WORKSPACE
    outside = replace(one, before=(File(path, "x\n"),))
    assert isinstance(installed(name).apply(outside, None), Rejected)


@pytest.mark.parametrize("name", sorted(path.stem for path in RECORDED.iterdir()))
def test_the_recorded_answers_are_those_of_the_program(name: str) -> None:
    strategy, form = installed(name), PEERS[name].formats[0]
    if strategy.version != program_of(name):
        pytest.skip(f"recorded with {program_of(name)}, installed is {strategy.version}")
    for answer in recorded_answers(name):
        assert after_of(answer.case, strategy.apply(sample_of(answer.name, answer.case, form), None)) == answer.after
