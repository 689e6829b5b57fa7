"""Fuzz targets `bytes/*`: files of bytes in any encoding, and edits of their lines. Every other byte stays."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from types import MappingProxyType

from editcore.apply import replace
from editcore.host.tools.edit_file import edit_file
from editcore.host.workspace import Workspace
from editcore.text.encodings import ENCODINGS, Decoded, decode, encode
from editcore.types import AppliedBytes, Rejected
from harness.fuzz.finding import Violation
from harness.fuzz.inputs import Fields

PIECES = (
    "é", "ß", "“", "€", "日本語", "ソ表", "中文", "한글", "Привет", "\r\n", "\r", "\x85", "\u2028", "\x0c",
    "\ufeff", "\ufffd",
)  # fmt: skip
_CODECS = sorted(ENCODINGS)
_WORDS = ("x = 1", "return", "a", "(", "# ", "\t", " ", "")
_OF_CODEC: Mapping[str, str] = MappingProxyType(
    {"shift_jis": "日本語ソ表示能", "cp932": "①日本", "euc_jp": "日本語", "gb18030": "中文读取", "big5": "中文檔案",
     "euc_kr": "한글설정", "koi8_r": "привет", "cp1251": "привет", "cp866": "привет"}
)  # fmt: skip


def byte_file(rng: Random) -> Fields:
    """An encoding, a text, a change of one of its bytes (`offset value`), the edited lines, and the new text."""
    codec = rng.choice(_CODECS)
    own = _OF_CODEC.get(codec, "éàßñ“")
    lines = []
    for _ in range(rng.randint(1, 8)):
        pieces = [rng.choice((*_WORDS, own[: rng.randint(1, len(own))])) for _ in range(rng.randint(0, 4))]
        lines.append("".join(pieces) + rng.choice(("", "", "", "\r", rng.choice(PIECES))))
    changed = f"{rng.randrange(80)} {rng.randrange(256)}" if rng.random() < 0.3 else ""
    new = "".join(rng.choice((*_WORDS, "y", "\n", rng.choice((own, *PIECES)))) for _ in range(rng.randint(0, 4)))
    first = rng.randrange(8)
    return (codec, "\n".join(lines), changed, f"{first} {first + rng.randrange(3)}", new)


def _raw(fields: Fields) -> bytes | None:
    """The file's bytes; None if the fields make none."""
    if len(fields) < 5 or fields[0] not in ENCODINGS:
        return None
    mark = "\ufeff" if fields[0].startswith(("utf-16", "utf-32")) else ""
    raw = bytearray((mark + fields[1]).encode(fields[0], "ignore"))
    numbers = _numbers(fields[2])
    if len(numbers) == 2 and raw:
        raw[numbers[0] % len(raw)] = numbers[1] % 256
    return bytes(raw)


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split()[:2] if word.isascii() and word.isdecimal() and len(word) < 6]


Door = Callable[[bytes, str, str, str], bytes | Rejected | None]
"""(bytes, the text after the edit, search text, new text) -> the bytes after; None if the door does not take the
edit.
"""


def checking(door: Door) -> Callable[[Fields, bool], tuple[Violation, ...]]:
    """The check that a door keeps every byte outside the edited lines."""

    def check(fields: Fields, _: bool) -> tuple[Violation, ...]:
        raw = _raw(fields)
        read = decode(raw) if raw is not None else None
        lines = _numbers(fields[3]) if len(fields) > 3 else []
        if raw is None or not isinstance(read, Decoded) or len(lines) < 2:
            return ()
        texts = read.text.split("\n")
        first = lines[0] % len(texts)
        last = min(max(lines[1], first), len(texts) - 1)
        old, new = "\n".join(texts[first : last + 1]), fields[4]
        after = "\n".join([*texts[:first], new, *texts[last + 1 :]])
        left = door(raw, after, old, new)
        if left is None or isinstance(left, Rejected):
            return ()
        head = read.bom + b"".join(_bytes(f"{text}\n", read) for text in texts[:first])
        tail = b"".join(_bytes(f"\n{text}", read) for text in texts[last + 1 :])
        if raw.startswith(head) and raw.endswith(tail) and left.startswith(head) and left.endswith(tail):
            return ()
        what = f"{fields[0]}, read as {read.encoding}: {left!a:.200}"
        return (
            Violation(
                "bytes_stay", str(read.found), f"bytes outside lines {first + 1}-{last + 1} are others in {what}"
            ),
        )

    return check


def _bytes(text: str, read: Decoded) -> bytes:
    return text.encode(read.encoding or "utf-8", "strict" if read.encoding else "surrogateescape")


def by_encode(raw: bytes, after: str, old: str, new: str) -> bytes | Rejected | None:
    """The bytes of the text after the edit."""
    del old, new
    read = decode(raw)
    return encode(after, read) if isinstance(read, Decoded) else read


def by_replace(raw: bytes, after: str, old: str, new: str) -> bytes | Rejected | None:
    """The bytes after the library's `replace`; None unless the edit has a certain place."""
    del after
    result = replace(raw, old, new) if _is_certain(decode(raw), old, new) else None
    return result.data if isinstance(result, AppliedBytes) else None


def by_tool(raw: bytes, after: str, old: str, new: str) -> bytes | Rejected | None:
    """The bytes on the disk after the tool `edit_file`; None unless the edit has a certain place."""
    del after
    if not _is_certain(decode(raw), old, new):
        return None
    with tempfile.TemporaryDirectory(prefix="editgauge-") as name:
        file = Path(name) / "root" / "f"
        file.parent.mkdir()
        file.write_bytes(raw)
        result = edit_file(Workspace(file.parent, durable=False, lock_directory=Path(name) / "locks"), "f", old, new)
        return result if isinstance(result, Rejected) else file.read_bytes()


def _is_certain(read: Decoded | Rejected, old: str, new: str) -> bool:
    """True if the lines of the edit have a single place in the text, and no line ending is split there."""
    if not isinstance(read, Decoded):
        return False
    old, text = (one.replace("\r\n", "\n") for one in (old, read.text))
    return bool(old.strip() and new.strip()) and not old.endswith("\r") and text.find(old) == text.rfind(old)


DOORS: Mapping[str, tuple[Door, str]] = MappingProxyType(
    {
        "encode": (by_encode, "The bytes of an edited text."),
        "replace": (by_replace, "The library's `replace`, with bytes."),
        "edit_file": (by_tool, "The tool edit_file, on files of bytes."),
    }
)
"""Name of the target, after `bytes/` -> its door, and one line about it."""
