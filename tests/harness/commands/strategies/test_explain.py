"""`explain` says of a rule what it forgives and does wrong, with figures and examples of a corpus."""

from __future__ import annotations

from pathlib import Path

from editcore.types import File
from tests.harness.program import call, mistake
from tests.samples import sample, write_jsonl

_TEXT = "if a:\n    b()\nif c:\n    b()\n    d()\n"


def _corpus(folder: Path) -> Path:
    """An edit with other indentation, and an edit of a text that stands twice."""
    indented = sample(
        1, _TEXT, "  b()\n  d()", "  b()\n  e()", label="apply", target=(File("a.py", _TEXT.replace("d()", "e()")),)
    )
    twice = sample(2, _TEXT, "b()", "e()")
    return write_jsonl(folder / "two.jsonl", [indented, twice])


def test_a_tier_is_explained_by_its_docstring_its_figures_and_an_edit_that_it_forgives(tmp_path: Path) -> None:
    said = call("explain", "tier/indentation", _corpus(tmp_path)).stdout
    assert said.startswith("# tier/indentation\n\nThe tier for lines that are equal but for their indentation")
    assert "Of 2 edits" in said
    assert "1 right, 0 wrong, 0 missed, 1 refused as they should be." in said
    assert "An edit that it makes, and `cascade/exact` refuses" in said
    assert "    +    e()" in said
    assert "gets wrong" not in said


def test_a_rule_of_an_agent_is_explained_with_its_source_its_failures_and_a_wrong_edit(tmp_path: Path) -> None:
    said = call("explain", "agent/aider", _corpus(tmp_path)).stdout
    assert "- source: Aider-AI/aider aider/coders/editblock_coder.py@253f0368, 2026-02-11" in said
    assert "- Of two equal places the first is replaced, whichever was meant." in said
    assert "The shortest edit that it gets wrong" in said
    assert "should have been refused; written:" in said


def test_a_cascade_lists_its_rungs_in_order(tmp_path: Path) -> None:
    said = call("explain", "cascade/recommended", _corpus(tmp_path)).stdout
    assert said.index("1. `tier/exact`: ") < said.index("10. `tier/drift`: ")


def test_a_rule_without_edits_in_the_corpus_says_which_it_takes(tmp_path: Path) -> None:
    said = call("explain", "unified_diff/fuzz", _corpus(tmp_path)).stdout
    assert "has no edits in a format that it takes: unified_diff." in said


def test_a_program_is_not_explained() -> None:
    assert "editgauge run -s 'cmd:mine=cat'" in mistake("explain", "cmd:mine=cat")
