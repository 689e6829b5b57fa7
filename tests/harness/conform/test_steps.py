"""The steps of the kit's cases: they are by the schema, and lead to the answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from harness.conform.kit import RULES, write_kit


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
