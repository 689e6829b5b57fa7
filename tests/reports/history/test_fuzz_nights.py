"""The record of nightly fuzzing, as a section of a job's summary."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reports.history.fuzz_nights import FuzzedTarget, FuzzNight, NewFinding, append_night, fuzz_lines, tell, told

HOSTILE = "<img src=x onerror=alert(1)> [a](b) `c` # d ::error::e ##[f] \x1b[2J"


def test_a_finding_brings_no_markup_along() -> None:
    found = NewFinding("id", HOSTILE, HOSTILE, HOSTILE)
    night = FuzzNight(1, "2026-01-01T00:00:00Z", {HOSTILE: FuzzedTarget(1, 1.0, new=(found,), failure=HOSTILE)})
    lines = list(fuzz_lines(night))
    assert len([line for line in lines if line.startswith("- ")]) == 2
    text = "\n".join(lines)
    assert "\x1b" not in text
    assert "##[" not in text
    in_code = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
    for line in lines[2:]:
        assert not re.search(r"(?<!\\)[<>\[\]`]", in_code.sub("", line)), line


def test_a_plain_finding_is_readable() -> None:
    night = FuzzNight(2, "2026-01-01T00:00:00Z", {"cascade/exact": FuzzedTarget(10, 1.0, failure="no engine")})
    assert list(fuzz_lines(night))[-1] == "- `cascade/exact` could not be fuzzed: no engine"


@pytest.mark.parametrize(
    ("targets", "fails"),
    [
        ({"x": FuzzedTarget(10, 1.0)}, False),
        ({"x": FuzzedTarget(10, 1.0, new=(NewFinding("id", "p", "at", "d"),))}, True),
        ({"x": FuzzedTarget(10, 1.0), "y": FuzzedTarget(0, 0.0, failure="ImportError")}, True),
        ({"x": FuzzedTarget(0, 0.0)}, True),
        ({}, True),
    ],
    ids=["as usual", "a finding", "a target that could not be fuzzed", "no input", "no target"],
)
def test_a_night_fails_by_what_is_new_and_by_what_could_not_be_fuzzed(
    targets: dict[str, FuzzedTarget], fails: bool
) -> None:
    assert FuzzNight(1, "2026-01-01T00:00:00Z", targets).fails == fails


def test_what_a_night_recorded_was_told_and_what_was_told_once_is_kept_once(tmp_path: Path) -> None:
    assert told(tmp_path / "none") == set()
    found = FuzzedTarget(1, 1.0, new=(NewFinding("of-a-night", "p", "at", "d"),))
    append_night(tmp_path, FuzzNight(1, "2026-01-01T00:00:00Z", {"x": found}))
    for ids in (["b", "a"], ["a", "of-a-night"], []):
        tell(tmp_path, ids)
    assert told(tmp_path) == {"a", "b", "of-a-night"}
    assert (tmp_path / "told.txt").read_text() == "a\nb\nof-a-night\n"


def test_a_list_that_was_cut_short_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    (tmp_path / "told.txt").write_bytes(b"whole\ncu\xff")
    assert "whole" in told(tmp_path)
    assert "cut" not in told(tmp_path)
