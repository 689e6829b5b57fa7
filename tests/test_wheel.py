"""The wheel: it is whole, it works where no extra is installed, and what is missing is named with its extra."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.harness.program import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

EXTRAS = {
    "tools": ("re2", "pathspec", "sqlalchemy", "tree_sitter", "tree_sitter_bash"),
    "syntax": ("tree_sitter", "tree_sitter_bash", "tree_sitter_python", "tree_sitter_c_sharp", "tree_sitter_yaml"),
    "sql": ("duckdb",),
    "hub": ("datasets",),
    "fuzz": ("atheris", "coverage", "hypothesis"),
    "cluster": ("distributed",),
    "mcp": ("mcp", "mcp_types"),
    "postgres": ("psycopg",),
}
"""Extra -> the modules it brings."""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a wheel of this checkout holds, unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    line = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")]
    subprocess.run(line, check=True, capture_output=True, cwd=ROOT)
    [wheel] = (folder / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(folder / "site")
    return folder / "site"


def plain_install(unpacked: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Call the program of the wheel where none of the extras can be imported."""
    hidden = [module for modules in EXTRAS.values() for module in modules]
    code = (
        f"import sys; sys.path.insert(0, {str(unpacked)!r}); sys.modules.update(dict.fromkeys({hidden!r}))\n"
        f"import harness.cli; assert harness.cli.__file__.startswith({str(unpacked)!r})\n"
        f"sys.argv[1:] = {list(arguments)!r}; harness.cli.main(prog_name='editgauge')"
    )
    return subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, cwd=folder, check=False)


def test_a_plain_install_runs_reports_and_compares(unpacked: Path, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(x):\n    return x + 1\n\n\n" * 40)
    for arguments in (
        ["run", "smoke", "-q", "-j", "1", "-o", "one"],
        ["run", "smoke", "-q", "-j", "1", "-o", "two"],
        ["report", "one"],
        ["compare", "one", "two", "--fail-on", "wrong_edit"],
        ["orderings", "one"],
        ["table", "one", "--by", "language"],
        ["try", "a.py", "--old", "def f(x):\n    return x + 1\n\n\ndef f", "--new", "y", "--all"],
        ["mutate", "smoke", "-q", "-n", "5", "-o", "damaged.jsonl"],
        ["ls", "strategies"],
        ["ls", "tools", "--json"],
    ):
        done = plain_install(unpacked, tmp_path, *arguments)
        assert done.returncode == 0, (arguments, done.stderr)
    assert (tmp_path / "one" / "report.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (["sql", "select 1", "one"], "sql"),
        (["run", "hub:somebody/something"], "hub"),
        (["fuzz", "cascade/exact", "--runs", "1"], "fuzz"),
        (["run", "smoke", "--scheduler", "tcp://127.0.0.1:1"], "cluster"),
        (["mcp", "."], "mcp"),
    ],
)
def test_a_missing_extra_is_named(unpacked: Path, tmp_path: Path, arguments: list[str], extra: str) -> None:
    if "one" in arguments:
        plain_install(unpacked, tmp_path, "run", "smoke", "-q", "-s", "cascade/exact", "-j", "1", "-o", "one")
    done = plain_install(unpacked, tmp_path, *arguments)
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.splitlines()) == 2, done.stderr
    assert f"pip install 'editgauge[{extra}]'" in done.stderr


def test_the_pages_that_commands_mention_are_in_the_wheel(unpacked: Path, tmp_path: Path) -> None:
    done = plain_install(unpacked, tmp_path, "ls", "docs", "--json")
    assert done.returncode == 0, done.stderr
    pages = {row["name"]: Path(row["path"]) for row in json.loads(done.stdout)["docs"]}
    assert {"protocol", "commands", "fuzzing", "nightly", "reliability"} <= set(pages)
    assert all(path.is_file() and path.is_relative_to(unpacked) for path in pages.values())
    assert (pages["protocol"].parent / "examples" / "protocol" / "edit.ts").is_file()


def test_editcore_alone_is_whole_and_needs_rapidfuzz_only(tmp_path: Path) -> None:
    # -P: editcore has a types.py.
    line = [sys.executable, "-P", "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")]
    subprocess.run(line, check=True, capture_output=True, cwd=ROOT / "editcore")
    [wheel] = (tmp_path / "dist").glob("editgauge_editcore-*.whl")
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        [metadata] = (name for name in names if name.endswith("/METADATA"))
        required = [line for line in opened.read(metadata).decode().splitlines() if line.startswith("Requires-Dist")]
        opened.extractall(tmp_path / "site")
    assert [line for line in required if "extra ==" not in line] == ["Requires-Dist: rapidfuzz>=3.9"]
    assert [name for name in names if name.endswith("licenses/LICENSE")]
    sources = (path.relative_to(ROOT) for path in (ROOT / "editcore").rglob("*.py"))
    mine = {path.as_posix() for path in sources if "ports" not in path.parts}
    assert mine <= set(names)
    assert not [name for name in names if "__pycache__" in name or name.endswith("pyproject.toml")]
    hidden = sorted({module for modules in EXTRAS.values() for module in modules} | {"xxhash", "msgspec", "click"})
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r}); sys.modules.update(dict.fromkeys({hidden!r}))\n"
        "import editcore, editcore.host.workspace, editcore.agents, editcore.stale\n"
        f"assert editcore.__file__.startswith({str(tmp_path)!r})\n"
        "from editcore import apply_unified_diff, replace\n"
        "print(replace('  a = 1\\n', 'a = 1', 'a = 2').content)\n"
        "try: import editcore.host.tools\n"
        "except editcore.UsageError as error: print(error.message)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "  a = 2\n\nTools needs msgspec, which is not installed\n", done.stderr
