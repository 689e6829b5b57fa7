"""Peers: real packages behind their adapters, programs in folders, and the commands that install and remove them."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib.metadata import distribution
from pathlib import Path

import pytest

from corpora.load import segments
from corpora.sample import Sample
from editcore.errors import UsageError
from editcore.types import Applied, Edit, EditResult, File, Reason, Rejected
from harness.conform import peer_versions
from harness.run.job import Job, run_job
from harness.run.latency import Stopwatch
from harness.strategies.external import Command
from harness.strategies.peers import PEERS, check_peer, environments, peer_strategies, strategy_of
from harness.strategies.peers.environments import (
    Package,
    Peer,
    adapter_command,
    environment_of,
    installation,
    installed,
)
from harness.strategies.peers.programs import apply_with_program
from harness.strategies.protocol import CommandError
from harness.strategies.strategy import Strategy, example_sample
from reports.runs.parts import outcomes
from reports.runs.rows import Verdict
from tests.harness.program import Program, call, mistake
from tests.harness.strategies.peer_samples import AFTER, DIFF, example
from tests.samples import sample, write_jsonl

IMPORTABLE = ["diff_match_patch", "whatthepatch", "patch_ng"]
"""The peers whose packages the tests' own environment has."""
PROGRAMS = [peer for peer in PEERS.values() if peer.package is None and shutil.which(peer.command[0])]

Apply = Callable[[Sample], EditResult]


def adapter(name: str) -> Command:
    """The adapter of a peer under the interpreter of the tests."""
    package = PEERS[name].package
    assert package
    (_, *arguments), environment = adapter_command(name, package)
    return Command(name, [sys.executable, *arguments], environment)


@pytest.fixture(params=IMPORTABLE)
def command(request: pytest.FixtureRequest) -> Iterator[Command]:
    one = adapter(request.param)
    yield one
    one.finish(5)


def patched(patch: str, *before: File) -> Sample:
    return replace(DIFF, patch=patch, before=before or DIFF.before)


# The table


def test_a_name_says_one_peer_and_what_it_needs() -> None:
    for name, peer in PEERS.items():
        assert peer.name == name
        assert peer.summary
        assert "\n" not in peer.summary
        assert peer.package or peer.command
        if peer.package and not peer.command:
            ending = "mjs" if peer.package.is_library else "py"
            assert (
                Path(environments.__file__).parent / "adapters" / f"{peer.package.adapter or name}.{ending}"
            ).is_file()


def test_what_is_not_installed_is_no_strategy_and_says_how_to_have_it(home: Path, editgauge: Program) -> None:
    assert [one.name for one in peer_strategies()] == [f"peer/{peer.name}" for peer in PROGRAMS]
    answer = editgauge("run", "smoke", "-s", "peer/aider_udiff", extra={"EDITGAUGE_PEERS": str(home)})
    assert answer.returncode == 2
    assert answer.stderr == ("error: peer/aider_udiff is not installed\n  Run `editgauge peers install aider_udiff`.\n")


# Adapters


def test_each_adapter_makes_the_change_it_is_asked_for(command: Command, request: pytest.FixtureRequest) -> None:
    peer = PEERS[request.node.callspec.params["command"]]
    for form in peer.formats:
        result = command.apply(example(form, whole=peer.needs_context))
        assert isinstance(result, Applied)
        assert result.files == AFTER
    # What is asked of it when it is installed.
    asked = example_sample(peer.formats[0], whole=peer.needs_context)
    result = command.apply(asked)
    assert isinstance(result, Applied)
    assert result.files == {file.path: file.content for file in asked.target or ()}


def test_each_adapter_refuses_and_goes_on(command: Command, request: pytest.FixtureRequest) -> None:
    peer = PEERS[request.node.callspec.params["command"]]
    form = peer.formats[0]
    elsewhere = replace(example(form), before=(File("a.py", "\n".join("qwertyuiop") * 30),))
    for _ in range(2):
        result = command.apply(elsewhere)
        assert isinstance(result, Rejected)
        assert result.reason == Reason.NO_MATCH
        assert result.message
        assert "\n" not in result.message
    assert isinstance(command.apply(example(form, whole=peer.needs_context)), Applied)


@pytest.mark.parametrize("name", ["whatthepatch", "patch_ng"])
@pytest.mark.parametrize("patch", ["", "nonsense", "--- a/a.py\n+++ b/a.py\n@@\n-two = 2\n+two = 22\n"])
def test_what_a_package_cannot_read_is_malformed(name: str, patch: str) -> None:
    result = adapter(name).apply(patched(patch))
    assert isinstance(result, Rejected)
    assert result.reason == Reason.MALFORMED


