"""Commands, patterns for more commands of their kind, and paths, read from the text of a script."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.shell.script import Script, read_script
from tests.rows import rows

HOME = str(Path.home())


@pytest.mark.parametrize(("text", "commands"), rows("each_simple_command_is_found"))
def test_each_simple_command_is_found(text: str, commands: list[str]) -> None:
    assert read_script(text).commands == tuple(commands)


@pytest.mark.parametrize(("text", "always"), rows("a_yes_for_always_covers_commands_of_that_kind"))
def test_a_yes_for_always_covers_commands_of_that_kind(text: str, always: str) -> None:
    assert read_script(text).always == (always,)


WRAPPERS = (
    "setsid", "stdbuf -o0", "flock f", "busybox", "python3.11 -c", "python3 -c", "perl -e", "fish -c", "bash -c", "env",
    "nice", "nohup", "timeout 1", "ionice", "chrt 1", "script -c", "watch", "ssh h", "su -c", "sudo", "doas", "unshare",
    "nsenter", "chroot .", "make -f", "npm run", "git -c a=b", "git --exec-path=.", "git co", "git log", "git grep",
    "find . -exec", "xargs", "command", "builtin", "exec", "eval", "time", "coproc", "trap", "parallel", "gawk", "awk",
    "mawk", "sed -e", "sort", "tar", "rg", "docker run", "printf -v", "test -v", "[", "let", "read", "unset", "export",
    "A=1", "LD_PRELOAD=e", "PATH=.", "/bin/ls", "./ls", "l''s", "\\\\ls", "$x", "strace", "never_heard_of", "alias",
)  # fmt: skip
"""Beginnings of commands that run, or may run, what follows."""


@pytest.mark.parametrize("wrapper", WRAPPERS)
@given(rest=st.lists(st.sampled_from(["rm", "x", "-v", "log", "run", "'a b'", "e=f", "../y", "status"]), max_size=4))
def test_a_yes_for_always_to_what_can_run_anything_covers_that_command_alone(wrapper: str, rest: list[str]) -> None:
    text = " ".join([wrapper, *rest])
    found = read_script(text)
    assert set(found.always) <= set(found.commands)


@pytest.mark.parametrize("text", ["docker run *", "[ -f x ]", "./a ?", "find . -name '*.py'"])
def test_a_command_with_wildcards_has_no_pattern_since_it_would_cover_others(text: str) -> None:
    assert read_script(text).always == ()


def test_where_a_function_may_hide_a_command_no_pattern_covers_more_than_it() -> None:
    assert read_script("ls() { rm x; }; ls a").always == ("rm x", "ls a")


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("cd /a && rm -rf ../b; cat c", ["/a", "../b", "/a/../b", "c", "/a/c"]),
        ("cp -r /a /b; mv c d; mkdir -p e; touch f; chmod 755 g", ["/a", "/b", "c", "d", "e", "f", "755", "g"]),
        ('cat "/a b" \'/c d\' /e\\ f g"h"', ["/a b", "/c d", "/e f", "gh"]),
        ('rm ~ ~/a $HOME/b "${HOME}/c"', [HOME, f"{HOME}/a", f"{HOME}/b", f"{HOME}/c"]),
        ("cd; rm a", [HOME, "a", f"{HOME}/a"]),
        ("rm '~/a' /b/*.txt /c?/d *", ["~/a", "/b", "/", ""]),
        ("(ls; make > /a) 2>> /b < /c &> /d", ["/a", "/b", "/c", "/d"]),
        ("ls 2>&1 >/dev/null; cat /dev/null; ls >&2", []),
        ("if (cat /a) then b; fi", ["/a"]),
        ("cat /a; echo 'b", ["/a"]),
        ("grep /p /f; head -n 1 /g; ls /h; cat -- -i", ["/f", "1", "/g", "/h", "-i"]),
        # Only running it could tell.
        ("cd $X/a; rm `b` $(c) <(d); cat $'e'; HOME=/x rm", []),
        ("rm 'a\nb' \"c", ["a\nb"]),
        ('rm b"{', []),
    ],
)
def test_paths_that_are_named_are_found(text: str, paths: list[str]) -> None:
    assert read_script(text).paths == tuple(paths)


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("rm {a,../b} {1..3} a{b}", ["{a,../b}", "{1..3}"]),
        ("rm $X/a `b` $(c) <(d) $'e'", ["$X/a", "`b`", "$(c)", "<(d)", "$'e'"]),
        ("cd $X; ls > $Y; ls > *.txt", ["$X", "$Y", "*.txt"]),
        ("cd a; cd b; cd c; cd d; cd e", ["e"]),
        ("if rm /a; then b", ["if rm /a; then b"]),
        ("ls " + "a" * 10_000, ["ls " + "a" * 10_000]),
    ],
)
def test_paths_that_only_running_it_could_tell_are_unknown(text: str, unknown: list[str]) -> None:
    assert read_script(text).unknown == tuple(unknown)


def test_files_that_are_written_and_words_that_lead_outside_are_found() -> None:
    found = read_script("ls >a 2>>../b <c &>d >&2; tee -a e f | cat >| /g")
    assert found.writes == ("a", "../b", "d", "e", "f", "/g")
    found = read_script("sed -i s/a/b/ ../x --f=/y -I../z in; mv -t../t a --target-directory=~/u; cut -d/ f; echo /no")
    assert found.mentioned == ("../x", "/y", "../z", "../t", f"{HOME}/u")


@pytest.mark.parametrize("text", ["(" * 4999 + "a" + ")" * 4999, "a && " * 1999 + "a", "$(" * 4999, "a|" * 50_000])
def test_a_deep_or_long_script_is_read(text: str) -> None:
    assert read_script(text).commands in (("a",), (text,))


@given(
    st.lists(
        st.sampled_from([*"ab $(){}|&;<>'\"`\\\n[]=#!*~-", "if ", "then ", "fi", "<<E\n", "é", "do "]), max_size=25
    )
)
def test_any_text_is_read_as_something(pieces: list[str]) -> None:
    text = "".join(pieces)
    found = read_script(text)
    assert isinstance(found, Script)
    assert found.commands
    assert found.always or any(character in text for character in "*[")
    assert all(command in text for command in found.commands)
