"""Severity without parsers, with too large texts, and where a parser fails."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.run.plan import Request
from harness.run.runner import run
from harness.run.syntax import severity
from harness.run.syntax import severity as module
from harness.run.syntax.severity import KeptAnswers, RightText, SeverityJudge, why_unknown
from harness.strategies.registry import select
from reports.runs.parts import outcomes
from reports.runs.rows import Severity
from tests.harness.same import assert_same
from tests.samples import sample, write_jsonl


def test_nothing_is_missing_here() -> None:
    assert why_unknown() is None


def test_without_parsers_the_reason_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(severity, "_has", lambda _: False)
    assert SeverityJudge().severity({"a.py": "x"}, {"a.py": "y"}) == Severity.UNKNOWN
    assert why_unknown() == (
        "the severity of wrong edits is unknown where tree-sitter is needed: pip install 'editgauge[syntax]'"
    )
    monkeypatch.setattr(severity, "_has", lambda name: name not in ("tree_sitter_go", "tree_sitter_css"))
    assert "tree_sitter_css, tree_sitter_go are needed" in (why_unknown() or "")
    monkeypatch.setattr(severity, "_has", lambda name: name in ("tree_sitter", "tree_sitter_go"))
    assert " grammars of tree-sitter are needed" in (why_unknown() or "")


def test_a_large_text_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(severity, "LARGEST", 10)
    assert SeverityJudge().severity({"a.py": "x"}, {"a.py": "y" * 11}) == Severity.UNKNOWN


def test_a_file_is_not_parsed_again_after_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked: list[str | bytes] = []

    class Failing:
        def severity(self, *question: str | bytes) -> str | None:
            asked.append(question[-1])
            return None if len(asked) == 1 else "broken"

    monkeypatch.setattr(severity, "_PROCESS", Failing())
    judge = SeverityJudge()
    assert judge.severity({"a.py": "x"}, {"a.py": "y"}) == Severity.UNKNOWN
    assert judge.severity({"a.py": "x"}, {"a.py": "z"}) == Severity.UNKNOWN
    assert judge.severity({"b.py": "x"}, {"b.py": "z"}) == Severity.BROKEN
    assert judge.severity({"b.py": "x"}, {"b.py": "z"}) == Severity.BROKEN
    assert asked == [b"y", b"z"]


# What was judged is not judged again, and nothing that happens to the file changes an answer or ends a run.

ANSWERS = ("yes", "no", "perhaps")


def question(number: int) -> bytes:
    return hashlib.sha256(str(number).encode()).digest()


def right_answer(number: int) -> str:
    return ANSWERS[number % 3]


def asked_again(kept: KeptAnswers, numbers: range) -> list[int]:
    """The questions that are asked; checks that all are answered rightly."""
    asked = []
    for number in numbers:

        def ask(number: int = number) -> str:
            asked.append(number)
            return right_answer(number)

        assert kept.answer(question(number), ask) == right_answer(number)
    return asked


@pytest.fixture(autouse=True)
def _few_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_N_BUCKETS", 4)


def test_what_was_asked_is_known_to_all_that_open_the_file(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "answers"
    assert asked_again(KeptAnswers(path, ANSWERS), range(20)) == list(range(20))
    assert asked_again(KeptAnswers(path, ANSWERS), range(25)) == list(range(20, 25))


def test_no_answer_and_strange_ones_are_not_kept(tmp_path: Path) -> None:
    kept = KeptAnswers(tmp_path / "answers", ANSWERS)
    assert kept.answer(question(0), lambda: None) is None
    assert kept.answer(question(0), lambda: "who asks?") == "who asks?"
    assert kept.answer(question(0), lambda: "no") == "no"
    assert kept.answer(question(0), lambda: "yes") == "no"


def test_the_oldest_answers_go_and_the_file_has_a_fixed_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_N_BUCKETS", 1)
    kept = KeptAnswers(tmp_path / "answers", ANSWERS)
    asked_again(kept, range(100))
    assert (tmp_path / "answers").stat().st_size == 16 * 16
    assert asked_again(kept, range(84, 100)) == []
    assert asked_again(kept, range(83, 84)) == [83]


@given(st.data())
def test_a_damaged_file_changes_no_answer(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("damaged") / "answers"
    asked_again(KeptAnswers(path, ANSWERS), range(30))
    whole = path.read_bytes()
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(whole))] * 2)))
    path.write_bytes(whole[:start] + data.draw(st.binary(max_size=40)) + whole[end:])
    kept = KeptAnswers(path, ANSWERS)
    asked_again(kept, range(30))
    assert asked_again(kept, range(30)) == []


def places(folder: Path) -> Iterator[Path]:
    """Places that are no files that can be written."""
    (folder / "folder").mkdir()
    yield folder / "folder"
    (folder / "file").write_text("mine")
    yield folder / "file" / "answers"
    (folder / "link").symlink_to(folder / "file")
    yield folder / "link"
    os.mkfifo(folder / "pipe")
    yield folder / "pipe"
    yield Path("/dev/full")


def test_where_the_file_cannot_be_used_all_is_asked(tmp_path: Path) -> None:
    for path in [*places(tmp_path), None]:
        kept = KeptAnswers(path, ANSWERS)
        assert asked_again(kept, range(5)) == asked_again(kept, range(5)) == list(range(5))
    assert (tmp_path / "file").read_text() == "mine"


def test_a_user_without_a_home_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(module, "cache_folder", homeless)
    kept = module.kept_severities()
    assert kept.answer(question(0), lambda: "broken") == "broken"
    assert kept.answer(question(0), lambda: "unknown") == "unknown"


def _ask_much(path: Path, kept: KeptAnswers) -> None:
    for one in (kept, KeptAnswers(path, ANSWERS)) * 50:  # That of before the fork, and one of its own.
        asked_again(one, range(90))


def test_processes_may_read_and_write_at_once(tmp_path: Path) -> None:
    kept = KeptAnswers(tmp_path / "answers", ANSWERS)
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_ask_much, args=(tmp_path / "answers", kept)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]


def test_a_question_depends_on_the_language_both_texts_the_parsers_and_the_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def asked(language: str = "python", right: bytes = b"x", given: bytes = b"y") -> bytes:
        module._judge.cache_clear()
        return RightText(language, right).question(given)

    versions = {"pyyaml": "1", "tree_sitter": "1", "tree_sitter_python": "1", "tree_sitter_go": "1"}
    monkeypatch.setattr(module, "version", versions.__getitem__)
    first = asked()
    assert asked() == first
    found = [asked("go"), asked(right=b"xy", given=b""), asked(right=b"", given=b"xy"), asked(given=b"z")]
    versions["tree_sitter_go"] = "2"
    assert asked() == first
    versions["tree_sitter_python"] = "2"
    found.append(asked())
    versions["tree_sitter"] = "2"
    found.append(asked())
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + b"#" * (path.name == "trees.py"))
    found.append(asked())
    assert len({first, *found}) == 8
    module._judge.cache_clear()


def test_where_code_or_versions_are_unknown_nothing_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(path: Path) -> bytes:
        raise FileNotFoundError(path)

    monkeypatch.setattr(Path, "read_bytes", unreadable)
    found = set()
    for _ in range(2):
        module._judge.cache_clear()
        found.add(RightText("python", b"x").question(b"y"))
    assert len(found) == 2
    module._judge.cache_clear()


def test_a_run_is_the_same_with_and_without_kept_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["x = 2\n", "x = 2  # c\n", "x = (\n", "if x:\n y\n"]
    pairs = [(before, old) for before in texts for old in texts if before != old]
    corpus = write_jsonl(
        tmp_path / "a.jsonl", [sample(n, before, before, old) for n, (before, old) in enumerate(pairs)]
    )
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def ran(name: str, n_workers: int = 2) -> Path:
        return run(
            Request([str(corpus)], select(["cascade/exact", "replacer/simple"]), tmp_path / name, n_workers=n_workers)
        )

    first = ran("first")
    assert {one.severity for one in outcomes(first)} == {"same_tree", "other_tree", "broken", "unknown"}
    kept = tmp_path / "cache" / "editgauge" / "severities"

    def unasked(*_: object) -> str:
        raise AssertionError("a parser was asked")

    with monkeypatch.context() as patch:
        patch.setattr(severity._PROCESS, "severity", unasked)
        assert_same(first, ran("second"))
        assert_same(first, ran("third", n_workers=1))
    kept.write_bytes(os.urandom(1 << 16))
    assert_same(first, ran("damaged"))
    shutil.rmtree(kept.parent)
    kept.parent.write_text("no folder")
    assert_same(first, ran("without"))
