"""The port to TypeScript: what it says of itself, and, where a compiler is found, what it answers."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from docs.specification import numbers
from editcore.cascade import RECOMMENDED
from editcore.text.keys import folded
from harness.conform.kit import cases
from tests.harness.program import ROOT

PORT = ROOT / "editcore" / "ports" / "typescript"
SOURCES = {path.name: path.read_text(encoding="utf-8") for path in sorted((PORT / "src").glob("*.ts"))}
_CONSTANT = re.compile(r"^(?:export )?const ([A-Z_]+) = ([\d_]+(?:\.\d+)?);", re.MULTILINE)
_OTHER_NAMES = {"MOST_CANDIDATES": "MAX_CANDIDATES", "MOST_DIFFERING": "DIFFERING", "MOST_UNKNOWN": "UNKNOWN"}


def test_it_depends_on_nothing() -> None:
    package = json.loads((PORT / "package.json").read_text(encoding="utf-8"))
    assert not {"dependencies", "peerDependencies", "optionalDependencies"} & package.keys()
    assert not re.search(r"from \"(?!\./)", "".join(SOURCES.values()))


def test_its_version_and_its_tiers_are_those_of_the_rule() -> None:
    text = SOURCES["recommended.ts"]
    table = text[text.index("export const TIERS") : text.index("export const VERSION")]
    assert tuple(re.findall(r"^  (\w+)[,:]", table, re.MULTILINE)) == RECOMMENDED.order
    assert f'export const VERSION = "{RECOMMENDED.version}";' in text


def test_its_numbers_are_those_of_the_rule() -> None:
    found = [(name, float(value)) for text in SOURCES.values() for name, value in _CONSTANT.findall(text)]
    known = numbers()
    assert len(found) > 20
    assert [(name, value) for name, value in found if known[_OTHER_NAMES.get(name, name)] != value] == []


def test_its_fold_is_that_of_the_rule() -> None:
    text = SOURCES["text.ts"]
    table = text[text.index("const ALIKE") : text.index("const FOLDED")]
    rows = re.findall(r'\["?\'?(.*?)["\']?, "((?:\\u[0-9a-f]{4})+)"\]', table)
    assert len(rows) == 6
    for plain, others in rows:
        for code in re.findall(r"\\u([0-9a-f]{4})", others):
            assert folded(chr(int(code, 16))).strip("'\"") == plain.strip("'\""), code


def test_no_pattern_is_tried_again_within_a_run() -> None:
    """A pattern like `/ +$/` is quadratic in a run of spaces within a text, since it may begin at each of them."""
    lines = [line for text in SOURCES.values() for line in text.split("\n") if re.search(r"[^`][+*]\$[/`|)]", line)]
    assert [line for line in lines if not re.search(r"[/`(]\^", line)] == []


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("tsc") or not shutil.which("node"), reason="needs tsc and node")
def test_it_answers_the_kit_as_the_rule_does(tmp_path: Path) -> None:
    subprocess.run(["tsc", "-p", str(PORT), "--outDir", str(tmp_path)], check=True)
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="ascii")
    asked = [case for case in cases() if case["rule"] == "cascade/recommended"]
    fields = ("id", "format", "before", "edits")
    requests = "".join(json.dumps({name: case[name] for name in fields}) + "\n" for case in asked)
    done = subprocess.run(
        ["node", str(tmp_path / "port.js")], input=requests, capture_output=True, text=True, check=True, timeout=120
    )
    answers = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
    assert len(answers) == len(asked)
    names = ("status", "reason", "after", "replacer")
    given = [{name: one[name] for name in names if name in one} for one in answers]
    assert given == [case["expected"] for case in asked]
