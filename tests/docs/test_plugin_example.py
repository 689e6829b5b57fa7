"""docs/examples/plugin, installed as pip leaves it: its strategies are scored, its importer reads a log."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path

import pytest

from tests.harness.program import ROOT, run_in

PLUGIN = ROOT / "docs" / "examples" / "plugin"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with the module and the metadata of the example."""
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]
    metadata = tmp_path / "site" / "editgauge_mine-0.1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    groups = (
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in project["entry-points"].items()
    )
    (metadata / "entry_points.txt").write_text("\n".join(groups))
    (metadata.parent / "editgauge_mine.py").write_text((PLUGIN / "editgauge_mine.py").read_text())
    return metadata.parent


def test_the_page_quotes_it() -> None:
    source = (PLUGIN / "editgauge_mine.py").read_text()
    [quoted] = re.findall(
        r"^```python\n(.*?)^```$", (ROOT / "docs" / "plugins.md").read_text(), re.MULTILINE | re.DOTALL
    )
    assert quoted.partition("\n\n\n")[2] in source


def test_its_strategies_are_scored_and_its_importer_reads_a_log(site: Path, tmp_path: Path) -> None:
    path = {"PYTHONPATH": f"{site}{os.pathsep}{ROOT}"}
    log = [
        {"read": "a.py", "text": "x = 1\nz = 1\n"},
        {"edit": "a.py", "old": "x = 1", "new": "x = 2", "ok": True},
        {"edit": "a.py", "old": "y = 1", "new": "y = 2", "ok": False},
    ]
    (tmp_path / "day.mine").write_text("".join(f"{json.dumps(line)}\n" for line in log))
    done = run_in(tmp_path, "import", "mine", "day.mine", "-o", "own.jsonl", extra=path)
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "own.jsonl").read_text().splitlines()) == 2
    done = run_in(tmp_path, "run", "house", "-s", "mine/*", "-q", "-o", "run", extra=path)
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in ("mine/last_line", "mine/plain_diff"))
    right = json.loads(run_in(tmp_path, "table", "run", "--json", extra=path).stdout)
    assert {"mine/last_line", "mine/plain_diff"} <= set(str(right).replace("'", " ").split())


def test_its_version_is_the_hash_of_its_source_so_an_edited_plug_in_is_scored_anew(site: Path, tmp_path: Path) -> None:
    path = {"PYTHONPATH": f"{site}{os.pathsep}{ROOT}"}

    def versions() -> dict[str, str]:
        done = run_in(tmp_path, "run", "smoke", "-s", "mine/*", "-q", "-o", "run", "--replace", extra=path)
        assert done.returncode == 0, done.stderr
        manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
        return {one["name"]: one["version"] for one in manifest["strategies"]}

    first = versions()
    assert all(version.startswith("0.1+") for version in first.values())
    assert versions() == first
    source = site / "editgauge_mine.py"
    source.write_text(source.read_text().replace("rpartition", "partition"))
    assert all(version != first[name] for name, version in versions().items())
    done = run_in(tmp_path, "run", "smoke", "-s", "mine/*", "-q", "-o", "run", "--resume", extra=path)
    assert done.returncode == 0, done.stderr
    source.write_text(source.read_text().replace("partition", "rpartition"))
    done = run_in(tmp_path, "run", "smoke", "-s", "mine/*", "-q", "-o", "run", "--resume", extra=path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "run holds a run of another version of mine/last_line, mine/plain_diff" in done.stderr
