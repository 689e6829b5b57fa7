"""Every target under Hypothesis: what does not hold is known, or has to be explained."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.sample import Provenance, Sample, validated
from editcore.patches.placing.candidates import BY_ORDER
from editcore.types import Applied, Edit, EditResult, File, Landing, Match, Reason, Rejected
from harness.fuzz.engine.known import known_keys
from harness.fuzz.generators.changes import drawn_change
from harness.fuzz.generators.drawn import DRAWN
from harness.fuzz.generators.rows import ROWS
from harness.fuzz.inputs import FORMS, PATH, Meant, bytes_of, fields_in, meant_of
from harness.fuzz.properties import PROPERTIES
from harness.fuzz.properties.as_meant import as_meant
from harness.fuzz.properties.merging import all_or_nothing, made_in_turn
from harness.fuzz.properties.patching import diff_names_its_files
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


def block(text: str, old: str, new: str) -> Sample:
    patch = f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"
    return Sample("s", "search_replace", (File("f", text),), "unlabelled", patch=patch)


def diffed(text: str, patch: str, *more: File) -> Sample:
    return replace(patched(text, patch, *more), format="unified_diff")


def placed(text: str) -> Applied:
    return Applied(files={"f": text}, landings=(Landing("f", 1, 1, "exact"),))


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


def called(content: str, call: str, *, seen: str | None = None) -> Sample:
    files_seen = None if seen is None else (File("f", seen),)
    return Sample("one", "hashline_h4", (File("f", content),), "unlabelled", patch=call, seen=files_seen)


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
    "one_place": [(edit("a \na\t\n", "a\n", "N"), Applied("N\na\t\n", (Match(0, 2, "x"),), "line_trimmed"))],
    "no_change_refused": [
        (edit("a", "", "N"), files(f="Na")),
        (edit("a", "a", "a"), files(f="a")),
    ],
    "blank_find_refused": [(edit("a\n\nb", " ", "N"), files(f="a\nN\nb"))],
    "blank_not_taken": [(edit("a\n\nb", "x", "N"), Applied("a\nN\nb", (Match(2, 2, "x"),), "x"))],
    "in_proportion": [(edit("a\nb\nc\nd\ne\n", "a", "N"), Applied("N", (Match(0, 10, "x"),), "x"))],
    "middle_shared": [(edit("a\nb\nc\n", "a\nx\nc", "N"), Applied("N\n", (Match(0, 5, "x"),), "x"))],
    "final_newline_kept": [
        (edit("a\nb\n", "b", "N"), files(f="a\nN")),
        (numbered("insert", "a\n", 1, "b"), files(f="a\nb")),
        (numbered("line_range", "a\r\nb", 2, "", 2), files(f="a\r")),
    ],
    "bom_kept": [
        (edit("\ufeffa\n", "a", "N"), files(f="N\n")),
        (patched("\ufeffa\n", "p"), files(f="N\n")),
        (patched("\ufeffa\n", "p"), files(f="\ufeff\ufeffN\n")),
    ],
    "replaces_all_only_exactly": [(edit("a\n", "A", "N", replace_all=True), files(f="N\n"))],
    "refusal_changes_nothing": [(patched("a", "p"), Rejected(Reason.NO_MATCH, "m", files={"f": "b"}))],
    "change_is_made": [(patched("a", "p"), files(f="a"))],
    "paths_stay_inside": [
        (patched("a", "p"), Applied(files={"f": "a", path: "x"})) for path in ("../x", "/x", "~/x", "")
    ],
    "unnamed_files_stay": [(patched("a", "f", File("g", "b")), files(f="A", g="B"))],
    "only_named_lines_go": [
        (patched("abc\ndef\n", "+N"), files(f="abc\n")),
        (patched("abc\n", "+N"), files(f="abc\nother\n")),
    ],
    "output_bounded": [(patched("a\n", "+b"), files(f="a" * 100))],
    "line_endings_kept": [
        (patched("a\r\nb\r\n", "+c"), files(f="a\r\nb\r\nc\n")),
        (patched("a\nb\n", "+c"), files(f="a\nb\nc\r\n")),
    ],
    "refusal_is_one_line": [
        (edit("a", "b", "c"), Rejected(Reason.NO_MATCH, "")),
        (edit("a", "b", "c"), Rejected(Reason.NO_MATCH, "two\nlines")),
        (edit("a", "b", "c"), Rejected(Reason.NO_MATCH, "m" * 2_000)),
    ],
    "whole_lines_only": [
        (
            block("max = 1\n", "x = 1\n", "x = 2\n"),
            Applied(files={"f": "max = 2\n"}, landings=(Landing("f", 1, 1, "simple"),)),
        ),
    ],
    "number_means_a_line": [
        (numbered("insert", "a\n", 3, "b"), files(f="a\nb\n")),
        (numbered("insert", "a\n", 1, "b"), Rejected(Reason.NOT_FOUND, "m")),
    ],
    "diff_names_its_files": [
        (diffed("a", "--- g\n+++ g\n", File("g", "a")), files(f="A", g="a")),
        (diffed("a", "--- d/f\n+++ d/f\n", File("d/f", "a")), Applied(files={"f": "A", "d/f": "a"})),
        (diffed("a", "--- /dev/null\n+++ d/g\n"), Applied(files={"f": "a", "n": "A"})),
    ],
    "cut_patch_refused": [
        (diffed("a\n", "--- f\n+++ f\n@@ -1 +1,2 @@\n a\n+b\n"), files(f="a\nb\n")),
        (patched("a\n", "*** Update File: f\n@@\n a\n+b\n*** End Patch\n"), files(f="a\nb\n")),
    ],
    "backslash_is_no_marker": [(diffed("a\n", "--- f\n+++ f\n@@ -1 +1,2 @@\n a\n+b\n"), files(f="a\nb\n"))],
    "equal_but_for_line_endings_refused": [
        (patched("a\n", "*** Update File: f\n@@\n a\n+b\n*** End Patch\n"), placed("a\nb\n")),
    ],
    "lenient_as_strict": [
        (patched("a\n", ENVELOPE), Rejected(Reason.NO_MATCH, "m")),
        (patched("a\n", ENVELOPE), files(f="c\n")),
    ],
    "habits_change_nothing": [(patched("a\n", ENVELOPE), files(f="c\n"))],
    "habits_of_diffs_change_nothing": [
        (diffed("a\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"), files(f="c\n")),
    ],
    "placed_in_order": [
        (
            patched("a\nb\n", ENVELOPE),
            replace(placed("b\n"), landings=(Landing("f", 1, 2, "exact"), Landing("f", 2, 1, "exact", (BY_ORDER,)))),
        ),
    ],
    "only_at_the_place": [(edit("a\nb\n", "a", "N"), Applied("N\nB\n", (Match(0, 1, "exact"),), "exact"))],
    "exact_is_taken": [
        (edit("ab\n", "b", "N"), Applied("Nb\n", (Match(0, 1, "exact"),), "exact")),
        (edit("ab\n", "b", "N"), Rejected(Reason.NO_MATCH, "m")),
    ],
    "no_lines_joined": [(edit("a\nb\n", "a\n", "N"), Applied("Nb\n", (Match(0, 2, "exact"),), "exact"))],
    "advice_succeeds": [
        (edit("a\n", "b", "c"), Rejected(Reason.NO_MATCH, "m", advice=(Edit("a", "c"),))),
    ],
    "text_stands_below": [(numbered("insert", "a\nb\n", 1, "N"), files(f="a\nb\nN\n"))],
    "text_stands_between": [
        (numbered("insert", "a\nb\n", 1, "N\n"), files(f="a\nN\nb\n")),
        (numbered("insert", "a\n", 2, "N"), Rejected(Reason.NOT_FOUND, "m")),
    ],
    "range_is_replaced": [(numbered("line_range", "a\nb\n", 1, "N", 1), files(f="N\nN\n"))],
    "only_named_lines_change": [
        (called("a\nb\n", "[f#9A46]\nCUT 1.=1\n"), Applied("a\n")),
        (called("a\nb\n", "[f#9A46]\nPUT 1.=1:\n+N\n"), Applied("N\nM\nb\n")),
    ],
    "what_others_added_stays": [(called("a\nx\n", "[f#9585]\nPUT 1.=1:\n+N\n", seen="a\n"), Applied("N\n"))],
    "call_changes_something": [(called("a\n", "[f#9585]\nPUT 1.=1:\n+a\n"), Applied("a\n"))],
    "mark_stays": [(called("\ufeffa\n", "[f#9585]\nPUT 1.=1:\n+b\n"), Applied("b\n"))],
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


def last_copy(sample: Sample) -> EditResult:
    """Replaces the last line that is the find's but for blanks."""
    content = sample.before[0].content
    assert sample.edits
    for line in reversed(content.split("\n")):
        if line.strip() == sample.edits[0].old_string.strip():
            at = content.rfind(line)
            found = (Match(at, at + len(line), "last"),)
            return Applied(content[:at] + sample.edits[0].new_string + content[at + len(line) :], found, "last")
    return Rejected(Reason.NO_MATCH, "m")


