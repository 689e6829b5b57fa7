"""Defaults of the commands, from `editgauge.toml` of the current folder or `[tool.editgauge]` of its `pyproject.toml`.

    strategies = ["cmd:mine=node edit.ts", "cascade/exact"]     -s of `run` and `nightly`
    corpora = ["house", "mine.jsonl"]                           their corpora, and those of `orderings`

    [nightly]                                                   options of one command, by their long names
    history = "nights"

What is typed on the command line replaces the value of the file.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import click

from editcore.errors import UsageError, did_you_mean

FILE, SHARED_FILE = "editgauge.toml", "pyproject.toml"
_MOST_BYTES = 1_000_000
_EVERYWHERE = {
    "strategies": {"run": "patterns", "nightly": "patterns"},
    "corpora": {"run": "corpora", "nightly": "corpora", "orderings": "places"},
}
"""Key of the file -> command -> the command's parameter that gets its value."""

TEMPLATE = """\
# Defaults of `editgauge`, read in this folder. What is typed on the command line replaces a value of this file.

# Strategies of `run` and `nightly`. A program is 'cmd:NAME=COMMAND'; see `editgauge ls strategies`.
strategies = ["cascade/recommended", "cascade/exact", "replacer/simple"]

# Corpora of `run`, `nightly` and `orderings`: names or files.
corpora = ["house"]

# Options of one command, by their long names; see `editgauge nightly --help`.
[nightly]
history = "nights"
# fail-on = ["wrong_edit", "crash"]

[orderings]
wrong-cost = 5
"""


def default_map(group: click.Group, folder: Path) -> dict[str, dict[str, Any]]:
    """Command -> parameter -> default, from the file of a folder; empty without one. Raises UsageError."""
    path, settings = _settings(folder)
    found: dict[str, dict[str, Any]] = {}
    for key, value in settings.items():
        if key in _EVERYWHERE:
            if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
                raise UsageError(f"{path}: {key} is no list of texts", f'Write {key} = ["..."].')
            for name, parameter in _EVERYWHERE[key].items():
                found.setdefault(name, {}).setdefault(parameter, value)
        elif key in group.commands and isinstance(value, dict):
            found.setdefault(key, {}).update(_options(path, group.commands[key], value))
        else:
            known = [*_EVERYWHERE, *group.commands]
            raise UsageError(
                f"{path}: there is no setting {key!r}", f"{did_you_mean(key, known)}`editgauge init` shows them."
            )
    return found


def _settings(folder: Path) -> tuple[Path, dict[str, Any]]:
    own, shared = folder / FILE, folder / SHARED_FILE
    for path in (own, shared):
        if not path.is_file() or (path == shared and path.stat().st_size > _MOST_BYTES):
            continue
        try:
            read = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            if path == shared:  # Somebody else's file: its tools say what is wrong with it.
                continue
            raise UsageError(f"{path} is no TOML: {error}", "Mend it; `editgauge init` shows how one looks.") from None
        tools = read.get("tool") if path == shared else None
        settings = read if path == own else tools.get("editgauge") if isinstance(tools, dict) else None
        if isinstance(settings, dict):
            return path, settings
    return own, {}


def _options(path: Path, command: click.Command, values: dict[str, Any]) -> dict[str, Any]:
    """Parameter -> value of a command's options. Raises UsageError for an option that the command does not have."""
    by_name = {
        one.removeprefix("--"): option.name for option in command.params for one in option.opts if one.startswith("--")
    }
    for key in values:
        if key not in by_name:
            raise UsageError(
                f"{path}: `editgauge {command.name}` has no option --{key}",
                f"{did_you_mean(key, by_name)}See `editgauge {command.name} --help`.",
            )
    return {str(by_name[key]): value for key, value in values.items()}
