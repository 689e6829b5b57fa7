"""What CONTRIBUTING.md says of adding a member is true: the files it names are enough, from outside.

One copy of the four packages gets a new member of every kind; then the program in it is asked for each.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.fuzz.properties import promises
from tests.additions import ADDITIONS
from tests.docs.test_architecture import PACKAGES
from tests.harness.program import ROOT, environment

_CALLS = """
import json, sys
from click.testing import CliRunner
from harness.cli import main
answers = {}
for arguments in json.loads(sys.argv[1]):
    done = CliRunner().invoke(main, arguments)
    answers[" ".join(arguments)] = [done.exit_code, done.output]
json.dump(answers, sys.stdout)
"""
_NOTE = {"path": "a.py", "content": "Total = 1\n", "old": "Total = 1", "new": "Total = 2"}
_SHORT = {"id": "s", "format": "shorthand", "before": [{"path": "a.py", "content": "Total = 1\n"}], "label": "apply",
          "patch": "Total = 1 => Total = 2", "target": [{"path": "a.py", "content": "Total = 2\n"}]}  # fmt: skip
_QUICK = (
    "--help",
    "greet",
    *(f"ls {kind}" for kind in ("strategies", "cascades", "mutators", "importers", "tools", "targets")),
    "peers ls",
    "fuzz drill yawn -q",
    "import notes day.notes -o notes.jsonl",
    "mutate notes.jsonl -m whispered -o whispers.jsonl -j 1 -q",
    "run shorts.jsonl -s shorthand/line -q -o shorts",
    "run whispers.jsonl -s cascade/shouting -s insert/line -s tier/shouting_lines -s agent/loudmouth --wide -q -o run",
    "report run --format csv",
    "compare run run --json",
)
_SHORTS, _RUN, _CSV, _COMPARED = _QUICK[-4:]
_SLOW = (
    "report run",
    "fuzz mirror --runs 10 -q",
    "fuzz shorthand/line --runs 10 -q",
    "orderings notes.jsonl --replacers simple,shouted -q",
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages with a new member of every kind, and what its commands are called on."""
    folder = tmp_path_factory.mktemp("adding")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package)  # With what is compiled: half the time.
    for addition in ADDITIONS.values():
        addition.add_to(folder)
    (folder / "day.notes").write_text(json.dumps(_NOTE))
    (folder / "shorts.jsonl").write_text(json.dumps(_SHORT) + "\n")
    return folder


def run_python(tree: Path, script: str, *arguments: str) -> str:
    """What a script prints that imports the packages of a tree."""
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=environment({"PYTHONPATH": str(tree), "COLUMNS": "200"}),
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def answers(tree: Path, *calls: str) -> dict[str, Any]:
    """Call -> exit code and output, of the program in a tree."""
    return json.loads(run_python(tree, _CALLS, json.dumps([call.split() for call in calls])))


@pytest.fixture(scope="module")
def quick(tree: Path) -> dict[str, Any]:
    return answers(tree, *_QUICK)


def test_every_call_works(quick: dict[str, Any]) -> None:
    assert {call: output for call, (code, output) in quick.items() if code} == {}


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("ls strategies", "replacer"),
        ("ls strategies", "cascade"),
        ("ls strategies", "tier"),
        ("ls strategies", "format"),
        ("ls targets", "format"),
        ("ls strategies", "rule of an agent"),
        ("ls strategies", "rule for anchored edits"),
        ("ls cascades", "cascade"),
        ("ls mutators", "mutator"),
        ("ls importers", "importer"),
        ("peers ls", "peer"),
        ("--help", "command"),
        ("ls tools", "tool"),
        ("ls targets", "fuzz target"),
        ("ls targets", "drill"),
        ("ls targets", "importer"),
        ("fuzz drill yawn -q", "drill"),
    ],
)
def test_a_new_member_is_listed(quick: dict[str, Any], call: str, kind: str) -> None:
    assert re.search(rf"\b{ADDITIONS[kind].name}", quick[call][1])


def test_a_new_member_does_its_work(tree: Path, quick: dict[str, Any]) -> None:
    assert quick["greet"][1] == "hello\n"
    manifest = json.loads((tree / "run" / "manifest.json").read_text())
    assert manifest["n_samples"] == 1
    for strategy, call in (("tier/shouting_lines", _RUN), ("agent/loudmouth", _RUN), ("shorthand/line", _SHORTS)):
        correct = rf"^{strategy} +1 +100\.0 %.* 0\.0 %.* 1 +0 +0 +0 "
        assert re.search(correct, quick[call][1], re.MULTILINE), "of 1 sample 1 correct, none wrong"
    request = json.dumps({name: _SHORT[name] for name in ("id", "format", "before", "patch")}).encode()
    asked = f"from editcore.server import answer; print(answer({request!r}).decode())"
    assert json.loads(run_python(tree, asked))["after"] == _SHORT["target"]
    assert re.search("^strategy .* wreckage", quick[_RUN][1], re.MULTILINE)
    header = quick[_CSV][1].splitlines()[0].split(",")
    assert {"wreckage", "wreckage_low", "wreckage_high"} <= set(header)
    assert '"wreckage"' in quick[_COMPARED][1]
    used = {one["name"]: one for one in manifest["strategies"]}
    promised = used["insert/line"]["n_promised"] + len(used["insert/line"]["own"])
    assert promised == len(promises("insert/line", "insert")) + 1


def test_the_literal_port_has_a_new_replacer(tree: Path) -> None:
    script = "from harness.bench.tables import compare_with_literal; compare_with_literal(1, 0)"
    assert run_python(tree, script) == ""


@pytest.mark.slow
def test_reports_orderings_and_fuzzing_know_a_new_member(tree: Path, quick: dict[str, Any]) -> None:
    del quick  # It leaves the run.
    found = answers(tree, *_SLOW)
    assert {call: output for call, (code, output) in found.items() if code} == {}
    page = (tree / "run" / "report.html").read_text()
    assert "wreckage" in page
    assert "A result is of a type." in page
    assert r'"weather":"fine \u0026 dry"' in page
    assert "mirror" in found[_SLOW[1]][1]
    assert "shouted" in found[_SLOW[3]][1]


def test_the_table_names_every_kind_and_just_these_files() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([a-z ]+) \| (`[^|]+) \|", text, re.MULTILINE))
    table = {kind: set(re.findall(r"`([\w/]+\.\w+)`", cell)) for kind, cell in rows.items()}
    assert table == {kind: addition.touched for kind, addition in ADDITIONS.items()}
