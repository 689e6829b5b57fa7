"""What lists of edits promise: kept by those that make all or nothing, in turn; each way to break it is found."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from corpora.sample import Sample
from editcore.types import Applied, Edit, EditResult, Reason, Rejected
from harness.fuzz.properties.merging import all_or_nothing, made_in_turn
from tests.samples import sample

Rule = Callable[[str, tuple[Edit, ...]], EditResult]
_REFUSED = Rejected(Reason.NO_MATCH, "not found")


def broken(rule: Rule) -> list[str]:
    """The promises that a rule breaks on one sample."""
    one = sample(before="one\ntwo\nthree\n", old="two", new="2")

    def apply(asked: Sample) -> EditResult:
        return rule(asked.before[0].content, asked.edits or ())

    return [check.__name__ for check in (all_or_nothing, made_in_turn) if check(apply, one, apply(one))]


def careful(text: str, edits: Iterable[Edit]) -> EditResult:
    for edit in edits:
        if edit.old_string not in text:
            return _REFUSED
        text = text.replace(edit.old_string, edit.new_string, 1)
    return Applied(text)


def leaves_out(text: str, edits: tuple[Edit, ...]) -> EditResult:
    return careful(text, [one for one in edits if one.old_string in text])


def stops(text: str, edits: tuple[Edit, ...]) -> EditResult:
    for edit in edits:
        result = careful(text, [edit])
        if isinstance(result, Rejected):
            return Applied(text)
        text = result.content or ""
    return Applied(text)


def at_once(text: str, edits: tuple[Edit, ...]) -> EditResult:
    return careful(text, edits) if all(one.old_string in text for one in edits) else _REFUSED


def backwards(text: str, edits: tuple[Edit, ...]) -> EditResult:
    return careful(text, edits[::-1])


def cuts_off(text: str, edits: tuple[Edit, ...]) -> EditResult:
    result = careful(text, edits)
    return Applied("") if isinstance(result, Rejected) and len(edits) > 1 else result


@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        (careful, []),
        (leaves_out, ["all_or_nothing", "made_in_turn"]),
        (stops, ["all_or_nothing"]),
        (at_once, ["made_in_turn"]),
        (backwards, ["made_in_turn"]),
        (cuts_off, ["all_or_nothing"]),
    ],
)
def test_a_rule_breaks_what_it_breaks(rule: Rule, wanted: list[str]) -> None:
    assert broken(rule) == wanted


def test_of_a_refused_edit_nothing_is_asked() -> None:
    one = replace(sample(old="nowhere"), edits=(Edit("nowhere", "2"),))
    assert [each.check(lambda _: _REFUSED, one, _REFUSED) for each in PROPERTIES] == [None, None]
