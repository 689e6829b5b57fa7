"""Every target under Hypothesis: what does not hold is known, or has to be explained."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.sample import Provenance, Sample, validated
from editcore.types import Applied, Edit, EditResult, File, Match, Reason, Rejected
from harness.fuzz.engine.known import known_keys
from harness.fuzz.generators import DRAWN
from harness.fuzz.generators.changes import drawn_change
from harness.fuzz.generators.rows import ROWS
from harness.fuzz.inputs import FORMS, PATH, Meant, bytes_of, fields_in, meant_of
from harness.fuzz.properties import PROPERTIES
from harness.fuzz.properties.as_meant import as_meant
from harness.fuzz.properties.replacing import all_or_nothing, made_in_turn
from harness.fuzz.target import observe
from harness.fuzz.targets import targets
from tests.samples import sample

NO_ANSWER = Meant(())
chance = st.randoms(use_true_random=False) | st.integers(0, 2**64 - 1).map(Random)
ON_DISK = ("tool/", "calls", "differential", "shown_lines")


def explained(name: str, seeds: Iterable[int]) -> None:
    """Some inputs for a target; nothing new may come of them."""
    target, known = targets()[name], known_keys(name)
    for seed in seeds:
        fields = target.generate(Random(seed))
        found = observe(target, fields, thorough=True)
        new = [one for one in found if (name, one.property, one.path) not in known]
        assert not new, (new, fields)


@pytest.mark.parametrize("name", [name for name in targets() if not name.startswith(ON_DISK)])
def test_what_does_not_hold_is_known(name: str) -> None:
    explained(name, range(5))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(targets()))
def test_what_does_not_hold_is_known_on_many_inputs(name: str) -> None:
    explained(name, range(200 if name.startswith(ON_DISK) else 2_000))


@pytest.mark.parametrize(
    "fields", [("i\r\n", "i", "\n"), ("\n\r\n", "\n\r\n", "\n\n"), ("\r\n", "\n", ""), ("x", "\ufeffx", "x ")]
)
def test_line_endings_and_marks_are_no_finding_where_they_make_no_difference(fields: tuple[str, ...]) -> None:
    assert not observe(targets()["cascade/exact"], fields, thorough=True)


@given(st.lists(st.text(st.characters(exclude_characters="\x1e")), min_size=1).map(tuple))
def test_fields_are_read_back_from_their_bytes(fields: tuple[str, ...]) -> None:
    assert fields_in(bytes_of(fields)) == fields


# Answers of drawn inputs


@pytest.mark.parametrize("format", DRAWN)
@given(chance)
def test_a_drawn_input_has_an_answer_until_it_is_changed(format: str, rng: Random) -> None:
    fields = DRAWN[format](rng)
    sample = FORMS[format].sample(fields_in(bytes_of(fields)))
    assert sample is not None
    assert sample.label in ("apply", "refuse")
    assert FORMS[format].fields(sample) == fields
    assert validated(sample) == sample
    changed = FORMS[format].sample((fields[0] + "x", *fields[1:]))
    assert changed is not None
    assert changed.label == "unlabelled"


@pytest.mark.parametrize("format", DRAWN)
def test_every_row_is_drawn_and_names_its_bug(format: str) -> None:
    rows = [row for row in ROWS if format in row.formats]
    assert len({row.name for row in rows}) == len(rows)
    assert all(row.bug for row in rows)
    damages = {(meant_of(DRAWN[format](Random(seed))) or NO_ANSWER).damage for seed in range(4_000)}
    effects = {row.name: {row.draw(drawn_change(format, [PATH], Random(seed))) for seed in range(30)} for row in rows}
    refused = {name for name, found in effects.items() if found - {None, "made"}}
    assert refused <= damages
    assert "" in damages


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("a\nz\n", "not done"), ("b\nz", "final line feed"), ("b\r\nz\n", "line endings"),
        ("b\nb\nz\n", "written again"),
        ("z\nb\n", "order"), ("b\n", "lines lost"), ("c\nz\n", "other text"), (" b\nz\n", "indentation"),
        ("\ufeffb\nz\n", "byte order mark"), ("b \nz\n", "trailing whitespace"), ("b\nc\nz\n", "lines too many"),
    ],
)  # fmt: skip
def test_a_difference_is_told_in_the_words_of_a_person(given: str, said: str) -> None:
    sample = meant(patched("a\nz\n", "p"), "b\nz\n")
    detail = as_meant(lambda _: files(f=given), sample, files(f=given))
    assert detail is not None
    assert detail.startswith(f"{said}: ")


@given(st.binary())
def test_all_bytes_are_fields(data: bytes) -> None:
    assert fields_in(data)


@pytest.mark.parametrize("name", [name for name, target in targets().items() if target.format])
@given(chance)
@settings(max_examples=5)
def test_what_a_generator_makes_is_a_sample_and_back(name: str, rng: Random) -> None:
    target = targets()[name]
    form = FORMS[target.format or ""]
    sample = form.sample(target.generate(rng))
    assert sample is not None
    again = form.fields(sample)
    assert again is not None
    assert form.sample(again) == sample


# Each property says no where it should: of results that no strategy ought to give


def edit(content: str, old: str, new: str, *, replace_all: bool = False) -> Sample:
    return Sample("s", "str_replace", (File("f", content),), "unlabelled", edits=(Edit(old, new, replace_all),))


def patched(text: str, patch: str, *more: File) -> Sample:
    return Sample("s", "begin_patch", (File("f", text), *more), "unlabelled", patch=patch)


def numbered(format: str, text: str, line: int, new: str, end_line: int | None = None) -> Sample:
    return Sample(
        "s",
        format,  # type: ignore[arg-type]
        (File("f", text),),
        "unlabelled",
        line=line,
        end_line=end_line,
        patch=new,
    )


def files(**texts: str) -> Applied:
    return Applied(files=texts)


def meant(one: Sample, *rights: str, damage: str | None = None) -> Sample:
    """The sample with the right texts of its only file; without one, it must be refused."""
    made_by = Provenance(mutator=damage)
    if not rights:
        return replace(one, label="refuse", provenance=made_by)
    first, *more = [(File("f", text),) for text in rights]
    return replace(one, label="apply", target=first, alternatives=tuple(more) or None, provenance=made_by)


ENVELOPE = "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch\n"
WRONG: dict[str, list[tuple[Sample, EditResult]]] = {
    "as_meant": [
        (meant(patched("a\n", "p"), "b\n"), Rejected(Reason.NO_MATCH, "m")),
        (meant(patched("a\n", "p"), damage="two_places"), files(f="b\n")),
        (meant(patched("a\n", "p"), "b\n", damage="d"), Rejected(Reason.NO_MATCH, "m", files={"f": "b\n"})),
        *[
            (meant(patched("a\nz\n", "p"), "b\nz\n", damage="d"), files(f=given))
            for given in ("a\nz\n", "b\nz", "b\r\nz\n", "b\nb\nz\n", "z\nb\n", "b\n", "c\nz\n", " b\nz\n")
        ],
        (meant(patched("a\n", "p"), "b\n"), files(f="b\n", g="")),
        (meant(patched("a\n", "p"), "b\n"), files()),
    ],
    "one_span": [
        (edit("a\nb\n", "a", "N"), Applied("N\nB\n", (Match(0, 1, "simple"),), "simple")),
        (edit("a\nb\n", "a", "N"), files(f="N\nB\n")),
        (edit("$", "$", "$&"), files(f="$$")),
    ],
    "every_match": [
        (edit("aa", "a", "b", replace_all=True), Applied("bb", (Match(0, 2, "x"), Match(1, 2, "x")), "x")),
        (edit("aa", "a", "b", replace_all=True), Applied("ba", (Match(0, 1, "x"), Match(1, 2, "x")), "x")),
    ],
    "exact_wins": [
        (edit("a\nb\n", "a", "N"), Rejected(Reason.NO_MATCH, "m")),
        (edit("ab", "b", "N"), files(f="Nb")),
    ],
    "exact_ambiguity_refused": [(edit("a\na\n", "a", "N"), files(f="N\na\n"))],
    "in_proportion": [(edit("a\nb\nc\nd\ne\n", "a", "N"), Applied("N", (Match(0, 10, "x"),), "x"))],
    "kept_lines_stay": [
        (edit("a  \nb\n", "a\nb", "a\nc"), Applied("a\nc\n", (Match(0, 5, "blank_lines"),), "blank_lines")),
        (edit("\ta;\n\tb\n", "a;\nb", "a;\nc"), Applied("a;\n\tc\n", (Match(1, 6, "indentation"),), "indentation")),
    ],
    "refusal_changes_nothing": [(patched("a", "p"), Rejected(Reason.NO_MATCH, "m", files={"f": "b"}))],
    "paths_stay_inside": [
        (patched("a", "p"), Applied(files={"f": "a", path: "x"})) for path in ("../x", "/x", "~/x", "")
    ],
    "refusal_is_one_line": [
        (edit("a", "b", "c"), Rejected(Reason.NO_MATCH, "")),
        (edit("a", "b", "c"), Rejected(Reason.NO_MATCH, "two\nlines")),
        (edit("a", "b", "c"), Rejected(Reason.NO_MATCH, "m" * 2_000)),
    ],
    "advice_succeeds": [
        (edit("a\n", "b", "c"), Rejected(Reason.NO_MATCH, "m", advice=(Edit("a", "c"),))),
    ],
    "text_stands_between": [
        (numbered("insert", "a\nb\n", 1, "N\n"), files(f="a\nN\nb\n")),
        (numbered("insert", "a\n", 2, "N"), Rejected(Reason.NOT_FOUND, "m")),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_property_says_no(name: str) -> None:
    for one_sample, result in WRONG[name]:
        said = [
            one.check(lambda _, result=result: result, one_sample, result)  # type: ignore[misc]
            for one in PROPERTIES
            if one.name == name and one_sample.format in one.formats
        ]
        assert any(said), (name, one_sample, result)


# Relations, each of a strategy that breaks it


def first_line(sample: Sample) -> EditResult:
    """Replaces the first line, whatever the edit says."""
    content = sample.before[0].content
    assert sample.edits
    end = content.find("\n") if "\n" in content else len(content)
    return Applied(sample.edits[0].new_string + content[end:], (Match(0, end, "first"),), "first")


BROKEN = {
    "all_or_nothing": (first_line, edit("abc\nb\n", "abc", "N")),
    "made_in_turn": (first_line, edit("abc\nb\n", "abc", "N")),
    "second_refused": (first_line, edit("abc\nb\n", "abc", "N")),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_relation_says_no(name: str) -> None:
    apply, sample = BROKEN[name]
    relations = [one for one in PROPERTIES if one.name == name and sample.format in one.formats]
    said = [relation.check(apply, sample, apply(sample)) for relation in relations]
    assert said
    assert all(said)


def test_every_property_is_shown_to_say_no() -> None:
    assert {one.name for one in PROPERTIES} <= {*WRONG, *BROKEN, "deterministic"}


# What lists of edits promise: kept by those that make all or nothing, in turn; each way to break it is found.

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
    assert [check(lambda _: _REFUSED, one, _REFUSED) for check in (all_or_nothing, made_in_turn)] == [None, None]
