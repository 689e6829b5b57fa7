"""The change of a file by a tool, and its result: diff, counts of lines, diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from editcore.errors import ToolError
from editcore.host.checkers import diagnose
from editcore.host.host import Host, ResolvedPath
from editcore.host.tool import Context, Result
from editcore.host.where_applied import where_applied
from editcore.host.workspace import Proposal
from editcore.quoting import shown
from editcore.text.diff import changed_lines
from editcore.types import Applied, EditResult, Reason, Rejected

_MAX_DIAGNOSTICS = 20


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The change of one file."""

    file: str
    before: str
    """Empty where the file did not exist."""
    after: str
    """Empty where the file was deleted."""
    additions: int
    """Lines added."""
    deletions: int
    """Lines removed."""


def change_file(
    host: Host, tool: str, params: Mapping[str, object], file: ResolvedPath,
    decide: Callable[[str | None], EditResult], *, around: int = 0,
) -> Result:  # fmt: skip
    """Change one file and return the result. `decide` gets the file's text, or None where it does not exist.

    The result shows the changed lines with `around` more on each side, if any. Raises ToolError where the change is
    refused, and WorkspaceError where the disk fails.
    """

    def decided(files: Mapping[str, str]) -> EditResult:
        result = decide(next(iter(files.values()), None))
        if isinstance(result, Rejected) or result.content is None:
            return result
        return replace(result, files={file.path: result.content})

    return edit_result(host, file, file.workspace.change(tool, params, [file.path], decided).result, around=around)


def edit_result(host: Host, file: ResolvedPath, result: EditResult, *, around: int | None = 0) -> Result:
    """The result for a change through a resolved path. Raises ToolError for one that was refused."""
    if isinstance(result, Rejected):
        if result.proposed is not None:
            found = changed_metadata(host, file.proposals[-1], result.proposed)
            raise ToolError(f"{result.message}\n{found['diff']}", reason=result.reason, metadata={"findings": found})
        raise ToolError(result.message, reason=result.reason, metadata=overlaps_of(file))
    proposal = file.proposals[-1]
    metadata = changed_metadata(host, proposal, result)
    if all(one.kind == "A" for one in proposal.changes):
        lines = ["Created the file."]
    else:
        before, after = (next(iter(texts.values()), "") for texts in (proposal.before, proposal.after))
        lines = where_applied(before, after, result, around=around)
    lines += [f"Note: {note}." for note in result.notes]
    for path, found in metadata["diagnostics"].items():
        lines += _diagnostic_lines(path, found)
    return Result(file.name, "\n".join(lines), metadata)


def changed_metadata(host: Host, proposal: Proposal, result: Applied) -> dict[str, Any]:
    """A change for a user interface: JSON values."""
    before, after = (
        {proposal.name(path): text for path, text in one.items()} for one in (proposal.before, proposal.after)
    )
    changed = [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]
    diffs = [_file_diff(path, before.get(path, ""), after.get(path, "")) for path in changed]
    diagnostics = {path: diagnose(path, after[path], host.checkers) for path in changed if path in after}
    return {
        "diff": proposal.diff,
        "filediffs": [asdict(one) for one in diffs],
        "changed_paths": changed,
        "diagnostics": {path: [asdict(one) for one in found] for path, found in diagnostics.items() if found},
        "replacer": result.replacer,
        "notes": list(result.notes),
    }


def overlaps_of(file: ResolvedPath) -> dict[str, Any]:
    """Metadata for a refusal: what the edit overlaps of others' work, in both versions."""
    return {"conflicts": list(file.overlaps)} if file.overlaps else {}


def _file_diff(path: str, before: str, after: str) -> FileDiff:
    return FileDiff(path, before, after, *changed_lines(before, after))


def refusal_unless_read(host: Host, context: Context, file: ResolvedPath, text: str) -> Rejected | None:
    """The refusal for a file that the session has not read as it is now; None where it has."""
    return host.ledger.refusal(context.session_id, file.absolute, text, name=file.name)


def file_not_found(file: ResolvedPath) -> Rejected:
    """The refusal for a file that does not exist."""
    return Rejected(Reason.NOT_FOUND, f"There is no file {shown(file.name)}: give the path of one that exists.")


def _diagnostic_lines(path: str, found: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = [f"ERROR [{one['line']}:{one['column']}] {one['message']}" for one in found[:_MAX_DIAGNOSTICS]]
    more = [f"... and {len(found) - len(lines)} more"] if len(found) > len(lines) else []
    return [f'The file has errors now: please fix them.\n<diagnostics file="{path}">', *lines, *more, "</diagnostics>"]
