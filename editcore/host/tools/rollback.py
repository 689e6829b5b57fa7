"""`rollback` and `cleanup`: restore files as they were before their first edit; remove the backups of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from editcore.host.host import Host
from editcore.host.registry import BuiltIn
from editcore.host.tool import Context, Result
from editcore.host.workspace import WRITES_NOTHING
from editcore.quoting import shown


@dataclass(frozen=True, slots=True)
class Parameters:
    """A file that was edited, or all of them."""

    path: Annotated[str, Meta(description="The file's path; empty for all files that were edited.")] = ""


def _rollback(host: Host, context: Context, params: Parameters) -> Result:
    file = host.file(context, params.path) if params.path else host.directory(context, "")
    paths = file.workspace.rollback(file.path or None)
    return _result("rollback", "Restored, as before the first edit", paths)


def _cleanup(host: Host, context: Context, params: Parameters) -> Result:
    file = host.file(context, params.path) if params.path else host.directory(context, "")
    paths = file.workspace.cleanup(file.path or None)
    return _result("cleanup", "Backups removed, of", paths)


def _result(title: str, what: str, paths: tuple[str, ...]) -> Result:
    named = "\n".join(shown(path, limit=None) for path in paths)
    return Result(title, f"{what}:\n{named}" if paths else "There are no backups.", {"paths": list(paths)})


def _is_offered(host: Host) -> bool:
    return host.backups and host.workspace.mode not in WRITES_NOTHING


ROLLBACK = BuiltIn(
    "rollback",
    "Restores a file, or all edited files, to before the first edit; files that were created are deleted. All of them "
    "or none: it is refused where somebody else has written to one since.",
    Parameters,
    _rollback,
    _is_offered,
)
CLEANUP = BuiltIn(
    "cleanup",
    "Removes the backup of a file, or of all edited files; they can't be rolled back any more.",
    Parameters,
    _cleanup,
    _is_offered,
)
