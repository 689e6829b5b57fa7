"""Files that are text, but not plain UTF-8: bytes with an encoding, or with bytes that are no text."""

from __future__ import annotations

from dataclasses import replace

from editcore.text.encodings import decode, decode_as, encode, faithful
from editcore.types import File, Rejected


def bytes_file(path: str, raw: bytes) -> File | None:
    """The file of bytes that are text, but not plain UTF-8; None for others."""
    read = decode(raw)
    if isinstance(read, Rejected) or read.is_plain:
        return None
    return File(path, faithful(raw, read.encoding), raw, read.encoding)


def with_text(file: File, content: str) -> File:
    """The file with another text, in its encoding; that of the bytes that are kept where this lacks a character."""
    like = None if file.raw is None or content == file.content else decode_as(file.raw, file.encoding)
    if like is None:
        return replace(file, content=content)
    raw = encode(content.removeprefix("\ufeff") if like.bom else content, like)
    return replace(file, content=content, raw=raw) if isinstance(raw, bytes) else File(file.path, content)
