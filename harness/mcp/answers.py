"""Tools as the protocol declares them, and the results of their calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from mcp import types
from msgspec import Meta

from editcore.host.parameters import schema
from editcore.host.tool import Effect
from editcore.host.tools import TOOLS, Attachment, Result, Tool

_ANNOTATIONS: Mapping[Effect, types.ToolAnnotations] = {
    "reads": types.ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False),
    "edits": types.ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False),
    "runs": types.ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True),
}
_MOST_FILES = 100
_MOST_DIAGNOSTICS = 20


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """The change of one file."""

    path: str
    additions: Annotated[int, Meta(description="Lines added.")]
    deletions: Annotated[int, Meta(description="Lines removed.")]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """An error in a file after the edit."""

    path: str
    line: Annotated[int, Meta(description="1-based.")]
    column: Annotated[int, Meta(description="1-based, in code points.")]
    message: str


@dataclass(frozen=True, slots=True)
class Structured:
    """The structured result of a tool that edits files."""

    title: Annotated[str, Meta(description="The file, or what was done.")]
    output: Annotated[str, Meta(description="The text of the result, as in the content.")]
    reason: Annotated[str, Meta(description="Why nothing was changed.")] = ""
    replacer: Annotated[str, Meta(description="The replacer or tier that found the text.")] = ""
    files: Annotated[list[ChangedFile], Meta(description="The files that were changed.")] = field(default_factory=list)
    diagnostics: Annotated[list[Diagnostic], Meta(description="Errors after the edit.")] = field(default_factory=list)
    notes: Annotated[list[str], Meta(description="How the edit was taken.")] = field(default_factory=list)


_OUTPUT_SCHEMA = schema(Structured)


def declared(tool: Tool[Any]) -> types.Tool:
    """Declaration of a tool: schemas of its parameters and of its structured result, and its possible effect."""
    effect = effect_of(tool.id)
    return types.Tool(
        name=tool.id, description=tool.description, input_schema=tool.declaration["input_schema"],
        output_schema=_OUTPUT_SCHEMA if effect == "edits" else None, annotations=_ANNOTATIONS[effect],
    )  # fmt: skip


def effect_of(id: str) -> Effect:
    """Possible effect of a call of a tool. A tool that is not built in may do anything."""
    return TOOLS[id].effect if id in TOOLS else "runs"


def answer(id: str, result: Result) -> types.CallToolResult:
    """Result of a call: its text and attachments. An edit's result also has a structure, without any file's text."""
    content: list[types.ContentBlock] = [types.TextContent(text=_valid(result.output))]
    content += map(_attached, result.attachments)
    structured = dict(_structured(result)) if effect_of(id) == "edits" else None
    return types.CallToolResult(content=content, structured_content=structured, is_error=result.is_error)


def _structured(result: Result) -> Iterator[tuple[str, Any]]:
    yield "title", _valid(result.title)
    yield "output", _valid(result.output)
    found = result.metadata
    for name in ("reason", "replacer"):
        if found.get(name):
            yield name, str(found[name])
    if files := found.get("filediffs"):
        names = ("additions", "deletions")
        yield "files", [{"path": one["file"], **{name: one[name] for name in names}} for one in files[:_MOST_FILES]]
    if diagnostics := found.get("diagnostics"):
        flat = [{"path": path, **one} for path, errors in diagnostics.items() for one in errors]
        yield "diagnostics", flat[:_MOST_DIAGNOSTICS]
    if notes := found.get("notes"):
        yield "notes", list(map(_valid, notes))


def _attached(attachment: Attachment) -> types.ContentBlock:
    data = attachment.url.partition(",")[2]
    if attachment.type == "image":
        return types.ImageContent(data=data, mime_type=attachment.mime)
    blob = types.BlobResourceContents(uri=f"editgauge:{attachment.id}", mime_type=attachment.mime, blob=data)
    return types.EmbeddedResource(resource=blob)


def _valid(text: str) -> str:
    """The text with lone surrogates escaped, because the protocol is UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()
