"""Severity without parsers, with too large texts, and where a parser fails."""

from __future__ import annotations

import pytest

from harness.run import scoring
from harness.run.scoring import SeverityJudge, why_unknown
from reports.runs.rows import Severity


def test_nothing_is_missing_here() -> None:
    assert why_unknown() is None


def test_without_parsers_the_reason_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "_has", lambda _: False)
    assert SeverityJudge().severity({"a.py": "x"}, {"a.py": "y"}) == Severity.UNKNOWN
    assert why_unknown() == (
        "the severity of wrong edits is unknown where tree-sitter is needed: pip install 'editgauge[syntax]'"
    )
    monkeypatch.setattr(scoring, "_has", lambda name: name not in ("tree_sitter_go", "tree_sitter_css"))
    assert "tree_sitter_css, tree_sitter_go are needed" in (why_unknown() or "")
    monkeypatch.setattr(scoring, "_has", lambda name: name in ("tree_sitter", "tree_sitter_go"))
    assert " grammars of tree-sitter are needed" in (why_unknown() or "")


def test_a_large_text_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "LARGEST", 10)
    assert SeverityJudge().severity({"a.py": "x"}, {"a.py": "y" * 11}) == Severity.UNKNOWN


def test_a_file_is_not_parsed_again_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str | bytes] = []

    class Failing:
        def severity(self, *question: str | bytes) -> str | None:
            asked.append(question[-1])
            return None if len(asked) == 1 else "broken"

    monkeypatch.setattr(scoring, "_PROCESS", Failing())
    judge = SeverityJudge()
    assert judge.severity({"a.py": "x"}, {"a.py": "y"}) == Severity.UNKNOWN
    assert judge.severity({"a.py": "x"}, {"a.py": "z"}) == Severity.UNKNOWN
    assert judge.severity({"b.py": "x"}, {"b.py": "z"}) == Severity.BROKEN
    assert judge.severity({"b.py": "x"}, {"b.py": "z"}) == Severity.BROKEN
    assert asked == [b"y", b"z"]
