"""What a call shows the agent of the files, as events of a session: its next edits are written against it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from corpora.importers.calls import with_shown
from corpora.importers.session import Disturbed, Event, Read, SeenUnknown, Wrote
from editcore.tools.host.tool import Result
from editcore.tools.host.truncation import cut_line

TextOf = Callable[[str], str | None]
"""Path as a call names it -> the text of the file now."""


def shown_events(tool: str, arguments: Mapping[str, Any], result: Result, text_of: TextOf) -> Iterator[Event]:
    """The events of a call that is no edit, and of its result."""
    path = arguments.get("filePath")
    if tool == "read" and "first_line" in result.metadata and isinstance(path, str):
        yield _read(path, result, text_of(path))
    elif tool == "write" and not result.is_error and isinstance(path, str):
        yield Wrote(path, arguments["content"])
    elif tool == "rollback" and not result.is_error:
        yield SeenUnknown()
    elif tool != "read":
        yield from with_shown([Disturbed()], arguments, result.output)


def _read(path: str, result: Result, text: str | None) -> Event:
    """The read; nothing is known where the file has other lines by now than were shown."""
    first, last = result.metadata["first_line"], result.metadata["last_line"]
    lines = (text or "").split("\n")
    numbered = [f"{n}: {cut_line(line.removesuffix(chr(13)))}" for n, line in enumerate(lines[first - 1 : last], first)]
    if text is None or result.output.split("\n")[1 : 1 + last - first + 1] != numbered:
        return SeenUnknown()
    if first == 1 and last == result.metadata["n_lines"]:
        return Read(path, text)
    return Read(path, "\n".join(lines[first - 1 : last]), first, whole=False)
