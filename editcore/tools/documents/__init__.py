"""The commands of `doc_edit`, one file each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from editcore.tools.documents.append import APPEND
from editcore.tools.documents.command import Command, Turn
from editcore.tools.documents.create import CREATE
from editcore.tools.documents.insert import INSERT
from editcore.tools.documents.str_replace import STR_REPLACE
from editcore.tools.documents.view import VIEW

__all__ = ["COMMANDS", "Command", "Turn"]

COMMANDS: Mapping[str, Command] = MappingProxyType(
    {command.name: command for command in (VIEW, STR_REPLACE, INSERT, APPEND, CREATE)}
)
"""Name -> command. Explicit: adding one is adding a file and a line here."""
