"""Peers that are packages: how they are installed, each in an environment of its own, and removed."""

from __future__ import annotations

import base64
import hashlib
import json
import sys
import zipfile
from dataclasses import replace
from functools import partial
from importlib.metadata import distribution
from pathlib import Path

import pytest

from editcore.errors import UsageError
from editcore.types import File
from harness.strategies.peers import PEERS, check_peer, environments
from harness.strategies.peers.environments import Package, environment_of, installation, installed
from reports.runs.parts import outcomes
from reports.runs.rows import Verdict
from tests.harness.program import Program
from tests.harness.strategies.peer_samples import AFTER, DIFF
from tests.samples import write_jsonl


def wheel_of(package: str, folder: Path, *, without: str = "") -> None:
    """An installed package as a wheel, as a registry would hand it out; `without` leaves a module's text out."""
    source = distribution(package)
    folder.mkdir(exist_ok=True)
    records = []
    stem = f"{source.name.replace('-', '_')}-{source.version}"
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as wheel:
        for file in source.files or ():
            if file.suffix == ".pyc" or file.name in ("RECORD", "INSTALLER", "REQUESTED"):
                continue
            data = b"" if file.name == without else file.locate().read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append(f"{file.as_posix()},sha256={digest},{len(data)}\n")
            wheel.writestr(file.as_posix(), data)
        record = f"{stem}.dist-info/RECORD"
        wheel.writestr(record, "".join([*records, f"{record},,\n"]))


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that pip and uv install from here, instead of a registry; there is nothing in it."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    settings = {
        "UV_OFFLINE": "1",
        "UV_FIND_LINKS": str(folder),
        "UV_CACHE_DIR": str(tmp_path / "cache"),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(folder),
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    return folder


@pytest.fixture
def peers(editgauge: Program, home: Path) -> Program:
    """Calls `editgauge peers`, with the environments in `home`."""
    del home
    return partial(editgauge, "peers")


def versions(peers: Program) -> dict[str, str | None]:
    document = json.loads(peers("ls", "--json").stdout)
    assert document["schema_version"] == 1
    return {row["name"]: row["version"] for row in document["peers"]}


@pytest.mark.slow
def test_a_peer_is_installed_run_and_removed(
    peers: Program, editgauge: Program, home: Path, wheels: Path, tmp_path: Path
) -> None:
    assert list(versions(peers)) == list(PEERS)
    assert versions(peers)["whatthepatch"] is None
    wheel_of("whatthepatch", wheels)
    answer = peers("install", "whatthepatch")
    assert (answer.returncode, answer.stdout) == (0, "installed whatthepatch 1.0.7: peer/whatthepatch\n"), answer.stderr
    assert "is already installed" in peers("install", "whatthepatch").stderr
    assert versions(peers)["whatthepatch"] == "whatthepatch 1.0.7"

    right = replace(DIFF, id="s1", target=tuple(File(path, text) for path, text in AFTER.items()))
    corpus = write_jsonl(tmp_path / "one.jsonl", [right])
    ran = editgauge("run", corpus, "-s", "peer/whatthepatch", "-o", "out", "-q", extra={"EDITGAUGE_PEERS": str(home)})
    assert ran.returncode == 0, ran.stderr
    assert [one.verdict for one in outcomes(tmp_path / "out")] == [Verdict.CORRECT]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    used = manifest["strategies"][0]
    assert (used["name"], used["version"]) == ("peer/whatthepatch", "whatthepatch 1.0.7")

    assert peers("remove", "whatthepatch").stdout == "removed whatthepatch: peer/whatthepatch\n"
    assert list(home.iterdir()) == []
    assert "not installed" in peers("remove", "whatthepatch").stderr


@pytest.mark.usefixtures("wheels")
def test_a_package_that_cannot_be_had_leaves_nothing_behind(peers: Program, home: Path) -> None:
    answer = peers("install", "whatthepatch")
    assert answer.returncode == 2
    what, _ = answer.stderr.splitlines()[-2:]
    assert what.startswith("error: whatthepatch 1.0.7 cannot be installed: ")
    assert list(home.iterdir()) == []


def test_a_package_that_does_not_work_leaves_nothing_behind(peers: Program, home: Path, wheels: Path) -> None:
    wheel_of("whatthepatch", wheels, without="apply.py")
    answer = peers("install", "whatthepatch")
    assert answer.returncode == 2
    what, _ = answer.stderr.splitlines()[-2:]
    assert what.startswith("error: peer/whatthepatch does not work here: the command ended with exit code 1: ")
    assert list(home.iterdir()) == []


def test_of_several_packages_those_that_can_be_had_are_installed(peers: Program, home: Path, wheels: Path) -> None:
    wheel_of("patch-ng", wheels)
    answer = peers("install", "whatthepatch", "patch_ng")
    assert answer.returncode == 2
    assert answer.stdout == "installed patch-ng 1.19.1: peer/patch_ng\n"
    sizes = ["whatthepatch 1.0.7: about 1 MB", "patch-ng 1.19.1: about 1 MB", "together about 2 MB"]
    assert answer.stderr.splitlines()[:3] == sizes
    assert answer.stderr.endswith("error: 1 of 2 packages could not be installed: whatthepatch\n  See above why.\n")
    assert [folder.name for folder in home.iterdir()] == ["patch-ng"]


@pytest.mark.parametrize(
    ("names", "what"),
    [
        (["nobody"], "There is no peer 'nobody'"),
        (["git_apply"], "git_apply is not a package: peer/git_apply runs the program git"),
    ],
)
def test_what_cannot_be_installed_is_the_users_mistake(names: list[str], what: str, peers: Program) -> None:
    for verb in ("install", "remove"):
        answer = peers(verb, *names)
        assert answer.returncode == 2
        assert answer.stderr.startswith(f"error: {what}\n  ")


@pytest.mark.slow
@pytest.mark.usefixtures("home")
def test_without_uv_pip_does_it(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "_uv", lambda: None)
    wheel_of("whatthepatch", wheels)
    peer = PEERS["whatthepatch"]
    assert peer.package
    with installation(peer.package):
        check_peer(peer)
    assert installed(peer.package) == "whatthepatch 1.0.7"


def test_an_environment_that_lost_its_python_or_its_end_is_not_installed(home: Path) -> None:
    package = Package("some-package", "1.0")
    folder = environment_of(package)
    assert folder == home / "some-package"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    assert installed(package) is None
    (folder / "installed.json").write_text('{"version": "0.9"}')
    assert installed(package) == "some-package 0.9"
    (folder / "bin" / "python").unlink()
    (folder / "bin" / "python").symlink_to(folder / "no-python")
    assert installed(package) is None


def test_an_interrupted_installation_leaves_nothing_behind(home: Path, wheels: Path) -> None:
    package = PEERS["whatthepatch"].package
    assert package
    wheel_of("whatthepatch", wheels)

    def interrupted() -> None:
        with installation(package):
            assert installed(package)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(home.iterdir()) == []


def test_a_package_for_another_python_says_which(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(home))
    with (
        pytest.raises(UsageError, match=r"old needs Python 3\.8 to 3\.9, which is not on the PATH"),
        installation(Package("old", "1", minors=(8, 9))),
    ):
        pass
    assert list(home.iterdir()) == []
