"""What programs do with the bytes of a file that they edit: how they read them as text, and what they write.

A rule declares a habit (`AgentRule.on_bytes`) where the source of the program shows it. Without a declaration nothing
is guessed, and the agent is not run on samples of bytes. This holds for programs that leave the writing to an editor
(Cline's blocks, Copilot, Continue, Zed), and for programs whose reading of files was not found. Line endings are a
part of the rules themselves, since they are visible in text.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

from editcore.text.encodings import Decoded, decode, encode, faithful
from editcore.text.lines import BOM
from editcore.types import Reason, Rejected

# DeepSeek-Reasonix decodes a file by its byte order mark or its NULs, else as UTF-8, else as GB18030.
#
# The decoder of Go's golang.org/x/text reports no error: bytes that are not GB18030 become U+FFFD, singly or pair by
# pair, and are written as that. It was compared with this one on 4,000 drawn files: 3 differ, in sequences of four.

_ASCII = re.compile(rb"[\x00-\x7f]+")
_FEWEST = 16
"""In a file of fewer bytes, NULs prove nothing."""


def kind_of(raw: bytes) -> tuple[bytes, str]:
    marks = ((BOM_UTF8, "utf-8"), (BOM_UTF16_LE, "utf-16-le"), (BOM_UTF16_BE, "utf-16-be"))
    marked = next((one for one in marks if raw.startswith(one[0])), None)
    if marked:
        return marked
    if without := _utf_16(raw):
        return b"", without
    try:
        raw.decode()
    except UnicodeDecodeError:
        return b"", "gb18030"
    return b"", "utf-8"


def _utf_16(raw: bytes) -> str | None:
    """UTF-16 without a mark: 30 % of the bytes at odd or even offsets are NUL, and at most 5 % of the others."""
    half = len(raw) // 2
    if len(raw) < _FEWEST:
        return None
    even, odd = raw[: 2 * half : 2].count(0), raw[1 : 2 * half : 2].count(0)
    if 10 * odd >= 3 * half and 20 * even <= half:
        return "utf-16-le"
    return "utf-16-be" if 10 * even >= 3 * half and 20 * odd <= half else None


def decoded(raw: bytes) -> str:
    mark, encoding = kind_of(raw)
    body = raw[len(mark) :]
    if encoding == "gb18030":
        return _gb18030(body)
    if encoding != "utf-8":
        return body[: len(body) // 2 * 2].decode(encoding, "replace")
    return body.decode("utf-8", "surrogateescape")


def encoded(text: str, like: bytes) -> bytes:
    """The bytes of a text, in the encoding of the file `like`. Bytes that are not UTF-8 are kept."""
    mark, encoding = kind_of(like)
    return mark + text.encode(encoding, "surrogateescape" if encoding == "utf-8" else "replace")


def _gb18030(raw: bytes) -> str:
    out, at = [], 0
    while at < len(raw):
        plain = _ASCII.match(raw, at)
        text, size = (plain[0].decode(), len(plain[0])) if plain else _character(raw, at)
        out.append(text)
        at += size
    return "".join(out)


def _character(raw: bytes, at: int) -> tuple[str, int]:
    """The character at an offset, and the number of bytes that the program reads for it."""
    lead, second = raw[at], raw[at + 1] if at + 1 < len(raw) else 0
    if lead == 0x80:
        return "\u20ac", 1
    if lead == 0xFF or not (0x30 <= second <= 0x39 or 0x40 <= second <= 0x7E or 0x80 <= second <= 0xFE):
        return "\ufffd", 1
    size = 4 if second <= 0x39 else 2
    try:
        found = raw[at : at + size].decode("gb18030")
    except UnicodeDecodeError:
        found = ""
    # Characters of private use are in Python's table alone.
    if len(found) == 1 and not "\ue000" <= found <= "\uf8ff":
        return found, size
    return "\ufffd", 2 if size == 2 else 1


_HERMES_SAMPLE = 1000
"""Bytes in which Hermes looks for signs of a binary file."""
_CERTAIN = 0.9
"""Confidence that OpenHands asks of its detector."""
_DETECTED_BYTES = 1 << 20
_MARKS = {
    "utf-8-sig": (BOM_UTF8,),
    "utf-32": (BOM_UTF32_LE, BOM_UTF32_BE),
    "utf-16": (BOM_UTF16_LE, BOM_UTF16_BE),
}
"""Encodings and their byte order marks, longer marks first. Python writes the machine's byte order."""


@dataclass(frozen=True, slots=True)
class ByteHabit:
    """What a program does with the bytes of a file that it edits."""

    name: str
    meaning: str
    read: Callable[[bytes], str | Rejected]
    write: Callable[[str, bytes], bytes | Rejected]
    """(text after the edit, bytes before it) -> the bytes of the file after it."""


def _read_kept(raw: bytes) -> str | Rejected:
    read = decode(raw)
    if isinstance(read, Rejected):
        return replace(read, message=f"The file is {read.message}")
    return faithful(raw, read.encoding)


def _write_kept(text: str, raw: bytes) -> bytes | Rejected:
    like = decode(raw)
    return encode(text.removeprefix(BOM) if like.bom else text, like) if isinstance(like, Decoded) else like


