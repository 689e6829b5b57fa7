"""Fuzz targets: tool calls on a real workspace, the parameters of calls, and the shortening of outputs."""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from editcore.apply import apply_edit
from editcore.cascade import EXACT
from editcore.errors import ToolError, WorkspaceError
from editcore.host.parameters import read
from editcore.host.tools import TOOLS
from editcore.host.tools.edit_file import edit_file, insert_at
from editcore.host.tools.edit_patch import edit_patch
from editcore.host.tools.patch_file import patch_file
from editcore.host.workspace import Workspace
from editcore.patches.begin_patch import apply_begin_patch
from editcore.patches.line_edits import insert_lines
from editcore.patches.unified_diff import apply_unified_diff
from editcore.shell.script import read_script
from editcore.text.lines import BOM
from editcore.types import Applied, Edit, Reason, Rejected
from harness.fuzz.finding import Violation
from harness.fuzz.generators import GENERATORS
from harness.fuzz.generators.documents import document, line
from harness.fuzz.generators.edits import changed, cut, diff_of, replacement
from harness.fuzz.generators.foreign import damaged_json
from harness.fuzz.generators.mutate import drifted
from harness.fuzz.generators.patches import envelope_for
from harness.fuzz.inputs import PATH, Fields

# Sequences of tool calls on a real workspace, compared with the same calls on texts in memory

_UNIT = "\x1f"
"""Separates the parts of a call."""
_LINE_ENDING = re.compile(r"\r*\n")

Tree = dict[str, str]


def sequence(rng: Random) -> Fields:
    """A file, and the calls on it: each the name of a tool and its parameters."""
    content = document(rng)
    calls = []
    for _ in range(rng.randint(1, 5)):
        kind = rng.choice(("edit", "edit", "insert", "patch", "envelope", "dry"))
        if kind == "edit":
            search = cut(content, rng)
            occurrence = rng.choice(("1", "1", "0", "-1", "2"))
            parts = [search if rng.random() < 0.7 else drifted(search, rng), replacement(search, rng), occurrence]
        elif kind == "insert":
            parts = [str(rng.randint(-2, content.count("\n") + 2)), line(rng)]
        elif kind == "patch":
            parts = [diff_of(content, changed(content, rng) if rng.random() < 0.9 else "", rng)]
        else:
            parts = [envelope_for(content, rng) if rng.random() < 0.7 else GENERATORS["begin_patch"](rng)[0]]
        calls.append(_UNIT.join([kind, *[part.replace(_UNIT, "") for part in parts]]))
    return (content, *calls)


def calls_agree(fields: Fields, _: bool) -> tuple[Violation, ...]:
    """After each call the disk equals the model in memory. Refusals and dry runs change nothing."""
    if any("\ud800" <= letter <= "\udfff" for field in fields for letter in field) or BOM in "".join(fields[1:]):
        return ()  # No disk takes surrogates; a byte order mark that a call adds would belong to the file.
    fields = tuple(field.replace("\0", "") for field in fields)  # A file with a NUL is not edited.
    root, workspace = _workspace()
    _clear(root)
    # A workspace keeps a byte order mark, and shows the text without it.
    mark = BOM if fields[0][:1] == BOM else ""
    model: Tree = {PATH: fields[0].removeprefix(BOM)}
    (root / PATH).write_bytes(fields[0].encode())
    found: list[Violation] = []
    for call in fields[1:]:
        kind, *parts = call.split(_UNIT)
        if kind == "edit" and len(parts) == 3 and PATH in model:
            found += line_endings_hold(model[PATH], parts[0], parts[1])
        made = _in_memory(kind, parts, model)
        if made is None:
            continue
        reported = _on_disk(kind, parts, workspace)
        applied = isinstance(made, Applied)
        if reported != applied:
            found.append(
                Violation("disk_equals_memory", f"{kind}: told", f"{kind} reports {reported}, the model {applied}")
            )
        if applied and kind != "dry":
            model = dict(made.files or {})
        if _tree(root) != {**model, **({PATH: mark + model[PATH]} if PATH in model else {})}:
            found.append(Violation("disk_equals_memory", f"{kind}: files", f"after {kind} the disk differs"))
            break
        if sorted(os.listdir(root.parent)) != ["locks", "workspace"]:
            found.append(Violation("paths_stay_inside", kind, f"{kind} left a file outside the workspace"))
    return tuple(found)


