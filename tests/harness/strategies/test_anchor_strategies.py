"""Rules for anchored edits as strategies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpora.sample import SeenLines
from editcore.anchors import ANCHOR_RULES
from editcore.errors import UsageError
from editcore.formats import ANCHORED_FORMATS
from editcore.types import Applied, File, Reason, Rejected
from harness.strategies.example_samples import NEW, OLD, PATH, TEXT, example_sample
from harness.strategies.registry import select, strategy


@pytest.mark.parametrize("rule", ANCHOR_RULES)
def test_every_rule_applies_the_example_of_each_of_its_formats(rule: str) -> None:
    one = strategy(f"anchors/{rule}")
    assert one.formats == {*ANCHOR_RULES[rule].readings}
    assert one.formats <= {*ANCHORED_FORMATS}
    for format in one.formats:
        result = one.apply(example_sample(format), None)  # type: ignore[arg-type]
        assert isinstance(result, Applied), result
        assert result.content == TEXT.replace(OLD, NEW)


def test_what_was_seen_and_shown_of_a_sample_is_given_to_the_rule() -> None:
    sample = example_sample("hashline_h4")
    stale = replace(sample, before=(File(PATH, f"import os\n{TEXT}"),), seen=sample.before)
    result = strategy("anchors/recommended").apply(stale, None)
    assert isinstance(result, Applied)
    assert result.content == f"import os\n{TEXT.replace(OLD, NEW)}"
    unseen = replace(stale, seen_lines=(SeenLines(PATH, 1, 1), SeenLines(PATH, 3, 9)))
    refused = strategy("anchors/recommended").apply(unseen, None)
    assert isinstance(refused, Rejected)
    assert refused.reason == Reason.UNREAD


def test_corrections_are_left_out_by_name() -> None:
    names = ["anchors/h2_oh_my_openagent@without=reflow+range_echo", "anchors/h4_oh_my_pi@without=all"]
    assert [one.name for one in select(names)] == names
    for wrong in ("h2_oh_my_openagent@without=relocation", "h4_gptme@without=x", "h4_oh_my_pi@all"):
        with pytest.raises(UsageError, match="names no correction"):
            strategy(f"anchors/{wrong}")
    with pytest.raises(UsageError, match="no strategy"):
        strategy("anchors/nothing@without=all")
