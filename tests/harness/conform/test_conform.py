"""Conforming: a right port has the rule's answers, and each planted bug is found and named by its class."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

import docs.kit
from corpora.defects import defects
from corpora.load import load
from corpora.sample import Sample
from docs.kit import complaints
from editcore import replace
from editcore.errors import UsageError
from editcore.types import Applied, Edit, File, Reason, Rejected
from harness.conform.conforming import difference
from harness.conform.kit import RULES, VERSIONS, cases, write_kit
from harness.strategies.registry import strategy
from tests.harness.program import call, document

PORT = f"{sys.executable} {Path(__file__).with_name('port.py')}"
SAMPLE = Sample("s", "str_replace", (File("f", "a\nb\n"),), "unlabelled", edits=(Edit("a", "c"),))


def test_the_answers_of_the_kit_are_those_of_today() -> None:
    """If this fails, an answer has changed: a new version of the rule, and `python -m docs.kit`."""
    assert complaints() == []


def test_another_answer_a_version_not_made_and_one_not_told_of_are_complained_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = cases()[0]
    other = {**first, "expected": {"status": "rejected", "reason": "unread"}}
    monkeypatch.setattr(docs.kit, "cases", lambda: (other,))
    monkeypatch.setattr(docs.kit, "VERSIONS", {**VERSIONS, "anchors/recommended": "9"})
    changed, not_made, not_told = complaints()
    assert f"has 1 other answers ({first['id']})" in changed
    assert "python -m docs.kit" in not_made
    assert "`anchors/recommended 9`" in not_told


def test_a_kit_of_other_answers_is_not_made_without_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docs.kit, "differing", lambda: {"anchors/recommended": ["anchors-0000"]})
    with pytest.raises(SystemExit, match="the same version: anchors/recommended"):
        docs.kit.make()


def test_all_text_cases_of_the_rules_are_in_the_kit_by_name() -> None:
    named = {case.get("text_case") for case in cases()}
    for folder in ("tiers", "stale", "anchors", "unified_diff", "begin_patch"):
        paths = list((docs.kit.ROOT / "tests" / "cases" / folder).glob("*.txt"))
        missing = {path.stem for path in paths if f"{folder}/{path.stem}" not in named}
        # Long ones, and those with half of a surrogate pair, are left out.
        assert len(missing) <= len(paths) // 20, missing


def test_defects_of_the_rules_formats_are_in_the_kit_by_id() -> None:
    named = {case["defect"] for case in cases() if "defect" in case}
    assert named <= defects().keys()
    missing = {one.id for one in defects().values() if one.id not in named and one.sample.format != "insert"}
    assert missing == {"EG-0072"}  # Its file is not UTF-8.


def test_the_kit_has_cases_of_every_rule_and_of_every_tier_applied_and_refused() -> None:
    answers: dict[str, set[str]] = {}
    for case in cases():
        answers.setdefault(case["rule"], set()).add(case["expected"].get("replacer") or case["expected"]["status"])
    assert answers.keys() == RULES.keys()
    assert {*strategy_tiers()} <= answers["cascade/recommended"]
    assert all("rejected" in found for found in answers.values())
    assert len({case["id"] for case in cases()}) == len(cases())


def strategy_tiers() -> list[str]:
    from editcore.tiers import TIERS

    return list(TIERS)


@pytest.mark.parametrize(
    ("ours", "theirs", "name"),
    [
        (Applied("c\nb\n"), Applied("c\nb\n"), None),
        (Applied("c\nb\n"), Applied(files={"f": "c\nb\n"}), None),
        (Rejected(Reason.NO_MATCH, "x"), Rejected(Reason.NO_MATCH, "y"), None),
        (Rejected(Reason.NO_MATCH, ""), Rejected(Reason.AMBIGUOUS, ""), "refused as ambiguous, not as no_match"),
        (Rejected(Reason.NO_MATCH, ""), Applied("c\n"), "applied what is to be refused as no_match"),
        (Applied("c\n", replacer="drift"), Rejected(Reason.NO_MATCH, ""), "refused as no_match what drift applies"),
        (Applied("c\r\n", replacer="exact"), Applied("c\n"), "exact: other line endings"),
        (Applied("c\r\r\n", replacer="exact"), Applied("c\r\n"), "exact: other line endings"),
        (Applied("c\n"), Applied("c"), "the rule: other final line feed"),
        (Applied("  c\n"), Applied("\tc\n"), "the rule: other indentation"),
        (Applied("a\nb\n"), Applied("b\na\n"), "the rule: other order of lines"),
        (Applied("a\n"), Applied("b\n"), "the rule: another text"),
    ],
)
def test_a_difference_has_a_class(ours: object, theirs: object, name: str | None) -> None:
    assert difference(SAMPLE, ours, theirs) == name  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_right_port_conforms() -> None:
    found = document("protocol", "conform", PORT, "--as", "cascade/recommended", "--seconds", 5)
    assert (found["share"], found["classes"]) == (1, [])
    assert found["n"]["drawn"] > 100


@pytest.mark.slow
def test_several_processes_share_the_inputs() -> None:
    words = ("protocol", "conform", f"{PORT} crlf", "--as", "cascade/recommended", "--json")
    one, two = (json.loads(call(*words, "-j", jobs).stdout) for jobs in (1, 2))
    assert (one["n"], one["n_other"]) == (two["n"], two["n_other"])
    assert {each["class"]: each["n"] for each in one["classes"]} == {
        each["class"]: each["n"] for each in two["classes"]
    }


@pytest.mark.slow
def test_tiers_are_asked_for_alone() -> None:
    words = ("protocol", "conform", PORT, "--as", "cascade/recommended")
    assert document(*words, "--tier", "exact,indentation")["share"] == 1
    assert document(*words, "--tier", "exact")["share"] == 1


def test_each_planted_bug_is_found_and_named(tmp_path: Path) -> None:
    badge, junit = tmp_path / "badge.json", tmp_path / "junit.xml"
    done = call(
        "protocol", "conform", f"{PORT} crlf identical first", "--as", "cascade/recommended", "--json",
        "--badge", badge, "--junit", junit,
    )  # fmt: skip
    assert done.exit_code == 1
    classes = {one["class"]: one for one in json.loads(done.stdout)["classes"]}
    assert {"refused as no_match, not as identical", "applied what is to be refused as ambiguous"} <= classes.keys()
    assert any(name.endswith(": other line endings") for name in classes)
    assert max(len(one["request"]["before"][0]["content"]) for one in classes.values()) < 200  # Shrunk.
    assert json.loads(badge.read_text())["color"] in ("yellow", "red")
    suite = ElementTree.fromstring(junit.read_text())
    assert suite.get("failures") == str(len(classes))


def test_a_version_that_is_listed_can_be_named_and_another_is_refused_with_those_there_are() -> None:
    assert strategy("cascade/recommended@3").version == strategy("cascade/recommended").version
    for ask in (lambda: strategy("cascade/recommended@7"), lambda: replace("a", "a", "b", cascade="recommended@7")):
        with pytest.raises(UsageError, match="no version '7' of the cascade recommended: there is recommended@3"):
            ask()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((PORT, "--as", "cascade/none"), "There is no strategy"),
        (("no-such-program", "--as", "cascade/recommended"), "There is no program"),
        ((PORT, "--as", "unified_diff/tolerant"), "Name its formats"),
        ((PORT, "--as", "agent/codex", "--tier", "exact"), "has no tiers"),
        ((PORT, "--as", "cascade/recommended", "--tier", "exactly"), "exactly"),
    ],
)
def test_a_mistake_is_one_line_with_what_to_do(words: tuple[str, ...], said: str) -> None:
    done = call("protocol", "conform", *words)
    assert done.exit_code == 2
    assert said in done.output


def test_the_kit_is_written_as_files(tmp_path: Path) -> None:
    import jsonschema

    folder = tmp_path / "kit"
    assert call("kit", "-o", folder).exit_code == 0
    names = {path.name for path in folder.iterdir()}
    assert {"README.md", "LICENSE", "schema.json", "recommended_exact.json", "recommended_refused.json"} <= names
    schema = json.loads((folder / "schema.json").read_text())
    found = [json.loads(path.read_text()) for path in folder.glob("*.json") if path.name != "schema.json"]
    assert sum(len(one["cases"]) for one in found) == len(cases())
    jsonschema.validate(min(found, key=lambda one: len(one["cases"])), schema)
    again = call("kit", "-o", folder)
    assert again.exit_code == 2
    assert "is not empty" in again.output


@pytest.mark.slow
def test_files_that_are_not_utf_8_are_compared_as_they_are_written(tmp_path: Path) -> None:
    corpus = tmp_path / "bytes.jsonl"
    call("mutate", "house", "-m", "unencodable_new", "-m", "latin1_file", "-n", 20, "-q", "-o", corpus)
    found = document("protocol", "conform", PORT, corpus, "--as", "cascade/recommended")
    assert (found["share"], found["n"][str(corpus)]) == (1, 20)


# The steps of the kit's cases: they are by the schema, and lead to the answers.


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kit as files."""
    found = tmp_path_factory.mktemp("kit") / "kit"
    write_kit(found)
    return found


