"""A plain install has none of the packages of the extras `tools` and `postgres`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BLOCKED = """
import sys
for name in ("sqlalchemy", "tree_sitter", "tree_sitter_bash", "re2", "pathspec", "psycopg"):
    sys.modules[name] = None
"""


def run(script: str, root: Path) -> str:
    done = subprocess.run([sys.executable, "-c", BLOCKED + script, root], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_what_edits_files_needs_no_extra_and_other_tools_are_left_out(tmp_path: Path) -> None:
    script = """
from editcore.host.documents.commands import COMMANDS
from editcore.host.tools import TOOLS, Agent, Context, Host, Registry, edit_file
from editcore.host.workspace import Workspace

workspace = Workspace(sys.argv[1], durable=False, lock_directory=__import__("pathlib").Path(sys.argv[1], "locks"))
registry = Registry(Host(workspace, task=lambda context, task: "done"), TOOLS)
agent, context = Agent(), Context()
print(*registry.tools(agent))
for tool, params in (
    ("write", {"filePath": "a", "content": "1\\n"}),
    ("read", {"filePath": "a"}),
    ("read", {"filePath": "."}),
    ("edit", {"filePath": "a", "oldString": "1", "newString": "2"}),
    ("multi_edit", {"filePath": "a", "edits": [{"oldString": "2", "newString": "3"}]}),
    ("edit_file", {"path": "a", "old_content": "3", "new_content": "4"}),
    ("insert_at", {"path": "a", "line": 0, "content": "0"}),
    ("patch_file", {"path": "a", "patch": "@@ -1,2 +1,2 @@\\n-0\\n+00\\n 4\\n"}),
    ("edit_patch", {"patch": "*** Begin Patch\\n*** Update File: a\\n@@\\n-4\\n+5\\n*** End Patch\\n"}),
    ("task", {"description": "d", "prompt": "p", "agent": "a"}),
):
    result = registry.call(agent, tool, context, params)
    assert not result.is_error, result
assert workspace.read("a") == "00\\n5\\n"
for tool in ("grep", "bash"):
    print(registry.call(agent, tool, context, {"pattern": "a"}).output)
assert all(tool.declaration["input_schema"] for tool in TOOLS.values())
"""
    tools, grep, bash = run(script, tmp_path).splitlines()
    offered = "read write edit multi_edit edit_file patch_file insert_at edit_patch task"
    assert tools == f"invalid {offered}"
    available = f"; available: {', '.join(offered.split())}."
    install = "(Install it: pip install 'editgauge[tools]')"
    assert grep == (f"Invalid call of grep: grep needs pathspec, re2, which are not installed {install}{available}")
    assert bash == (
        "Invalid call of bash: bash needs tree_sitter, tree_sitter_bash, re2, which are not installed "
        f"{install}{available}"
    )


def test_documents_say_which_extra_they_need(tmp_path: Path) -> None:
    script = """
from editcore.errors import UsageError

try:
    from editcore.host.documents.store import Documents
except UsageError as error:
    print(error.message, error.tip, sep="|")
"""
    assert run(script, tmp_path).splitlines() == [
        "Documents needs sqlalchemy, which is not installed|Install it: pip install 'editgauge[tools]'."
    ]
