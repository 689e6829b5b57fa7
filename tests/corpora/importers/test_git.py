"""The importer of git histories."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.importers import IMPORTERS
from corpora.importers.collect import collect
from corpora.importers.git_history.changes import WrittenEdit, written_edits
from corpora.importers.git_history.drift import Merges, Settled, settle
from corpora.importers.git_history.repository import Repository
from corpora.importers.importer import Surroundings
from corpora.importers.log import Log
from corpora.load import load
from corpora.sample import Sample, validated
from editcore.types import Edit, File
from tests.corpora.importers.logs import git

IMPORTER = IMPORTERS["git"]

LINES = [f"line_{number} = {number}\n" for number in range(12)]
TEXT = "".join(LINES)


def commit(folder: Path, minute: int, **options: str | bytes | None) -> str:
    """Commit files, here with `__` for a dot; one that is None is removed."""
    for name, content in options.items():
        file = folder / name.replace("__", ".")
        if content is None:
            file.unlink()
        else:
            file.write_bytes(content.encode() if isinstance(content, str) else content)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "c", minute=minute)
    return git(folder, "rev-parse", "HEAD")


def history(folder: Path, *texts: str | bytes, name: str = "a__py") -> list[str]:
    """A repository with one file and a commit for each of its texts; their ids."""
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    return [commit(folder, number, **{name: text}) for number, text in enumerate(texts)]


def read(folder: Path) -> tuple[list[Sample], dict[str, int]]:
    surroundings = Surroundings()
    found = [sample for log in IMPORTER.logs(folder) for sample in IMPORTER.events(log, surroundings)]
    assert all(isinstance(sample, Sample) and validated(sample) for sample in found)
    return [sample for sample in found if isinstance(sample, Sample)], dict(surroundings.tally.counts)


def changed(**lines: str) -> str:
    """The text with some lines replaced: `at_3="x"`."""
    return "".join(lines.get(f"at_{number}", line) for number, line in enumerate(LINES))


def only(samples: list[Sample], format: str, *, stale: bool = False) -> Sample:
    (sample,) = (s for s in samples if s.format == format and ("drift:stale" in s.tags) == stale)
    return sample


TWO = changed(at_5="five = 2\n")


def test_a_change_is_written_in_three_formats_whose_target_is_the_commits_file(tmp_path: Path) -> None:
    _, made = history(tmp_path, TEXT, TWO)
    samples, counts = read(tmp_path)
    assert [sample.format for sample in samples] == ["unified_diff", "begin_patch", "str_replace"]
    for sample in samples:
        assert (sample.label, sample.label_source) == ("apply", "git")
        assert sample.before == (File("a.py", TEXT),)
        assert sample.target == (File("a.py", TWO),)
        assert sample.tags == ("language:python", "context:3", "seen:same")
        assert sample.provenance.agent == "git"
        assert sample.provenance.commit == made
        assert sample.provenance.repo is sample.provenance.model is sample.provenance.recorded_outcome is None
    above, below = ("".join(f" {line}" for line in LINES[at : at + 3]) for at in (2, 6))
    hunk = f"{above}-line_5 = 5\n+five = 2\n{below}"
    assert samples[0].patch == f"--- a/a.py\n+++ b/a.py\n@@ -3,7 +3,7 @@\n{hunk}"
    assert samples[1].patch == f"*** Begin Patch\n*** Update File: a.py\n@@\n{hunk}*** End Patch\n"
    old = "".join(LINES[2:9])[:-1]
    assert samples[2].edits == (Edit(old, old.replace("line_5 = 5", "five = 2")),)
    assert counts == {"changes of files": 1}


def test_the_same_on_any_machine(tmp_path: Path) -> None:
    history(tmp_path / "here", TEXT, TWO, changed(at_5="five = 3\n"))
    git(tmp_path, "clone", "-q", "--bare", "here", "there.git")
    here, there = read(tmp_path / "here"), read(tmp_path / "there.git")
    assert here == there == read(tmp_path / "here")
    ids = [sample.id for sample in here[0]]
    assert len(set(ids)) == len(ids) == 9
    assert ids[0] == "git-a86b9748c8a1b53b"


# Stale: the edit of the second commit, in the file as the third left it.


def stale(folder: Path, third: str, *, before: str = TEXT, second: str = TWO) -> tuple[list[Sample], dict[str, int]]:
    history(folder, before, second, third)
    samples, counts = read(folder)
    made = git(folder, "rev-parse", "HEAD^")
    return [s for s in samples if s.provenance.commit == made and "drift:stale" in s.tags], counts


def pair(before: str, after: str, context: int = 1) -> WrittenEdit:
    return next(e for e in written_edits("a.py", before, after, context) if isinstance(e, WrittenEdit) and e.edits)


def whole(before: str, after: str, context: int = 1) -> WrittenEdit:
    return next(e for e in written_edits("a.py", before, after, context) if isinstance(e, WrittenEdit))


MIDDLE = pair(TEXT, TWO)
ENDS = whole(TEXT, changed(at_0="zero\n", at_11="eleven\n"))
MORE = pair(TEXT, TEXT.replace(LINES[5], LINES[5] + "new\n"))
UNEVEN = "above\nb\nc\nd\n"
TAIL = pair(UNEVEN, UNEVEN.replace("b", "x"))


@pytest.mark.parametrize(
    ("edit", "base", "other", "outcome"),
    [
        (MIDDLE, TEXT, changed(at_4="four\n"), "its lines are neither exactly there nor gone"),
        (MIDDLE, TEXT, "".join(LINES[4:7] + LINES[:4] + LINES[7:]), "git's merge differs or conflicts"),
        (MIDDLE, TEXT, "".join(LINES[:7])[:-1], "its last line has another line ending there"),
        (MIDDLE, TEXT, TWO + "five = 2\n", Settled("already_applied", reason="already_applied")),
        (MIDDLE, TEXT, TWO + TWO, Settled("lines_gone", reason="line_gone")),
        (MIDDLE, TEXT, "other = 1\n" + "".join(LINES[4:6]), "its lines are neither exactly there nor gone"),
        (TAIL, UNEVEN, UNEVEN + "the above\nx\nc\n" + "the above\nb\nc\n", "its lines occur there more than once"),
        (ENDS, TEXT, "".join(LINES[6:] + LINES[:6]), "its hunks are there in another order"),
        (ENDS, TEXT, changed(at_0="other\n"), Settled("lines_gone", reason="line_gone")),
        (ENDS, TEXT, changed(at_0="zero\n"), "its lines are not there, but git merges it"),
        (MORE, TEXT, TEXT.replace(LINES[5], ""), "its lines are neither exactly there nor gone"),
    ],
)
def test_what_git_and_the_lines_say_must_agree(
    tmp_path: Path, edit: WrittenEdit, base: str, other: str, outcome: Settled | str
) -> None:
    git(tmp_path, "init", "-q")
    repository = Repository.at(tmp_path)
    assert repository
    with Merges.of(repository) as merges:
        assert settle(edit, base, other, merges) == outcome


# What is left out.


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (TEXT, TEXT.encode() + b"\0", "left out: not UTF-8 text, or missing"),
        (TEXT.encode() + b"\xff\n", TEXT, "left out: not UTF-8 text, or missing"),
        ("", TEXT, "left out: under 20 or over 100,000 characters"),
        (TEXT, "x\n" * 50_001, "left out: under 20 or over 100,000 characters"),
        (TEXT, TEXT + "x" * 501, "left out: a line of over 500 characters"),
    ],
)
def test_what_is_no_source_code_is_counted(tmp_path: Path, before: str | bytes, after: str | bytes, why: str) -> None:
    history(tmp_path, before, after)
    assert read(tmp_path) == ([], {"changes of files": 1, why: 1})


def test_a_repository_without_commits_says_nothing(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert len(list(IMPORTER.logs(tmp_path))) == 1
    assert read(tmp_path) == ([], {})


def test_a_folder_without_a_repository_has_no_logs(tmp_path: Path) -> None:
    assert list(IMPORTER.logs(tmp_path)) == []
    assert list(IMPORTER.logs(tmp_path / "nowhere")) == []
    surroundings = Surroundings()
    assert list(IMPORTER.events(Log.at(tmp_path), surroundings)) == []
    assert surroundings.tally.counts == {"no repository": 1}


def test_the_users_settings_change_nothing(tmp_path: Path) -> None:
    history(tmp_path, TEXT, TWO)
    (tmp_path / "folder").mkdir()
    plain = read(tmp_path)
    (tmp_path / "order").write_text("*.py\n")
    for setting in (
        "color.ui=always", "diff.relative=true", "diff.renames=copies", "diff.noprefix=true", "log.showSignature=true",
        f"diff.orderFile={tmp_path}/order", "core.abbrev=4", "log.follow=true", "merge.conflictStyle=diff3",
    ):  # fmt: skip
        git(tmp_path, "config", *setting.split("="))
    assert read(tmp_path / "folder") == plain


# All together.


def test_git_applies_what_applies(tmp_path: Path) -> None:
    third = "new = 0\n" + changed(at_11="eleven\n")
    history(tmp_path / "repository", TEXT, TWO, third, third.replace("line_1 ", "one "), name="a b__py")
    samples, _ = read(tmp_path / "repository")
    patches = [s for s in samples if s.format == "unified_diff" and s.label == "apply"]
    assert {sample.label_source for sample in patches} == {"git", "git_merge"}
    for sample in patches:
        assert sample.target
        (tmp_path / "a b.py").write_text(sample.before[0].content)
        (tmp_path / "p.diff").write_text(sample.patch or "")
        git(tmp_path, "apply", "p.diff")
        assert (tmp_path / "a b.py").read_text() == sample.target[0].content


def test_a_history_becomes_a_corpus(tmp_path: Path) -> None:
    history(tmp_path / "repository", TEXT, TWO, changed(at_5="five = 3\n"))
    assert list(IMPORTERS)[-1] == "git"
    done = collect([(IMPORTER, tmp_path / "repository")], tmp_path / "out.jsonl")
    assert done.n_samples == 9
    assert done.labels == {("apply", "git"): 6, ("refuse", "lines_gone"): 3}
    assert len(list(load(str(tmp_path / "out.jsonl")))) == 9
