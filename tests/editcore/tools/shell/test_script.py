"""What a script is about to do, read from its text: the commands, the patterns for more of their kind, the paths."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.tools.shell.script import Script, read_script

HOME = str(Path.home())


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("ls", ["ls"]),
        ("a | b && c || d; e & f", ["a", "b", "c", "d", "e", "f"]),
        (
            'echo $(git status; echo "`date`")',
            ['echo $(git status; echo "`date`")', "git status", 'echo "`date`"', "date"],
        ),
        ("if test -f x; then a; elif b; then c; else (d; { e; }); fi", ["test -f x", "a", "b", "c", "d", "e"]),
        ("for i in $(a) 2; do b $i; done; while c; do d; done < x", ["a", "b $i", "c", "d", "< x"]),
        ("case $1 in a) b;; *) c;; esac", ["b", "c"]),
        ("f() { a; }; f x", ["a", "f x"]),
        ("diff <(a) <(b) > c", ["diff <(a) <(b) > c", "a", "b"]),
        ("cat <<E\n$(a)\nE\nb", ["cat <<E\n$(a)\nE", "a", "b"]),
        ("cat <<E | b\nx\nE", ["cat <<E | b\nx\nE", "b"]),
        ("(a; b) > c 2>&1", ["a", "b", "> c"]),
        ("> a", ["> a"]),
        ("! a; time b; [[ -f $(c) ]] && [ d ]", ["a", "time b", "[[ -f $(c) ]]", "c", "[ d ]"]),
        ("A=$(a) B=2; C=3 b; export D=4; unset E", ["A=$(a)", "a", "B=2", "C=3 b", "export D=4", "unset E"]),
        ("for ((i=0; i<3; i++)); do a; done", ["a"]),
        ("a; a # b", ["a"]),
        ("écho ü | b", ["écho ü", "b"]),
        # Not to be read as commands, or none in it.
        ("a; echo 'b", ["a; echo 'b"]),
        ("if a; then b", ["if a; then b"]),
        ("# a", ["# a"]),
        (" ", [" "]),
        ("((i++))", ["((i++))"]),
    ],
)
def test_each_simple_command_is_found(text: str, commands: list[str]) -> None:
    assert read_script(text).commands == tuple(commands)


@pytest.mark.parametrize(
    ("text", "always"),
    [
        ("ls -la x", "ls *"),
        ("git status --short", "git status *"),
        ("npm run test -- -v", "npm run *"),
        ("/usr/bin/git log -1", "/usr/bin/git log *"),
        ("CI=1 cargo test x > y", "CI=1 cargo test *"),
        ("./run.sh now", "./run.sh *"),
        # What an agreement must not cover: an option that comes first, another program, whatever a variable holds.
        ("git -C / status", "git -C / status"),
        ("git", "git"),
        ("docker $x", "docker $x"),
        ("sudo ls", "sudo ls"),
        ("/usr/bin/env a", "/usr/bin/env a"),
        ("python3 -c 'x' > y", "python3 -c 'x' > y"),
        ("$x a", "$x a"),
        ('"ls" a', '"ls" a'),
        ("PATH=/x", "PATH=/x"),
        ("export PATH=/x", "export PATH=/x"),
        ("echo 'a", "echo 'a"),
    ],
)
def test_a_yes_for_always_covers_commands_of_that_kind(text: str, always: str) -> None:
    assert read_script(text).always == (always,)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("cd /a && rm -rf ../b; cat c", ["/a", "../b", "c"]),
        ("cp -r /a /b; mv c d; mkdir -p e; touch f; chmod 755 g", ["/a", "/b", "c", "d", "e", "f", "755", "g"]),
        ('cat "/a b" \'/c d\' /e\\ f g"h"', ["/a b", "/c d", "/e f", "gh"]),
        ('cd ~; cd ~/a; rm $HOME/b "${HOME}/c"', [HOME, f"{HOME}/a", f"{HOME}/b", f"{HOME}/c"]),
        ("rm '~/a' /b/*.txt /c?/d *", ["~/a", "/b", "/", ""]),
        ("(ls; make > /a) 2>> /b < /c &> /d", ["/a", "/b", "/c", "/d"]),
        ("ls 2>&1 >/dev/null; cat /dev/null; ls >&2", []),
        ("if (cat /a) then b; fi", ["/a"]),
        ("cat /a; echo 'b", ["/a"]),
        # Only running it could tell.
        ("cd $X/a; rm `b` $(c) <(d); cat $'e'; ls /f; HOME=/x rm", []),
        ("rm 'a\nb' \"c", ["a\nb"]),
        ('rm b"{', []),
    ],
)
def test_paths_that_are_named_are_found(text: str, paths: list[str]) -> None:
    assert read_script(text).paths == tuple(paths)


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
    assert found.always
    assert all(command in text for command in found.commands)
