"""The change of a file by a tool, and its result: diff, counts of lines, diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

from editcore.errors import ToolError
from editcore.host.host import Host, ResolvedPath, diagnose
from editcore.host.news import news
from editcore.host.tool import Context, Result
from editcore.host.where_applied import where_applied
from editcore.host.workspace import ChangeResult, Proposal
from editcore.quoting import shown
from editcore.stale.rule import NOTE
from editcore.text.diff import changed_lines
from editcore.types import Applied, EditResult, Reason, Rejected

_MAX_DIAGNOSTICS = 20


def change_file(
    host: Host, context: Context, tool: str, params: Any, path: str,
    decide: Callable[[ResolvedPath, str | None], EditResult], *, around: int = 0,
) -> Result:  # fmt: skip
    """Change one file and return the result. `decide` gets the file and its text; None if it does not exist.

    `params` is the dataclass of the call's parameters. The result shows the changed lines with `around` more on each
    side, if any. Raises ToolError if the change is refused, and WorkspaceError if the disk fails.
    """
    file = host.file(context, path)

    decided_on = list[tuple[EditResult, str | None]]()

    def decided(files: Mapping[str, str]) -> EditResult:
        text = next(iter(files.values()), None)
        result = decide(file, text)
        decided_on.append((result, text))
        if isinstance(result, Rejected) or result.content is None:
            return result
        return replace(result, files={file.path: result.content})

    change = file.workspace.change(tool, asdict(params), [file.path], decided)
    for result, text in decided_on:
        if result is change.result:
            note_shown(host, context, file, text, result)
    return edit_result(host, context, file, change, around=around)


def note_shown(host: Host, context: Context, file: ResolvedPath, text: str | None, result: EditResult) -> None:
    """Record the lines of the current text that a refusal shows: their numbers count from then on."""
    if isinstance(result, Rejected) and result.shown and text is not None:
        host.ledger.record_shown(context.session_id, file.absolute, text, result.shown)


def edit_result(
    host: Host, context: Context, file: ResolvedPath, change: ChangeResult, *, around: int | None = 0
) -> Result:
    """The answer to the model for a change of a resolved path. Raises ToolError if the change was refused."""
    result, proposal = change.result, change.proposal
    if isinstance(result, Rejected):
        if result.proposed is not None:
            found = changed_metadata(host, proposal, result.proposed)
            raise ToolError(f"{result.message}\n{found['diff']}", reason=result.reason, metadata={"findings": found})
        if is_made(result):
            return Result(file.name, already_done(result), {"reason": str(result.reason), "changed_paths": []})
        raise ToolError(result.message, reason=result.reason, metadata=overlaps_of(file) | seen_by(file))
    metadata = changed_metadata(host, proposal, result)
    if all(one.kind == "A" for one in proposal.changes):
        lines = ["Created the file."]
    else:
        before, after = (next(iter(texts.values()), "") for texts in (proposal.before, proposal.after))
        lines, told = where_applied(before, after, result, around=around)
        if told:
            host.ledger.record_shown(context.session_id, file.absolute, after, told)
        lines += news(host, context.session_id, file, after) if proposal.after else []
    lines += [f"Note: {note}." for note in metadata["notes"]]
    for path, found in metadata["diagnostics"].items():
        errors = [f"ERROR [{one['line']}:{one['column']}] {one['message']}" for one in found[:_MAX_DIAGNOSTICS]]
        more = [f"... and {len(found) - len(errors)} more"] if len(found) > len(errors) else []
        heading = ["The file has errors now: please fix them.", f'<diagnostics file="{path}">']
        lines += [*heading, *errors, *more, "</diagnostics>"]
    return Result(file.name, "\n".join(lines), metadata | seen_by(file))


def changed_metadata(host: Host, proposal: Proposal, result: Applied) -> dict[str, Any]:
    """The change as JSON values, for a user interface."""
    before, after = (
        {proposal.name(path): text for path, text in one.items()} for one in (proposal.before, proposal.after)
    )
    changed = [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]
    texts = {path: (before.get(path, ""), after.get(path, "")) for path in changed}
    # A text is empty if there was no file before, or is none after the change.
    names = ("file", "before", "after", "additions", "deletions")
    diffs = [dict(zip(names, (path, *both, *changed_lines(*both)), strict=True)) for path, both in texts.items()]
    diagnostics = {path: diagnose(path, after[path], host.checkers) for path in changed if path in after}
    return {
        "diff": proposal.diff,
        "filediffs": diffs,
        "changed_paths": changed,
        "diagnostics": {path: [asdict(one) for one in found] for path, found in diagnostics.items() if found},
        "replacer": result.replacer,
        "notes": [note for note in result.notes if note != NOTE],
    }


def is_made(result: Rejected) -> bool:
    """True if the file has the change already: each refusal that says so has the word in it."""
    return result.reason is Reason.IDENTICAL and " already" in result.message


def already_done(result: Rejected) -> str:
    """The answer to an edit that was made before."""
    return f"Already done: {result.message[:1].lower()}{result.message[1:]}"


def overlaps_of(file: ResolvedPath) -> dict[str, Any]:
    """Metadata for a refusal: the overlaps of the edit with others' changes, in both versions."""
    return {"conflicts": list(file.overlaps)} if file.overlaps else {}


def seen_by(file: ResolvedPath) -> dict[str, Any]:
    """Metadata: the texts that were shown whose lines or occurrences the call counts."""
    return {"seen": dict(file.seen)} if file.seen else {}


def file_not_found(file: ResolvedPath) -> Rejected:
    return Rejected(Reason.NOT_FOUND, f"There is no file {shown(file.name)}: give the path of one that exists.")
