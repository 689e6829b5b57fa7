from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpora.expression import expression, values_of
from corpora.sample import Provenance
from editcore.errors import UsageError
from editcore.types import File
from tests.rows import rows
from tests.samples import sample

SAMPLE = ("house/Shop-012", ["language:python", "drift:stale", "several-edits", "a.b[1]"])


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("python", True),
        ("PYTHON", True),
        ("java", False),
        ("language:python", True),
        ("shop-0", True),
        ("house/", True),
        ("a.b[1]", True),
        ("python and stale", True),
        ("python and java", False),
        ("python or java", True),
        ("not java", True),
        ("not python", False),
        ("not not python", True),
        ("python and not stale", False),
        ("java or python and stale", True),
        ("(java or python) and fresh", False),
        ("not (java or python)", False),
        ("((python))", True),
        ("(python)and(stale)", True),
        ("  python\n  and\tstale  ", True),
        ("'python'", False),
        ('"', False),
        ("and-so-on or notes or order", False),
        ("True", False),
        ("_0", False),
        ("python;import", False),
        ("λ", False),
        ("\x00", False),
        ("\ud800", False),
    ],
)
def test_pieces_of_ids_and_tags_are_joined_by_and_or_not(text: str, chosen: bool) -> None:
    assert expression(text)(*SAMPLE) is chosen


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "a b", "a and", "and a", "a or", "not", "a not b", "a and or b", "and", "'a b'"),
        *(")", "(", "()", "(a", "a)", "a ()", "a (b)", "(a) (b)", "(a)(b)", "a and ()", "( and )", ")("),
        "not " * 50_000 + "a",
        "(" * 50_000 + "a" + ")" * 50_000,
    ],
    ids=lambda text: text[:12] or "empty",
)
def test_what_is_no_expression_is_the_users_mistake(text: str) -> None:
    with pytest.raises(UsageError, match="cannot be read") as caught:
        expression(text)
    assert "python and not stale" in caught.value.tip


@given(
    st.lists(st.sampled_from([*"()[]{}.,:=+'\"\\#@", "and", "or", "not", "a", "python", "lambda", " "])).map(" ".join)
)
@example("a and " * 3000 + "b")
@example("not (" * 150 + "b" + ")" * 150)
def test_any_text_is_an_expression_or_the_users_mistake(text: str) -> None:
    try:
        matches = expression(text)
    except UsageError:
        return
    assert matches(*SAMPLE) in (True, False)


@pytest.mark.parametrize(
    "text",
    [
        "open('made','w')",
        "__import__('os').mkdir('made')",
        "(lambda:open('made','w'))()",
        "[open('made','w')]",
        "python and open('made','w')",
        "python if open('made','w') else java",
        "f\"{open('made','w')}\"",
        "a\nopen('made','w')",
    ],
)
def test_no_expression_runs_code(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with suppress(UsageError):
        expression(text)(*SAMPLE)
    assert not (tmp_path / "made").exists()


KNOWN = {"label": ("apply",), "model": ("Claude-Sonnet-4",), "agent": ("codex",), "label_source": ("retry_repaired",)}


@pytest.mark.parametrize(("text", "chosen"), rows("keys_look_at_properties_and_tags"))
def test_keys_look_at_properties_and_tags(text: str, chosen: bool) -> None:
    assert expression(text)(*SAMPLE, KNOWN) is chosen


def test_a_tag_of_a_propertys_name_counts_as_well() -> None:
    assert expression("label:doubtful")("s", ["label:doubtful"], {"label": ("apply",)})


def test_the_values_of_a_sample_are_its_own_and_its_provenances() -> None:
    made = sample(provenance=Provenance(agent="pi"))
    assert values_of(made, ["format", "label", "agent", "model"]) == {
        "format": ("str_replace",), "label": ("refuse",), "agent": ("pi",), "model": (),
    }  # fmt: skip
    assert expression("agent:pi and format=str_replace").matches(made)


def test_what_was_seen_is_a_property() -> None:
    stale = sample(seen=(File("a.py", "y"),))
    for one, value in ((stale, "other"), (sample(tags=("seen:same",)), "same"), (sample(), "unknown")):
        assert [word for word in ("same", "other", "unknown") if expression(f"seen={word}").matches(one)] == [value]


@pytest.mark.parametrize(
    ("text", "n_selected", "says"),
    [
        ("modle:sonnet", 0, "Did you mean model"),
        ("not modle:sonnet", 5, "Did you mean model"),
        ("langauge=go", 0, "Did you mean language"),
        ("nothing_like_it:x", 0, "Keys are format, label"),
        ("not damage:place", 5, "editgauge compare"),
    ],
)
def test_a_key_that_no_sample_has_is_a_mistake(text: str, n_selected: int, says: str) -> None:
    test = expression(text)
    test("s1", ["number:1"])
    with pytest.raises(UsageError) as raised:
        test.check_keys(n_selected=n_selected)
    assert says in raised.value.tip


@pytest.mark.parametrize(
    ("text", "tags"), [("not flaky:yes", []), ("modle:x", ["modle:y"]), ("damage:x", ["damage:x"]), ("model:x", [])]
)
def test_a_key_that_samples_have_or_that_resembles_none_is_no_mistake(text: str, tags: list[str]) -> None:
    test = expression(text)
    test("s1", tags)
    test.check_keys(n_selected=1)


def test_a_caller_can_have_values_for_more_keys() -> None:
    test = expression("damage:place", also=["damage"])
    assert test("s1", [], {"damage": ("text", "place")})
    assert not test("s1", [], {"damage": ("text",)})
    test.check_keys(n_selected=0)