def _read_utf_8(raw: bytes, errors: str) -> str | Rejected:
    try:
        return raw.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        what = f"The file is not UTF-8 (byte {raw[error.start]:#04x} at offset {error.start})"
        return Rejected(Reason.NOT_ALLOWED, f"{what}: convert it first.")


def _write_utf_8(text: str, _: bytes) -> bytes:
    return re.sub("[\ud800-\udfff]", "\ufffd", text).encode()


def _write_with_bytes(text: str, _: bytes) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _read_if_sample_is_text(raw: bytes) -> str | Rejected:
    """Hermes' reading: a file whose first bytes are binary is refused. They may end within a character."""
    sample = raw[:_HERMES_SAMPLE]
    for cut in range(4):
        refused = _read_utf_8(sample[: len(sample) - cut], "strict")
        if isinstance(refused, str):
            break
    if b"\0" in sample or isinstance(refused, Rejected):
        return Rejected(Reason.NOT_ALLOWED, "The file is binary: it is not edited.")
    return _read_utf_8(raw, "replace")


def _detected(raw: bytes) -> str:
    """The encoding that charset-normalizer's `detect` is certain of; else UTF-8."""
    from charset_normalizer import detect

    found = detect(raw[:_DETECTED_BYTES])
    name = str(found["encoding"] or "utf-8").lower()
    is_certain = (found["confidence"] or 0) > _CERTAIN
    return name if is_certain and name != "ascii" else "utf-8"


def _read_detected(raw: bytes) -> str | Rejected:
    try:
        return raw.decode(_detected(raw))
    except (UnicodeDecodeError, LookupError):
        return Rejected(Reason.NOT_ALLOWED, "The file is not of the encoding that was detected: convert it first.")


def _encodings(raw: bytes) -> Iterator[str]:
    """The encoding of the byte order mark, then UTF-8, then the likeliest one for charset-normalizer."""
    yield from [name for name, marks in _MARKS.items() if raw.startswith(marks)][:1]
    yield "utf-8"
    from charset_normalizer import from_bytes

    best = from_bytes(raw[:_DETECTED_BYTES]).best()
    if best:
        yield best.encoding


def _tried(raw: bytes) -> tuple[str, str] | None:
    """The text, and the first encoding that fits its bytes; None if none does."""
    for encoding in _encodings(raw):
        try:
            return raw.decode(encoding), encoding
        except (UnicodeDecodeError, LookupError):
            continue
    return None


def _read_tried(raw: bytes) -> str | Rejected:
    found = _tried(raw)
    return found[0] if found else Rejected(Reason.NOT_ALLOWED, "The file's encoding is not known: convert it first.")


def _write_tried(text: str, raw: bytes) -> bytes | Rejected:
    found = _tried(raw)
    return _in_encoding(text, found[1] if found else "utf-8")


def _write_detected(text: str, raw: bytes, *, or_utf_8: bool) -> bytes | Rejected:
    written = _in_encoding(text, _detected(raw))
    return _write_utf_8(text, raw) if or_utf_8 and isinstance(written, Rejected) else written


def _in_encoding(text: str, encoding: str) -> bytes | Rejected:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        return Rejected(Reason.NOT_ALLOWED, f"The new text is not in {encoding}: write it otherwise.")


KEPT = ByteHabit("kept", "any encoding; bytes outside the edit stay", _read_kept, _write_kept)
_STRICT = partial(_read_utf_8, errors="strict")
_REPLACED = partial(_read_utf_8, errors="replace")
_ROWS = (
    KEPT,
    ByteHabit(
        "raw", "bytes are text: those outside the edit stay, and new text is UTF-8",
        partial(_read_utf_8, errors="surrogateescape"), _write_with_bytes,
    ),
    ByteHabit("strict", "what is not UTF-8 is refused", _STRICT, _write_utf_8),
    ByteHabit("replaced", "bytes that are not UTF-8 are written as U+FFFD", _REPLACED, _write_utf_8),
    ByteHabit(
        "sampled", "refused if the first 1,000 bytes are not UTF-8; others that are not are written as U+FFFD",
        _read_if_sample_is_text, _write_utf_8,
    ),
    ByteHabit(
        "detected", "the encoding that a detector is certain of; the whole file in UTF-8 where that lacks new text",
        _read_detected, partial(_write_detected, or_utf_8=True),
    ),
    ByteHabit(
        "detected_strict", "the encoding that a detector is certain of; refused where that lacks new text",
        _read_detected, partial(_write_detected, or_utf_8=False),
    ),
    ByteHabit(
        "tried",
        "what a byte order mark says, else UTF-8, else what a detector says; refused where that lacks new text",
        _read_tried, _write_tried,
    ),
    ByteHabit(
        "gb18030",
        "UTF-16 by its mark or its NULs, else UTF-8, else GB18030: what is not that is written as U+FFFD in it",
        decoded, encoded,
    ),
)  # fmt: skip
HABITS: Mapping[str, ByteHabit] = MappingProxyType({habit.name: habit for habit in _ROWS})
