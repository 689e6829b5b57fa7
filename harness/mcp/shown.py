"""What a call shows the agent of the files, as events of a session: its next edits are written against it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from corpora.importers.calls import with_shown
from corpora.importers.session import Disturbed, Event, Read, SeenUnknown, Wrote
from editcore.anchors.views import ended_lines
from editcore.host.tool import Result
from editcore.host.tools.read import headed, listed

TextOf = Callable[[str], str | None]
"""Path as a call names it -> the text of the file now."""


def shown_events(
    tool: str, arguments: Mapping[str, Any], result: Result, text_of: TextOf, anchors: str | None
) -> Iterator[Event]:
    """The events of a call that is no edit, and of its result; `anchors` is the format in which lines are shown."""
    path = arguments.get("filePath")
    if tool == "read" and "first_line" in result.metadata and isinstance(path, str):
        yield _read(path, result, text_of(path), anchors)
    elif tool == "write" and not result.is_error and isinstance(path, str):
        yield Wrote(path, arguments["content"])
    elif tool == "rollback" and not result.is_error:
        yield SeenUnknown()
    elif tool != "read":
        yield from with_shown([Disturbed()], arguments, result.output)


def _read(path: str, result: Result, text: str | None, anchors: str | None) -> Event:
    """The read; nothing is known where the file has other lines by now than were shown."""
    first, last = result.metadata["first_line"], result.metadata["last_line"]
    if text is None or last > len(ended_lines(text)):
        return SeenUnknown()
    head = headed(text, result.title, anchors)
    if result.output.split("\n")[1 : 2 + len(head) + last - first] != [
        *head,
        *listed(text, range(first, last + 1), anchors),
    ]:
        return SeenUnknown()
    if first == 1 and last == result.metadata["n_lines"]:
        return Read(path, text)
    return Read(path, "\n".join(text.split("\n")[first - 1 : last]), first, whole=False)
