"""Requests to a command and its answers (docs/protocol.md): one JSON object per line each way."""

from __future__ import annotations

import json
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from corpora.sample import Format, Sample
from editcore.errors import EditgaugeError
from editcore.quoting import quoted, shown
from editcore.text.encodings import decode_as, encode
from editcore.types import Applied, Edit, EditResult, File, Reason, Rejected
from harness.strategies.strategy import text_of_bytes

_NAME_CHARACTERS = 200
"""The most characters of the name of a rule."""
_SHOWN = 300
"""The most characters of an error that quotes the answer."""

Value = TypeVar("Value")


class CommandError(EditgaugeError):
    """The command `ended` or broke the protocol: `message` says how, in one line, and `tip` what its author can do."""

    def __init__(self, message: str, tip: str, *, ended: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.tip = tip
        self.ended = ended


class RequestedEdit(Struct, frozen=True):
    """Replace one text by another."""

    old_string: str
    new_string: str
    replace_all: Annotated[bool, Meta(description="Replace every occurrence.")]
    occurrence: Annotated[
        int | UnsetType, Meta(description="1 is the first exact occurrence, -1 the last; absent if not named.")
    ] = UNSET


class RequestedFile(Struct, frozen=True):
    """A file before the edit."""

    path: Annotated[str, Meta(description="POSIX, relative.")]
    content: Annotated[str, Meta(description="Its text.")]
    raw: Annotated[
        bytes | UnsetType,
        Meta(description="Its bytes, where it is not UTF-8; a lone surrogate of `content` is a byte that is no text."),
    ] = UNSET
    encoding: Annotated[str | UnsetType, Meta(description="Of `raw`, as Python names it; absent if unknown.")] = UNSET


class AnsweredFile(Struct, frozen=True):
    """A file after the edit."""

    path: Annotated[str, Meta(description="POSIX, relative.")]
    content: Annotated[
        str | UnsetType, Meta(description="Its text; written in the encoding of the file, outside the edit as it was.")
    ] = UNSET
    raw: Annotated[bytes | UnsetType, Meta(description="Its bytes, instead of `content`.")] = UNSET


class Request(Struct, frozen=True):
    """A line to the command: apply this edit to these files."""

    id: Annotated[str, Meta(description="Send it back; it says nothing about the sample.")]
    format: Annotated[Format, Meta(description="How the edit is written.")]
    before: Annotated[tuple[RequestedFile, ...], Meta(description="The files; empty if a patch only creates files.")]
    edits: Annotated[
        tuple[RequestedEdit, ...] | UnsetType,
        Meta(description="For str_replace and search_replace: edits of the only file, in order, all or nothing."),
    ] = UNSET
    patch: Annotated[
        str | UnsetType, Meta(description="For all formats but str_replace: the text as the model wrote it.")
    ] = UNSET
    line: Annotated[
        int | UnsetType,
        Meta(description="1-based; insert: below this line, 0 is the top; line_range: the first line replaced."),
    ] = UNSET
    end_line: Annotated[
        int | UnsetType, Meta(description="1-based, inclusive; line_range: the last line replaced.")
    ] = UNSET
    seen: Annotated[
        tuple[RequestedFile, ...] | UnsetType,
        Meta(description="The files as the model last saw them, where that may differ from `before`."),
    ] = UNSET
    tiers: Annotated[
        tuple[str, ...] | UnsetType,
        Meta(description="Only these tiers of the rule, in this order; sent by `protocol conform --tier` alone."),
    ] = UNSET


class AppliedAnswer(Struct, frozen=True, tag_field="status", tag="applied"):
    """A line from the command: the edit was applied."""

    id: Annotated[str, Meta(description="The id of the request.")]
    after: Annotated[
        tuple[AnsweredFile, ...],
        Meta(description="All files after the edit, each path once; one of `before` that is missing is deleted."),
    ]
    replacer: Annotated[str | None, Meta(description="The name of the rule that decided.")] = None


class RejectedAnswer(Struct, frozen=True, tag_field="status", tag="rejected"):
    """A line from the command: the edit was refused, and nothing changes."""

    id: Annotated[str, Meta(description="The id of the request.")]
    reason: Annotated[Reason, Meta(description="Why.")]
    message: Annotated[str | None, Meta(description="One line for the model, which has to retry.")] = None


Answer = AppliedAnswer | RejectedAnswer

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Answer)


