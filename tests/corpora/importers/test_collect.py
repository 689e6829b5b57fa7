"""Imports of whole logs into a corpus file."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corpora.importers import IMPORTERS
from corpora.importers.collect import Imported, collect
from corpora.importers.importer import Importer, Surroundings, files_matching
from corpora.importers.log import Log
from corpora.importers.session import Attempt, Event, Opened, Read
from corpora.load import load
from corpora.sample import Sample, combined_fingerprint, fingerprint
from editcore.errors import UsageError
from editcore.types import Edit, File
from tests.corpora.importers.log_cases import CASES, FOLDER, RETRIED, restore
from tests.corpora.importers.logs import write_lines

BEFORE, AFTER = "x = 1\ny = 1\n", "x = 2\ny = 1\n"


AGENTS = [case.parent.name for case in CASES if case.name == RETRIED]
ELSEWHERE = ("gemini_cli", "swe_agent", "openhands", "openhands_messages", "crush", "opencode_go", "zed", "entire")
"""Agents whose logs in the cases neither name the session's folder nor have paths relative to it."""
WITHOUT_READS = ("aider", "cline", "zed")
"""Agents whose logs in the cases have no read."""
WON = dict.fromkeys(AGENTS, "tool_result") | {
    "aider": "git",
    **dict.fromkeys(("swe_agent", "atif", "openhands_messages"), "exact"),
}
NAMED = {"entire": "gemini_cli", "atif": "demo-agent", "openhands_messages": "openhands"}
"""Agents that a log names."""


def retried(folder: Path, agent: str) -> Path:
    """A log of an agent in which an edit fails and is retried."""
    folder.mkdir(exist_ok=True)
    return restore(FOLDER / agent / RETRIED, folder)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_log_becomes_a_corpus_with_the_failed_edit_and_its_retry(tmp_path: Path, agent: str) -> None:
    out = tmp_path / "out.jsonl"
    done = collect([(IMPORTERS[agent], retried(tmp_path / "logs", agent))], out)
    found = {sample.provenance.recorded_outcome: sample for sample in load(out) if sample.before}
    assert set(found) == {"no_match", "applied"}
    for sample in found.values():
        name = "demo/a.py" if agent in ELSEWHERE else "a.py"
        assert (sample.before, sample.target) == ((File(name, BEFORE),), (File(name, AFTER),))
        assert sample.label == "apply"
        assert ("seen:same" in sample.tags, sample.seen) == (agent not in WITHOUT_READS, None)
    assert found["no_match"].label_source in ("retry", "retry_repaired")
    assert found["applied"].label_source == WON[agent]
    assert done.n_samples == len(list(load(out))) == sum(done.labels.values())
    assert found["applied"].provenance.agent == NAMED.get(agent, agent)


LATER = BEFORE.replace("x = 1", "x: int = 1")
CHANGED = [case for case in CASES if case.name == "a_command_changes_a_file_that_was_read"]


@pytest.mark.parametrize("case", CHANGED, ids=lambda case: case.parent.name)
@pytest.mark.parametrize("printed", ["quiet", "telling"])
def test_a_refused_edit_says_what_was_seen_unless_the_command_showed_its_change(
    tmp_path: Path, case: Path, printed: str
) -> None:
    """The file is read, a command changes it, an edit of the old text is refused, and the file is read again."""
    collect([(IMPORTERS[case.parent.name], restore(case / printed, tmp_path))], tmp_path / "edits.parquet")
    [sample] = load(tmp_path / "edits.parquet")
    assert [file.content for file in sample.before] == [LATER]
    assert (sample.seen_lines, "seen:same" in sample.tags) == (None, False)
    assert sample.seen == ((File(sample.before[0].path, BEFORE),) if printed == "quiet" else None)


def test_strict_leaves_out_failed_edits_whose_text_is_that_of_a_commit(tmp_path: Path) -> None:
    log = retried(tmp_path, "aider") / ".aider.chat.history.md"
    log.write_text(log.read_text().rpartition("\n```")[0].rpartition("\na.py")[0])
    sources = [(IMPORTERS["aider"], tmp_path)]
    done = collect(sources, tmp_path / "out.jsonl")
    (failed,) = (one for one in load(tmp_path / "out.jsonl") if one.provenance.recorded_outcome == "no_match")
    assert "doubtful" in failed.tags
    strict = collect(sources, tmp_path / "strict.jsonl", strict=True)
    assert strict.n_samples == done.n_samples - 1
    assert strict.tally.counts["left out: a failed edit whose text before is that of a commit"] == 1


