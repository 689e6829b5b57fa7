"""What programs do with the bytes of a file that they edit: how they read them as text, and what they write.

A habit is declared for an agent where its source says what it is, with the file and the commit that do. What is not in
`HABITS` is not modelled: such an agent is not run on samples of bytes, and nothing is guessed. Line endings are part of
the rules themselves, since they are the same in text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from editcore.text.encodings import Decoded, decode, encode, faithful
from editcore.types import Reason, Rejected

_BOM = "\ufeff"
_HERMES_SAMPLE = 1000
"""Bytes by which Hermes tells text."""
_CERTAIN = 0.9
"""The confidence that OpenHands asks of its detector."""
_DETECTED_BYTES = 1 << 20


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
    return encode(text.removeprefix(_BOM) if like.bom else text, like) if isinstance(like, Decoded) else like


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


class Declared(NamedTuple):
    """The habit of an agent, and where its source says so."""

    habit: ByteHabit
    source: str
    """Repository, file and commit."""


def _each(names: str, habit: ByteHabit, source: str) -> dict[str, Declared]:
    return dict.fromkeys(names.split(), Declared(habit, source))


HABITS: Mapping[str, Declared] = MappingProxyType(
    {
        **_each(
            "aider aider_perfect aider_indentation aider_elision aider_distance aider_patch aider_udiff", STRICT,
            "Aider-AI/aider aider/io.py @0045641d: read_text in the encoding of the settings, UTF-8",
        ),
        **_each(
            "anthropic", STRICT,
            "anthropics/anthropic-quickstarts computer-use-demo/computer_use_demo/tools/edit.py @0e1170be: read_text",
        ),
        **_each(
            "codex codex_0_77 codex_0_146", STRICT,
            "openai/codex codex-rs/apply-patch/src/lib.rs @04f399d4: read_to_string",
        ),
        **_each("cookbook", STRICT, "openai/openai-cookbook examples/gpt-5/apply_patch.py @15098f0c: open as text"),
        **_each(
            "openai_agents", STRICT,
            "openai/openai-agents-python src/agents/sandbox/apply_patch.py @7f7a44f8: decode, strict",
        ),
        **_each("goose", STRICT, "block/goose crates/goose-mcp/src/developer/edit.rs @cc96ae08: read_to_string"),
        **_each("crush", RAW, "charmbracelet/crush internal/agent/tools/edit.go @0388f5f4: os.ReadFile as a string"),
        **_each(
            "gemini", REPLACED,
            "google-gemini/gemini-cli packages/core/src/services/fileSystemService.ts @04fbf507: readFile, utf-8",
        ),
        **_each(
            "opencode_0_5 opencode_1_0 opencode_1_17 opencode_exact opencode_patch", REPLACED,
            "anomalyco/opencode packages/core/src/tool/edit.ts and apply-patch.ts, by issue 45924: TextDecoder, not "
            "fatal; before, packages/opencode/src/tool/edit.ts: the text() of a Bun file",
        ),
        **_each(
            "pi", REPLACED,
            "badlogic/pi-mono packages/coding-agent/src/core/tools/edit.ts @83378aad: toString of the buffer",
        ),
        **_each(
            "roo roo_0_9 roo_patch", REPLACED,
            "RooCodeInc/Roo-Code src/core/tools/ApplyDiffTool.ts and ApplyPatchTool.ts @cb836567: readFile, utf-8",
        ),
        **_each(
            "hermes", SAMPLED,
            "NousResearch/hermes-agent tools/file_operations.py @000429aa; the terminal decodes with errors=replace",
        ),
        **_each(
            "openhands", DETECTED,
            "OpenHands/software-agent-sdk openhands-tools/openhands/tools/file_editor/editor.py @611629e6",
        ),
        **_each("openhands_aci", DETECTED_STRICT, "openhands-aci 0.3.3, openhands_aci/editor/encoding.py, editor.py"),
    }
)  # fmt: skip
"""Agent -> what it does with bytes.

Not modelled: programs that leave the writing to an editor (Cline's blocks, Copilot, Continue, Zed), and those whose
source was not found (Cline's patches, oh-my-pi's files, qbit).
"""