def request_line(number: str, sample: Sample, tiers: tuple[str, ...] = ()) -> bytes:
    """The request for a sample, as a line of ASCII, without the sample's id, label and right answer.

    JSON escapes express any text in ASCII, even lone surrogates. Some programs end a line at other characters.
    """
    edits = UNSET if sample.edits is None else tuple(map(_requested, sample.edits))
    request = Request(
        number, sample.format, tuple(map(_requested_file, sample.before)), edits, _unset_if_none(sample.patch),
        _unset_if_none(sample.line), _unset_if_none(sample.end_line),
        UNSET if sample.seen is None else tuple(map(_requested_file, sample.seen)), tiers or UNSET,
    )  # fmt: skip
    try:
        line = _ENCODER.encode(request)
    except UnicodeEncodeError:
        line = b"\xff"
    if not line.isascii():
        line = json.dumps(msgspec.to_builtins(request), separators=(",", ":")).encode()
    return line + b"\n"


def _requested(edit: Edit) -> RequestedEdit:
    return RequestedEdit(edit.old_string, edit.new_string, edit.replace_all, _unset_if_none(edit.occurrence))


def _requested_file(file: File) -> RequestedFile:
    return RequestedFile(file.path, file.content, _unset_if_none(file.raw), _unset_if_none(file.encoding))


def _unset_if_none(value: Value | None) -> Value | UnsetType:
    return UNSET if value is None else value


def parse_answer(line: bytes, number: str, *, sample: Sample | None = None) -> EditResult:
    """The result in an answer line. In a sample of bytes, its texts stand for bytes (see `text_of_bytes`).

    Raises CommandError if the line is no answer to the request `number`.
    """
    answer = _decoded(line)
    if answer.id != number:
        raise CommandError(
            "the answer has another `id` than its request",
            "Answer each request once, in order, and send its id back as it came.",
        )
    if isinstance(answer, RejectedAnswer):
        return Rejected(answer.reason, answer.message or "")
    files = {file.path: file for file in answer.after}
    if len(files) < len(answer.after):
        raise CommandError("the answer has a path twice in `after`", "Send each file once.")
    if len(answer.replacer or "") > _NAME_CHARACTERS:
        raise CommandError(
            f"the answer's `replacer` has {len(answer.replacer or ''):,} characters, not at most {_NAME_CHARACTERS}",
            "Send the name of a rule.",
        )
    texts: dict[str, str] = {}
    for path, file in files.items():
        text = _text_left(file, sample)
        if isinstance(text, Rejected):
            return text
        texts[path] = text
    return Applied(files=texts, replacer=answer.replacer)


def _text_left(file: AnsweredFile, sample: Sample | None) -> str | Rejected:
    """The text of an answered file. If the file is not UTF-8, the text stands for its bytes (see `text_of_bytes`)."""
    data: bytes | Rejected
    if isinstance(file.raw, bytes):
        data = file.raw
    elif not isinstance(file.content, str):
        raise CommandError(
            "the answer has the wrong shape: a file of `after` has neither `content` nor `raw`", "Send one of them."
        )
    else:
        old = next((one for one in sample.before if one.path == file.path), None) if sample is not None else None
        like = None if old is None or old.raw is None else decode_as(old.raw, old.encoding)
        if like is None:
            return file.content
        data = encode(file.content.removeprefix("\ufeff") if like.bom else file.content, like, name=shown(file.path))
    return data if isinstance(data, Rejected) else text_of_bytes(file.path, data, sample)


def _decoded(line: bytes) -> Answer:
    answer: Answer
    try:
        answer = _DECODER.decode(line)
        return answer
    except msgspec.ValidationError as error:
        raise wrong_shape(error) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    # Slower, but reads lone surrogates.
    try:
        answer = msgspec.convert(json.loads(line), Answer)
    except msgspec.ValidationError as error:
        raise wrong_shape(error) from None
    except (ValueError, RecursionError):
        raise CommandError(
            f"the answer is not JSON: {quoted(line.decode('utf-8', 'replace'), limit=63)}",
            "Write one JSON object per line to stdout, in UTF-8, and nothing else; messages for people go to stderr.",
        ) from None
    return answer


def wrong_shape(error: msgspec.ValidationError) -> CommandError:
    """The error for an answer of another shape."""
    what = shown(" ".join(str(error).split()), limit=_SHOWN)  # It quotes what was sent.
    tip = "See docs/protocol.md (`editgauge ls docs` says where), or `editgauge protocol schema`."
    return CommandError(f"the answer has the wrong shape: {what}", tip)


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of requests and answers; `$defs` holds each by name."""
    (request, answer), definitions = msgspec.json.schema_components([Request, Answer], ref_template="#/$defs/{name}")
    definitions["AnsweredFile"]["anyOf"] = [{"required": ["content"]}, {"required": ["raw"]}]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line between editgauge and a command",
        "anyOf": [request, {"$ref": "#/$defs/Answer"}],
        "$defs": {**definitions, "Answer": {"title": "Answer", "anyOf": answer["anyOf"]}},
    }
