"""Edits placed between the text that a session knows and the current text: one rule for every tool.

A session knows a file as it last read it, with the changes that it has made since. An edit is written against that, and
`Host.stale` names the rule for a file that others have changed: `recommended` merges the edit with their changes and
refuses it if they meet, `gate` refuses it, `match_live` places it in the current text as if nothing had been read.

The tools differ in what an edit refers to:

    decided_as_read        a text that must have been read       edit, multi_edit
    decided_by_content     its own text, read or not             patch_file, the last occurrence of edit_file
    decided_by_number      lines or occurrences, as shown        insert_at, the n-th occurrence of edit_file
    decided_everywhere     every text alike                      the start or end of a file, all occurrences
    decided_by_anchors     lines of one of the texts shown       edit_lines
    decided_in_files       several files                         edit_patch
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from editcore.host.changed_file import change_file, file_not_found
from editcore.host.host import Host, ResolvedPath
from editcore.host.tool import Context, Result
from editcore.host.workspace.ledger import Sighting
from editcore.stale import stale_rule
from editcore.stale.rule import DecideFiles, placed_in_files
from editcore.types import EditResult, Reason, Rejected

MERGED = (
    "If others have changed the file since you read it, the edit is merged with their changes; if they overlap it is "
    "refused, with both versions."
)
"""The sentence on this rule in the description of every tool that edits."""

Decide = Callable[[str], EditResult]
Decided = Callable[[Host, Context, ResolvedPath, str, Decide], EditResult]
"""One of the functions below: (host, context, file, current text, the edit of any text) -> result."""


def change_known(
    host: Host, context: Context, tool: str, params: Any, path: str, decided: Decided,
    edit: Callable[[str, str], EditResult], *, needs_shown: bool = False, around: int = 0,
) -> Result:  # fmt: skip
    """Change an existing file; `edit` takes a text and the file's name. See `change_file`.

    With `needs_shown`, the edit is refused if the session was shown no version of the file.
    """

    def decide(file: ResolvedPath, text: str | None) -> EditResult:
        if text is None:
            return file_not_found(file)
        unread = host.ledger.unread(context.session_id, file.absolute, name=file.name) if needs_shown else None
        return unread or decided(host, context, file, text, lambda known: edit(known, file.name))

    return change_file(host, context, tool, params, path, decide, around=around)


def decided_as_read(host: Host, context: Context, file: ResolvedPath, text: str, decide: Decide) -> EditResult:
    """The result of an edit of a file that the session must have read."""
    refused = host.ledger.refusal(context.session_id, file.absolute, text, name=file.name)
    if refused is not None and refused.reason is Reason.UNREAD:
        return refused
    return decided_by_content(host, context, file, text, decide)


def decided_by_content(host: Host, context: Context, file: ResolvedPath, text: str, decide: Decide) -> EditResult:
    """The result of an edit that names its place by content: a file that was not read is edited as it is."""
    refused = host.ledger.refusal(context.session_id, file.absolute, text, name=file.name)
    if refused is None or refused.reason is Reason.UNREAD or host.stale == "match_live":
        return decide(text)
    known = host.ledger.base(context.session_id, file.absolute)
    return refused if host.stale == "gate" or known is None else stale_rule(host.stale)(known, text, decide)


def decided_by_number(host: Host, context: Context, file: ResolvedPath, text: str, decide: Decide) -> EditResult:
    """The result of an edit that counts lines or occurrences of the text as it was shown.

    The session's own edits since are mapped like others' changes. If the edit cannot be mapped through them, the number
    counts in the text that they left.
    """
    shown = host.ledger.shown(context.session_id, file.absolute)
    known = host.ledger.base(context.session_id, file.absolute)
    if shown is not None and shown != known and host.stale not in ("gate", "match_live"):
        result = stale_rule(host.stale)(shown, text, decide)
        if not isinstance(result, Rejected):
            return result
    return decided_by_content(host, context, file, text, decide)


def decided_everywhere(host: Host, context: Context, file: ResolvedPath, text: str, decide: Decide) -> EditResult:
    """The result of an edit that means the same in every text: at its start, at its end, or all occurrences."""
    if host.stale == "gate":
        return decided_by_content(host, context, file, text, decide)
    return decide(text)


def decided_in_files(
    host: Host, context: Context, root: ResolvedPath, files: Mapping[str, str], decide: DecideFiles
) -> EditResult:
    """The result of an edit of several files (path -> text), each placed between its known and its current text."""
    session, above = context.session_id, root.workspace.root
    refused = {path: host.ledger.refusal(session, f"{above}/{path}", text, name=path) for path, text in files.items()}
    stale = {path: one for path, one in refused.items() if one is not None and one.reason is Reason.STALE_READ}
    known = {path: base for path in stale if (base := host.ledger.base(session, f"{above}/{path}")) is not None}
    if not stale or host.stale == "match_live":
        return decide(files)
    if host.stale == "gate" or len(known) < len(stale):
        return next(one for path, one in stale.items() if host.stale == "gate" or path not in known)
    return placed_in_files(known, files, decide, stale_rule(host.stale))


Sightings = Mapping[str, Sighting]
"""Path -> the text of the file that an edit is written against."""


class AsShown(NamedTuple):
    """The result of an edit that names lines of texts as they were shown, and those texts."""

    result: EditResult
    seen: Sightings


def decided_by_anchors(shown: Mapping[str, list[Sighting]], decide: Callable[[Sightings], EditResult]) -> AsShown:
    """The result of an edit of files (path -> the texts that it may be written against, the last one shown first).

    `decide` places the edit between one such text of each file and the current texts. If the anchors of a text are not
    those that the edit names, or its lines were not shown, the text that was shown before it is tried.
    """
    refused: AsShown | None = None
    for n in range(max([1, *map(len, shown.values())])):
        seen = {path: found[min(n, len(found) - 1)] for path, found in shown.items() if found}
        result = decide(seen)
        if not isinstance(result, Rejected) or result.reason not in (Reason.STALE_READ, Reason.UNREAD):
            return AsShown(result, seen)
        refused = refused or AsShown(result, seen)
    assert refused is not None
    return refused
