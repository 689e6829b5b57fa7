"""The table of importers, which read agents' session logs into samples. Each log format has a file in `formats/`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from corpora.importers.formats import (
    aider,
    aider_llm,
    atif,
    claude_code,
    cline,
    codex,
    copilot_cli,
    crush,
    entire,
    gemini_cli,
    git,
    oh_my_pi,
    opencode,
    openhands,
    pi,
    qwen_code,
    scenarios,
    specstory,
    swe_agent,
    zed,
)  # fmt: skip
from corpora.importers.importer import Importer, files_matching, record_logs
from corpora.plugins import member_loader, with_plugins

ENTRY_POINTS = "editgauge.importers"

_CODE = (".config/Code", "Library/Application Support/Code", "AppData/Roaming/Code", ".vscode-server/data")
"""The folders of Visual Studio Code."""
IMPORTERS = {
    importer.name: importer
    for importer in (
        Importer("claude_code", "Claude Code sessions (~/.claude/projects/*/*.jsonl)", files_matching("*.jsonl"),
                 claude_code.events, (".claude/projects",), ("2.0.64", "2.1.219")),
        Importer("codex", "Codex CLI rollouts (~/.codex/sessions/*/*/*/rollout-*.jsonl)", files_matching("*.jsonl"),
                 codex.events, (".codex/sessions", ".codex/archived_sessions"), ("0.46.0", "0.145.0-alpha")),
        Importer("opencode",
                 "OpenCode: ~/.local/share/opencode/opencode.db (from 1.2 on), exported JSON documents, or older "
                 "storage", files_matching("opencode.db", "opencode-*.db", "*.json", is_log=opencode.is_log),
                 opencode.events, (".local/share/opencode/opencode*.db", ".local/share/opencode/storage"),
                 ("1.2.20", "1.18.33")),
        Importer("pi", "pi coding agent sessions (~/.pi/agent/sessions/*/*.jsonl)", files_matching("*.jsonl"),
                 pi.events, (".pi/agent/sessions",), ("1", "3")),
        Importer("oh_my_pi", "oh-my-pi sessions (~/.omp/agent/sessions/*/*.jsonl)", files_matching("*.jsonl"),
                 oh_my_pi.events, (".omp/agent/sessions",), ("3", "3")),
        Importer("gemini_cli", "Gemini CLI sessions: ~/.gemini/tmp/*/chats/session-*.json",
                 files_matching("session-*.json", "session-*.jsonl"), gemini_cli.events, (".gemini/tmp/*/chats",)),
        Importer("copilot_cli", "Copilot CLI sessions: ~/.copilot/session-state/*/events.jsonl",
                 files_matching("events.jsonl"), copilot_cli.events, (".copilot/session-state",), ("1.0.64", "1.0.64")),
        Importer("aider", "aider histories: .aider.chat.history.md, with the project's git repository",
                 files_matching(".aider.chat.history.md"), aider.events, versions=("0.35.0", "0.86.2")),
        Importer("aider_llm",
                 "aider histories of requests: .aider.llm.history, or the file that --llm-history-file names",
                 files_matching(".aider.llm.history"), aider_llm.events),
        Importer("cline", "Cline tasks: tasks/*/api_conversation_history.json",
                 files_matching("api_conversation_history.json"), cline.events,
                 (*(f"{one}/User/globalStorage/saoudrizwan.claude-dev/tasks" for one in _CODE), ".cline/data/tasks")),
        Importer("swe_agent", "SWE-agent trajectories: *.traj", files_matching("*.traj", "*.traj.json"),
                 swe_agent.events),
        Importer("openhands", "OpenHands trajectories: *.json, folders of events/<n>.json, output.jsonl",
                 openhands.logs, openhands.events,
                 (".openhands/sessions", ".openhands-state/sessions", ".openhands/conversations")),
        Importer("openhands_messages", "OpenHands runs as chat messages: Parquet or JSON lines with one run a row",
                 record_logs, openhands.message_events),
        Importer("atif", "ATIF trajectories: trajectory.json, JSON lines or Parquet with one trajectory a row",
                 record_logs, atif.events),
        Importer("crush", "Crush databases: .crush/crush.db in a project's folder", files_matching("crush.db"),
                 crush.events, (".crush", "*/.crush", "*/*/.crush")),
        Importer("opencode_go", "OpenCode databases of the version in Go: .opencode/opencode.db in a project's folder",
                 files_matching("opencode.db"), partial(crush.events, stored_with_lf=False),
                 (".opencode", "*/.opencode", "*/*/.opencode")),
        Importer("qwen_code", "Qwen Code sessions: ~/.qwen/projects/*/chats/*.jsonl", files_matching("*.jsonl"),
                 qwen_code.events, (".qwen/projects/*/chats",)),
        Importer("zed", "Zed agent threads: threads/threads.db in Zed's data folder", files_matching("threads.db"),
                 zed.events, (".local/share/zed/threads", "Library/Application Support/Zed/threads")),
        Importer("specstory", "SpecStory's Markdown: .specstory/history/*.md in a project's folder",
                 files_matching("*.md", is_log=specstory.is_log), specstory.events),
        Importer("entire", "Entire checkpoints in a git repository's entire/checkpoints branches", entire.logs,
                 entire.events),
        Importer("scenarios",
                 "Test cases of programs that apply patches: folders with input, patch.txt and expected, or tables of "
                 "cases", scenarios.logs, scenarios.events),
        Importer("git", "The history of a local git repository: its commits as edits, fresh and stale", git.logs,
                 git.events),
    )
}  # fmt: skip
"""Name -> importer. A new importer is a file in `formats/`, and its row."""


@cache
def importers() -> Mapping[str, Importer]:
    """All importers by name: the built-in ones, then the importers of installed plug-ins."""
    return with_plugins(IMPORTERS, "importer", ENTRY_POINTS, member_loader(Importer))