def line_endings_hold(text: str, old: str, new: str) -> list[Violation]:
    """Places that differ only in carriage returns are ambiguous. Uniform line endings stay uniform."""
    result = apply_edit(text, Edit(old, new), EXACT)
    if not isinstance(result, Applied):
        return []
    found = []
    plain, search = text.replace("\r\n", "\n"), old.replace("\r\n", "\n")
    at = plain.find(search)
    if at >= 0 and plain.find(search, at + 1) >= 0:
        found.append(Violation("line_endings_hold", "ambiguous", "one of several places that look the same is taken"))
    endings = set(_LINE_ENDING.findall(text))
    lone = "\r" in "".join((text, old, new)).replace("\r\n", "")
    if len(endings) == 1 and not lone and not endings >= set(_LINE_ENDING.findall(result.content or "")):
        found.append(Violation("line_endings_hold", "uniform", "the result has line endings that the text had not"))
    return found


@cache
def _workspace() -> tuple[Path, Workspace]:
    folder = Path(tempfile.mkdtemp(prefix="editgauge-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "workspace").mkdir()
    (folder / "locks").mkdir()
    return folder / "workspace", Workspace(folder / "workspace", durable=False, lock_directory=folder / "locks")


def _clear(root: Path) -> None:
    for entry in os.scandir(root):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)


def _tree(root: Path) -> Tree:
    return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in root.rglob("*") if path.is_file()}


def _in_memory(kind: str, parts: list[str], model: Tree) -> Applied | Rejected | None:
    """The expected result of a call; None if it is not a call."""
    text = model.get(PATH)
    if kind in ("edit", "insert", "patch") and text is None:
        return None
    if kind == "edit" and len(parts) == 3 and _is_number(parts[2]):
        return _edited(model, text or "", parts[0], parts[1], int(parts[2]))
    if kind == "insert" and len(parts) == 2 and _is_number(parts[0]):
        put = insert_lines(text or "", int(parts[0]), parts[1])
        return put if isinstance(put, Rejected) else Applied(files={**model, PATH: put.content})
    if kind == "patch" and len(parts) == 1:
        result = apply_unified_diff({PATH: text or ""}, parts[0])
        if isinstance(result, Applied) and set(result.files or {}) != {PATH}:
            return Rejected(Reason.NOT_ALLOWED, "It does more than change the file.")
        return result if isinstance(result, Rejected) else Applied(files={**model, **(result.files or {})})
    if kind in ("envelope", "dry") and len(parts) == 1:
        return apply_begin_patch(model, parts[0])
    return None


def _is_number(text: str) -> bool:
    return len(text) < 6 and text.removeprefix("-").isdecimal()


def _edited(model: Tree, text: str, old: str, new: str, occurrence: int) -> Applied | Rejected | None:
    """The edit of the n-th occurrence, as the tool's description says; None if line endings leave a choice.

    A CRLF is one unit and equals a line feed. New lines end as all others do, so texts with both endings are left
    out.
    """
    old, plain = old.replace("\r\n", "\n"), text.replace("\r\n", "\n")
    new = new.replace("\r\n", "\n")
    n = plain.count(old) if old else 0
    if not n or old == new or not -1 <= occurrence <= n:
        return Rejected(Reason.NO_MATCH, "refused")
    ending = "\r\n" if "\r\n" in text else "\n"
    if plain.replace("\n", ending) != text or ("\r" in plain + old + new):
        return None
    if occurrence == 0:
        after = plain.replace(old, new)
    else:
        pieces = plain.split(old)
        at = n if occurrence == -1 else occurrence
        after = old.join(pieces[:at]) + new + old.join(pieces[at:])
    return Applied(files={**model, PATH: after.replace("\n", ending)})


def _on_disk(kind: str, parts: list[str], workspace: Workspace) -> bool:
    """True if the tool reports success."""
    try:
        if kind == "edit":
            result = edit_file(workspace, PATH, parts[0], parts[1], occurrence=int(parts[2]))
        elif kind == "insert":
            result = insert_at(workspace, PATH, int(parts[0]), parts[1])
        elif kind == "patch":
            result = patch_file(workspace, PATH, parts[0])
        else:
            return bool(edit_patch(parts[0], workspace=workspace, dry_run=kind == "dry", allow_delete=True)["ok"])
    except WorkspaceError:
        return False
    return isinstance(result, Applied)


# Parameters of tool calls

