"""Permissions: what a tool asks its host before it acts, and the answer where the host does not ask anybody."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

EXTERNAL_DIRECTORY = "external_directory"
"""The permission for paths outside the project."""
BYPASS = "bypass_external_directory"
"""A key of `Context.extra`; where it is true, `external_directory` is not asked for."""
_WILDCARDS = "*?["
CONFLICT = "conflict"
"""The permission for an edit that overlaps what another session or process has written since this one read the file."""
_DENIED_BY_DEFAULT = (EXTERNAL_DIRECTORY, CONFLICT, "bash")
"""Permissions that can reach outside the project, or lose somebody's work."""


@dataclass(frozen=True, slots=True)
class PermissionRequest:
    """The question whether a tool may do something."""

    permission: str
    """`edit`, `bash`, `external_directory`, `conflict`, `read`, `task`, ..."""
    patterns: tuple[str, ...]
    """The paths, commands or globs it is for."""
    always: tuple[str, ...] = ()
    """The patterns that the answer "always allow" would cover."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """What to show with the question: a diff, a command. `filepath` is the absolute path of what is asked for, or
    several with commas between; `parentDir`, of `external_directory`, that of its directory."""
    choices: tuple[str, ...] = ()
    """The answers to choose from, where yes and no are not enough: `skip`, `force`, `manual` for `conflict`. Any other
    answer refuses."""


def is_allowed_by_default(request: PermissionRequest) -> bool:
    """The answer of a context without `on_ask`: yes, but not to `external_directory`, `bash` and `conflict`."""
    return request.permission not in _DENIED_BY_DEFAULT


def always_of(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The paths that "always allow" can cover: not those with wildcards, which would cover others."""
    return tuple(one for one in patterns if not any(character in one for character in _WILDCARDS))


def outside_request(path: str, directory: str) -> PermissionRequest:
    """The request for an absolute path outside the project, links resolved. It covers the directory of the path."""
    pattern = os.path.join(directory, "*")
    always = (pattern,) if always_of((directory,)) else ()
    return PermissionRequest(EXTERNAL_DIRECTORY, (pattern,), always, {"filepath": path, "parentDir": directory})


def unknown_request(words: tuple[str, ...]) -> PermissionRequest:
    """The request for paths that are not known before a script runs: it is for any, and not to be answered for all."""
    return PermissionRequest(EXTERNAL_DIRECTORY, ("*",), (), {"filepath": " ".join(words)})
