"""The guard of `bash`: what it refuses, and the changes that it reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from editcore.host.tool import Result
from editcore.host.tools import TOOLS, Agent, Context, Host, Registry
from editcore.host.workspace import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "a.py").write_text("foo = 1\nbar = foo\n")
    (tmp_path / "src" / "b.py").write_text("x = 1\n")
    return tmp_path


def call(root: Path, command: str, *, mode: str = "check", description: str = "") -> Result:
    host = Host(Workspace(root, durable=False), shell_edits=mode)  # type: ignore[arg-type]
    params = {"command": command, "description": description}
    return Registry(host, TOOLS).call(Agent(), "bash", Context(on_ask=lambda _: True), params)


def test_an_edit_that_matches_nothing_is_refused_with_its_part_and_file(root: Path) -> None:
    result = call(root, "sed -i 's/fooo/bar/' a.py && echo done")
    assert result.is_error
    assert "s/fooo/bar/ matches nothing in a.py: nothing was changed" in result.output
    assert (root / "a.py").read_text() == "foo = 1\nbar = foo\n"


def test_the_advice_of_an_ambiguous_edit_works(root: Path) -> None:
    assert call(root, "sed -i 's/foo/baz/' a.py").metadata["reason"] == "ambiguous"
    assert not call(root, "sed -i '1s/foo/baz/' a.py").is_error
    assert (root / "a.py").read_text() == "baz = 1\nbar = foo\n"


@pytest.mark.parametrize("command", ["cd src && sed -i s/1/2/ b.py", "cd src && perl -pi -e s/1/2/ b.py"])
def test_the_answer_names_the_changed_file_with_a_diff(root: Path, command: str) -> None:
    result = call(root, command)
    assert result.metadata["changed"] == ["src/b.py"]
    assert "-x = 1\n+x = 2\n" in result.output


def test_a_new_and_a_removed_file_are_reported(root: Path) -> None:
    assert call(root, "cat > n.py <<'EOF'\nx\nEOF").metadata["changed"] == ["n.py"]
    assert call(root, "rm n.py").metadata["changed"] == ["n.py"]


@pytest.mark.parametrize(
    "command", ["ls", "python3 -c 'assert 0'", "grep -n foo a.py", "sed -n 1p a.py", "cat a.py | head"]
)
def test_a_command_that_edits_nothing_is_no_concern_of_the_guard(root: Path, command: str) -> None:
    for mode in ("check", "refuse", "allow"):
        result = call(root, command, mode=mode)
        assert not result.is_error
        assert "changed" not in result.metadata


@pytest.mark.parametrize(
    "command", ["sed -i s/1/2/ a.py", "perl -pi -e s/1/2/ a.py", "echo > a.py", "sed -i s/absent/x/ a.py"]
)
def test_every_edit_is_refused_where_shell_edits_are(root: Path, command: str) -> None:
    result = call(root, command, mode="refuse")
    assert result.is_error
    assert (root / "a.py").read_text() == "foo = 1\nbar = foo\n"


def test_nothing_is_checked_where_shell_edits_are_allowed(root: Path) -> None:
    assert not call(root, "sed -i s/absent/x/ a.py", mode="allow").is_error
