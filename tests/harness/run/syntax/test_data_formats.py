"""Data files: what no parser of their format reads is broken, and what says the same is the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.languages import language
from harness.run import scoring
from harness.run.syntax import data_formats
from harness.run.syntax.data_formats import is_same
from reports.runs.rows import Severity


def judged(name: str, right: str, given: str) -> str | None:
    return data_formats.severity(language(name), right.encode("utf-8", "surrogatepass"), given.encode())


NOTEBOOK = '{"cells": [{"cell_type": "code", "source": ["a\\n", "b"]}]}'


@pytest.mark.parametrize(
    ("name", "right", "same", "other", "broken"),
    [
        ("a.json", '{"a": [1, true], "b": 2}', '{"b": 2.0,\n "a": [1, true]}', '{"a": [1, 1], "b": 2}', '{"a": [1,]}'),
        ("a.json", '{"a": 1}', '{ "a": 1 }', '{"a": "1"}', '{"a": NaN}'),
        (
            "a.ipynb",
            NOTEBOOK,
            NOTEBOOK.replace('["a\\n", "b"]', '"a\\nb"'),
            NOTEBOOK.replace("\\n", ""),
            '{"cells": {}}',
        ),
        ("a.toml", 'a = 1\nb = "x"\n', "b = 'x'\na = 1 # c\n", "a = 1.0\nb = 'x'\n", "a = 1\na = 1\nb = 'x'\n"),
        ("a.yml", "a: [1, on]\nb: x\n", "b: 'x'\na:\n- 1\n- true\n", "a: [1, 'on']\nb: x\n", "a: [1, on\nb: x\n"),
        ("a.yaml", "a: !Ref x\n---\nb: 1\n", "a: !Ref 'x'\n---\nb: 1 # c\n", "a: !Sub x\n---\nb: 1\n", "a: b: c\n"),
        (
            "a.xml",
            "<a x='1' y='2'><b/>t</a>",
            '<a y="2" x="1">\n<b></b>t</a>',
            "<a x='1' y='2'><b/>u</a>",
            "<a><b></a>",
        ),
        ("a.svg", "<a> t </a>", "<a><!-- c --> t </a>", "<a>t</a>", "<a> t </a><b/>"),
    ],
)
def test_a_text_is_broken_where_it_does_not_parse_and_same_where_its_data_are(
    name: str, right: str, same: str, other: str, broken: str
) -> None:
    assert [judged(name, right, one) for one in (right, same, other, broken)] == (
        ["same_tree", "same_tree", "other_tree", "broken"]
    )


@pytest.mark.parametrize(
    ("name", "right", "given"),
    [
        ("a.py", "x = 1", "x = 2"),
        ("a.json", "// comment\n{}", "{}"),  # The grammar judges what its format does not take.
        ("a.json", "{}", "[" * 100_000 + "]" * 100_000),
        ("a.json", "1", "1e" + "9" * 30),
        ("a.toml", "a = 1", "a = " + "[" * 100_000),
        ("a.yaml", "a: 1", "a: 1\n" + "# long\n" * 40_000),
        ("a.xml", "<a/>", '<!DOCTYPE a [<!ENTITY e "e">]><a>&e;</a>'),
        ("a.xml", "<a/>", "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>"),
    ],
)
def test_what_is_not_read_here_is_not_judged(name: str, right: str, given: str) -> None:
    assert judged(name, right, given) is None


LAUGHS = "a0: &a0 [lol]\n" + "".join(f"a{n}: &a{n} [{f'*a{n - 1}, ' * 9}]\n" for n in range(1, 30))


def test_references_to_references_are_compared_once() -> None:
    assert judged("a.yaml", LAUGHS, LAUGHS + "# c\n") == "same_tree"
    assert judged("a.yaml", LAUGHS, LAUGHS.replace("lol", "lul")) == "other_tree"
    assert judged("a.yaml", "&a [*a]", "&b [*b]") == "same_tree"


def test_an_object_of_a_program_is_a_tag_and_text() -> None:
    made = "a: !!python/object/apply:os.getcwd []\n"
    assert judged("a.yaml", made, made.replace("getcwd", "getpid")) == "other_tree"


MERGED = "a0: &a0 {x: 1}\n" + "".join(f"a{n}: &a{n}\n  <<: [{f'*a{n - 1}, ' * 9}]\n" for n in range(1, 12))


@pytest.mark.slow
def test_a_file_that_takes_too_long_ends_its_process_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    judge = scoring.SeverityJudge()
    assert judge.severity({"a.yaml": "a: 1\n"}, {"a.yaml": MERGED}) == Severity.UNKNOWN
    assert judge.severity({"a.json": "[1]"}, {"a.json": "[1, ]"}) == Severity.BROKEN
    assert judge.severity({"a.xml": "<a/>"}, {"a.xml": "<a>"}) == Severity.BROKEN


DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda some: st.lists(some, max_size=3) | st.dictionaries(st.text(max_size=3), some, max_size=3),
    max_leaves=8,
)


@given(DATA, DATA)
def test_data_are_the_same_where_their_canonical_texts_are(one: object, other: object) -> None:
    texts = [json.dumps(data, sort_keys=True) for data in (one, other)]
    assert is_same(one, one)
    assert is_same(one, other) is (texts[0] == texts[1])
    assert judged("a.json", json.dumps(one), texts[0]) == "same_tree"
