"""The change of a file by a tool, and its result: diff, counts of lines, diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from editcore.errors import ToolError
from editcore.host.host import Host, ResolvedPath, diagnose
from editcore.host.news import news
from editcore.host.tool import Context, Result
from editcore.host.workspace import ChangeResult, Proposal
from editcore.quoting import shown
from editcore.stale.rule import NOTE
from editcore.text.diff import changed_lines, changed_ranges
from editcore.text.lines import Stretches, joined, n_lines, put_in
from editcore.types import Applied, EditResult, Reason, Rejected

_EXACT = frozenset({"exact", "simple", "multi_occurrence", "line_endings", "insert", "append"})
_DIFFERED = {
    "blank_lines": "blank lines, or whitespace at the ends of lines",
    "indentation": "the indentation",
    "indentation_flexible": "the indentation",
    "look_alikes": "characters that look alike",
    "folded": "characters that look alike",
    "spacing": "spaces within lines",
    "whitespace_normalized": "whitespace",
    "line_breaks": "the places of line breaks",
    "escapes": "escape sequences",
    "escape_normalized": "escape sequences",
    "pasted": "marks that were pasted with the text",
    "elision": "lines that were left out",
    "drift": "some lines",
    "block_anchor": "lines between the first and the last one",
    "context_aware": "some lines",
    "right_trimmed": "whitespace at the ends of lines",
    "trimmed": "whitespace at the ends of lines, or the indentation",
    "line_trimmed": "whitespace at the ends of lines, or the indentation",
    "trimmed_boundary": "whitespace around the text",
}
"""Replacer, tier or equality of lines -> what differed between the text of the edit and the file."""
_MOST_NAMED = 6
"""Changes whose line numbers are listed."""
_MOST_SHOWN, _AT_ENDS = 3, 2
"""A change of more lines than the first number is shown by this many lines at each end."""
_MOST_CHANGES_SHOWN = 2
_LONGEST = 160
"""Characters shown of one line."""


class _Lines(NamedTuple):
    """Changed lines, 1-based, in the numbers of the file after the edit. `last` is `first - 1` for a mere deletion."""

    first: int
    last: int
    n_removed: int


class Where(NamedTuple):
    """Lines of the answer to the model on an edit, and the lines of the file among them."""

    answer: list[str]
    shown: Stretches = ()


def where_applied(
    before: str, after: str, result: Applied, *, around: int | None = 0, what: str = "Edit applied successfully"
) -> Where:
    """Where the edit was applied, and the changed lines if the match was not exact.

    `around` is not 0: the changed lines are always shown, with this many lines on each side. None: the tool shows
    them itself. The first line begins with `what`.
    """
    ranges = changed_ranges(before, after)
    changes = [_Lines(*now, last - first + 1) for (first, last, _), now in zip(ranges, put_in(ranges), strict=True)]
    is_several = max(len(result.matches), len(result.landings), 1) > 1 < len(changes)
    places = f" in {len(changes)} places" if is_several else ""
    named = ", ".join(map(_named, changes[:_MOST_NAMED]))
    more = f" and {len(changes) - _MOST_NAMED} more" if len(changes) > _MOST_NAMED else ""
    lines = [f"{what}{places}{': ' if named else ''}{named}{more}."]
    if around is None:
        return Where(lines)
    if found := inexact(result):
        lines.append(
            f"The match was not exact: {', '.join(dict.fromkeys(map(differed, found)))} differed. These lines are now:"
        )
    numbers = list[int]()
    for change in changes[:_MOST_CHANGES_SHOWN] if found or around else ():
        parts = _parts(change, around, n_lines(after))
        lines += numbered(after, parts)
        numbers += [n for part in parts for n in part]
    return Where(lines, joined((n, n) for n in numbers))


def numbered(text: str, parts: Iterable[Iterable[int]]) -> Iterator[str]:
    """The lines of those numbers, 1-based, each with its number; dots between two parts."""
    rows = text.split("\n")
    for at, part in enumerate(parts):
        if at:
            yield "..."
        for n in part:
            row = rows[n - 1].removesuffix("\r")
            yield f"{n}: {row if len(row) <= _LONGEST else f'{row[:_LONGEST]}...'}"


def differed(finder: str) -> str:
    """What differed where a replacer, named `finder`, matched."""
    return _DIFFERED.get(finder, f"what {finder} ignores")


def is_exact(finder: str | None) -> bool:
    """True if `finder`, the name of a replacer, matches only text that is equal but for line endings."""
    return finder is None or finder in _EXACT


def inexact(result: Applied) -> list[str]:
    """What found the places of an edit, if it allows for differences: names of replacers, tiers or equalities."""
    names = [result.replacer] if result.replacer else [one.equality for one in result.landings]
    return [name for name in dict.fromkeys(names) if not is_exact(name)]


def _named(change: _Lines) -> str:
    if change.last < change.first:
        removed = f"{change.n_removed} line{'s' if change.n_removed > 1 else ''} removed"
        return f"{removed} {f'below line {change.first - 1}' if change.first > 1 else 'at the start'}"
    return f"line {change.first}" if change.first == change.last else f"lines {change.first}-{change.last}"


def _parts(change: _Lines, around: int, last: int) -> list[range]:
    """The numbers of the lines that show a change. Lines in the middle of a long change are left out."""
    start, end = max(change.first - around, 1), min(change.last + around, last) + 1
    if change.last - change.first <= _MOST_SHOWN:
        return [range(start, end)]
    return [range(start, change.first + _AT_ENDS), range(change.last + 1 - _AT_ENDS, end)]


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
        raise ToolError(result.message, reason=result.reason, metadata=overlaps_of(file))
    metadata = changed_metadata(host, proposal, result)
    if all(one.kind == "A" for one in proposal.changes):
        lines = ["Created the file."]
    else:
        before, after = (next(iter(texts.values()), "") for texts in (proposal.before, proposal.after))
        lines, told = where_applied(before, after, result, around=around)
        if told:
            host.ledger.record_shown(context.session_id, file.absolute, after, told)
        lines += news(host, context.session_id, file.absolute, file.name, after)
    lines += [f"Note: {note}." for note in metadata["notes"]]
    for path, found in metadata["diagnostics"].items():
        errors = [f"ERROR [{one['line']}:{one['column']}] {one['message']}" for one in found[:_MAX_DIAGNOSTICS]]
        more = [f"... and {len(found) - len(errors)} more"] if len(found) > len(errors) else []
        heading = ["The file has errors now: please fix them.", f'<diagnostics file="{path}">']
        lines += [*heading, *errors, *more, "</diagnostics>"]
    return Result(file.name, "\n".join(lines), metadata)


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


def file_not_found(file: ResolvedPath) -> Rejected:
    return Rejected(Reason.NOT_FOUND, f"There is no file {shown(file.name)}: give the path of one that exists.")
