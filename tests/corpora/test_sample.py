from __future__ import annotations

import json
import pickle
import re
from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corpora.sample
from corpora.sample import (
    Provenance,
    Sample,
    combined_fingerprint,
    convert,
    decode,
    encode,
    fingerprint,
    right_answers,
    validated,
)
from editcore.patches import search_replace
from editcore.types import Edit, File, Rejected
from tests.rows import rows

SAMPLE = Sample(
    "a",
    "str_replace",
    (File("a.py", "x = 1\n"),),
    "apply",
    edits=(Edit("1", "2"),),
    target=(File("a.py", "x = 2\n"),),
    tags=("python",),
    provenance=Provenance(agent="someone", seed=3),
)
BLOCKS = "a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"


def raw(**changes: Any) -> dict[str, Any]:
    """The sample as a JSON object, with some fields changed."""
    return json.loads(encode(SAMPLE)) | changes


def test_a_sample_comes_back_from_json_as_it_was_written() -> None:
    assert decode(encode(SAMPLE)) == SAMPLE
    assert decode(encode(SAMPLE).encode()) == SAMPLE


def test_a_sample_is_one_line_of_ascii() -> None:
    line = encode(replace(SAMPLE, before=(File("a.py", "é\n\u2028\ud800"),)))
    assert line.isascii()
    assert line.splitlines() == [line]


# Includes lone surrogates, which occur in agents' logs.
texts = st.text(st.characters(), max_size=20)
maybe = st.none() | texts
names = st.text(st.characters().filter(str.isprintable), max_size=20)
maybe_name = st.none() | names
edits = st.lists(st.builds(Edit, texts, texts, st.booleans(), st.none() | st.integers(-3, 3)), min_size=1, max_size=3)
files = st.builds(File, texts, texts).map(lambda file: (file,))


@given(
    st.builds(
        Sample,
        id=names.filter(bool),
        format=st.just("str_replace"),
        before=files,
        label=st.sampled_from(["apply", "refuse", "unlabelled"]),
        edits=edits.map(tuple),
        patch=maybe,
        line=st.none() | st.integers(0, 2**40),
        target=files,
        label_source=maybe_name,
        tags=st.lists(names, max_size=3).map(tuple),
        provenance=st.builds(Provenance, agent=maybe_name, recorded_error=maybe, seed=st.none() | st.integers(-5, 5)),
    )
)
def test_any_sample_comes_back_from_json_as_it_was_written(sample: Sample) -> None:
    assert decode(encode(sample)) == sample
    assert fingerprint(decode(encode(sample))) == fingerprint(sample)


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"edits": [{"old_string": 3, "new_string": "b"}]}, "got `int` - at `$.edits[0].old_string`"),
        ({"edits": [{"old_string": "a"}]}, "missing required field `new_string` - at `$.edits[0]`"),
        ({"edits": [{"old_string": "a", "new_string": "b", "replace_all": "yes"}]}, "at `$.edits[0].replace_all`"),
        ({"edits": {"old_string": "a", "new_string": "b"}}, "got `object` - at `$.edits`"),
        ({"label": "perhaps"}, "Invalid enum value 'perhaps' - at `$.label`"),
        ({"format": "ed"}, "Invalid enum value 'ed' - at `$.format`"),
        ({"before": [{"path": "a.py"}]}, "missing required field `content` - at `$.before[0]`"),
        ({"before": None}, "missing required field `before`"),
        ({"tags": ["a", 1]}, "got `int` - at `$.tags[1]`"),
        ({"provenance": {"seed": "3"}}, "got `str` - at `$.provenance.seed`"),
        ({"line": 1.5}, "got `float` - at `$.line`"),
        ({"alternatives": [{"path": "a", "content": ""}]}, "got `object` - at `$.alternatives[0]`"),
        ({"id": "\ud800", "label": 0}, "at `$.label`"),
    ],
)
def test_a_field_of_the_wrong_type_is_named_by_its_path(changes: dict[str, Any], where: str) -> None:
    with pytest.raises(ValueError, match=re.escape(where)):
        decode(json.dumps(raw(**changes)))


@pytest.mark.parametrize("field", ["id", "format", "before", "label"])
def test_a_missing_field_is_named(field: str) -> None:
    mapping = raw()
    del mapping[field]
    with pytest.raises(ValueError, match=f"missing required field `{field}`"):
        decode(json.dumps(mapping))


