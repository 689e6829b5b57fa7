"""Tasks have one right answer, and are drawn the same each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pytest

from editcore.errors import UsageError
from editcore.types import File
from harness.ask.tasks import LEVELS, Level, Task, tasks
from harness.ask.tasks.mutations import SPECIALS
from tests.corpora.importers.logs import git
from tests.harness.ask.tasks.referee import answers

_FEW, _MANY = 60, 2_000


def _drawn(n: int, *, levels: Sequence[Level] = LEVELS, seed: int = 0) -> Iterator[Task]:
    return islice(tasks("mutations:house", levels=levels, seed=seed), n)


def _lines(file: File) -> list[str]:
    return file.content.replace("\r\n", "\n").removesuffix("\n").split("\n")


def _check(task: Task) -> None:
    """Assert that the referee's reading of the words gives the task's target and nothing else."""
    if len(task.shown) > 1:
        parts = task.instruction.split("\n\nIn ")
        words = [part.partition(":\n\n")[2] for part in parts]
    else:
        words = [task.instruction]
    for shown, live, target, said in zip(task.shown, task.live, task.target, words, strict=True):
        found = answers(said, _lines(shown))
        if task.axes["special"] == "made_already":
            assert live == target == shown, task.id
            # Without the right to see what is there already, nothing could be done.
            assert _lines(target) not in found, task.id
            continue
        assert len(found) == 1, (task.id, len(found))
        if task.axes["special"] == "changed_since":
            added = _added(_lines(shown), _lines(live))
            assert _lines(target) == [*found[0][: added[0]], added[1], *found[0][added[0] :]], task.id
        else:
            assert found == [_lines(target)], task.id
        crlf = task.axes["special"] == "crlf"
        assert live.content.count("\r\n") == (live.content.count("\n") if crlf else 0)


def _added(shown: list[str], live: list[str]) -> tuple[int, str]:
    at = next(n for n, (a, b) in enumerate(zip([*shown, None], live, strict=True)) if a != b)
    assert live == [*shown[:at], live[at], *shown[at:]]
    return at, live[at]


def test_there_is_one_right_answer() -> None:
    for task in _drawn(_FEW):
        _check(task)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_there_is_one_right_answer_in_2000_tasks() -> None:
    seen = Counter[str]()
    for task in _drawn(_MANY, seed=1):
        _check(task)
        seen.update([task.level, task.kind, *task.axes.values()])
    assert {*LEVELS, *SPECIALS, "50", "300", "1500", "5000", "1", "3", "12"} <= {*seen}


def test_a_seed_gives_the_same_tasks_and_another_seed_gives_others() -> None:
    ids = [task.id for task in _drawn(6)]
    assert ids == [task.id for task in _drawn(6)]
    assert len({*ids, *(task.id for task in _drawn(6, seed=1))}) == 12


def test_a_commit_is_a_task(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    text = "".join(f"line {n}\n" for n in range(30))
    for minute, version in enumerate((text, text.replace("line 7\n", "line seven\n"))):
        (tmp_path / "a.py").write_text(version, "utf-8")
        git(tmp_path, "add", "a.py")
        git(tmp_path, "commit", "-q", "-m", "a change", minute=minute)
    (task,) = tasks(f"git:{tmp_path}", levels=("copy",))
    assert task.target == (File("a.py", text.replace("line 7\n", "line seven\n")),)
    assert task.kind == "commit"
    _check(task)


def test_the_samples_of_a_corpus_are_tasks() -> None:
    for task in islice(tasks("house", levels=("copy",)), 40):
        assert task.kind == "sample"
        found = answers(task.instruction, _lines(task.shown[0]))
        assert found == [_lines(task.target[0])]


@pytest.mark.parametrize(
    ("source", "levels"), [("nowhere", ("copy",)), ("git:/nowhere", ("copy",)), ("house", ("undo",))]
)
def test_a_source_that_is_none_is_refused(source: str, levels: Sequence[Level]) -> None:
    with pytest.raises(UsageError):
        next(tasks(source, levels=levels))


def test_a_folder_without_source_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no source files"):
        next(tasks(f"mutations:{tmp_path}", levels=("copy",)))
