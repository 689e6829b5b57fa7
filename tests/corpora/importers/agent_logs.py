"""A log of each agent in which an edit fails and is retried."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from editcore.anchors.views import h4_tag
from tests.corpora.importers import databases
from tests.corpora.importers.formats import (
    test_aider,
    test_aider_llm,
    test_claude_code,
    test_cline,
    test_codex,
    test_copilot_cli,
    test_crush,
    test_entire,
    test_gemini_cli,
    test_oh_my_pi,
    test_opencode,
    test_openhands,
    test_pi,
    test_qwen_code,
    test_swe_agent,
    test_zed,
)
from tests.corpora.importers.logs import write_lines

BEFORE, AFTER = "x = 1\ny = 1\n", "x = 2\ny = 1\n"
CWD = "/home/user/demo"
PATH = f"{CWD}/a.py"


# Each agent: the file is known, a first edit fails for want of whitespace, a second one is the same change.


def claude_code(folder: Path) -> None:
    made = test_claude_code
    file = {"filePath": PATH, "content": BEFORE, "startLine": 1, "numLines": 3, "totalLines": 3}
    write_lines(
        folder / "s.jsonl",
        made.use("r", "Read", file_path=PATH),
        made.result("r", {"file": file}),
        made.edit("t1", old="x=1"),
        made.result("t1", "Error: String to replace not found in file.", "String to replace not found", failed=True),
        made.edit("t2"),
        made.result("t2", made.told(None, made.hunk("-x = 1", "+x = 2", " y = 1"))),
    )


def codex(folder: Path) -> None:
    made = test_codex
    added = "*** Begin Patch\n*** Add File: a.py\n+x = 1\n+y = 1\n*** End Patch\n"
    diff = {"type": "update", "unified_diff": "@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 1\n"}
    write_lines(
        folder / "rollout-1.jsonl",
        made.META,
        made.TURN,
        made.patch("c0", added),
        made.landed("c0", changes={PATH: {"type": "add", "content": BEFORE}}),
        made.patch("c1", made.PATCH.replace("x = 1", "x=1")),
        made.output("c1", f"apply_patch verification failed: Failed to find expected lines in {PATH}:\nx=1"),
        made.patch("c2"),
        made.landed("c2", changes={PATH: diff}),
    )


def opencode(folder: Path) -> None:
    made = test_opencode
    read = made.NEW.format("1: x = 1\n2: y = 1\n\n(End of file - total 2 lines)")
    failed = made.edit("c1", old="x=1", status="error", error="Could not find oldString in the file.")
    diff = "@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 1\n"
    log = made.exported(
        made.part("read", {"filePath": PATH}, "c0", output=read), failed, made.edit("c2", metadata={"diff": diff})
    )
    write_lines(folder / "s.json", log)


def pi(folder: Path) -> None:
    made = test_pi
    write_lines(
        folder / "s.jsonl",
        made.SESSION,
        made.call("r", "read", path="a.py"),
        made.result("r", BEFORE),
        made.edit("c1", oldText="x=1"),
        made.result("c1", "Could not find the exact text in a.py.", failed=True),
        made.edit("c2"),
        made.result("c2", details={"diff": "-1 x = 1\n+1 x = 2\n 2 y = 1", "firstChangedLine": 1}),
    )


def oh_my_pi(folder: Path) -> None:
    made = test_oh_my_pi
    first = f"[a.py#{h4_tag(BEFORE)}]\nPUT 1.=1:\n+x = 2\n"
    diff = {"diff": "-1|x = 1\n+1|x = 2\n 2|y = 1", "oldText": BEFORE, "newText": AFTER, "path": "a.py"}
    write_lines(
        folder / "s.jsonl",
        made.SESSION,
        *made.shown(BEFORE),
        test_pi.call("c1", "edit", input=first.replace(h4_tag(BEFORE), "ABCD")),
        test_pi.result("c1", "Edit rejected for a.py: hash #ABCD is not from this session.", failed=True),
        test_pi.call("c2", "edit", input=first),
        test_pi.result("c2", details=diff),
    )


def gemini_cli(folder: Path) -> None:
    made = test_gemini_cli
    failed = made.call("replace", made.ARGS | {"old_string": "x=1"}, status="error", error="0 occurrences found")
    shown = made.DISPLAY | {"originalContent": BEFORE, "newContent": AFTER}
    log = made.session(
        made.call("read_file", {"file_path": PATH}, output=BEFORE),
        failed | {"id": "c0"},
        made.call("replace", made.ARGS, display=shown),
    )
    write_lines(folder / "session-1.json", log)


def copilot_cli(folder: Path) -> None:
    made = test_copilot_cli
    write_lines(
        folder / "events.jsonl",
        made.START,
        made.start("r", "view", {"path": PATH}),
        made.done("r", "1. x = 1\n2. y = 1\n3. "),
        made.start("c1", "edit", made.ARGS | {"old_str": "x=1"}),
        made.failed("c1", "No match found"),
        made.start("c2", "edit", made.ARGS),
        made.done("c2", detailed=made.DIFF.replace("-1,1 +1,1", "-1,2 +1,2") + " y = 1\n"),
    )


def aider(folder: Path) -> None:
    made = test_aider
    made.commit(folder, "start", a=BEFORE)
    started = made.commit(folder, "chore: work", a=BEFORE, b="b\n")
    edited = made.commit(folder, "feat: two", a=AFTER)
    wrong = "x=1\n"
    said = f"""# 1 SEARCH/REPLACE block failed to match!

## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in a.py
<<<<<<< SEARCH
{wrong}=======
x = 2
>>>>>>> REPLACE

{made.MUST}
Just reply with fixed versions of the block above that failed to match.
"""
    report = made.MISSED + "".join(f"> {line}".rstrip() + "  \n" for line in said.splitlines())
    log = made.START + made.HEAD + "\n#### make it two  \n\n" + made.block("b\n", "b\n", "b.py") + made.TOKENS
    log += f"> Applied edit to b.py  \n> Commit {started[:7]} chore: work  \n\n#### go on  \n\n"
    log += made.block(wrong) + made.TOKENS + report + "\n" + made.block() + made.TOKENS
    log += f"> Applied edit to a.py  \n> Commit {edited[:7]} feat: two  \n"
    (folder / ".aider.chat.history.md").write_text(log)


def cline(folder: Path) -> None:
    made = test_cline
    failed = made.failure("The SEARCH block:\nx=1\n...does not match anything in the file.")
    failed += f'\n\n<file_content path="a.py">\n{BEFORE}\n</file_content>'
    messages = [
        made.assistant(made.replacing(diff=made.DIFF.replace("x = 1", "x=1"))),
        made.result(failed),
        made.assistant(made.replacing()),
        made.result(made.SAVED + made.FINAL.replace("x = 2\n", AFTER)),
    ]
    write_lines(folder / "17" / "api_conversation_history.json", messages)


def swe_agent(folder: Path) -> None:
    made = test_swe_agent
    view = f"Here's the result of running `cat -n` on {PATH}:\n     1\tx = 1\n     2\ty = 1\n     3\t\n"
    missed = "No replacement was performed, old_str `x=1` did not appear verbatim in a.py."
    steps = [
        made.step(f"str_replace_editor view {PATH}", view),
        made.step(made.replacing("x=1", "x = 2"), missed),
        made.step(made.replacing("x = 1", "x = 2"), made.REPLACED),
    ]
    write_lines(folder / "demo-1.traj", {"trajectory": steps, "info": {}})


def openhands(folder: Path) -> None:
    made = test_openhands
    missed = "ERROR:\nNo replacement was performed, old_str `x=1` did not appear verbatim in /home/user/demo/a.py."
    other = {"tool_call_metadata": made.CALL | {"tool_call_id": "c0"}}
    rows = [
        made.action(0, "read", path=PATH),
        made.seen(0, "read", BEFORE),
        made.edit(1, old_str="x=1") | other,
        made.seen(1, "edit", missed),
        made.edit(2),
        made.seen(2, "edit", "done", old_content=BEFORE, new_content=AFTER),
    ]
    write_lines(folder / "trajectory.json", rows)


def crush(folder: Path) -> None:
    made = test_crush
    view = "<file>\n     1|x = 1\n     2|y = 1\n</file>\n"
    missed = databases.call("c0", "edit", file_path=PATH, old_string="x=1", new_string="x = 2")
    databases.make(
        folder / ".crush" / "crush.db",
        [databases.call("r", "view", file_path=PATH)],
        [databases.result("r", view, file_path=PATH, content=BEFORE[:-1])],
        [missed],
        [databases.result("c0", "old_string not found in file.", failed=True)],
        [made.EDIT],
        [databases.result("c1", **made.TEXTS)],
    )


def opencode_go(folder: Path) -> None:
    view = "<file>\n     1|x = 1\n     2|y = 1\n</file>\n"
    missed = databases.call("c0", "edit", file_path=PATH, old_string="x=1", new_string="x = 2")
    databases.make(
        folder / ".opencode" / "opencode.db",
        [databases.call("r", "view", file_path=PATH), missed, test_crush.EDIT],
        [
            databases.result("r", view, file_path=PATH, content=BEFORE[:-1]),
            databases.result("c0", "old_string not found in file.", failed=True),
            databases.result("c1", diff="@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 1\n"),
        ],
    )


def qwen_code(folder: Path) -> None:
    made = test_qwen_code
    missed = made.call("c0", file_path=PATH, old_string="x=1", new_string="x = 2")
    write_lines(
        folder / "s.jsonl",
        *(made.call("r", "read_file", file_path=PATH), made.result("r", BEFORE)),
        *(missed, made.result("c0", "Failed to edit, 0 occurrences found for old_string in a.py.", status="error")),
        *(made.call(), made.result(display=made.DISPLAY)),
    )


def zed(folder: Path) -> None:
    made = test_zed
    missed = made.call("c0", path=made.PATH, edits=[{"old_text": "x=1", "new_text": "x = 2"}])
    error = {"error": "Could not find matching text for edit at index 0."}
    first = made.TEXTS | {"old_text": AFTER, "new_text": BEFORE}
    back = made.call("b", path=made.PATH, edits=[{"old_text": "x = 2", "new_text": "x = 1"}])
    log = made.thread(back, missed, made.call(), b=made.result(first), c0=made.result(error), c1=made.result())
    made.make(folder / "threads.db", log)


def entire(folder: Path) -> None:
    gemini_cli(folder)
    log = (folder / "session-1.json").read_text()
    test_entire.checkpoint(
        folder, {"a1/b2/0/full.jsonl": log, "a1/b2/0/metadata.json": {"agent": "Gemini CLI", "model": "m"}}
    )


def aider_llm(folder: Path) -> None:
    made, block = test_aider_llm, test_aider.block
    missed = block("x=1\n", "x = 2\n")
    report = f"# 1 SEARCH/REPLACE block failed to match!\n\n## SearchReplaceNoExactMatch: lines in a.py\n{missed}"
    records = (made.request(a=BEFORE), made.reply(missed), made.request(report, a=BEFORE), made.reply(block()))
    (folder / ".aider.llm.history").write_text("".join(records) + made.request(a=AFTER))


AGENTS: dict[str, tuple[Callable[[Path], None], str]] = {
    "claude_code": (claude_code, "tool_result"),
    "codex": (codex, "tool_result"),
    "opencode": (opencode, "tool_result"),
    "pi": (pi, "tool_result"),
    "oh_my_pi": (oh_my_pi, "tool_result"),
    "gemini_cli": (gemini_cli, "tool_result"),
    "copilot_cli": (copilot_cli, "tool_result"),
    "aider": (aider, "git"),
    "aider_llm": (aider_llm, "tool_result"),
    "cline": (cline, "tool_result"),
    "swe_agent": (swe_agent, "exact"),
    "openhands": (openhands, "tool_result"),
    "crush": (crush, "tool_result"),
    "opencode_go": (opencode_go, "tool_result"),
    "qwen_code": (qwen_code, "tool_result"),
    "zed": (zed, "tool_result"),
    "entire": (entire, "tool_result"),
}
WITH_FOLDER = (
    "claude_code",
    "codex",
    "opencode",
    "pi",
    "oh_my_pi",
    "copilot_cli",
    "aider",
    "aider_llm",
    "cline",
    "qwen_code",
)
"""Agents whose logs name the session's folder, or whose paths are relative to it."""
