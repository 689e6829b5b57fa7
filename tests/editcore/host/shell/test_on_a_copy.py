"""A hostile command leaves nothing outside its folder: it is not run, or the sandbox holds it."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from editcore.errors import Unmeasured
from editcore.host.shell.on_a_copy import _run, check_file_commands, run_on_a_copy
from editcore.shell.programs import Place

FILES = {"a.py": "a = 1\n"}


@pytest.mark.parametrize(
    "command",
    [
        "curl http://example.com", "sed -i 's/a/b/e' a.py", "sed -i '1w /tmp/x' a.py", "sed -i 'r /etc/passwd' a.py",
        "cat /etc/passwd > a.py", "cat ../../x > a.py", "cd / && rm -rf *", "cd .. && touch x", "echo x > ~/x",
        "echo $(touch x)", "echo `touch x`", "a.py & ", "f() { f | f; }; f", "ln -s / link", "eval 'touch x'",
        "bash -c 'touch x'", "awk 'BEGIN { system(\"id\") }'", "awk '{ print > \"/tmp/x\" }' a.py",
        "exec 3<>/dev/tcp/1.1.1.1/80",
        "python3 -c \"import os; os.system('id')\"", "python3 -c \"open('/tmp/x', 'w')\"", "python3 -c \"eval('1')\"",
        "python3 -c \"().__class__\"", "python3 a.py", "perl -pi -e 's/a/`id`/e' a.py", "perl -pi -e 'system(1)' a.py",
        "ed a.py <<'EOF'\n!id\nEOF", "ed a.py <<'EOF'\nw /tmp/x\nEOF", "LD_PRELOAD=./x.so cat a.py", "source a.py",
        "./a.py",
        "cat <(id)", "while true; do cat a.py; done", "sed -i s/a/b/ /etc/passwd", "git checkout .",
    ],
)  # fmt: skip
def test_a_command_that_does_more_than_edit_its_files_is_not_run(command: str) -> None:
    with pytest.raises(Unmeasured):
        check_file_commands(command)


def test_the_sandbox_holds_what_the_first_wall_would_let_through(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        command = (
            f"echo in > made; echo out > {outside}/made; touch /tmp/made-by-a-command /dev/made /etc/made;"
            f" ln -s {outside} way;"
            f" echo out > way/made; mount -o remount,rw /; echo > /dev/tcp/127.0.0.1/{port} && echo net > net;"
            " env > env"
        )
        _run(inside, ".", command)
    assert not list(outside.iterdir())
    assert not Path("/tmp/made-by-a-command").exists()
    assert not Path("/etc/made").exists()
    assert sorted(one.name for one in inside.iterdir()) == ["env", "made", "way"]
    assert {line.partition("=")[0] for line in (inside / "env").read_text().splitlines()} <= {
        "PATH", "LC_ALL", "HOME", "PWD", "OLDPWD", "SHLVL", "_",
    }  # fmt: skip


def test_a_command_that_left_a_link_is_unmeasured() -> None:
    with pytest.raises(Unmeasured):
        run_on_a_copy(FILES, "ln -s /etc/passwd b.py", Place())


def test_a_file_that_grows_too_large_ends_the_command() -> None:
    with pytest.raises(Unmeasured):
        run_on_a_copy(FILES, "for i in 1 2 3 4 5 6 7 8 9 10; do for j in 1 2 3 4 5 6 7 8 9; do cat a.py a.py a.py a.py "
                      "a.py a.py a.py a.py a.py a.py > b.py; cp b.py a.py; done; done", Place())  # fmt: skip


def test_the_files_afterwards_and_the_exit_code_are_returned() -> None:
    assert run_on_a_copy(FILES, "sed -i s/1/2/ a.py; cp a.py b.py; false", Place()) == (
        1, {"a.py": "a = 2\n", "b.py": "a = 2\n"}, "",
    )  # fmt: skip
