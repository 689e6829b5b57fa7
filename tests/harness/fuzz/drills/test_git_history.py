"""The replay of a git history: what is checked, what is left out, and that a diff gone wrong is seen."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from editcore import UsageError
from editcore.types import Applied, EditResult
from harness.fuzz.drills import git_history as replay
from harness.fuzz.drills.drill import DrillSettings, Trial
from harness.fuzz.drills.git_history import HISTORY

pytestmark = pytest.mark.slow

CHECKS = ("round trip", "reverse", "twice", "git", "envelope")
CODE = "".join(f"line {n}\n" for n in range(30))


class Repo:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgSign=false", "-c", "core.autocrlf=false")
        subprocess.run(["git", "-C", str(self.path), *who, *arguments], check=True, capture_output=True)

    def commit(self, files: dict[str, bytes | str | None]) -> None:
        """What becomes of some files; None removes one."""
        for name, content in files.items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                path.unlink()
            else:
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "one")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path)


def replayed(repo: Repo, **orders: int) -> list[Trial]:
    return list(HISTORY.run(DrillSettings(repository=repo.path, **orders)))


def test_every_file_diff_of_every_commit_is_checked_in_every_way(repo: Repo) -> None:
    repo.commit({"a.py": CODE, "b.py": "x = 1"})
    repo.commit({"a.py": CODE.replace("line 7\n", "line 7\n\n\n"), "b.py": "x = 1\r\ny = 2\r\n"})
    repo.commit({"a.py": CODE.replace("line 3\n", ""), "b.py": None, "c d\u00e4.txt": "\u2028\x0c\n\r\n"})
    repo.commit({"dup.py": "x\n" * 40})
    repo.commit({"dup.py": "x\n" * 20 + "y\n" + "x\n" * 20, "empty": ""})
    repo.commit({"empty": "no longer", 'qu"o\u00c3\u00a4ted\t': "1\n"})
    trials = replayed(repo)
    assert [trial.broken for trial in trials if trial.broken] == []
    assert Counter(trial.group for trial in trials) == dict.fromkeys(CHECKS, 12)
    assert len({trial.what for trial in trials}) == 12
    assert trials[0].what.partition(":")[2] == "empty"


def test_merges_are_compared_with_their_first_parent(repo: Repo) -> None:
    repo.commit({"a": CODE})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit({"a": CODE + "below\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"a": "above\n" + CODE})
    repo.git("merge", "-q", "--no-edit", "side")
    assert Counter(trial.group for trial in replayed(repo)) == dict.fromkeys(CHECKS, 4)


def test_what_is_no_text_is_counted_as_left_out(repo: Repo) -> None:
    repo.commit({"a": b"\xff\xfe", "b": b"a\0b", "c": CODE})
    repo.commit({"back\\slash": CODE})
    (repo.path / "link").symlink_to("c")
    repo.commit({"a": "text now\n"})
    repo.git("update-index", "--chmod=+x", "c")
    repo.git("commit", "-q", "-m", "mode")
    groups = Counter(trial.group for trial in replayed(repo))
    assert groups == {
        **dict.fromkeys(CHECKS, 1),
        "left out: not UTF-8 text": 3,
        "left out: a link or a submodule": 1,
        "left out: a name that a patch may not contain": 1,
        "left out: its mode alone": 1,
    }


def test_a_file_that_becomes_a_link_does_not_bring_the_listings_out_of_step(repo: Repo) -> None:
    repo.commit({"a": CODE, "b": CODE})
    (repo.path / "a").unlink()
    (repo.path / "a").symlink_to("b")
    repo.commit({"b": CODE + "more\n"})
    trials = replayed(repo)
    assert [trial.broken for trial in trials if trial.broken] == []
    assert Counter(trial.group for trial in trials) == {
        **dict.fromkeys(CHECKS, 3),
        "left out: a link or a submodule": 1,
    }


def _spoilt(result: EditResult) -> EditResult:
    if isinstance(result, Applied) and result.files:
        return Applied(files={path: text.replace("line 5", "line five") for path, text in result.files.items()})
    return result


def test_an_application_that_goes_wrong_is_told_with_its_commit_and_file(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({"a.py": CODE})
    apply: Callable[..., EditResult] = replay.apply_unified_diff
    monkeypatch.setattr(
        replay,
        "apply_unified_diff",
        lambda *given, strictness: (
            _spoilt(apply(*given, strictness=strictness))
            if strictness == "fuzz"
            else apply(*given, strictness=strictness)
        ),
    )
    told = {trial.group: trial.broken for trial in replayed(repo) if trial.broken}
    assert told.keys() == {"round trip", "git"}
    commit, _, rest = str(told["git"]).partition(":")
    assert len(commit) == 12
    assert rest == "a.py: fuzz: applied, but the text is wrong"


def test_a_second_application_is_told_where_it_is_not_refused(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit({"a.py": CODE})
    repo.commit({"a.py": CODE.replace("line 5\n", "line five\n")})
    monkeypatch.setattr(replay, "apply_unified_diff", lambda files, *_, **__: Applied(files=dict(files)))
    told = {trial.group: trial.broken for trial in replayed(repo, runs=5) if trial.broken}
    assert str(told["twice"]).endswith("a.py: strict: applied a second time, although its old lines are gone")
    assert str(told["reverse"]).endswith("strict: applied, but the text is wrong")


def test_markers_of_a_merge_conflict_may_be_refused(repo: Repo) -> None:
    repo.commit({"a.md": CODE})
    repo.commit({"a.md": CODE + "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n"})
    assert [trial.broken for trial in replayed(repo) if trial.broken] == []


def test_it_stops_after_so_many_trials(repo: Repo) -> None:
    repo.commit({"a": CODE, "b": CODE})
    assert len(replayed(repo, runs=3)) == 3
    assert replayed(repo, seconds=-1) == []


def test_a_folder_outside_of_any_repository_is_the_users_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(UsageError, match="is not in a git repository"):
        next(HISTORY.run(DrillSettings(repository=tmp_path)))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="is not in a git repository"):
        next(HISTORY.run(DrillSettings()))


def test_the_latest_history_of_this_repository_holds() -> None:
    here = Path(__file__).parents[4]
    if not (here / ".git").exists():
        pytest.skip("no checkout")
    trials = HISTORY.run(DrillSettings(repository=here, runs=3_000))
    assert [trial.broken for trial in trials if trial.broken] == []
