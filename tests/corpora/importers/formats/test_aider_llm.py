from __future__ import annotations

from pathlib import Path

from corpora.importers.collect import collect
from corpora.importers.formats.aider_llm import IMPORTER
from corpora.importers.session import Attempt, Opened, Read
from corpora.load import load
from editcore.types import File
from tests.corpora.importers.formats.test_aider import block
from tests.corpora.importers.logs import read, spoilt

PREFIX = "I have *added these files to the chat* so you can go ahead and edit them.\n\n*Trust this message as the true"
BEFORE, AFTER = "x = 1\ny = 1\n", "x = 2\ny = 1\n"


def told(role: str, text: str) -> str:
    return "".join(f"{role} {line}\n" for line in text.split("\n"))


def request(said: str = "make it two", fence: str = "```", **files: str) -> str:
    closing = fence.replace("<", "</")
    shown = "".join(f"\n{name}.py\n{fence}\n{text}{closing}\n" for name, text in files.items())
    messages = [told("SYSTEM", "Act as an expert."), told("USER", f"{PREFIX}\n{shown}"[:-1]), told("ASSISTANT", "Ok.")]
    return "TO LLM 2026-01-02T03:04:05\n" + "".join(f"-------\n{one}" for one in (*messages, told("USER", said)))


def reply(text: str) -> str:
    return "LLM RESPONSE 2026-01-02T03:04:09\n" + told("ASSISTANT", text.removesuffix("\n"))


def attempts(tmp_path: Path, *records: str) -> list[Attempt]:
    (tmp_path / ".aider.llm.history").write_text("".join(records), newline="")
    return [one for one in read(IMPORTER, tmp_path / ".aider.llm.history")[0] if isinstance(one, Attempt)]


def test_the_files_of_a_request_are_read_whole(tmp_path: Path) -> None:
    open_ended = "s = '''\n```\n\n'''"
    (tmp_path / ".aider.llm.history").write_text(
        request(a=BEFORE, b="z") + request(fence="<source>", c=open_ended, d="")
    )
    assert read(IMPORTER, tmp_path / ".aider.llm.history")[0] == [
        *(Opened(str(tmp_path)), Read("a.py", BEFORE), Read("b.py", "z"), Read("c.py", open_ended), Read("d.py", "")),
    ]


def test_a_file_that_changed_until_the_next_request_was_edited(tmp_path: Path) -> None:
    records = (
        request(a=BEFORE, b="z\n"),
        reply(f"So:\n\n{block()}\n{block('z', 'q', 'b.py')}"),
        request(a=AFTER, b="z\n"),
    )
    one, other = attempts(tmp_path, *records)
    assert (one.path, one.patch, one.outcome, one.after) == ("a.py", block(), "applied", (File("a.py", AFTER),))
    assert (other.path, other.outcome, other.after) == ("b.py", "unknown", None)


def test_what_failed_is_told_by_the_next_request(tmp_path: Path) -> None:
    why = "SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in a.py"
    bad = block("q\n", "r\n")
    report = (
        f"# 1 SEARCH/REPLACE block failed to match!\n\n## {why}\n<<<<<<< SEARCH\nq\n=======\nr\n>>>>>>> REPLACE\n\n"
    )
    report += "The SEARCH section must exactly match\n\n# The other 1 SEARCH/REPLACE block were applied successfully.\n"
    one, other = attempts(
        tmp_path,
        request(a=BEFORE, b="z\n"),
        reply(bad + block("z\n", "w\n", "b.py")),
        request(report, a=BEFORE, b="w\n"),
    )
    assert (one.patch, one.outcome, one.error) == (bad, "no_match", why)
    assert (other.path, other.outcome, other.after) == ("b.py", "applied", (File("b.py", "w\n"),))
    malformed = request("a.py\n<<<<<<< SEARCH\nx\n^^^ Expected `=======`", a=BEFORE)
    (made,) = attempts(tmp_path, request(a=BEFORE), reply("a.py\n<<<<<<< SEARCH\nx = 1"), malformed)
    assert (made.outcome, made.error) == ("malformed", "Expected `=======`")


def test_a_history_becomes_samples_with_labels(tmp_path: Path) -> None:
    same = block("y = 1\n", "y = 1\n")
    records = [request(a=BEFORE), reply(block()), request(a=AFTER), reply(same), request("thanks", a=AFTER)]
    records += [reply(block("y = 1\n", "y = 2\n")), request(a=AFTER.replace("y = 1", "y = 2\nadded = 1"))]
    (tmp_path / ".aider.llm.history").write_text("".join(records))
    done = collect([(IMPORTER, tmp_path)], tmp_path / "out.jsonl")
    found = [(one.label, one.label_source, one.before[0].content) for one in load(tmp_path / "out.jsonl")]
    assert found == [("apply", "tool_result", BEFORE), ("refuse", "identical", AFTER)]
    assert done.tally.counts["left out: more changed than the edit says"] == 1


def test_no_disorder_of_a_history_raises(tmp_path: Path) -> None:
    lines = (request(a=BEFORE) + reply(block()) + request("# 1 SEARCH/REPLACE block failed to match!", a=AFTER)).split(
        "\n"
    )
    for other in spoilt(lines):
        attempts(tmp_path, *(f"{line}\n" for line in (other if isinstance(other, list) else [other])))
