"""Somebody who listens while a command runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from editcore.host.tool import Result
from tests.editcore.host.conftest import Project


def told(project: Project, command: str, listen: Callable[[str, Mapping[str, Any]], None], **params: Any) -> Result:
    """The result of a command, while `listen` gets its output."""
    context = replace(project.context, on_metadata=listen)
    return project.registry.call(project.agent, "bash", context, {"command": command, **params})