def test_the_same_folder_imported_twice_is_the_same_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    agents = ("claude_code", "aider", "cline", "openhands")
    sources = [(IMPORTERS[agent], retried(Path(agent), agent)) for agent in agents]
    collect(sources, Path("one.jsonl"))
    collect([(importer, path.absolute()) for importer, path in sources], Path("other.jsonl"))
    collect(sources, Path("rows.parquet"))
    assert Path("one.jsonl").read_bytes() == Path("other.jsonl").read_bytes()
    assert combined_fingerprint(map(fingerprint, load(Path("rows.parquet")))) == combined_fingerprint(
        map(fingerprint, load(Path("one.jsonl")))
    )


# What is kept.


def made(*samples: Sample | BaseException) -> Importer:
    """An importer whose logs hold these samples, whatever is in them."""

    def events(_log: Log, _surroundings: Surroundings) -> Iterator[Event | Sample]:
        for sample in samples:
            if isinstance(sample, BaseException):
                raise sample
            yield sample

    return Importer("tester", "makes samples", files_matching("*.log"), events)


def sample(name: str, *, won: str | None = None, text: str = BEFORE, old: str = "x=1", path: str = "a.py") -> Sample:
    target = (File(path, AFTER),) if won else None
    label: Any = "apply" if won else "unlabelled"
    return Sample(
        name, "str_replace", (File(path, text),), label, (Edit(old, "x = 2"),), target=target, label_source=won
    )


def kept(tmp_path: Path, *samples: Sample | BaseException) -> tuple[list[tuple[str, str | None]], Imported]:
    (tmp_path / "a.log").touch()
    done = collect([(made(*samples), tmp_path)], tmp_path / "out.jsonl", replace=True)
    text = (tmp_path / "out.jsonl").read_text()
    rows = [json.loads(line) for line in text.splitlines()]
    return [(row["id"], row["label_source"]) for row in rows], done


def test_of_several_copies_of_an_attempt_the_best_known_is_kept(tmp_path: Path) -> None:
    copies = [sample("a"), sample("b", old="q"), sample("a", won="retry"), sample("a", won="exact"), sample("a")]
    found, done = kept(tmp_path, *copies)
    assert found == [("b", None), ("a", "exact")]
    assert done.tally.counts == {"left out: stored more than once": 3}
    assert done.labels == {("unlabelled", "none"): 1, ("apply", "exact"): 1}


def test_equal_edits_of_equal_files_are_one_attempt_wherever_they_lie(tmp_path: Path) -> None:
    found, _ = kept(tmp_path, sample("a"), sample("b", path="sub/a.py", won="exact"), sample("c", path="b.py"))
    assert found == [("b", "exact"), ("c", None)]


def test_edits_that_differ_in_blanks_only_are_different_ones(tmp_path: Path) -> None:
    found, _ = kept(tmp_path, sample("a"), sample("b", old="x = 1"), sample("c", text=BEFORE + "\n"))
    assert [name for name, _ in found] == ["a", "b", "c"]


def test_a_sample_that_is_none_is_left_out_and_named(tmp_path: Path) -> None:
    found, done = kept(tmp_path, replace(sample("a"), edits=None), sample("b"))
    assert found == [("b", None)]
    assert done.tally.named["left out: not a valid sample"][0].startswith("a: ")


def test_what_is_scrubbed_is_counted(tmp_path: Path) -> None:
    found, done = kept(tmp_path, sample("a", text=BEFORE + "# /home/jane/x\n"))
    assert len(found) == 1
    assert done.scrubbed == {"home": 1}