@pytest.mark.parametrize("name", ["whatthepatch", "patch_ng"])
def test_a_patch_of_several_files_makes_and_deletes_some(name: str) -> None:
    patch = (
        "diff --git a/old.py b/old.py\nindex 1..0\n--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n"
        "diff --git a/new.py b/new.py\nindex 0..1\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+come\n"
        f"diff --git a/a.py b/a.py\nindex 1..2 100644\n{DIFF.patch}"
    )
    result = adapter(name).apply(patched(patch, File("old.py", "gone\n"), *DIFF.before))
    assert isinstance(result, Applied)
    assert result.files == {"new.py": "come\n", **AFTER}


def test_whatthepatch_leaves_the_ends_of_lines_as_they_were() -> None:
    before = "one = 1\r\ntwo = 2\r\nthree = 3"
    result = adapter("whatthepatch").apply(patched(DIFF.patch or "", File("a.py", before)))
    assert isinstance(result, Applied)
    assert result.files == {"a.py": "one = 1\r\ntwo = 22\r\nthree = 3"}


def test_whatthepatch_says_which_file_is_not_there() -> None:
    result = adapter("whatthepatch").apply(patched(DIFF.patch or "", File("b.py", "two = 2\n")))
    assert result == Rejected(Reason.NOT_FOUND, "a.py is not there")


def test_diff_match_patch_finds_text_that_is_a_little_off_far_down() -> None:
    before = "x = 0\n" * 1000 + "def total(basket):\n    return sum(basket)\n"
    one = sample(0, before, "def total( basket):\n    return sum(basket)\n", "def total(basket):\n    return 0\n")
    result = adapter("diff_match_patch").apply(one)
    assert isinstance(result, Applied)
    assert result.files == {"a.py": before.replace("sum(basket)", "0")}
    every = replace(one, edits=(Edit("x = 0\n", "x = 1\n", replace_all=True),))
    refused = adapter("diff_match_patch").apply(every)
    assert isinstance(refused, Rejected)
    assert refused.reason == Reason.NOT_ALLOWED


@pytest.mark.parametrize("path", ["../outside.py", "/outside.py"])
def test_a_file_of_a_sample_is_not_laid_out_outside(path: str) -> None:
    result = adapter("patch_ng").apply(patched(DIFF.patch or "", File(path, "two = 2\n")))
    assert isinstance(result, Rejected)
    assert result.reason == Reason.OUTSIDE_WORKSPACE


def test_an_adapter_whose_package_is_gone_says_so_in_a_line() -> None:
    with pytest.raises(
        CommandError, match="ended with exit code 1: ModuleNotFoundError: No module named 'aider'"
    ) as it:
        adapter("aider_udiff").apply(DIFF)
    assert "\n" not in str(it.value)


def test_starting_up_is_no_part_of_a_call(tmp_path: Path) -> None:
    started = []

    def start() -> None:
        subprocess.run(["sleep", "0.4"], check=True)
        started.append(1)

    def apply(one: Sample, _: object) -> EditResult:
        return (
            Applied(files={file.path: file.content for file in one.before}) if started else Rejected(Reason.EMPTY, "")
        )

    slow = Strategy("test/slow", frozenset(["str_replace"]), apply, "Starts slowly.", "1", start=start)
    (only,) = segments(write_jsonl(tmp_path / "a.jsonl", [sample()]))
    (tmp_path / "run").mkdir()
    with Stopwatch() as stopwatch:
        run_job(Job(only, tmp_path / "run", 0.2, skip_bad=False), [slow], [0, 0, 0, 0], stopwatch)
    (outcome,) = outcomes(tmp_path / "run")
    assert outcome.verdict == Verdict.WRONG_EDIT


# Programs


@pytest.mark.parametrize("peer", [one for one in PROGRAMS if not one.needs_context], ids=lambda peer: peer.name)
def test_a_program_works_in_a_folder_of_its_own(peer: Peer) -> None:
    check_peer(peer)
    (strategy,) = [one for one in peer_strategies() if one.name == f"peer/{peer.name}"]
    assert strategy.version
    outside = patched((DIFF.patch or "").replace("/a.py", "/../../b.py"))
    result = strategy.apply(outside, None)
    assert isinstance(result, Rejected)
    assert result.reason == Reason.NO_MATCH
    nonsense = strategy.apply(patched("@@ nonsense @@\n*** x\n"), None)
    assert isinstance(nonsense, Rejected)
    assert "\n" not in nonsense.message


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_git_merges_an_edit_or_finds_a_conflict() -> None:
    peer = PEERS["git_three_way"]
    check_peer(peer)
    merge = strategy_of(peer)
    assert merge
    assert isinstance(merge.apply(example("str_replace"), None), Rejected)
    every = replace(example("str_replace"), edits=(Edit("two = 2\n", "x\n", replace_all=True),))
    refused = merge.apply(every, None)
    assert isinstance(refused, Rejected)
    assert refused.reason == Reason.NOT_ALLOWED


