"""oh-my-pi: `~/.omp/agent/sessions/*/*.jsonl`, written as pi's; versions 13.19 and 17.3 were seen.

Its edits name lines by anchors: H2 in versions 13 to 14.3, H4 since 17.2. Edits of version 12 and of the
versions between are in grammars that are not read here; they are counted. Traps:

- The log does not name the version; its own number is 3 in all of them.
- A read of H4 shows no carriage returns and no end of the file. `details.displayContent` has the carriage returns
  of all lines but the last, and `details.fileSize` the number of bytes.
- A call of H4 names the text that it was written against by a tag. The text is known if a read or an edit showed it.
- `details.oldText` and `newText` of an edit, left out if they are long, have line feeds even if the file has CRLF.
- The path of a read may end in line numbers: `a.py:5-9`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from corpora.importers.calls import Call, edits_in, with_error
from corpora.importers.formats.pi import (
    Dialect,
    Session,
    is_failed,
    other_results,
    output_of,
    recorded_diffs,
    session_events,
)
from corpora.importers.importer import Surroundings
from corpora.importers.listings import anchored_call, anchored_listing, tagged_files
from corpora.importers.log import Log, dig, items, text
from corpora.importers.session import Attempt, Event, Read
from corpora.sample import Format
from editcore.anchors.views import h4_tag
from editcore.types import File

_MOST_TEXTS, _MOST_CHARACTERS = 200, 16 << 20
"""Texts that are kept by their tags, and their characters."""
_ERROR_PHRASES = (
    ("declined", "Tool execution was blocked"),
    ("cancelled", "Operation aborted"),
    ("no_match", "changed since last read", "is not from this session", "changed between read and edit"),
    ("identical", "produced no change", "No changes made to"),
    ("unread", "were not displayed"),
    ("no_match", "does not exist (file has", "Could not find"),
    ("ambiguous", "occurrences"),
    ("malformed", "already targeted by another hunk", "Invalid", "requires"),
)


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    return session_events(log, surroundings, _DIALECT)


def _attempt(key: str, arguments: Any, model: str | None, session: Session) -> Attempt | None:
    if anchored := anchored_call(arguments, session.listed):
        return Attempt(key, anchored[0], patch=anchored[1], model=model, seen=_seen(anchored, session))
    path, edits = text(dig(arguments, "path")), edits_in([arguments], "old_text", "new_text", "all")
    return Attempt(key, "str_replace", path, edits, model=model) if path and edits else None


def _seen(call: tuple[Format, str], session: Session) -> tuple[File, ...] | None:
    """The texts that a call names by their tags; None if one of them is not known."""
    named = tagged_files(call[1]) if call[0] == "hashline_h4" else []
    found = [session.tagged.get(tag) for _, tag in named]
    seen = tuple([File(path, one.content) for (path, _), one in zip(named, found, strict=True) if one is not None])
    return seen if named and len(seen) == len(named) else None


def _learn(session: Session, path: str, text: str) -> None:
    """Keep a text whose tag the agent knows."""
    tag = h4_tag(text)
    session.tagged.pop(tag, None)
    session.tagged[tag] = File(path, text)
    while len(session.tagged) > 1 and (
        len(session.tagged) > _MOST_TEXTS or sum(len(one.content) for one in session.tagged.values()) > _MOST_CHARACTERS
    ):
        del session.tagged[next(iter(session.tagged))]


def _results(call: Call, message: Any, session: Session) -> Iterator[Event]:
    if call.attempt and is_failed(message):
        yield with_error(call.attempt, output_of(message), _ERROR_PHRASES)
    elif call.attempt:
        yield _applied(call, call.attempt, dig(message, "details"), session)
    elif call.tool.kind == "read" and not is_failed(message):
        yield from _read_events(call, message, session)
    else:
        if call.tool.kind == "write" and not is_failed(message):
            path, written = text(dig(call.arguments, "path")), text(dig(call.arguments, "content"))
            _learn(session, path, written)
            if "\r" not in written:
                session.with_line_feeds.add(path)
        yield from other_results(call, message, session)


def _applied(call: Call, attempt: Attempt, details: Any, session: Session) -> Attempt:
    """An applied edit with the texts or the diffs of its result."""
    applied = replace(attempt, outcome="applied")
    results = items(dig(details, "perFileResults")) or [details]
    if all(_has_texts(one, session) for one in results):
        before = [File(text(dig(one, "sourcePath")) or one["path"], one["oldText"]) for one in results]
        after = [File(one["path"], one["newText"]) for one in results if one.get("op") != "delete"]
        for file in after:
            _learn(session, file.path, file.content)
        return replace(applied, before=tuple(before), after=tuple(after))
    [one, *more] = results
    path = text(dig(one, "path")) or text(dig(call.arguments, "path"))
    return applied if more or not path else replace(applied, diffs=recorded_diffs(path, one))


def _has_texts(result: Any, session: Session) -> bool:
    """True if a result has the texts of a file whose lines are known to end in line feeds."""
    paths = (text(dig(result, "path")), text(dig(result, "sourcePath")))
    names = ("oldText",) if dig(result, "op") == "delete" else ("oldText", "newText")
    return any(path in session.with_line_feeds for path in paths if path) and all(
        isinstance(dig(result, name), str) for name in names
    )


def _read_events(call: Call, message: Any, session: Session) -> Iterator[Event]:
    listing, details = anchored_listing(output_of(message)), dig(message, "details")
    if listing is None:
        return  # A folder, a picture, or lines without anchors, whose numbers this does not read.
    session.listed = listing.format
    shown, size = text(dig(details, "displayContent", "text")), dig(details, "fileSize")
    path = listing.path or text(dig(call.arguments, "path"))
    if "\r" not in shown and "\r" not in "".join(listing.lines):
        session.with_line_feeds.add(path)
    else:
        session.with_line_feeds.discard(path)
    if listing.format == "hashline_h4" and "\r" in shown:
        yield Read(path, "\n".join(listing.lines), listing.first, listing.is_whole, ends_shown=False)
    else:
        read = listing.read(path, size if type(size) is int else None)
        if read.whole and read.ends_shown:
            _learn(session, path, read.content)
        yield read


_DIALECT = Dialect(_attempt, _results, listed="hashline_h2")
