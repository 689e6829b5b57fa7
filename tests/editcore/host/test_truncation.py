"""A long output is cut to what a model can read, says so, and is kept in whole."""

from __future__ import annotations

import os
import re
import resource
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.host.tool import Context, Result, Tool
from editcore.host.truncation import Outputs, Shortened

Keep = Literal["head", "tail"]
ENDS: tuple[Keep, ...] = ("head", "tail")
WEEK_OLD, NEW = "output-20010101T000000.000000000-0123456789abcdef.txt", "output-99990101T000000.000000000-ab.txt"


@pytest.fixture
def outputs(tmp_path: Path) -> Outputs:
    return Outputs(tmp_path / "outputs", max_lines=3, max_bytes=100)


def parts(short: Shortened, keep: Keep) -> tuple[str, str, str]:
    """The kept text, and the two lines of the message."""
    pattern = (
        r"(?P<kept>.*)\n\n(?P<n>.*)\n(?P<where>.*)" if keep == "head" else r"(?P<n>.*?)\n(?P<where>.*?)\n\n(?P<kept>.*)"
    )
    found = re.fullmatch(pattern, short.text, re.DOTALL)
    assert found
    return found["kept"], found["n"], found["where"]


@pytest.mark.parametrize("keep", ENDS)
@pytest.mark.parametrize(
    "text", ["", "a", "a\nb\nc", "a\nb\nc\n", "\n\n\n", "x" * 100, "é" * 50, "\ud800", "x" * 99 + "\n"]
)
def test_what_is_within_the_limits_stays_as_it_is_and_nothing_is_written(
    outputs: Outputs, text: str, keep: Keep
) -> None:
    short = outputs.shortened(text, keep=keep)
    assert short == Shortened(text, 0, None)
    assert short.is_whole
    assert not outputs.directory.exists()


def test_too_many_lines_are_counted_and_the_first_are_kept(outputs: Outputs) -> None:
    text = "".join(f"{n}\n" for n in range(1237))
    short = outputs.shortened(text)
    assert short.path is not None
    assert short.text == (
        "0\n1\n2\n\n... 1,234 lines truncated ...\n"
        f"The whole output is in {short.path}. Use grep to search it or read with offset and limit to see parts of it."
    )
    assert (short.n_missing, short.is_whole) == (1234, False)
    assert short.path.read_text() == text


def test_of_the_tail_the_last_lines_are_kept_below_the_message(outputs: Outputs) -> None:
    short = outputs.shortened("a\nb\nc\nd\n", keep="tail")
    assert short.text.startswith("... 1 line truncated ...\nThe whole output is in ")
    assert short.text.endswith("parts of it.\n\nb\nc\nd\n")


@pytest.mark.parametrize("keep", ENDS)
def test_empty_lines_are_lines(outputs: Outputs, keep: Keep) -> None:
    assert outputs.shortened("\n" * 10, keep=keep).n_missing == 7


def test_too_many_bytes_are_counted_and_cut_between_lines(outputs: Outputs) -> None:
    text = "\n".join("x" * 40 for _ in range(3))
    kept, n, _ = parts(outputs.shortened(text), "head")
    assert (kept, n) == ("x" * 40 + "\n" + "x" * 40, "... 41 bytes truncated ...")
    kept, n, _ = parts(outputs.shortened(text, keep="tail"), "tail")
    assert (kept, n) == ("x" * 40 + "\n" + "x" * 40, "... 41 bytes truncated ...")


def test_a_line_that_fits_to_its_last_byte_is_kept(outputs: Outputs) -> None:
    assert parts(outputs.shortened("x" * 100 + "\nyy"), "head")[0] == "x" * 100
    assert parts(outputs.shortened("yy\n" + "x" * 100, keep="tail"), "tail")[0] == "x" * 100


@pytest.mark.parametrize(("character", "n_kept"), [("x", 100), ("é", 50), ("漢", 33), ("😀", 25), ("\ud800", 33)])
@pytest.mark.parametrize("keep", ENDS)
def test_a_line_that_is_too_long_is_cut_inside_but_no_character_is(
    outputs: Outputs, character: str, n_kept: int, keep: Keep
) -> None:
    short = outputs.shortened(character * 1000, keep=keep)
    kept, n, _ = parts(short, keep)
    assert kept == character * n_kept
    assert n == f"... {short.n_missing:,} bytes truncated ..."


@pytest.mark.parametrize("keep", ENDS)
def test_a_long_line_beside_a_short_one_is_cut_inside(outputs: Outputs, keep: Keep) -> None:
    text = "a\n" + "x" * 1000 + "\nb"
    kept, _, _ = parts(outputs.shortened(text, keep=keep), keep)
    assert kept == ("a\n" + "x" * 98 if keep == "head" else "x" * 98 + "\nb")