@pytest.fixture
def envelopes(tmp_path: Path) -> Apply:
    """A program for envelopes that never refuses: it puts what it reads where the last line says."""
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\ncat > patch\ncp patch "$(tail -n 1 patch)"\n')
    program.chmod(0o755)
    return lambda one: apply_with_program([str(program)], one, None)


@pytest.mark.parametrize(
    "line", ["*** Add File: {}", " *** Update File:{}", "*** Move to: {} ", "***  Delete File: {}"]
)
def test_an_envelope_that_leaves_the_folder_is_not_run(line: str, envelopes: Apply, tmp_path: Path) -> None:
    for path in (str(tmp_path / "written"), "../written"):
        envelope = f"*** Begin Patch\n{line.format(path)}\n+x\n*** End Patch\n{tmp_path / 'written'}"
        result = envelopes(replace(example("begin_patch"), patch=envelope))
        assert isinstance(result, Rejected)
        assert result.reason == Reason.OUTSIDE_WORKSPACE
    assert not (tmp_path / "written").exists()


# Peers that are packages: how they are installed, each in an environment of its own, and removed.


def wheel_of(
    package: str, folder: Path, *, without: str = "", version: str = "", change: tuple[str, str] = ("", "")
) -> None:
    """An installed package as a wheel, as a registry would hand it out; `without` leaves a module's text out.

    `version` is another version of it, in which `change` replaces a text of its sources.
    """
    source = distribution(package)
    folder.mkdir(exist_ok=True)
    records, name = [], source.name.replace("-", "_")
    stem = f"{name}-{version or source.version}"
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as wheel:
        for file in source.files or ():
            if file.suffix == ".pyc" or file.name in ("RECORD", "INSTALLER", "REQUESTED"):
                continue
            data = b"" if file.name == without else file.locate().read_bytes()
            path = file.as_posix()
            if version:
                path = path.replace(f"{name}-{source.version}", stem)
                data = data.replace(*(text.encode() for text in change))
                data = data.replace(f"Version: {source.version}".encode(), f"Version: {version}".encode())
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append(f"{path},sha256={digest},{len(data)}\n")
            wheel.writestr(path, data)
        record = f"{stem}.dist-info/RECORD"
        wheel.writestr(record, "".join([*records, f"{record},,\n"]))


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that pip and uv install from here, instead of a registry; there is nothing in it."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    settings = {
        "UV_OFFLINE": "1", "UV_FIND_LINKS": str(folder), "UV_CACHE_DIR": str(tmp_path / "cache"), "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(folder),
    }  # fmt: skip
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


@pytest.mark.slow
def test_a_change_in_the_version_that_is_published_is_found(
    home: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted change: a hunk whose context is not in the file is no error any more."""
    wheel_of("whatthepatch", wheels)
    wheel_of("whatthepatch", wheels, version="9.9.9", change=("if lines[old - 1] != line:", "if False:"))
    monkeypatch.setattr(peer_versions, "N_DRAWN", 200)
    monkeypatch.setattr(peer_versions, "published_version", lambda _: "9.9.9")
    done = call("peers", "check", "whatthepatch")
    assert done.exit_code == 1, done.exception
    assert done.stdout, done.exception
    first, *_ = done.stdout.splitlines()
    assert re.fullmatch(
        r"whatthepatch 1\.0\.7 -> 9\.9\.9: peer/whatthepatch: [1-9][\d,]* of [\d,]+ answers differ", first
    )
    assert "whatthepatch 1.0.7 refuses: no_match" in done.stdout
    assert [path.name for path in home.iterdir()] == ["whatthepatch"]


def test_what_no_registry_answers_for_and_what_is_newest_is_said(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del home
    assert "No peer is installed" in mistake("peers", "check")
    for published, said in ((None, "no registry answered"), ("1.0.7", "it is the newest")):
        monkeypatch.setattr(peer_versions, "published_version", lambda _, published=published: published)
        done = call("peers", "check", "whatthepatch")
        assert (done.exit_code, done.stdout) == (0, f"whatthepatch 1.0.7: {said}\n")


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


def test_an_installer_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "_INSTALL_S", 0.1)
    with pytest.raises(UsageError, match="is not installed after"):
        environments._call(["sleep", "600"], Package("diff", "9.0.0"))
