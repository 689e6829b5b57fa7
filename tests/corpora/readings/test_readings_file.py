"""Readings files: a given answer survives any interruption, and half a line is no answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.readings.reading import REASONS, Reading, decode, encode, question_fingerprint
from corpora.readings.readings_file import ReadingsFile, answers
from editcore.errors import UsageError
from editcore.types import File
from tests.samples import sample

AT = "2026-11-22T21:00:00Z"
REFUSED = Reading("s0", "0" * 32, "refuse", "jane", AT, reason="absent")
RIGHT = Reading("s1", "1" * 32, "apply", "jane", AT, (File("a.py", "x = 2\n"),), strategies=("cascade/exact",))
SKIPPED = Reading("s2", "2" * 32, "skip", "jane", AT)


def undo(reading: Reading) -> Reading:
    return replace(reading, answer="undo", target=None, reason=None, strategies=())


def written(path: Path, *readings: Reading) -> Path:
    with ReadingsFile(path) as file:
        for one in readings:
            file.add(one)
    return path


def test_answers_are_kept_and_the_last_one_of_a_sample_counts(tmp_path: Path) -> None:
    again = replace(REFUSED, reason="already")
    path = written(tmp_path / "a.readings", REFUSED, RIGHT, SKIPPED)
    written(path, again)
    assert answers(path) == {"s0": again, "s1": RIGHT}
    written(path, undo(again))
    assert answers(path)["s0"] == REFUSED
    written(path, undo(REFUSED), undo(REFUSED))
    assert answers(path) == {"s1": RIGHT}


@pytest.mark.parametrize("cut", [1, 20, -1])
def test_an_answer_that_was_cut_off_is_dropped_and_no_other(tmp_path: Path, cut: int) -> None:
    path = written(tmp_path / "a.readings", REFUSED, RIGHT)
    whole = path.read_bytes()
    torn = encode(SKIPPED).rstrip(b"\n")[:cut]
    path.write_bytes(whole + torn)
    assert answers(path) == {"s0": REFUSED, "s1": RIGHT}
    with ReadingsFile(path) as file:
        assert file.n_dropped_bytes == len(torn)
        file.add(SKIPPED)
    assert path.read_bytes() == whole + encode(SKIPPED)


def test_a_last_answer_without_a_line_feed_is_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "a.readings"
    path.write_bytes(encode(REFUSED) + encode(RIGHT).rstrip(b"\n"))
    written(path, SKIPPED)
    assert path.read_bytes() == encode(REFUSED) + encode(RIGHT) + encode(SKIPPED)


def test_a_file_that_takes_the_place_of_a_sessions_is_never_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.readings"
    restored = written(tmp_path / "backup", REFUSED)
    with ReadingsFile(path):
        restored.replace(path)
    assert answers(path) == {"s0": REFUSED}


@pytest.mark.parametrize("removed", [True, False])
def test_an_answer_that_would_go_to_a_file_without_a_name_is_an_error(tmp_path: Path, removed: bool) -> None:
    path = tmp_path / "a.readings"
    with ReadingsFile(path) as first:
        path.unlink()
        if not removed:
            written(path, REFUSED)
        with pytest.raises(OSError, match="was removed or replaced meanwhile"):
            first.add(RIGHT)
        assert not first.readings.by_sample()
    assert (answers(path) if path.exists() else {}) == ({} if removed else {"s0": REFUSED})


def test_two_sessions_cannot_have_one_file(tmp_path: Path) -> None:
    with ReadingsFile(tmp_path / "a.readings"), pytest.raises(UsageError, match="in use by another session"):
        written(tmp_path / "a.readings", REFUSED)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"hello\n", "line 1: "),
        (encode(REFUSED) + b"{}\n" + encode(RIGHT), "line 2: "),
        (encode(REFUSED).replace(b'"absent"', b'"because"'), "Expected one of absent"),
        (encode(REFUSED).replace(b"jane", b"j\\u001b[31m"), r"`\$.reader`"),
        (encode(REFUSED).replace(b"00000000", b"../../.."), r"`\$.fingerprint`"),
        (encode(REFUSED).replace(AT.encode(), b"today"), r"`\$.at`"),
        (encode(RIGHT).replace(b'"apply"', b'"skip"'), r"`\$.target`"),
        (b"[" * 100_000 + b"\n", "line 1: "),
    ],
)
def test_what_is_no_readings_file_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "a.readings"
    path.write_bytes(content)
    for read in (answers, written):
        with pytest.raises(UsageError, match=says):
            read(path)
    assert path.read_bytes() == content


def test_links_folders_and_pipes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", "."):
        with pytest.raises(UsageError):
            written(tmp_path / name, REFUSED)
    assert not (tmp_path / "target").exists()
    with pytest.raises(UsageError, match="cannot be opened: No such file"):
        answers(tmp_path / "none")


TEXTS = st.text(st.characters(), max_size=20)


@given(
    st.builds(
        Reading, st.just("s"), st.just("a" * 32), st.just("apply"), st.just("jane"), st.just(AT),
        st.tuples(st.builds(File, TEXTS, TEXTS)),
    )
)  # fmt: skip
def test_any_text_survives(reading: Reading) -> None:
    assert decode(encode(reading)) == reading


def test_the_question_is_the_files_and_the_edit_whatever_the_label() -> None:
    asked = question_fingerprint(sample())
    assert question_fingerprint(sample(label="apply", target=(File("a.py", "x\n"),), tags=("new",))) == asked
    assert question_fingerprint(sample(new="x = 3")) != asked
    assert question_fingerprint(sample(before="x = 1\n\n")) != asked
    assert len(REASONS) <= 9  # One key each.


_ANSWERS_UNTIL_KILLED = """
import sys
from dataclasses import replace
from pathlib import Path
from corpora.readings.readings_file import ReadingsFile
from tests.corpora.readings.test_readings_file import REFUSED

with ReadingsFile(Path(sys.argv[1])) as file:
    for number in range(1_000_000):
        file.add(replace(REFUSED, sample_id=f"s{number}"))
        print(number, flush=True)
"""


@pytest.mark.slow
def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "a.readings"
    for n_lines in (1, 50, 120):
        with subprocess.Popen(
            [sys.executable, "-c", _ANSWERS_UNTIL_KILLED, str(path)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout
            for _ in range(n_lines):
                last = int(process.stdout.readline())
            process.send_signal(signal.SIGKILL)
        assert len(answers(path)) > last