def flush_only(sample: Sample) -> EditResult:
    """Knows nothing of indentation."""
    return Rejected(Reason.NO_MATCH, "m") if sample.before[0].content[:1] == " " else first_line(sample)


BROKEN = {
    "unrelated_above": (first_line, edit("abc\nb\n", "abc", "N")),
    "unrelated_below": (
        lambda sample: last_copy(edit(sample.before[0].content[-8:], "go", "N")), edit("go\n", "go", "N"),
    ),
    "indented_copy": (last_copy, edit("abc\nb\n", "abc", "N")),
    "indented_together": (flush_only, edit("abc\nb\n", "abc", "N")),
    "removed_target_refused": (first_line, edit("abc\nb\n", "abc", "N")),
    "more_context_kept": (
        lambda sample: Rejected(Reason.NO_MATCH, "m") if "\n" in sample.edits[0].old_string else first_line(sample),
        edit("abc\nb\n", "abc", "N"),
    ),
    "all_or_nothing": (first_line, edit("abc\nb\n", "abc", "N")),
    "made_in_turn": (first_line, edit("abc\nb\n", "abc", "N")),
    "second_refused": (first_line, edit("abc\nb\n", "abc", "N")),
    "carriage_returns_do_not_matter": (
        lambda sample: Rejected(Reason.NO_MATCH, "m") if "\r" in sample.before[0].content else first_line(sample),
        edit("abc\nb\n", "abc", "N"),
    ),
    "not_made_twice": (first_line, edit("abc\nb\n", "abc", "abc\nN")),
    "stays_beside_a_copy": (last_copy, edit("abc\nb\n", "abc", "N")),
    "blocks_all_or_none": (lambda _: files(f="y\n"), block("x\n", "x\n", "y\n")),
    "only_the_named_file": (
        lambda sample: Applied(files={file.path: "y\n" for file in sample.before}), block("x\n", "x\n", "y\n"),
    ),
    "same_anchors_twice": (lambda _: Applied("N\n"), called("a\n", "[f#9585]\nPUT 1.=1:\n+N\n")),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_relation_says_no(name: str) -> None:
    apply, sample = BROKEN[name]
    relations = [one for one in PROPERTIES if one.name == name and sample.format in one.formats]
    said = [relation.check(apply, sample, apply(sample)) for relation in relations]
    assert said
    assert all(said)


def test_every_property_is_shown_to_say_no() -> None:
    shown = {*WRONG, *BROKEN, "deterministic", "unrelated_file", "order_of_files", "inserted_in_pieces"}
    assert {one.name for one in PROPERTIES} <= shown


@pytest.mark.parametrize("name", ["b\u00a0", "'"])
def test_a_name_in_a_header_may_be_any(name: str) -> None:
    sample = diffed("a", f"--- /dev/null\n+++ {name}\n@@ -0,0 +1 @@\n+x\n")
    assert diff_names_its_files(lambda _: files(f="a"), sample, Applied(files={"f": "a", name: "x\n"})) is None


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
