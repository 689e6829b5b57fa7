"""One file changed by a tool, and all that is said of it: the diff, the counts, what a checker finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from editcore.checkers import DiagnosticError, diagnose
from editcore.diff import changed_lines, unified_diff
from editcore.errors import ToolError
from editcore.tools.host import Host, Place
from editcore.tools.tool import Context, Result
from editcore.types import Applied, EditResult, Reason, Rejected

_MOST_DIAGNOSTICS = 20


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What became of a file."""

    file: str
    before: str
    after: str
    additions: int
    """Lines."""
    deletions: int


def change_file(
    host: Host, tool: str, params: Mapping[str, object], place: Place, decide: Callable[[str | None], EditResult]
) -> Result:
    """The result of a change of one file, made. `decide` gets the file's text, or None where there is none.

    Raises ToolError where it is refused, and WorkspaceError where the disk fails.
    """
    before: list[str | None] = []

    def decided(files: Mapping[str, str]) -> EditResult:
        before.append(next(iter(files.values()), None))
        result = decide(before[0])
        if isinstance(result, Rejected) or result.content is None:
            return result
        return Applied(result.content, result.matches, result.replacer, {place.path: result.content})

    result = place.workspace.change(tool, params, [place.path], decided).result
    if isinstance(result, Rejected):
        raise ToolError(result.message, reason=result.reason)
    return _told(host, place, before[0], result)


def unless_known(host: Host, context: Context, place: Place, text: str) -> Rejected | None:
    """Why a file that has this text must not be changed by that session; None where it may."""
    return host.ledger.refusal(context.session_id, place.absolute, text, name=place.name)


def not_there(place: Place) -> Rejected:
    """The refusal of a file that is not there."""
    return Rejected(Reason.NOT_FOUND, f"There is no file {place.name}: give the path of one that exists.")


def _told(host: Host, place: Place, before: str | None, result: Applied) -> Result:
    after = result.content or ""
    additions, deletions = changed_lines(before or "", after)
    diagnostics = diagnose(place.path, after, host.checkers)
    metadata: dict[str, Any] = {
        "diff": unified_diff(before or "", after, path=place.path),
        "filediff": asdict(FileDiff(place.name, before or "", after, additions, deletions)),
        "diagnostics": {place.name: [asdict(one) for one in diagnostics]} if diagnostics else {},
        "replacer": result.replacer,
        "notes": list(result.notes),
    }
    done = "Edit applied successfully." if before is not None else "Created the file."
    notes = [f"Note: {note}." for note in result.notes]
    return Result(place.name, "\n".join([done, *notes, *_listed(place.name, diagnostics)]), metadata)


def _listed(name: str, diagnostics: Any) -> list[str]:
    if not diagnostics:
        return []
    found: list[DiagnosticError] = list(diagnostics)
    lines = [f"ERROR [{one.line}:{one.column}] {one.message}" for one in found[:_MOST_DIAGNOSTICS]]
    more = len(found) - len(lines)
    return [
        "There are errors in the file now, please fix them:",
        f'<diagnostics file="{name}">',
        *lines,
        *([f"... and {more} more"] if more > 0 else []),
        "</diagnostics>",
    ]
