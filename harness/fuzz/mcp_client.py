"""Servers of the Model Context Protocol that a command line starts, driven by the official client."""

from __future__ import annotations

import logging
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from editcore.errors import UsageError, importing
from editcore.quoting import first_line

CALL_S = 60.0


class Connection(NamedTuple):
    portal: Any
    """Runs coroutines of the client's event loop from this thread."""
    client: Any
    tools: Sequence[Any]
    """The tools that the server names, with their `name` and schema."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> tuple[bool, str]:
        """True and the text of the result, or False and why the call failed."""
        answer: tuple[bool, str] = self.portal.call(self.answer, tool, arguments)
        return answer

    async def answer(self, tool: str, arguments: Mapping[str, Any]) -> tuple[bool, str]:
        """As `call`, within the event loop."""
        try:
            result = await self.client.call_tool(tool, dict(arguments))
        except Exception as error:  # Whatever a foreign server makes the client raise: the call failed.
            return False, first_line(innermost(error))
        return not result.is_error, "\n".join(getattr(content, "text", "") for content in result.content)


@contextmanager
def connected(command: str, folder: Path, *, needed_by: str) -> Iterator[Connection]:
    """A server in a process of its own, connected until the block ends. `{folder}` in the command is the folder."""
    with importing("mcp", needed_by=needed_by):
        from anyio.from_thread import start_blocking_portal
        from mcp import Client, StdioServerParameters
        from mcp.client.stdio import stdio_client

    # Which tells of every line that is no message, as some servers print.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    try:
        words = [word.replace("{folder}", str(folder)) for word in shlex.split(command)]
    except ValueError as error:
        raise UsageError(f"The command {command!r} cannot be read: {error}", "Quote it as for a shell.") from None
    with open(os.devnull, "w", encoding="utf-8") as stderr, start_blocking_portal() as portal:
        transport = stdio_client(
            StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ)), errlog=stderr
        )
        connection = portal.wrap_async_context_manager(Client(transport, read_timeout_seconds=CALL_S))
        try:
            client = connection.__enter__()
        except Exception as error:
            raise UsageError(
                f"{shlex.join(words)} is no server that answers: {first_line(innermost(error))}",
                "Run it by hand: it has to speak the Model Context Protocol on standard input and output.",
            ) from None
        try:
            yield Connection(portal, client, portal.call(client.list_tools).tools)
        finally:
            connection.__exit__(None, None, None)


def innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


# How a server's tools are called: arguments with words in braces, in place of which a call's texts are filled in

_WORD = re.compile(r"\{(path|name|old|new|patch)\}")


def filled(value: Any, words: Mapping[str, str]) -> Any:
    """The value with words filled in. A filled-in text is not searched for words."""
    if isinstance(value, str):
        return _WORD.sub(lambda found: words[found[1]], value)
    if isinstance(value, list):
        return [filled(one, words) for one in value]
    return {name: filled(one, words) for name, one in value.items()} if isinstance(value, dict) else value


_NAMED = {
    "path": re.compile(r"(target_?)?(file_?)?(path|name)|file|target_?file", re.IGNORECASE),
    "old": re.compile(r"(old|search|find).*", re.IGNORECASE),
    "new": re.compile(r"(new|replace).*", re.IGNORECASE),
    "patch": re.compile(r"patch.*|diff|input", re.IGNORECASE),
}
"""Word -> the names that parameters for it have."""


def edit_call(tools: Sequence[Any], format: str) -> tuple[str, dict[str, Any]] | None:
    """The tool for edits of a format and its arguments, by the names in its schema; None if no tool is for such."""
    for tool in tools:
        properties = tool.input_schema.get("properties", {})
        arguments = _arguments(properties, ("path", "old", "new") if format == "str_replace" else ("patch",))
        if arguments is None and format == "str_replace":
            arguments = _listed(properties)
        if arguments is not None:
            return tool.name, arguments
    return None


def read_call(tools: Sequence[Any]) -> tuple[str, dict[str, Any]] | None:
    """The tool that shows a file and its arguments: some servers edit what they have shown only."""
    for tool in tools:
        arguments = _arguments(tool.input_schema.get("properties", {}), ("path",))
        if arguments is not None and re.search(r"read|view|cat", tool.name, re.IGNORECASE):
            return tool.name, arguments
    return None


def _arguments(properties: Mapping[str, Any], wanted: Sequence[str]) -> dict[str, Any] | None:
    texts = [
        name for name, one in properties.items() if isinstance(one, dict) and one.get("type", "string") == "string"
    ]
    found = {word: next((name for name in texts if _NAMED[word].fullmatch(name)), None) for word in wanted}
    return None if None in found.values() else {name or "": f"{{{word}}}" for word, name in found.items()}


def _listed(properties: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments of a tool that takes a path and a list of pairs."""
    path = _arguments(properties, ("path",))
    for name, one in properties.items():
        items = one.get("items") if isinstance(one, dict) else None
        pair = _arguments(items.get("properties", {}), ("old", "new")) if isinstance(items, dict) else None
        if path is not None and pair is not None:
            return {**path, name: [pair]}
    return None
