from __future__ import annotations

import os
from pathlib import Path

import pytest

from corpora.importers import IMPORTERS
from corpora.importers.collect import collect
from corpora.importers.formats.git import IMPORTER
from corpora.importers.git_history.drift import Merges, Settled, settle
from corpora.importers.git_history.edits import WrittenEdit, written_edits
from corpora.importers.git_history.repository import Repository
from corpora.importers.importer import Surroundings
from corpora.importers.log import Log
from corpora.load import load
from corpora.sample import Sample, validated
from editcore.patches.unified_diff import apply_unified_diff
from editcore.types import Applied, Edit, File
from tests.corpora.importers.logs import git

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


def test_each_hunk_is_a_pair_of_its_own(tmp_path: Path) -> None:
    history(tmp_path, TEXT, changed(at_0="zero\n", at_11="eleven\n"))
    pairs = [sample for sample in read(tmp_path)[0] if sample.format == "str_replace"]
    assert [pair.target for pair in pairs] == [
        (File("a.py", changed(at_0="zero\n")),),
        (File("a.py", changed(at_11="eleven\n")),),
    ]


def test_a_pair_keeps_the_last_line_feed_where_only_one_side_has_it(tmp_path: Path) -> None:
    history(tmp_path, TEXT[:-1], TEXT)
    samples, counts = read(tmp_path)
    assert only(samples, "str_replace").edits == (Edit("".join(LINES[-2:])[:-1], "".join(LINES[-2:])),)
    assert (only(samples, "unified_diff").patch or "").endswith(
        "-line_11 = 11\n\\ No newline at end of file\n+line_11 = 11\n"
    )
    assert counts["left out: begin_patch: it cannot express a missing final line feed"] == 1


def test_an_envelope_far_from_the_end_needs_no_last_line_feed(tmp_path: Path) -> None:
    history(tmp_path, TEXT[:-1], changed(at_0="zero\n")[:-1])
    assert only(read(tmp_path)[0], "begin_patch").target == (File("a.py", changed(at_0="zero\n")[:-1]),)


def test_carriage_returns_are_part_of_their_lines(tmp_path: Path) -> None:
    history(tmp_path, TEXT.replace("\n", "\r\n"), TWO.replace("\n", "\r\n"))
    samples, _ = read(tmp_path)
    pair, patch = only(samples, "str_replace"), only(samples, "unified_diff")
    assert pair.target == (File("a.py", TWO.replace("\n", "\r\n")),)
    assert pair.edits
    assert "line_5 = 5\r\n" in pair.edits[0].old_string
    assert "+five = 2\r\n" in (patch.patch or "")


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


def test_a_stale_edit_applies_where_its_lines_still_stand(tmp_path: Path) -> None:
    third = "new = 0\n" + changed(at_11="eleven\n")
    samples, _ = stale(tmp_path, third)
    assert [sample.format for sample in samples] == ["unified_diff", "begin_patch", "str_replace"]
    for sample in samples:
        assert (sample.label, sample.label_source) == ("apply", "git_merge")
        assert sample.before == (File("a.py", third),)
        assert sample.target == (File("a.py", third.replace("line_5 = 5", "five = 2")),)
        assert sample.tags == ("language:python", "context:3", "drift:stale", "commits_apart:1")
        assert sample.seen not in (None, sample.before)


def test_a_stale_edit_is_refused_where_a_line_it_removes_is_gone(tmp_path: Path) -> None:
    third = changed(at_5="five = 3\n")
    samples, _ = stale(tmp_path, third)
    every = read(tmp_path)[0]
    assert len(samples) == 3
    for sample in samples:
        assert (sample.label, sample.label_source, sample.target) == ("refuse", "lines_gone", None)
        assert sample.before == (File("a.py", third),)
        (twin,) = (other for other in every if sample.tags[-2:] == ("refuse:line_gone", f"twin:{other.id}"))
        assert (twin.patch, twin.edits, twin.label) == (sample.patch, sample.edits, "apply")