def test_an_importer_that_breaks_costs_the_rest_of_that_log_only(tmp_path: Path) -> None:
    (tmp_path / "b.log").touch()
    found, done = kept(tmp_path, sample("a"), ValueError("seven"), sample("b"))
    assert found == [("a", None)]
    assert done.n_logs == 2
    assert done.tally.named["log given up: ValueError"] == [f"{tmp_path}/a.log: seven", f"{tmp_path}/b.log: seven"]


def test_progress_is_told_by_logs(tmp_path: Path) -> None:
    for name in ("a.log", "b.log"):
        (tmp_path / name).touch()
    told: list[tuple[int, int]] = []
    collect([(made(), tmp_path)], tmp_path / "out.jsonl", report=lambda *done: told.append(done))
    assert told == [(0, 2), (1, 2), (2, 2)]


# The file.


def test_a_corpus_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.log").touch()
    out = tmp_path / "out.jsonl"
    out.write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        collect([(made(), tmp_path)], out)
    assert out.read_text() == "mine"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(), GeneratorExit()])
def test_an_import_that_was_broken_off_leaves_everything_as_it_was(tmp_path: Path, error: BaseException) -> None:
    (tmp_path / "a.log").touch()
    out = tmp_path / "out.jsonl"
    out.write_text("mine")
    with pytest.raises(type(error)):
        collect([(made(sample("a"), error), tmp_path)], out, replace=True)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.log", "out.jsonl"]
    assert out.read_text() == "mine"


def test_paths_without_logs_are_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no"):
        collect([(made(), tmp_path / "gone")], tmp_path / "out.jsonl")
    with pytest.raises(UsageError, match="holds no logs of tester"):
        collect([(made(), tmp_path)], tmp_path / "out.jsonl")
    (tmp_path / "a.log").touch()
    with pytest.raises(UsageError, match="cannot be written"):
        collect([(made(), tmp_path)], tmp_path / "a.log" / "out.jsonl")
    assert [file.name for file in tmp_path.iterdir()] == ["a.log"]


def test_what_one_log_says_of_a_file_is_not_known_in_the_next(tmp_path: Path) -> None:
    def events(log: Log, _surroundings: Surroundings) -> Iterator[Event]:
        yield Opened("/demo")
        if log.name.endswith("a.log"):
            yield Read("a.py", BEFORE)
        yield Attempt(log.name, "str_replace", "a.py", (Edit("x = 1", "x = 2"),), outcome="applied")

    for name in ("a.log", "b.log"):
        (tmp_path / name).touch()
    done = collect([(Importer("t", "t", files_matching("*.log"), events), tmp_path)], tmp_path / "out.jsonl")
    assert done.n_samples == 1
    assert done.tally.counts["left out: the file's text is not known"] == 1


MEASURED = """
import resource, sys
from pathlib import Path
from corpora.importers import IMPORTERS
from corpora.importers.collect import collect

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

folder = Path(sys.argv[1])
collect([(IMPORTERS["claude_code"], folder / "small")], folder / "small.jsonl")
before = peak()
done = collect([(IMPORTERS["claude_code"], folder / "large")], folder / "large.jsonl")
print(peak() - before, done.n_samples)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_logs(tmp_path: Path) -> None:
    call, answer = json.loads(
        "["
        + ",".join((FOLDER / "claude_code/an_edit_has_the_texts_of_its_result/s.jsonl").read_text().splitlines())
        + "]"
    )
    padding = {"type": "user", "message": {"content": [{"type": "tool_result", "content": "x" * 150_000}]}}
    for name, n_logs in (("small", 1), ("large", 10)):
        for log in range(n_logs):
            lines = []
            for n in range(40):
                key = f"{name}{log}-{n}"
                text = json.dumps(f"x = 1\nkey = '{key}'\n")
                answered = json.dumps(answer).replace(json.dumps(answer["toolUseResult"]["originalFile"]), text)
                lines += [json.dumps(call).replace('"t1"', f'"{key}"'), answered.replace('"t1"', f'"{key}"'), padding]
            write_lines(tmp_path / name / f"{log}.jsonl", *lines)
    assert sum(file.stat().st_size for file in (tmp_path / "large").iterdir()) > 60_000_000
    command = [sys.executable, "-c", MEASURED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3])
    grown, n_samples = map(int, done.stdout.split())
    assert n_samples == 400
    assert grown < 15_000
