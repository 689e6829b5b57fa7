"""What a command is worked out to do is what bash, with the programs of this machine, does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from editcore.shell.programs import Place
from editcore.shell.simulation import simulate
from editcore.shell.words import Unmeasured

FILES = {
    "a.py": "width = 1\nheight = 2\n\nprint(width, height)\n",
    "b.py": "width = 3\n",
    "sub/c.txt": "one\ntwo\nthree\n",
    "crlf.txt": "one\r\ntwo\r\n",
}
CASES = Path(__file__).parents[2] / "cases" / "beside_bash"


def _pieces(name: str) -> list[str]:
    """The cases of a file, divided by lines of three dashes."""
    return [one.strip("\n") for one in (CASES / name).read_text("utf-8").split("\n---\n")]


def _left(folder: Path) -> dict[str, str]:
    paths = [one for one in folder.rglob("*") if one.is_file()]
    return {one.relative_to(folder).as_posix(): one.read_bytes().decode() for one in paths}


SCRIPTS = [f"python3 - <<'PY'\n{one}\nPY" for one in _pieces("scripts_in_python.txt")]


@pytest.mark.parametrize("command", [*_pieces("commands.txt"), *SCRIPTS])
def test_the_files_afterwards_are_those_that_bash_leaves(command: str, tmp_path: Path) -> None:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(text.encode())
    program = tmp_path.parent / "bin"
    program.mkdir(exist_ok=True)
    (program / "python3").unlink(missing_ok=True)
    (program / "python3").symlink_to(sys.executable)
    environment = {"PATH": f"{program}:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, check=False, timeout=60)
    assert simulate(FILES, command, place=Place()).files == _left(tmp_path)


@pytest.mark.parametrize("command", _pieces("unmeasured.txt"))
def test_what_its_text_does_not_say_is_not_worked_out(command: str) -> None:
    with pytest.raises(Unmeasured):
        simulate(FILES, command, place=Place())


@pytest.mark.parametrize("command", _pieces("too_much.txt"))
def test_what_would_take_long_is_given_up(command: str) -> None:
    with pytest.raises(Unmeasured, match=r"too m|too la"):
        simulate({"a.py": "x = 1\n" * 50_000, "b.txt": "b" * 300_000}, command, place=Place())