@pytest.mark.parametrize(("changes", "path"), rows("fields_that_contradict_each_other_are_named_by_path"))
def test_fields_that_contradict_each_other_are_named_by_path(changes: dict[str, Any], path: str) -> None:
    with pytest.raises(ValueError, match="Expected") as caught:
        decode(json.dumps(raw(**changes)))
    assert str(caught.value).endswith(f"at `{path}`")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"", "not JSON"),
        (b'{"id": "a"', "not JSON"),
        (b"null", "got `null`"),
        (b"[]", "got `array`"),
        (b'"sample"', "got `str`"),
        (b'{"id": "\xff"}', "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"id": "\\ud800", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b'{"id": "\\ud800", "tags": ' + b"[" * 400 + b"]" * 400 + b"}", "e"),
        (b'{"id": ' + b"9" * 5000 + b"}", "e"),
    ],
)
def test_what_is_no_sample_is_a_value_error_whatever_it_is(line: bytes, what: str) -> None:
    with pytest.raises(ValueError, match=re.escape(what)):
        decode(line)


def test_nulls_stand_for_absent_fields_on_every_level() -> None:
    mapping = raw(line=None, tags=None, edits=[{"old_string": "1", "new_string": "2", "replace_all": None}])
    mapping["provenance"]["model"] = None
    assert convert(mapping) == replace(SAMPLE, tags=())
    assert decode(json.dumps(mapping)) == replace(SAMPLE, tags=())


def test_the_right_answers_are_the_target_and_the_alternatives() -> None:
    other = (File("a.py", "x = 2"),)
    both = replace(SAMPLE, alternatives=(other,))
    assert decode(encode(both)) == both
    assert decode(json.dumps(raw(alternatives=[]))).alternatives == ()
    assert (right_answers(SAMPLE), right_answers(both)) == ((SAMPLE.target,), (SAMPLE.target, other))
    assert right_answers(replace(SAMPLE, target=None)) == ()


def test_an_alternative_counts_towards_the_limit_of_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.sample.LARGEST_TEXTS", 100)
    with pytest.raises(ValueError, match=r"the texts have \d+ characters; the limit for a sample is 100"):
        validated(replace(SAMPLE, alternatives=((File("a.py", "x" * 101),),)))


def test_fields_of_later_versions_are_passed_over() -> None:
    assert decode(json.dumps(raw(difficulty=3))) == SAMPLE


def test_a_search_replace_sample_gets_its_edits_from_its_patch() -> None:
    sample = decode(json.dumps(raw(format="search_replace", edits=None, patch=BLOCKS)))
    assert sample.edits == (Edit("x = 1\n", "x = 2\n"),)


def test_edits_that_are_given_are_kept() -> None:
    sample = decode(json.dumps(raw(format="search_replace", patch=BLOCKS)))
    assert sample.edits == SAMPLE.edits


def test_the_blocks_of_a_sample_are_parsed_once_and_are_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def noted(text: str) -> tuple[search_replace.Block, ...] | Rejected:
        parsed.append(text)
        return search_replace.read_blocks(text)

    monkeypatch.setattr(corpora.sample, "read_blocks", noted)
    sample = decode(json.dumps(raw(format="search_replace", edits=None, patch=BLOCKS)))
    found = sample.blocks
    assert isinstance(found, tuple)
    assert sample.edits == tuple(block.edit for block in found)
    assert sample.blocks is found
    assert parsed == [BLOCKS]
    copy = pickle.loads(pickle.dumps(sample))
    assert copy == sample == decode(encode(sample))
    assert copy.blocks == found


def test_a_malformed_block_of_a_sample_is_a_refusal() -> None:
    sample = decode(json.dumps(raw(format="search_replace", edits=None, patch="<<<<<<< SEARCH\nx\n")))
    assert isinstance(sample.blocks, Rejected)
    assert sample.blocks.message.startswith("line 1 of the patch: the block has no '=======' line")


def test_a_search_replace_sample_without_a_whole_block_has_no_edits() -> None:
    assert decode(json.dumps(raw(format="search_replace", edits=None, patch="<<<<<<< SEARCH\nx\n"))).edits is None


def test_blocks_for_several_files_are_a_patch_without_edits() -> None:
    before = [{"path": "a.py", "content": "x = 1\n"}, {"path": "b.py", "content": "x = 1\n"}]
    sample = decode(json.dumps(raw(format="search_replace", edits=None, patch=BLOCKS, before=before)))
    assert sample.edits is None
    assert len(sample.before) == 2


