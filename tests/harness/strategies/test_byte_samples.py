"""Samples whose files are bytes under strategies: what each reads, writes and is judged by."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from corpora.sample import Sample
from editcore.agents import AGENTS
from editcore.text.encodings import faithful
from editcore.types import Edit, File, Rejected
from harness.run.scoring import Judge, Score
from harness.strategies.registry import strategy
from reports.runs.rows import Damage, Verdict

JAPANESE = "# 設定ファイルを読み込む\r\nx = 1\r\n# ユーザー名が空です\r\n"


def file(text: str, encoding: str | None) -> File:
    raw = text.encode(encoding or "utf-8", "surrogateescape")
    return File("a.py", faithful(raw, encoding), raw, encoding)


def sample(text: str, encoding: str | None, new: str = "x = 2") -> Sample:
    """A sample that is applied to the text; or refused, where its encoding lacks the new text."""
    before, edits = file(text, encoding), (Edit("x = 1", new),)
    try:
        target = file(text.replace("x = 1", new), encoding)
    except UnicodeEncodeError:
        return Sample("s", "str_replace", (before,), "refuse", edits)
    return Sample("s", "str_replace", (before,), "apply", edits, target=(target,))


def score(name: str, one: Sample) -> Score:
    return Judge(one).score(strategy(name).call(one, None)())


FILES = [
    sample(JAPANESE, "shift_jis"),
    sample("# Jürgen\nx = 1\n", "latin-1"),
    sample("# \udcff\nx = 1\n", None),
    sample("\ufeff# é\r\nx = 1\r\n", "utf-16-le"),
]


@pytest.mark.parametrize("name", ["cascade/recommended", "tool/edit", "tool/edit_file", "agent/crush"])
@pytest.mark.parametrize("one", FILES, ids=lambda one: one.before[0].encoding)
def test_bytes_outside_the_edit_stay(name: str, one: Sample) -> None:
    if name == "agent/crush" and one.before[0].encoding == "utf-16-le":
        assert score(name, one).verdict == Verdict.MISSED
    elif name == "agent/crush" and "\r" in one.before[0].content:
        assert score(name, one).verdict == Verdict.CORRECT
    else:
        assert score(name, one).verdict == Verdict.CORRECT


@pytest.mark.parametrize(
    "name",
    ["agent/opencode_exact", "agent/gemini", "agent/pi", "agent/roo", "agent/kimi", "agent/freebuff", "agent/mimo"],
)
def test_a_program_that_reads_with_replacement_changes_bytes(name: str) -> None:
    found = score(name, FILES[1])
    assert (found.verdict, found.damage, found.n_bytes_changed) == (Verdict.WRONG_EDIT, Damage.BYTES, 3)


def test_reasonix_keeps_utf_16_and_gb18030_and_takes_everything_else_for_gb18030() -> None:
    chinese = "# 读取配置文件\nx = 1\n"
    assert score("agent/reasonix", sample(chinese, "gb18030")).verdict == Verdict.CORRECT
    assert score("agent/reasonix", FILES[3]).verdict == Verdict.CORRECT
    # A letter of Latin-1 with the one behind it is a character of GB18030, and is written as it was.
    assert score("agent/reasonix", FILES[1]).verdict == Verdict.CORRECT
    found = score("agent/reasonix", FILES[2])
    assert (found.verdict, found.damage) == (Verdict.WRONG_EDIT, Damage.BYTES)


def test_mistral_vibe_keeps_an_encoding_and_refuses_what_it_lacks() -> None:
    text = "# 設定ファイルを読み込む\n" * 20 + "x = 1\n"
    assert score("agent/mistral_vibe", sample(text, "shift_jis")).verdict == Verdict.CORRECT
    assert score("agent/mistral_vibe", sample(text, "shift_jis", "x = '€'")).verdict == Verdict.REFUSED
    assert score("agent/mistral_vibe", FILES[3]).verdict == Verdict.CORRECT


@pytest.mark.parametrize(
    "name", ["agent/aider", "agent/anthropic", "agent/codex", "agent/goose", "agent/hermes", "agent/tau"]
)
def test_a_strict_program_refuses(name: str) -> None:
    assert all(score(name, one).verdict == Verdict.MISSED for one in FILES)


def test_openhands_turns_the_whole_file_to_utf_8_for_a_character_that_its_encoding_lacks() -> None:
    text = "".join(f"# naïve café, déjà créé {n}\n" for n in range(20)) + "x = 1\n"
    assert score("agent/openhands", sample(text, "latin-1")).verdict == Verdict.CORRECT
    lacking = sample(text, "latin-1", "x = '中'")
    assert (lacking.label, score("agent/openhands", lacking).damage) == ("refuse", Damage.UNASKED)
    assert score("agent/openhands_aci", lacking).verdict == Verdict.REFUSED
    assert score("cascade/recommended", lacking).verdict == Verdict.REFUSED


def test_a_program_whose_habit_is_not_known_is_not_run_on_bytes() -> None:
    zed = strategy("agent/zed")
    assert not zed.takes(FILES[0])
    assert zed.takes(replace(FILES[0], before=(File("a.py", "x = 1\n"),), target=(File("a.py", "x = 2\n"),)))
    assert not zed.takes(FILES[1])


def test_a_rule_names_what_was_read_or_run_and_where_its_habit_is_written_down() -> None:
    without = {name for name, agent in AGENTS.items() if agent.source is None}
    assert without == {"cline_v3", "goose", "qbit"}
    sources = [agent.source for agent in AGENTS.values() if agent.source]
    sources += [agent.on_bytes.source for agent in AGENTS.values() if agent.on_bytes]
    assert all(
        "/" in one.path and (one.commit or one.date or "Bun" in one.path or "issue" in one.path) for one in sources
    )


ANSWERS = """
import base64, json, sys
for line in sys.stdin:
    asked = json.loads(line)
    [file] = asked["before"]
    if sys.argv[1] == "bytes":
        raw = base64.b64decode(file["raw"]).replace(b"x = 1", b"x = 2")
        after = {"path": file["path"], "raw": base64.b64encode(raw).decode()}
    else:
        new = asked["edits"][0]["new_string"]
        after = {"path": file["path"], "content": file["content"].replace("x = 1", new)}
    print(json.dumps({"id": asked["id"], "status": "applied", "after": [after]}), flush=True)
"""


@pytest.mark.parametrize("way", ["bytes", "text"])
def test_a_command_answers_with_bytes_or_with_a_text_that_is_written_in_the_encoding(way: str, tmp_path: Path) -> None:
    (tmp_path / "edit.py").write_text(ANSWERS)
    name = f"cmd:mine={sys.executable} {tmp_path / 'edit.py'} {way}"
    one = strategy(name)
    for given in FILES[:3]:
        assert Judge(given).score(one.call(given, None)()).verdict == Verdict.CORRECT
    if way == "text":
        refused = one.call(sample(JAPANESE, "shift_jis", "x = '€'"), None)()
        assert isinstance(refused, Rejected)
        assert "shift_jis" in refused.message