def test_a_stale_edit_is_refused_where_it_is_there_already(tmp_path: Path) -> None:
    samples, _ = stale(tmp_path, TWO.replace("line_11", "eleven"))
    assert {(s.label, s.label_source, s.tags[-2]) for s in samples} == {
        ("refuse", "already_applied", "refuse:already_applied")
    }
    assert len(samples) == 3


def test_a_stale_pair_is_refused_where_its_lines_stand_twice(tmp_path: Path) -> None:
    samples, counts = stale(tmp_path, TEXT + TEXT)
    assert [(s.format, s.label, s.label_source, s.tags[-2]) for s in samples] == [
        ("str_replace", "refuse", "exact_ambiguous", "refuse:two_equal")
    ]
    assert counts["left out: stale unified_diff: its lines occur there more than once"] == 1
    assert counts["left out: stale begin_patch: its lines occur there more than once"] == 1


def test_lines_with_other_blanks_are_not_gone(tmp_path: Path) -> None:
    samples, counts = stale(tmp_path, TEXT.replace(" = ", "="))
    assert samples == []
    assert counts["left out: stale str_replace: its lines are neither exactly there nor gone"] == 1


def test_a_version_that_is_no_source_code_says_nothing(tmp_path: Path) -> None:
    samples, counts = stale(tmp_path, "x")
    assert samples == []
    assert counts["left out: under 20 or over 100,000 characters"] == 2


def test_a_version_equal_to_the_one_before_says_nothing(tmp_path: Path) -> None:
    assert stale(tmp_path, TEXT)[0] == []


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


def test_files_added_removed_and_renamed_say_nothing(tmp_path: Path) -> None:
    history(tmp_path, TEXT)
    commit(tmp_path, 1, a__py=None, b__py=TWO)
    commit(tmp_path, 2, b__py=None)
    assert read(tmp_path) == ([], {})


def test_modes_and_links_say_nothing(tmp_path: Path) -> None:
    history(tmp_path, TEXT)
    (tmp_path / "link").symlink_to("a.py")
    commit(tmp_path, 1)
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("elsewhere")
    (tmp_path / "a.py").chmod(0o755)
    commit(tmp_path, 2)
    assert read(tmp_path) == ([], {"left out: a link or a submodule": 1})


def test_a_merge_says_nothing_and_its_parents_do(tmp_path: Path) -> None:
    history(tmp_path, TEXT)
    git(tmp_path, "checkout", "-q", "-b", "side")
    side = commit(tmp_path, 1, a__py=TWO)
    git(tmp_path, "checkout", "-q", "main")
    main = commit(tmp_path, 2, a__py=changed(at_11="eleven\n"))
    git(tmp_path, "merge", "-q", "-m", "m", "side", minute=3)
    samples, _ = read(tmp_path)
    fresh = [sample for sample in samples if "drift:stale" not in sample.tags]
    assert [sample.provenance.commit for sample in fresh] == [main] * 3 + [side] * 3


@pytest.mark.parametrize("name", ["a\nb.py", 'a"b.py', "a\\b.py", "a.py ", os.fsdecode(b"\xff.py")])
def test_paths_that_a_patch_would_quote_are_counted(tmp_path: Path, name: str) -> None:
    history(tmp_path, TEXT, TWO, name=name)
    assert read(tmp_path) == ([], {"left out: a path that a patch has to quote": 1})


@pytest.mark.parametrize("name", ["a b.py", "ä.py", "-a.py"])
def test_other_paths_are_as_they_are(tmp_path: Path, name: str) -> None:
    history(tmp_path, TEXT, TWO, name=name)
    samples, _ = read(tmp_path)
    assert {sample.before[0].path for sample in samples} == {name}
    result = apply_unified_diff({name: TEXT}, only(samples, "unified_diff").patch or "", strictness="strict")
    assert isinstance(result, Applied)
    assert result.files == {name: TWO}


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