def _cases(folder: Path, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / name).read_text("utf-8"))["cases"]
    return found


def test_cases_of_every_file_are_by_the_schema(folder: Path) -> None:
    schema = json.loads((folder / "schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for path in folder.glob("[!s]*.json"):
        document = json.loads(path.read_text("utf-8"))
        validator.validate({**document, "cases": document["cases"][::50]})  # Each takes milliseconds.
    assert {path.stem for path in folder.glob("*.json")} >= {*RULES.values()} - {"recommended"}


def test_the_tier_that_was_asked_last_is_the_one_that_decided(folder: Path) -> None:
    n = 0
    for path in folder.glob("recommended_*.json"):
        for case in _cases(folder, path.name):
            tier = case["expected"].get("replacer")
            asked = case["steps"].get("asked", [])
            if len(case["edits"]) == 1 and asked and tier:
                assert asked[-1] == {"tier": tier, "says": "applied"}, case["id"]
                assert all(one["says"] != "applied" for one in asked[:-1]), case["id"]
                n += 1
    assert n > 500


@pytest.mark.parametrize("tier", ["indentation", "blank_lines", "look_alikes", "drift"])
def test_merged_lines_are_those_that_are_written(folder: Path, tier: str) -> None:
    n = 0
    for case in _cases(folder, f"recommended_{tier}.json"):
        content, steps = case["before"][0]["content"], case["steps"]
        if "merge" not in steps or "\r" in content or "\ufeff" in content or not content.endswith("\n"):
            continue  # How the ends of lines and of files are written is said elsewhere.
        merge, lines = steps["merge"], content.removesuffix("\n").split("\n")
        new = [lines[one] if isinstance(one, int) else one for one in merge["lines"]]
        written = "\n".join([*lines[: merge["first"]], *new, *lines[merge["last"] :]])
        assert case["expected"]["after"][0]["content"].removesuffix("\n") == written, case["id"]
        n += 1
    assert n > 2


def test_patches_and_stale_edits_have_what_is_read_and_what_each_text_alone_says(folder: Path) -> None:
    for name in ("begin_patch", "unified_diff"):
        applied = [case for case in _cases(folder, f"{name}.json") if case["expected"]["status"] == "applied"]
        assert sum(bool(case["steps"].get("landings")) for case in applied) > len(applied) // 2
        assert sum("sections" in case["steps"] for case in applied) > len(applied) // 2
    assert all({"on_seen", "on_now"} <= case["steps"].keys() for case in _cases(folder, "stale.json") if "seen" in case)
    assert any(case["steps"].get("calls") for case in _cases(folder, "anchors.json"))


def test_scenarios_of_the_kit_come_back_as_samples(tmp_path: Path) -> None:
    assert "scenarios" in call("kit", "--layout", "scenarios", "-o", tmp_path / "kit").stdout
    done = call("import", "scenarios", tmp_path / "kit", "-o", tmp_path / "back.jsonl")
    assert done.exit_code == 0, done.output
    back = {one.id.removeprefix("scenario-"): one for one in load(tmp_path / "back.jsonl")}
    names = {case.get("defect", case["id"]): case for case in cases()}
    asked = {name: case for name, case in names.items() if name in back}
    assert len(asked) == len(back) > 1_000
    for id, sample in back.items():
        case = asked[id]
        assert (sample.format, sample.patch) == (case["format"], case["patch"])
        assert {one.path: one.content for one in sample.before} == {
            one["path"]: one["content"] for one in case["before"]
        }
        if sample.label == "apply":
            left = {one.path: one.content for one in sample.target or ()}
            assert left == {one["path"]: one["content"] for one in case["expected"]["after"]}
