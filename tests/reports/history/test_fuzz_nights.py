"""The record of nightly fuzzing, as a section of a job's summary."""

from __future__ import annotations

import re

from reports.history.fuzz_nights import FuzzedTarget, FuzzNight, NewFinding, fuzz_lines

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