@pytest.mark.parametrize("keep", ENDS)
def test_with_a_task_tool_the_reading_is_given_away(outputs: Outputs, keep: Keep) -> None:
    *_, where = parts(outputs.shortened("\n" * 9, keep=keep, has_task=True), keep)
    assert "Have the task tool's agent search it with grep and read" in where
    assert "don't read all of it yourself" in where


@pytest.mark.parametrize("limits", [(0, 100), (3, 0), (0, 0)])
@pytest.mark.parametrize("keep", ENDS)
@pytest.mark.parametrize("text", ["a", "\n", "é\n", "a\nb\n"])
def test_a_limit_of_nothing_leaves_the_message(tmp_path: Path, limits: tuple[int, int], keep: Keep, text: str) -> None:
    none = Outputs(tmp_path / "none", max_lines=limits[0], max_bytes=limits[1])
    short = none.shortened(text, keep=keep)
    assert parts(short, keep)[0] == ""
    assert not short.is_whole
    assert none.shortened("", keep=keep).is_whole


def texts() -> st.SearchStrategy[str]:
    pieces = st.sampled_from(["\n", "\r\n", "a", "é", "漢", "😀", "\ud800", "x" * 30, "漢" * 30, "\n\n"])
    return st.one_of(st.text(), st.lists(pieces, max_size=60).map("".join))


@given(texts(), st.integers(0, 8), st.integers(0, 120), st.sampled_from(ENDS))
def test_what_is_kept_is_an_end_of_the_text_within_the_limits_and_the_file_has_it_all(
    tmp_path_factory: pytest.TempPathFactory, text: str, max_lines: int, max_bytes: int, keep: Keep
) -> None:
    outputs = Outputs(tmp_path_factory.getbasetemp() / "drawn", max_lines=max_lines, max_bytes=max_bytes)
    short = outputs.shortened(text, keep=keep)
    n_lines = text.count("\n") + (text != "" and not text.endswith("\n"))
    fits = n_lines <= max_lines and len(text.encode("utf-8", "surrogatepass")) <= max_bytes
    assert short.is_whole is fits
    if fits:
        assert short == Shortened(text)
        return
    kept, n, _ = parts(short, keep)
    assert text.startswith(kept) if keep == "head" else text.endswith(kept)
    assert len(kept.encode("utf-8", "surrogatepass")) <= max_bytes
    assert kept.count("\n") + (kept != "" and not kept.endswith("\n")) <= max_lines
    assert short.path is not None
    whole = short.path.read_bytes()
    short.path.unlink()
    assert whole == text.encode("utf-8", "backslashreplace")
    missing = len(whole) - len(kept.encode("utf-8", "backslashreplace"))
    assert short.n_missing == (n_lines - max_lines if "line" in n else missing) > 0


def test_a_lone_surrogate_is_escaped_in_the_file(outputs: Outputs) -> None:
    path = outputs.shortened("\ud800\n" * 9).path
    assert path is not None
    assert path.read_text("utf-8") == "\\ud800\n" * 9


def test_files_are_private_and_named_by_time(outputs: Outputs) -> None:
    paths = [outputs.shortened("\n" * 9).path for _ in range(5)]
    assert paths == sorted(paths, key=str)
    assert len(set(paths)) == 5
    assert stat.S_IMODE(outputs.directory.stat().st_mode) == 0o700
    for path in paths:
        assert path is not None
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert re.fullmatch(r"output-\d{8}T\d{6}\.\d{9}-[0-9a-f]{16}\.txt", path.name)


def test_threads_and_processes_write_beside_each_other(outputs: Outputs) -> None:
    program = (
        "import sys; from pathlib import Path; from editcore.host.truncation import Outputs\n"
        "for _ in range(20): print(Outputs(Path(sys.argv[1])).shortened('process\\n' * 3000).path)"
    )
    command = [sys.executable, "-c", program, str(outputs.directory)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process, ThreadPoolExecutor(4) as threads:
        ours = [*threads.map(lambda n: outputs.shortened(f"{n}\n" * 30), range(40))]
        theirs = process.communicate()[0].split()
    assert process.returncode == 0
    assert len({str(one.path) for one in ours} | set(theirs)) == 60
    for n, one in enumerate(ours):
        assert one.path is not None
        assert one.path.read_text() == f"{n}\n" * 30
    assert all(Path(path).read_text() == "process\n" * 3000 for path in theirs)


def test_the_default_directory_is_the_users_own() -> None:
    assert Outputs().directory.name == f"editgauge-outputs-{os.geteuid()}"


def is_refused(outputs: Outputs, why: str) -> None:
    short = outputs.shortened("é" * 500)
    kept, n, where = parts(short, "head")
    assert (kept, n, short.n_missing, short.path) == ("é" * 50, "... 900 bytes truncated ...", 900, None)
    assert where == f"The whole output could not be kept ({why}): ask for a smaller part if you need the rest."


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o720, 0o1777])
def test_a_directory_that_others_can_write_to_is_not_used(outputs: Outputs, mode: int) -> None:
    outputs.directory.mkdir()
    outputs.directory.chmod(mode)
    is_refused(outputs, "others can write to the directory for outputs")
    assert list(outputs.directory.iterdir()) == []


