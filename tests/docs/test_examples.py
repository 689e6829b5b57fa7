"""The examples of docs/examples that run nights: their own command lines, in a shell with next to no environment."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from reports.views.comment import COMMENT_LIMIT
from tests.harness.program import ROOT
from tests.samples import samples, write_jsonl

EXAMPLES = ROOT / "docs" / "examples"


def github() -> list[str]:
    steps = yaml.safe_load((EXAMPLES / "nightly.yml").read_text())["jobs"]["night"]["steps"]
    return [step["run"] for step in steps if "editgauge" in step.get("run", "") and "pip" not in step["run"]]


def gitlab() -> list[str]:
    return list(yaml.safe_load((EXAMPLES / "gitlab-nightly.yml").read_text())["editgauge"]["script"])


def cron() -> str:
    (line,) = (line for line in (EXAMPLES / "nightly.cron").read_text().splitlines() if not line.startswith("#"))
    return line.split(maxsplit=5)[5]


def shell(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """The script as a job runs it: `sh -e` in a folder of its own, without the environment of this process."""
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    environment = {"PATH": path, "HOME": str(folder), "USER": "me", "PYTHONPATH": str(ROOT), **variables}
    # A small corpus for the one that ships, so that a night takes seconds.
    script = script.replace("nightly house", "nightly edits/own.jsonl").replace("edits/*.jsonl", "")
    return subprocess.run(
        ["sh", "-ec", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=110, check=False
    )


@pytest.fixture
def job(tmp_path: Path) -> Path:
    (tmp_path / "edits").mkdir()
    write_jsonl(tmp_path / "edits" / "own.jsonl", samples(6))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "my-edit").write_text(
        f"#!/bin/sh\nexec {sys.executable} -S {ROOT / 'tests' / 'harness' / 'exact.py'}\n"
    )
    os.chmod(tmp_path / "bin" / "my-edit", 0o755)
    return tmp_path


@pytest.mark.slow
def test_two_nights_on_github_and_an_accepted_one(job: Path) -> None:
    accept, nightly = github()
    summary = job / "summary.md"
    for _ in range(2):
        done = shell(nightly, job, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
        assert done.returncode == 0, done.stderr
    first, second = summary.read_text().split("## ")[1:]
    assert "There was no baseline; this night is the baseline from now on." in first
    assert second.startswith("✅")
    assert shell(accept, job, WHY="known good").returncode == 0
    (night,) = sorted((job / "history" / "nights").iterdir())[1:]
    written = (night / "summary.md").read_bytes()
    assert len(written) <= COMMENT_LIMIT
    assert "| strategy |" in written.decode()


@pytest.mark.slow
def test_two_nights_on_gitlab_and_an_accepted_one(job: Path) -> None:
    script = "\n".join(gitlab())
    for _ in range(2):
        done = shell(script, job)
        assert done.returncode == 0, done.stderr
    assert "there was no baseline" not in done.stdout
    done = shell(script, job, ACCEPT="known good")
    assert (done.returncode, "known good" in done.stdout) == (0, True), done.stderr
    assert len(list((job / "history" / "nights").iterdir())) == 2


@pytest.mark.slow
def test_a_night_by_cron_writes_mail_only_where_it_fails(job: Path) -> None:
    home = job / "editgauge"
    (home / ".venv").mkdir(parents=True)
    (home / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    (home / "edits").symlink_to(job / "edits")
    assert shell(cron(), job).returncode == 0
    assert "there was no baseline" in (home / "last.txt").read_text()
    (home / "history" / "accepted.jsonl").write_text("broken\n")
    (job / "mail").write_text(f"#!/bin/sh\ncat > {job / 'mailed'}\n")
    os.chmod(job / "mail", 0o755)
    shell(cron().replace("mail -s", f"{job / 'mail'} -s"), job)
    assert "accepted.jsonl cannot be read" in (job / "mailed").read_text()


def action() -> dict[str, object]:
    found: dict[str, object] = yaml.safe_load((EXAMPLES / "action.yml").read_text())
    return found


@pytest.mark.slow
def test_two_nights_of_the_action(job: Path) -> None:
    (step,) = (one for one in action()["runs"]["steps"] if one.get("id") == "night")  # type: ignore[index]
    output = job / "output"
    variables = {
        "CORPORA": "edits/own.jsonl", "STRATEGIES": "cascade/* cmd:mine=./bin/my-edit", "GITHUB_OUTPUT": str(output),
    }  # fmt: skip
    script = f"exec bash -ec {shlex.quote(step['run'])}"
    for _ in range(2):
        done = shell(script, job, **variables)
        assert done.returncode == 0, done.stderr
    night = job / output.read_text().splitlines()[-1].removeprefix("night=")
    assert {"report.html", "summary.md", "junit.xml", "gate.sarif"} <= {path.name for path in night.iterdir()}


def test_the_inputs_of_the_action_are_used_and_no_others() -> None:
    text = (EXAMPLES / "action.yml").read_text()
    assert set(re.findall(r"inputs\.(\w+)", text)) == set(action()["inputs"])  # type: ignore[call-overload]


def test_the_container_runs_the_program() -> None:
    """No image can be built here without a network: what stands in the file is looked at."""
    lines = [line for line in (EXAMPLES / "Containerfile").read_text().splitlines() if line and line[0] != "#"]
    words = {line.split()[0]: line for line in lines if line[0].isupper()}
    assert words["ENTRYPOINT"] == 'ENTRYPOINT ["editgauge"]'
    assert words["USER"] != "USER root"
    assert lines[0].startswith("FROM ")
