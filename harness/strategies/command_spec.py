"""The spec of a command as a strategy: `cmd:NAME[FORMAT,once=S]=COMMAND`."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import get_args

import xxhash

from corpora.sample import Format
from editcore.errors import UsageError, did_you_mean
from editcore.formats import EDIT_FORMATS

FORMATS: tuple[Format, ...] = get_args(Format)
_SPEC = re.compile(r"cmd:(?P<name>[A-Za-z0-9_-]+)(?:\[(?P<options>[^]]*)\])?=(?P<command>.*)", re.DOTALL)


def parts_of(spec: str) -> tuple[str, Sequence[Format], float | None, list[str]]:
    """Name, formats, seconds of `once`, and words of the command. Raises UsageError."""
    parts = _SPEC.fullmatch(spec)
    if parts is None:
        raise UsageError(
            f"{spec!r} is not cmd:NAME=COMMAND",
            "Write 'cmd:mine=node edit.js', or 'cmd:mine[unified_diff]=./mine'; a name is letters, digits, - and _.",
        )
    options = [] if parts["options"] is None else [one.strip() for one in parts["options"].split(",")]
    once = [one for one in options if one.partition("=")[0] == "once"]
    named = [one for one in options if one not in once]
    formats = _formats(named) if named else EDIT_FORMATS
    return parts["name"], formats, _seconds(once[-1]) if once else None, _words(parts["command"])


def _seconds(option: str) -> float:
    """The seconds of `once=S`. Raises UsageError."""
    text = option.partition("=")[2]
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,3})?", text) or not float(text):
        raise UsageError(f"{option!r} is no time limit", "Give seconds: once=60.")
    return float(text)


def _formats(words: Sequence[str]) -> tuple[Format, ...]:
    for word in words:
        if word not in FORMATS:
            near = did_you_mean(word, FORMATS)
            raise UsageError(f"There is no format {word!r}", f"{near}Choose from: {', '.join(FORMATS)}.")
    return tuple(known for known in FORMATS if known in words)


def _words(command: str) -> list[str]:
    if os.name != "posix":
        raise UsageError("Commands as strategies need a POSIX system", "Use Linux, macOS or WSL.")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"The command {command!r} cannot be read: {error}", "Quote it as for a shell.") from None
    if not words:
        raise UsageError("The command is empty", "Write it after the =: 'cmd:mine=node edit.js'.")
    program = shutil.which(words[0])
    if program is None and os.path.isfile(words[0]):
        raise UsageError(
            f"{words[0]} cannot be run as a program",
            "Name its interpreter, or make it executable and write its path: "
            f"{words[0] if os.sep in words[0] else f'./{words[0]}'}.",
        )
    if program is None:
        raise UsageError(f"There is no program {words[0]!r}", "Give its path, or put it on the PATH.")
    return words


def version_of(words: Iterable[str]) -> str:
    """A hash of the program and of every file among its arguments."""
    state = xxhash.xxh3_64()
    for word in words:
        path = shutil.which(word) or word
        if os.path.isfile(path):
            with suppress(OSError), open(path, "rb") as file:
                state.update(hashlib.file_digest(file, xxhash.xxh3_64).digest())
    return state.hexdigest()