_EDIT = {"oldString": "a", "newString": "b", "replaceAll": False}
_SENT: dict[str, Any] = {
    "read": {"filePath": "a", "offset": 1, "limit": 2.0},
    "write": {"filePath": "a", "content": "x\n"},
    "grep": {"pattern": "x", "path": "", "include": "*.py"},
    "edit": {"filePath": "a", **_EDIT},
    "multi_edit": {"filePath": "a", "edits": [_EDIT, {"oldString": "b", "newString": ""}]},
    "edit_file": {"path": "a", "old_content": "x", "new_content": "y", "occurrence": -1},
    "insert_at": {"path": "a", "line": 0, "content": "x"},
    "edit_patch": {"patch": "*** Begin Patch", "workspace_root": "a", "dry_run": True, "max_files": 2.0},
    "edit_lines": {"patch": "[a#0000]\nCUT 1"},
    "doc_edit": {"command": "view", "path": "/a.md", "view_range": [1, -1]},
    "bash": {"command": "ls", "timeout": 1000, "description": ""},
}
"""Correct calls, which are damaged."""
_SCRIPT = (
    "ls ", "git ", "status ", "rm ", "-f ", "../a ", "*", "a", "; ", " | ", "> b ", "$(", ")", "x=1 ", "'", "$y ",
    "f() "
)  # fmt: skip
"""Pieces of scripts."""
_WRAPPERS = ("env", "setsid", "busybox", "python3.11", "a=b", "/bin/ls", "npm", "git -c a=b", "sed", "[", "unheard_of")
"""Beginnings of commands that may run the words after them."""


def call(rng: Random) -> Fields:
    """The name of a tool, and its parameters as JSON, some of them wrong."""
    name = rng.choice(list(_SENT))
    sent = _SENT[name]
    if name == "bash":
        sent = {**sent, "command": "".join(rng.choices(_SCRIPT, k=rng.randint(1, 6)))}
    for _ in range(rng.randint(0, 2)):
        sent = damaged_json(sent, rng)
    return (rng.choice(list(TOOLS)) if rng.random() < 0.1 else name, json.dumps(sent))


def parameters_are_read(fields: Fields, _: bool) -> tuple[Violation, ...]:
    """Parameters are kept as sent and parse to the same again, or are refused in one line that names the tool."""
    if len(fields) < 2 or fields[0] not in TOOLS:
        return ()
    name, kind = fields[0], TOOLS[fields[0]].parameters
    try:
        sent = json.loads(fields[1])
    except (ValueError, RecursionError):
        return ()
    try:
        once = read(name, kind, sent)
    except ToolError as error:
        if error.message.startswith(f"{name}: ") and len(error.message.splitlines()) == 1:
            return ()
        return (Violation("refusal_is_one_line", "parameters", f"{name} is refused with {error.message!a:.80}"),)
    if name == "bash" and (found := patterns_are_narrow(once.command)):
        return found
    plain = msgspec.to_builtins(once)
    if not _holds(plain, sent):
        return (Violation("parameters_are_kept", name, f"{name} reads {sent!a:.80} as {plain!a:.80}"),)
    return (
        ()
        if read(name, kind, plain) == once
        else (Violation("parameters_are_kept", name, "read a second time, they differ"),)
    )


def patterns_are_narrow(script: str) -> tuple[Violation, ...]:
    """A word that may run others, before a script, adds no pattern that covers more than one command."""
    try:
        if script in read_script(script).unknown:
            return ()  # It can't be parsed; with a word in front, it may be.
        before = _broad(script)
        found = [wrapper for wrapper in _WRAPPERS if not _broad(f"{wrapper} {script}") <= before]
    except UnicodeEncodeError:
        return ()  # No shell can be sent it.
    wide = f"with {', '.join(found)} in front, a pattern covers more than one command"
    return (Violation("patterns_are_narrow", "wrapper", wide),) if found else ()


def _broad(script: str) -> set[str]:
    """The patterns that cover more than one command."""
    found = read_script(script)
    return {pattern for pattern in found.always if "*" in pattern or pattern not in found.commands}


def _holds(read: Any, sent: Any) -> bool:
    """True if the parameters that were read equal the sent ones, apart from defaults; null is a field left out."""
    if isinstance(sent, dict):
        return all(value is None or (key in read and _holds(read[key], value)) for key, value in sent.items())
    if isinstance(sent, list):
        return len(read) == len(sent) and all(map(_holds, read, sent))
    return bool(read == sent)
