"""Codex' shell commands that show a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corpora.importers.beside_calls.codex_reads import Shown, read_of, shown_file
from corpora.importers.collect import collect
from corpora.importers.formats.codex import IMPORTER
from corpora.importers.session import Disturbed, Read
from corpora.load import load
from tests.corpora.importers.formats.test_codex import META, SUCCESS, TURN, events, function, output, patch
from tests.corpora.importers.logs import write_lines

TEXT = "x = 1\ny = 1\n"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({"command": ["bash", "-lc", "cat a.py"]}, Shown("a.py")),
        ({"command": ["cat", "a b.py"], "workdir": "/w"}, Shown("/w/a b.py")),
        ({"cmd": "sed -n '1,200p' src/a.py"}, Shown("src/a.py", 1, 200)),
        ({"command": "sed -n 5,9p 'a b.py'"}, Shown("a b.py", 5, 9)),
        ({"command": "sed -n 0,9p a.py"}, None),
        ({"command": "sed -n 5p a.py"}, None),
        ({"command": "sed -i s/a/b/ a.py"}, None),
        ({"command": "cat a.py b.py"}, None),
        ({"command": "cat -n a.py"}, None),
        ({"command": "cat a.py | head"}, None),
        ({"command": "cat a.py; make"}, None),
        ({"command": "cat <<E > a.py"}, None),
        ({"command": "cat *.py"}, None),
        ({"command": "cat 'a.py"}, None),
        ({"command": "cat " + "a" * 20_000}, None),
        ({"command": ["bash", "-lc", "cat a.py", "x"]}, None),
        ({"command": ["cat", 7]}, None),
        ({"command": 7}, None),
        (None, None),
    ],
)
def test_a_command_that_shows_one_file_and_does_nothing_else_is_a_read(arguments: Any, shown: Shown | None) -> None:
    assert shown_file(arguments) == shown


@pytest.mark.parametrize(
    ("shown", "said", "code", "read"),
    [
        (Shown("a.py"), TEXT, 0, Read("a.py", TEXT)),
        (Shown("a.py", 1, 3), TEXT, 0, Read("a.py", TEXT)),
        (Shown("a.py", 1, 2), TEXT, 0, Read("a.py", TEXT, whole=False)),
        (Shown("a.py", 4, 9), TEXT, 0, Read("a.py", TEXT, 4, whole=False)),
        (Shown("a.py"), TEXT, 1, None),
        (Shown("a.py"), TEXT, None, None),
        (Shown("a.py"), TEXT.rstrip(), 0, None),
        (Shown("a.py"), "x\n[... omitted 12 of 300 lines ...]\ny\n", 0, None),
        (Shown("a.py"), "x\n…300 tokens truncated…\ny\n", 0, None),
    ],
)
def test_an_output_is_the_text_unless_it_may_be_cut(shown: Shown, said: str, code: int | None, read: Read) -> None:
    assert read_of(shown, said, code) == read


def test_a_command_that_only_shows_a_file_disturbs_nothing(tmp_path: Path) -> None:
    said = json.dumps({"output": TEXT, "metadata": {"exit_code": 0, "duration_seconds": 0.1}})
    calls = [function("shell", "r", command=["bash", "-lc", "cat a.py"]), output("r", said, "function_call_output")]
    assert events(tmp_path, *calls) == [Read("a.py", TEXT)]
    listed = [function("shell", "l", command=["bash", "-lc", "ls"]), output("l", said, "function_call_output")]
    assert events(tmp_path, *listed) == [Disturbed()]


def test_a_session_without_patch_events_has_labels(tmp_path: Path) -> None:
    """As Codex 0.46 to 0.63, 0.92 and 0.107 to 0.114 write it: results are in the texts of the outputs only."""
    added = "*** Begin Patch\n*** Add File: n.py\n+n = 1\n*** End Patch\n"
    cut = "*** Begin Patch\n*** Update File: n.py\n@@\n-n = 1\n+n = 2\n*** End Patch\n"
    twice = "*** Begin Patch\n*** Update File: a.py\n@@\n-y = 1\n+y = 2\n*** End Patch\n"
    missed = twice.replace("-y = 1", "-y = 7")
    shown = json.dumps({"output": TEXT, "metadata": {"exit_code": 0}})
    success = json.dumps({"output": SUCCESS, "metadata": {"exit_code": 0}})
    failure = "apply_patch verification failed: Failed to find expected lines in /home/user/demo/a.py:\ny = 7"
    log = write_lines(
        tmp_path / "rollout-1.jsonl",
        META,
        TURN,
        *(patch("c1", added), output("c1", success)),
        *(patch("c2", cut), output("c2", success)),
        *(function("shell", "r", command=["bash", "-lc", "cat a.py"]), output("r", shown, "function_call_output")),
        *(patch("c3", missed), output("c3", failure)),
        *(patch("c4", twice), output("c4", success)),
    )
    collect([(IMPORTER, log)], tmp_path / "out.jsonl")
    found = [(one.label, one.label_source, one.before) for one in load(tmp_path / "out.jsonl")]
    assert [(label, source) for label, source, _ in found] == [
        ("apply", "exact"),
        ("apply", "exact"),
        ("apply", "exact"),
        ("unlabelled", None),
    ]
    assert [[file.content for file in before] for _, _, before in found] == [[], ["n = 1\n"], [TEXT], [TEXT]]