def test_a_directory_of_somebody_else_is_not_used(outputs: Outputs, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs.directory.mkdir(mode=0o700)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    is_refused(outputs, "others can write to the directory for outputs")


def test_a_link_instead_of_the_directory_is_not_followed(outputs: Outputs, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    outputs.directory.symlink_to(tmp_path / "elsewhere")
    is_refused(outputs, "not a directory")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_file_instead_of_the_directory_is_told(outputs: Outputs) -> None:
    outputs.directory.write_text("mine")
    is_refused(outputs, "not a directory")


def test_a_full_disk_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    """In a process that may write no more than 100,000 bytes to a file for a while."""
    outputs, before = Outputs(tmp_path / "outputs"), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        short = outputs.shortened("x" * 1_000_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (short.path, short.n_missing) == (None, 948_800)
    assert parts(short, "head")[2].startswith("The whole output could not be kept (file too large)")
    assert [path.name for path in outputs.directory.iterdir()] == [".swept"]


def test_old_outputs_are_removed_and_nothing_else_is(outputs: Outputs) -> None:
    outputs.directory.mkdir(mode=0o700)
    others = ["notes.txt", "output-1.txt", f"{WEEK_OLD}.bak", f"my-{WEEK_OLD}", NEW, WEEK_OLD.upper()]
    for name in (WEEK_OLD, *others):
        (outputs.directory / name).write_text("x")
        os.utime(outputs.directory / name, (0, 0))
    folder = outputs.directory / WEEK_OLD.replace("abcdef", "000000")
    folder.mkdir()
    path = outputs.shortened("\n" * 9).path
    assert path is not None
    assert {one.name for one in outputs.directory.iterdir()} == {*others, folder.name, path.name, ".swept"}


def test_outputs_are_looked_at_once_an_hour(outputs: Outputs) -> None:
    outputs.shortened("\n" * 9)
    old, swept = outputs.directory / WEEK_OLD, outputs.directory / ".swept"
    old.write_text("x")
    outputs.shortened("\n" * 9)
    assert old.exists()
    os.utime(swept, (time.time() - 3700,) * 2)
    outputs.shortened("\n" * 9)
    assert not old.exists()
    assert time.time() - swept.stat().st_mtime < 60


@pytest.mark.parametrize(("kept_days", "remains"), [(7.0, True), (0.001, False), (float("inf"), True)])
def test_an_output_is_kept_for_its_days(tmp_path: Path, kept_days: float, remains: bool) -> None:
    directory = tmp_path / "outputs"
    directory.mkdir(mode=0o700)
    hour_ago = time.strftime("output-%Y%m%dT%H%M%S.000000000-0123456789abcdef.txt", time.gmtime(time.time() - 3600))
    (directory / hour_ago).write_text("x")
    Outputs(directory, max_lines=1, kept_days=kept_days).shortened("\n\n\n")
    assert (directory / hour_ago).exists() is remains


def test_what_another_process_removes_meanwhile_is_no_error(outputs: Outputs, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs.directory.mkdir(mode=0o700)
    real = os.listdir
    monkeypatch.setattr(os, "listdir", lambda place: [*real(place), WEEK_OLD])
    assert outputs.shortened("\n" * 9).path is not None


@pytest.mark.parametrize("keep", ENDS)
def test_the_result_of_a_tool_tells_where_the_whole_is(outputs: Outputs, keep: Keep) -> None:
    tool: Tool[Any] = Tool("count", "", Shortened, lambda *_: Result("t", "1\n2\n3\n4\n"), outputs=outputs, keep=keep)
    result = tool.execute(Context(), {"text": ""})
    assert result.metadata["truncated"] is True
    assert Path(result.metadata["output_path"]).read_text() == "1\n2\n3\n4\n"
    assert ("1\n" in result.output, "4\n" in result.output) == (keep == "head", keep == "tail")
    outputs.directory.chmod(0o777)
    assert tool.execute(Context(), {"text": ""}).metadata == {"truncated": True}


def test_a_big_output_takes_little_memory(tmp_path: Path) -> None:
    """15 MB, in a process of its own: how much above the text it takes."""
    program = (
        "import resource, sys; from pathlib import Path; from editcore.host.truncation import Outputs\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "outputs, text = Outputs(Path(sys.argv[1])), '漢' * 5_000_000\n"
        "outputs.shortened('x' * 1_000_000)\n"
        "before = peak(); outputs.shortened(text)\n"
        "print((peak() - before) / 1024)"
    )
    said = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "o")], capture_output=True, text=True, check=True
    )
    assert float(said.stdout) < 20  # Twice the 10 MB that the text takes.
