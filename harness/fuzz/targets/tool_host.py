"""Fuzz targets: the parameters of tool calls, and the shortening of outputs."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Literal

import msgspec

from editcore.errors import ToolError
from editcore.host.parameters import read
from editcore.host.shell.script import read_script
from editcore.host.tools import TOOLS
from editcore.host.truncation import Outputs
from harness.fuzz.finding import Violation
from harness.fuzz.generators.documents import document, line
from harness.fuzz.generators.foreign import damaged_json
from harness.fuzz.inputs import Fields

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
    "ls ",
    "git ",
    "status ",
    "rm ",
    "-f ",
    "../a ",
    "*",
    "a",
    "; ",
    " | ",
    "> b ",
    "$(",
    ")",
    "x=1 ",
    "'",
    "$y ",
    "f() ",
)
"""Pieces of scripts."""
_WRAPPERS = ("env", "setsid", "busybox", "python3.11", "a=b", "/bin/ls", "npm", "git -c a=b", "sed", "[", "unheard_of")
"""Beginnings of commands that may run what follows them."""


def call(rng: Random) -> Fields:
    """The name of a tool, and its parameters as JSON, some of them wrong."""
    name = rng.choice(list(_SENT))
    sent = _SENT[name]
    if name == "bash":
        sent = {**sent, "command": "".join(rng.choices(_SCRIPT, k=rng.randint(1, 6)))}
    for _ in range(rng.randint(0, 2)):
        sent = damaged_json(sent, rng)
    return (rng.choice(list(TOOLS)) if rng.random() < 0.1 else name, json.dumps(sent))


def parameters_are_read(fields: Fields, thorough: bool) -> tuple[Violation, ...]:
    """Parameters are kept as sent, and parse to the same again; or are refused in one line that names the tool."""
    del thorough
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
    """A word that may run others, put before a script, adds no pattern that covers more than one command."""
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
    """Whether the parameters that were read equal those that were sent; defaults may be added."""
    if isinstance(sent, dict):
        return all(key in read and _holds(read[key], value) for key, value in sent.items())
    if isinstance(sent, list):
        return len(read) == len(sent) and all(map(_holds, read, sent))
    return bool(read == sent)


# Truncation


def output(rng: Random) -> Fields:
    """An output, and which end of it to keep."""
    texts = (
        document(rng),
        line(rng) * rng.randint(1, 9),
        "\U0001f600é\n" * rng.randint(0, 20),
        "\n" * rng.randint(0, 9),
    )
    return ("".join(rng.choices(texts, k=rng.randint(1, 2))), rng.choice(("head", "tail")))


@cache
def _outputs() -> Outputs:
    folder = Path(tempfile.mkdtemp(prefix="editgauge-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Outputs(folder / "outputs", max_lines=6, max_bytes=90)


def output_is_cut(fields: Fields, thorough: bool) -> tuple[Violation, ...]:
    """The kept part is within both limits and at that end of the output, and the file holds the whole output."""
    del thorough
    text = fields[0]
    keep: Literal["head", "tail"] = "tail" if fields[-1] == "tail" else "head"
    outputs = _outputs()
    found = outputs.shortened(text, keep=keep)
    n_lines = text.count("\n") + (text[-1:] not in ("", "\n"))
    fits = n_lines <= outputs.max_lines and _n_bytes(text) <= outputs.max_bytes
    if fits or found.path is None:
        is_right = fits and found.text == text and found.is_whole and found.path is None
        return (
            ()
            if is_right
            else (Violation("output_is_cut", "whole", "an output that fits is shortened, or one that does not is not"),)
        )
    try:
        whole = found.path.read_bytes()
    finally:
        found.path.unlink()
    wrong = []
    if whole != text.encode("utf-8", "backslashreplace"):
        wrong.append(Violation("output_is_cut", "kept", "the file is not the whole output"))
    kept = found.text.rpartition("\n\n... ")[0] if keep == "head" else found.text.split("\n\n", 1)[1]
    if not (text.startswith(kept) if keep == "head" else text.endswith(kept)):
        wrong.append(Violation("output_is_cut", keep, f"the kept part is not the {keep} of the output"))
    if _n_bytes(kept) > outputs.max_bytes or kept.count("\n") > outputs.max_lines:
        wrong.append(Violation("output_is_cut", "limits", "the kept part exceeds a limit"))
    return tuple(wrong)


def _n_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
