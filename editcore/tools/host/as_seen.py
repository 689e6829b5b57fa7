"""Edits placed between the text that a session knows and the text of now: one rule for every tool.

A session knows a file as it last read it, with the changes that it has made since. An edit is written against that, and
`Host.stale` says what becomes of it where others have changed the file: `recommended` merges it with their changes and
refuses where they meet, `gate` refuses it, `match_live` places it in the text of now as if nothing had been read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from editcore.stale import stale_rule
from editcore.stale.files import DecideFiles, placed_in_files
from editcore.tools.host.host import Host, ResolvedPath
from editcore.tools.host.tool import Context
from editcore.types import EditResult, Reason, Rejected

MERGED = (
    "If others have changed the file since you read it, the edit is merged with their changes; where they meet it is "
    "refused, with both versions."
)
"""What the description of every tool that edits says of this."""

Decide = Callable[[str], EditResult]


def decided_as_read(host: Host, context: Context, file: ResolvedPath, text: str, decide: Decide) -> EditResult:
    """The result of an edit of a file that the session must have read; a refusal where it has not."""
    refused = host.ledger.refusal(context.session_id, file.absolute, text, name=file.name)
    if refused is not None and refused.reason is Reason.UNREAD:
        return refused
    return decided_by_content(host, context, file, text, decide)


def decided_by_content(host: Host, context: Context, file: ResolvedPath, text: str, decide: Decide) -> EditResult:
    """The result of an edit that says by itself what it is about: a file that was not read is edited as it is."""
    refused = host.ledger.refusal(context.session_id, file.absolute, text, name=file.name)
    if refused is None or refused.reason is Reason.UNREAD or host.stale == "match_live":
        return decide(text)
    known = host.ledger.base(context.session_id, file.absolute)
    return refused if host.stale == "gate" or known is None else stale_rule(host.stale)(known, text, decide)


def decided_by_number(host: Host, context: Context, file: ResolvedPath, text: str, decide: Decide) -> EditResult:
    """The result of an edit that counts lines or occurrences: those of the text as it was shown.

    The session's own edits since are mapped as others' changes are. Where they have changed just what is counted, the
    number is one of the text that they left.
    """
    shown = host.ledger.shown(context.session_id, file.absolute)
    known = host.ledger.base(context.session_id, file.absolute)
    if shown is not None and shown != known and host.stale not in ("gate", "match_live"):
        result = stale_rule(host.stale)(shown, text, decide)
        if not isinstance(result, Rejected):
            return result
    return decided_by_content(host, context, file, text, decide)


def decided_everywhere(host: Host, context: Context, file: ResolvedPath, text: str, decide: Decide) -> EditResult:
    """The result of an edit that means the same in every text: at its start, at its end, or at all places of a text."""
    if host.stale == "gate":
        return decided_by_content(host, context, file, text, decide)
    return decide(text)


def decided_in_files(
    host: Host, context: Context, root: ResolvedPath, files: Mapping[str, str], decide: DecideFiles
) -> EditResult:
    """The result of an edit of several files (path -> text), each placed between what is known of it and its text."""
    session, above = context.session_id, root.workspace.root
    refused = {path: host.ledger.refusal(session, f"{above}/{path}", text, name=path) for path, text in files.items()}
    stale = {path: one for path, one in refused.items() if one is not None and one.reason is Reason.STALE_READ}
    known = {path: base for path in stale if (base := host.ledger.base(session, f"{above}/{path}")) is not None}
    if not stale or host.stale == "match_live":
        return decide(files)
    if host.stale == "gate" or len(known) < len(stale):
        return next(one for path, one in stale.items() if host.stale == "gate" or path not in known)
    return placed_in_files(known, files, decide, stale_rule(host.stale))