DECISIVE = [
    {"id": "b"},
    {"label": "refuse"},
    {"format": "search_replace"},
    {"before": (File("b.py", "x = 1\n"),)},
    {"before": (File("a.py", "x = 1"),)},
    {"target": None},
    {"alternatives": ((File("a.py", "x = 2"),),)},
    {"alternatives": ((File("a.py", "x = 2"),), (File("b.py", ""),))},
    {"alternatives": ((File("a.py", "x = 2"), File("b.py", "")),)},
    {"alternatives": ((),)},
    {"edits": (Edit("1", "3"),)},
    {"edits": (Edit("1", "2", replace_all=True),)},
    {"edits": (Edit("1", "2", occurrence=1),)},
    {"edits": (Edit("1", "2"), Edit("2", "3"))},
    {"edits": (Edit("", "12"),)},
    {"patch": "1"},
    {"line": 1},
    {"end_line": 1},
]


def test_the_fingerprint_depends_on_all_that_decides_an_outcome() -> None:
    variants = [SAMPLE, *(replace(SAMPLE, **changes) for changes in DECISIVE)]  # type: ignore[arg-type]
    assert len({fingerprint(sample) for sample in variants}) == len(variants)


@pytest.mark.parametrize(
    "changes",
    [{"tags": ("java",)}, {"provenance": Provenance()}, {"label_source": "somebody"}],
    ids=lambda c: next(iter(c)),
)
def test_the_fingerprint_does_not_depend_on_what_is_said_about_a_sample(changes: dict[str, Any]) -> None:
    assert fingerprint(replace(SAMPLE, **changes)) == fingerprint(SAMPLE)


def test_texts_that_join_to_the_same_have_different_fingerprints() -> None:
    one = replace(SAMPLE, edits=(Edit("ab", "c"),))
    other = replace(SAMPLE, edits=(Edit("a", "bc"),))
    assert fingerprint(one) != fingerprint(other)


@given(st.permutations(range(6)), st.integers(0, 6))
def test_a_combined_fingerprint_depends_on_no_order_and_no_division(order: list[int], cut: int) -> None:
    all_of_them = [fingerprint(replace(SAMPLE, id=str(number))) for number in range(6)]
    shuffled = [all_of_them[at] for at in order]
    assert combined_fingerprint(
        (combined_fingerprint(shuffled[:cut]), combined_fingerprint(shuffled[cut:]))
    ) == combined_fingerprint(all_of_them)
    assert combined_fingerprint(all_of_them) != combined_fingerprint(all_of_them[1:])


def test_a_sample_as_a_mapping_is_the_sample() -> None:
    assert convert(asdict(SAMPLE)) == SAMPLE


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"id": "a\n::stop-commands::x"}, "$.id"),
        ({"id": "a\u2028b"}, "$.id"),
        ({"id": "\x1b[2J"}, "$.id"),
        ({"id": "\ud800"}, "$.id"),
        ({"id": "x" * 201}, "$.id"),
        ({"tags": ["fine", "a\rb"]}, "$.tags[1]"),
        ({"tags": ["x" * 201]}, "$.tags[0]"),
        ({"label_source": "a\nb"}, "$.label_source or provenance"),
        ({"provenance": {"agent": "\u202e"}}, "$.label_source or provenance"),
        ({"tags": ["t"] * 10_001}, "$.tags"),
        ({"alternatives": [[]] * 101}, "$.alternatives"),
        ({"alternatives": [[{"path": str(at), "content": ""} for at in range(10_001)]]}, "$.alternatives[0]"),
        ({"before": [{"path": str(at), "content": ""} for at in range(10_001)], "edits": None, "patch": "p",
          "format": "begin_patch"}, "$.before"),
    ],
)  # fmt: skip
def test_what_reports_would_print_or_could_not_hold_is_refused(change: dict[str, object], place: str) -> None:
    line = json.dumps(json.loads(encode(SAMPLE)) | change)
    with pytest.raises(ValueError, match=r"^Expected at most") as caught:
        decode(line)
    assert str(caught.value).endswith(f"at `{place}`")
    assert str(caught.value).isprintable()


def test_texts_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.sample.LARGEST_TEXTS", 100)
    with pytest.raises(ValueError, match=r"the texts have \d+ characters; the limit for a sample is 100"):
        validated(replace(SAMPLE, patch="x" * 101))


@pytest.mark.parametrize(
    "line",
    [
        b'{"id":' + b"[" * 200_000,
        b'{"x":' + b'{"a":' * 200_000,
        b'{"line":' + b"9" * 5000 + b',"id":"\\ud800"}',
        b'["\\ud800",' + b"[]," * 4_000_000 + b"0]",
        b"\xff\xfe",
    ],
    ids=["arrays", "objects", "digits", "many values", "no UTF-8"],
)
def test_hostile_json_is_a_malformed_sample(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"too deeply|not JSON|range|not a sample|digits"):
        decode(line)
