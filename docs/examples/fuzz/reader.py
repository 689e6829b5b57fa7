"""A reader of unified diffs with one flaw: a removed line `-- x` is `--- x` in the patch, and taken for a header.

editgauge fuzz -s 'parse:mine[unified_diff]=reader:read' --seconds 20
"""

from __future__ import annotations

import re
from typing import Any

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def read(patch: str) -> list[dict[str, Any]]:
    """The sections of a patch, each with its hunks. Raises ValueError for what is no diff."""
    sections: list[dict[str, Any]] = []
    old = moved = ""
    lines = iter(patch.split("\n"))
    for line in lines:
        if line.startswith("rename from "):
            sections.append({"path": line[12:], "hunks": []})
            moved = line[12:]
        elif sections and line.startswith("rename to "):
            sections[-1]["move_to"] = line[10:]
        elif line.startswith("--- "):
            old = line[4:]
        elif line.startswith("+++ "):
            new = line[4:]
            if old[2:] == moved:
                continue  # Its section began with the move.
            if old == "/dev/null":
                sections.append({"path": new[2:], "action": "add", "hunks": []})
            else:
                action = "delete" if new == "/dev/null" else "update"
                sections.append({"path": old[2:], "action": action, "hunks": []})
        elif sections and (found := HUNK.match(line)):
            sections[-1]["hunks"].append(hunk(found, lines))
        elif sections and sections[-1]["hunks"] and line.startswith("\\"):
            sections[-1]["hunks"][-1]["lines"].append(line)
    if not sections:
        raise ValueError("no file is named")
    return sections


def hunk(found: re.Match[str], lines: Any) -> dict[str, Any]:
    """A hunk of as many lines as its header counts."""
    left = [int(found[2] or 1), int(found[3] or 1)]
    body: list[str] = []
    while any(left):
        line = next(lines, None)
        if line is None or line.startswith("--- "):  # The flaw: within a hunk, this is a removed line.
            raise ValueError("the hunk is shorter than its header says")
        if not line.startswith("\\"):
            left[0] -= line[:1] != "+"
            left[1] -= line[:1] != "-"
        body.append(line or " ")
    return {"source_start": int(found[1]), "lines": body}
