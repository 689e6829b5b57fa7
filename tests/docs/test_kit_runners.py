"""The tests in docs/kit.md that run our scenarios in runners of three languages: a program that is wrong fails them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.docs.test_docs import blocks
from tests.harness.program import ROOT

SHOWN = dict(blocks(ROOT / "docs" / "kit.md"))
"""Language -> what docs/kit.md shows in it."""
PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-{}\n+two\n*** End Patch\n"


class Runner(NamedTuple):
    """How to run the test of a language, with a program that replaces `one` by `two` whatever the patch says."""

    program: str
    command: tuple[str, ...]
    test: str
    """The file of the test."""
    files: dict[str, str]


RUNNERS = {
    "py": Runner(
        sys.executable, (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"), "test_scenarios.py",
        {"edit.py": "def apply_patch(folder, text):\n    path = folder / 'a.txt'\n"
                    "    path.write_text(path.read_text().replace('one', 'two'))\n"},
    ),
    "go": Runner(
        "go", ("go", "test", "./..."), "scenarios_test.go",
        {"go.mod": "module edit\n\ngo 1.19\n",
         "edit.go": 'package edit\n\nimport (\n\t"os"\n\t"strings"\n)\n\nfunc ApplyPatch(dir, patch string) error {\n'
                    '\ttext, err := os.ReadFile(dir + "/a.txt")\n\tif err != nil {\n\t\treturn err\n\t}\n'
                    '\tafter := strings.ReplaceAll(string(text), "one", "two")\n'
                    '\treturn os.WriteFile(dir+"/a.txt", []byte(after), 0o644)\n}\n'},
    ),
    "rust": Runner(
        "cargo", ("cargo", "test", "--offline", "-q"), "tests/scenarios.rs",
        {"Cargo.toml": '[package]\nname = "edit"\nversion = "0.1.0"\nedition = "2021"\n',
         "src/lib.rs": "pub fn apply_patch(dir: &std::path::Path, _: &str) -> std::io::Result<()> {\n"
                       '    let path = dir.join("a.txt");\n'
                       '    std::fs::write(&path, std::fs::read_to_string(&path)?.replace("one", "two"))\n}\n'},
    ),
}  # fmt: skip


@pytest.fixture(params=[pytest.param(name, marks=[] if name == "py" else pytest.mark.slow) for name in RUNNERS])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], subprocess.CompletedProcess[str]]:
    runner = RUNNERS[request.param]
    if shutil.which(runner.program) is None:
        pytest.skip(f"there is no {runner.program}")
    for name, text in {runner.test: SHOWN[request.param], **runner.files}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    scenario(tmp_path, "right", before="one\n", removed="one", after="two\n")
    return lambda: subprocess.run(runner.command, cwd=tmp_path, capture_output=True, text=True, check=False)


def scenario(folder: Path, name: str, *, before: str, removed: str, after: str) -> None:
    place = folder / ".scenarios" / "begin_patch" / name
    for part, text in (("input/a.txt", before), ("expected/a.txt", after), ("patch.txt", PATCH.format(removed))):
        (place / part).parent.mkdir(parents=True, exist_ok=True)
        (place / part).write_text(text)


def test_the_shown_test_passes_until_a_scenario_differs(
    run: Callable[[], subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    done = run()
    assert done.returncode == 0, done.stdout + done.stderr
    scenario(tmp_path, "to_be_refused", before="one\n", removed="three", after="one\n")
    done = run()
    assert done.returncode != 0
    assert "to_be_refused" in done.stdout + done.stderr
