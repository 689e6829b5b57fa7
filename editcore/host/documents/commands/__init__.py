"""The commands of `doc_edit`, one per file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from editcore.host.documents.commands.append import APPEND
from editcore.host.documents.commands.command import Command, Turn
from editcore.host.documents.commands.create import CREATE
from editcore.host.documents.commands.insert import INSERT
from editcore.host.documents.commands.str_replace import STR_REPLACE
from editcore.host.documents.commands.view import VIEW

__all__ = ["COMMANDS", "Command", "Turn"]

COMMANDS: Mapping[str, Command] = MappingProxyType(
    {command.name: command for command in (VIEW, STR_REPLACE, INSERT, APPEND, CREATE)}
)
"""Name -> command. Explicit: adding one is adding a file and a line here."""
