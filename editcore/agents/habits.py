"""What programs do with the bytes of a file that they edit: how they read them as text, and what they write.

A rule declares its habit (`AgentRule.on_bytes`) where the program's source says what it is, with the file and the
commit that do. Where nothing is declared nothing is guessed: such an agent is not run on samples of bytes. That is so
for programs that leave the writing to an editor (Cline's blocks, Copilot, Continue, Zed), and for those whose reading
of files was not found. Line endings are part of the rules themselves, since they are the same in text.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from editcore.agents.gb18030 import decoded, encoded
from editcore.text.encodings import Decoded, decode, encode, faithful
from editcore.text.lines import BOM
from editcore.types import Reason, Rejected

_HERMES_SAMPLE = 1000
"""Bytes by which Hermes tells text."""
_CERTAIN = 0.9
"""The confidence that OpenHands asks of its detector."""
_DETECTED_BYTES = 1 << 20
_MARKS = {
    "utf-8-sig": (BOM_UTF8,),
    "utf-32": (BOM_UTF32_LE, BOM_UTF32_BE),
    "utf-16": (BOM_UTF16_LE, BOM_UTF16_BE),
}
"""Encodings and their byte order marks, the longer first. Python writes these in the order of the machine."""


@dataclass(frozen=True, slots=True)
class ByteHabit:
    """What a program does with the bytes of a file that it edits."""

    name: str
    meaning: str
    """One line."""
    read: Callable[[bytes], str | Rejected]
    write: Callable[[str, bytes], bytes | Rejected]
    """(text after, bytes before) -> the bytes that it leaves."""


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
    """As Hermes: what is binary by its first bytes, a character cut off at their end aside, is refused."""
    sample = raw[:_HERMES_SAMPLE]
    for cut in range(4):
        refused = _read_utf_8(sample[: len(sample) - cut], "strict")
        if isinstance(refused, str):
            break
    if b"\0" in sample or isinstance(refused, Rejected):
        return Rejected(Reason.NOT_ALLOWED, "The file is binary: it is not edited.")
    return _read_utf_8(raw, "replace")


def _detected(raw: bytes) -> str:
    """The encoding that charset-normalizer is certain of, as its `detect` says; else UTF-8."""
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
    """What a byte order mark says, then UTF-8, then what charset-normalizer holds for the likeliest."""
    yield from [name for name, marks in _MARKS.items() if raw.startswith(marks)][:1]
    yield "utf-8"
    from charset_normalizer import from_bytes

    best = from_bytes(raw[:_DETECTED_BYTES]).best()
    if best:
        yield best.encoding


def _tried(raw: bytes) -> tuple[str, str] | None:
    """The text and the encoding, the first that the bytes are of; None if there is none."""
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
    encoding = found[1] if found else "utf-8"
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        return Rejected(Reason.NOT_ALLOWED, f"The new text is not in {encoding}: write it otherwise.")


def _write_detected(text: str, raw: bytes, *, or_utf_8: bool) -> bytes | Rejected:
    encoding = _detected(raw)
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        if or_utf_8:
            return _write_utf_8(text, raw)
        return Rejected(Reason.NOT_ALLOWED, f"The new text is not in {encoding}: write it otherwise.")


KEPT = ByteHabit("kept", "any encoding; bytes outside the edit stay", _read_kept, _write_kept)
RAW = ByteHabit(
    "raw", "bytes are text: those outside the edit stay, and new text is UTF-8",
    partial(_read_utf_8, errors="surrogateescape"), _write_with_bytes,
)  # fmt: skip
STRICT = ByteHabit("strict", "what is not UTF-8 is refused", partial(_read_utf_8, errors="strict"), _write_utf_8)
REPLACED = ByteHabit(
    "replaced", "bytes that are not UTF-8 are written as U+FFFD", partial(_read_utf_8, errors="replace"), _write_utf_8
)
SAMPLED = ByteHabit(
    "sampled", "refused if the first 1,000 bytes are not UTF-8; others that are not are written as U+FFFD",
    _read_if_sample_is_text, _write_utf_8,
)  # fmt: skip
DETECTED = ByteHabit(
    "detected", "the encoding that a detector is certain of; the whole file in UTF-8 where that lacks new text",
    _read_detected, partial(_write_detected, or_utf_8=True),
)  # fmt: skip
DETECTED_STRICT = ByteHabit(
    "detected_strict", "the encoding that a detector is certain of; refused where that lacks new text",
    _read_detected, partial(_write_detected, or_utf_8=False),
)  # fmt: skip
TRIED = ByteHabit(
    "tried", "what a byte order mark says, else UTF-8, else what a detector says; refused where that lacks new text",
    _read_tried, _write_tried,
)  # fmt: skip
GB18030 = ByteHabit(
    "gb18030", "UTF-16 by its mark or its NULs, else UTF-8, else GB18030: what is not that is written as U+FFFD in it",
    decoded, encoded,
)  # fmt: skip
