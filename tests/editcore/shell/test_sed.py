"""Sed worked out beside GNU sed itself, on drawn commands; and hostile patterns and scripts."""

from __future__ import annotations

import shutil
from collections import Counter

import pytest

from docs.sed_oracle import differing
from editcore.errors import Unmeasured
from editcore.shell.regexes import SedError
from editcore.shell.sed import Run
from editcore.shell.sed_scripts import options_of
from editcore.shell.simulation import simulate


@pytest.mark.skipif(shutil.which("sed") is None, reason="no sed")
def test_drawn_commands_leave_what_gnu_sed_leaves() -> None:
    reasons: Counter[str] = Counter()
    assert list(differing(400, 7, reasons)) == []
    assert reasons["compared"] > 150


@pytest.mark.slow
def test_50_000_drawn_commands_leave_what_gnu_sed_leaves() -> None:
    assert list(differing(50_000, 0, Counter())) == []


def edited(script: str, text: str, *options: str, gnu: bool = True) -> str:
    return Run(options_of([*options, script], gnu=gnu), gnu=gnu).edited(text)


def test_a_pattern_that_backtracks_elsewhere_is_linear() -> None:
    assert edited(r"s/\(a*\)*b/x/", "a" * 20_000 + "\n") == "a" * 20_000 + "\n"


@pytest.mark.parametrize(
    "script", ["s/(/x/", r"s/\(/x/", "s/a", "{", "}", "0p", "s/a/b/0", "y/a/bc/", r"s/a/\1/", "3q,", "dd"]
)
def test_a_script_that_sed_refuses_is_refused(script: str) -> None:
    try:
        assert edited(script, "(\n") is not None
    except (SedError, Unmeasured):
        return
    assert script == "s/(/x/"


@pytest.mark.parametrize(
    "text", ["echo 'a", "cat <<EOF\n", "\ue0000", "echo ${x:-y}", "for x in $y; do z; done", "((", "a" * 30_000]
)
def test_a_command_that_cannot_be_worked_out_is_unmeasured(text: str) -> None:
    with pytest.raises(Unmeasured):
        simulate({}, f"{text} > a.py")


@pytest.mark.parametrize(
    "source",
    [
        "while True: pass", "s = 'a'\nfor i in range(99): s = s + s", "s = 'a' * 10 ** 9",
        "''.join(['a'] * 10 ** 9)", "9 ** 9",
        "for i in range(10 ** 9): pass", "x = list(range(10 ** 9))", "s = 'a' * 10 ** 6\ns.replace('', s)",
        "def f(): f()", "(" * 500 + ")" * 500,
        "len(1)", "x", "open(1).read()", "s = open('a.py')\ns.nothing", "[].append()", "range(0, 1, 0)",
        "str.join", "int('x')",
    ],
)  # fmt: skip
def test_a_hostile_script_in_python_ends(source: str) -> None:
    try:
        simulate({"a.py": "a\n"}, f"python3 - <<'EOF'\n{source}\nEOF")
    except Unmeasured:
        return
