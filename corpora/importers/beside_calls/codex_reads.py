"""Codex CLI: the file texts that shell commands show. Codex has no tool to read files; models use `cat`, `sed -n`."""

from __future__ import annotations

import re
import shlex
from posixpath import join
from typing import Any, NamedTuple

from corpora.importers.log import dig, text
from corpora.importers.session import Read

_SHELLS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh")
_LINES = re.compile(r"(\d{1,8}),(\d{1,8})p")
_CUT = re.compile(
    r"omitted \d+ of \d+ lines|\d+ (?:tokens|chars|lines) truncated|Total output lines: |truncated output"
)
_LONGEST_COMMAND = 10_000


class Shown(NamedTuple):
    """The file, and the lines of it, that a command shows."""

    path: str
    first_line: int = 1
    last_line: int | None = None
    """None if the file is shown to its end."""


def shown_file(arguments: Any) -> Shown | None:
    """What the command of a shell call shows, if it shows one file and does nothing else."""
    command = next((dig(arguments, name) for name in ("command", "cmd") if dig(arguments, name)), None)
    folder = text(dig(arguments, "workdir")) or text(dig(arguments, "working_directory"))
    words = _words(command)
    match words:
        case ["cat", path]:
            return Shown(join(folder, path)) if not path.startswith("-") else None
        case ["sed", "-n", lines, path] if found := _LINES.fullmatch(lines):
            return Shown(join(folder, path), int(found[1]), int(found[2])) if int(found[1]) else None
    return None


def read_of(shown: Shown, output: str, exit_code: int | None) -> Read | None:
    """The read of a file, given the output of the command; None if that may be cut, or something else."""
    if exit_code != 0 or not output.endswith("\n") or _CUT.search(output):
        return None
    n_lines = output.count("\n")
    reaches_end = shown.last_line is None or n_lines <= shown.last_line - shown.first_line
    return Read(shown.path, output, shown.first_line, whole=shown.first_line == 1 and reaches_end)


def _words(command: Any) -> list[str]:
    """The words of a command without a shell around it; none if it has more than one command."""
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        if len(command) != 3 or command[0] not in _SHELLS or command[1] not in ("-c", "-lc"):
            return command
        command = command[2]
    if (
        not isinstance(command, str)
        or len(command) > _LONGEST_COMMAND
        or re.search(r"[|&;<>$`()*?\[\]{}~\n\\]", command)
    ):
        return []
    try:
        return shlex.split(command)
    except ValueError:
        return []
