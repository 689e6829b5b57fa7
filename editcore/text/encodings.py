r"""The text of a file's bytes, and the bytes after an edit of the text. Bytes that an edit does not change stay.

    bytes on the disk  ->  Decoded: text, encoding          an edit of the text  ->  bytes to write, or a refusal

The loudest failure of edit tools is not a wrong place. A file holds one byte that is not UTF-8. The tool reads the
file with `errors="replace"`, edits some other line, and writes U+FFFD in place of that byte:

    file        |# Jos\xe9\nx = 1\n           written by others |# Jos\xef\xbf\xbd\nx = 2\n
                                               written here      |# Jos\xe9\nx = 2\n

How the encoding is found; the first that fits is taken:

- A byte order mark: UTF-8, UTF-32, UTF-16. The mark is not part of the text, and is written back.
- A NUL in the first 8 KB, without such a mark: not text, refused.
- Strict UTF-8.
- A declaration in the first lines, as Python, XML, HTML and Emacs have.
- UTF-8 with some invalid bytes, if at least twice as many characters are valid. A detector would take such a file for
  one in another alphabet, and no search text would be found in it.
- The answer of charset-normalizer, where it is installed and no other answer is nearly as good; then, by the place of
  single letters among ASCII, an encoding of Western Europe.
- Otherwise UTF-8 with kept bytes: each invalid byte is the lone surrogate that Python's `surrogateescape` makes of it.
  No model writes lone surrogates, so nothing matches them.

Invariant: an encoding is used only if the text encodes to the very same bytes again. `encode` copies the bytes before
and after the change. So a wrong guess may show a wrong letter to the model, and never writes one. New text is refused
where the encoding has no bytes for it that decode to the same text (`"¥".encode("shift_jis")` is a backslash), and
where the encoding is not known.

What does not work: charset-normalizer alone. In a file with one line of comments it calls Chinese Korean, `©`
Japanese and German Central European, at its highest confidence. Its second choice is nearly always as good there.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from editcore.text.diff import common_ends
from editcore.types import File, Reason, Rejected

Found = Literal["bom", "strict", "declared", "detected", "kept"]

UTF_8 = "utf-8"
_BOMS = (
    (BOM_UTF8, UTF_8),
    (BOM_UTF32_LE, "utf-32-le"),  # Before UTF-16 LE, whose mark it begins with.
    (BOM_UTF32_BE, "utf-32-be"),
    (BOM_UTF16_LE, "utf-16-le"),
    (BOM_UTF16_BE, "utf-16-be"),
)
_MARKS = tuple(bom for bom, _ in _BOMS)
_WIDE = frozenset(name for _, name in _BOMS[1:])
_NARROW = (
    "latin-1", "cp1252", "shift_jis", "cp932", "euc_jp", "gb18030", "big5", "euc_kr", "koi8_r", "cp1251", "cp866",
    "cp1250", "iso8859_2", "cp1253", "cp1254", "cp1255", "iso8859_15",
)  # fmt: skip
"""Encodings in which ASCII bytes are ASCII. Stateful ones (ISO-2022-JP) are left out: a cut changes what follows."""
ENCODINGS = frozenset({UTF_8, *_WIDE, *_NARROW})
"""Every name that `Decoded.encoding` may have. No other name is looked up: a codec may be anything."""
_DETECTED = tuple(name for name in _NARROW if name not in ("latin-1", "shift_jis"))
"""The detector's choice of encodings. Latin-1 and Shift-JIS are told from cp1252 and cp932 by their bytes."""

_NUL_BYTES = 8192
_WINDOW = 16384
"""Bytes of non-ASCII lines that are examined to find the encoding."""
_CERTAIN_TIMES = 2
"""Valid UTF-8 characters per invalid byte above which no other encoding is considered."""
_NEAR = 0.05
"""Two encodings are equally likely if their mess, as charset-normalizer measures it (0 to 1), differs by less."""
_DECLARATION = re.compile(rb"(?:coding[:=]|charset=|encoding=)[ \t]*[\"']?([-\w.]{2,20})", re.IGNORECASE)
_DECLARATION_BYTES = 1024
_ALIASES = {"latin1": "latin-1", "iso-8859-1": "latin-1", "iso8859-1": "latin-1", "windows-1252": "cp1252",
            "windows-1251": "cp1251", "windows-1250": "cp1250", "sjis": "shift_jis", "shift-jis": "shift_jis",
            "windows-31j": "cp932", "gbk": "gb18030", "gb2312": "gb18030", "euc-jp": "euc_jp", "euc-kr": "euc_kr",
            "koi8-r": "koi8_r", "iso-8859-2": "iso8859_2", "iso-8859-15": "iso8859_15"}  # fmt: skip
UNLIKE = "\ud800"
"""A character that no bytes decode to."""
_ESCAPED = re.compile("[\udc80-\udcff]")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_KEPT_RUN = re.compile("([\udc80-\udcff]+)")
_HIGH = re.compile(rb"[\x80-\xff]+")
_LETTERS = frozenset(range(0xC0, 0x100)) - {0xD7, 0xF7}
"""Bytes that are letters in Latin-1."""
_HALF_WIDTH = re.compile("[\uff61-\uff9f]")
"""Characters as which other encodings appear in Shift-JIS; rare in real Shift-JIS."""
_CYRILLIC = frozenset({"koi8_r", "cp1251"})
"""Two encodings in which small letters of one are capitals of the other."""
_WORDS = (b"\xe0", b"\xe8", b"\xe9", b"\xc0", b"\xc8", b"\xc9", b"\xf3")
"""Letters that are words by themselves in French, Italian, Spanish or Portuguese."""
_RARE = frozenset(b"\x81\x82\x83\x84\x86\x87\x88\x89\x8a\x8d\x8e\x8f\x90\x98\x9a\x9d\x9e\x9f")
"""Rare signs of cp1252 and bytes that it lacks; frequent in Shift-JIS and GB18030."""
_CONTROLS = re.compile(rb"[\x80-\x9f]")
"""Bytes that are characters in cp1252, and control characters in Latin-1, which no text has."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's bytes, read as text."""

    raw: bytes
    text: str
    """The text without byte order mark. Kept bytes are the lone surrogates U+DC80 to U+DCFF."""
    encoding: str | None
    """A name in `ENCODINGS`; None where bytes are kept."""
    found: Found
    bom: bytes = b""

    @property
    def is_plain(self) -> bool:
        """True if the file is UTF-8 without a byte order mark, as most files are."""
        return self.encoding == UTF_8

    @property
    def shown(self) -> str:
        """The text for a model or a page: kept bytes as U+FFFD."""
        return shown(self.text) if self.encoding is None else self.text

    @property
    def called(self) -> str:
        """The encoding in words, for a model."""
        if self.encoding is None:
            n = len(_ESCAPED.findall(self.text))
            return f"{UTF_8} but for {n:,} {'byte' if n == 1 else 'bytes'} that it cannot be, which are kept"
        return self.encoding


def shown(text: str) -> str:
    """The text with kept bytes as U+FFFD."""
    return _ESCAPED.sub("\ufffd", text)


def is_kept(character: str) -> bool:
    """True if `character` stands for a kept byte."""
    return "\udc80" <= character <= "\udcff"


def kept_apart(text: str) -> list[str]:
    """The text in pieces that have kept bytes only, or none."""
    return _KEPT_RUN.split(text)


def decode(raw: bytes) -> Decoded | Rejected:
    """The text of a file; a refusal for a binary file, or one whose bytes are invalid in the encoding of its mark."""
    if raw.startswith(_MARKS):
        return next(_marked(raw, bom, encoding) for bom, encoding in _BOMS if raw.startswith(bom))
    at = raw.find(b"\0", 0, _NUL_BYTES)
    if at >= 0:
        return _refused(f"binary, or UTF-16 without a byte order mark (a NUL at offset {at})")
    try:
        return Decoded(raw, raw.decode(), UTF_8, "strict")
    except UnicodeDecodeError:
        kept = _kept(raw)
        return _declared(raw) or (kept if _is_mostly_utf_8(kept.text, times=_CERTAIN_TIMES) else _detected(raw)) or kept


def decode_as(raw: bytes, encoding: str | None) -> Decoded | None:
    """The text of `raw` in an encoding of `ENCODINGS`, or with kept bytes for None; None if the bytes are invalid."""
    bom = next((bom for bom, name in _BOMS if raw.startswith(bom) and (encoding or UTF_8) == name), b"")
    return _read(raw, encoding, "declared", bom) if encoding else _kept(raw, bom)


def faithful(raw: bytes, encoding: str | None) -> str:
    """A text for comparing bytes: different bytes give different texts, in one encoding. The byte order mark is
    included.

    Invalid bytes are lone surrogates in it. Where that is not enough, the text ends with one.
    """
    read = decode_as(raw, encoding)
    if read is not None:
        return "\ufeff" * bool(read.bom) + read.text
    return raw.decode(UTF_8, "surrogateescape") + UNLIKE


def encode(text: str, like: Decoded, *, name: str = "the file") -> bytes | Rejected:
    """The bytes of a file after an edit of its text; a refusal where its encoding lacks a new character.

    The common start and end of the old and the new text are copied from the old bytes.
    """
    if like.is_plain:
        try:
            return like.bom + text.encode()
        except UnicodeEncodeError as error:
            return _lone_surrogate(text[error.start], name)
    head, tail = common_ends(like.text, text)
    old, new = like.text[head : len(like.text) - tail], text[head : len(text) - tail]
    data = _kept_bytes(old, new, like, name) if like.encoding is None else _encoded(new, like.encoding)
    if isinstance(data, int):
        return _lacking(text, head + data, like, name)
    if isinstance(data, Rejected):
        return data
    size = len(like.raw)
    start = len(like.bom) + _size(like.text[:head], like.encoding)
    end = size - _size(like.text[len(like.text) - tail :], like.encoding) if tail else size
    return like.raw[:start] + data + like.raw[end:]


def bytes_file(path: str, raw: bytes) -> File | None:
    """A file of text that is not plain UTF-8; None for other bytes."""
    read = decode(raw)
    if isinstance(read, Rejected) or read.is_plain:
        return None
    return File(path, faithful(raw, read.encoding), raw, read.encoding)


def with_text(file: File, content: str) -> File:
    """The file with another text, in its encoding; in UTF-8 with kept bytes where the encoding lacks a character."""
    like = None if file.raw is None or content == file.content else decode_as(file.raw, file.encoding)
    if like is None:
        return replace(file, content=content)
    raw = encode(content.removeprefix("\ufeff") if like.bom else content, like)
    return replace(file, content=content, raw=raw) if isinstance(raw, bytes) else File(file.path, content)


def _refused(what: str) -> Rejected:
    return Rejected(Reason.NOT_ALLOWED, f"{what}: it is not changed; use a program for it, or convert it first.")


def _marked(raw: bytes, bom: bytes, encoding: str) -> Decoded | Rejected:
    read = _read(raw, encoding, "bom", bom)
    if read is not None:
        return read
    return _kept(raw, bom) if encoding == UTF_8 else _refused(f"not {encoding}, as its byte order mark says")


def _read(raw: bytes, encoding: str, found: Found, bom: bytes = b"") -> Decoded | None:
    """The text in an encoding; None unless it encodes to the same bytes."""
    body = raw[len(bom) :]
    try:
        text = body.decode(encoding)
        return Decoded(raw, text, encoding, found, bom) if text.encode(encoding) == body else None
    except UnicodeError:
        return None


def _kept(raw: bytes, bom: bytes = b"") -> Decoded:
    return Decoded(raw, raw[len(bom) :].decode(UTF_8, "surrogateescape"), None, "kept", bom)


def _declared(raw: bytes) -> Decoded | None:
    found = _DECLARATION.search(raw[:_DECLARATION_BYTES])
    if found is None:
        return None
    said = found[1].decode("ascii", "replace").lower()
    name = _ALIASES.get(said, said)
    return _read(raw, name, "declared") if name in _NARROW and _may_be(name, raw) else None


def _detected(raw: bytes) -> Decoded | None:
    """The text in the encoding that the non-ASCII lines make certain enough."""
    window = b"\n".join(line for line in raw[: 64 * _WINDOW].split(b"\n") if not line.isascii())[:_WINDOW]
    for name in _likely(window.rpartition(b"\n")[0] if len(window) == _WINDOW else window):
        if _may_be(name, raw) and (read := _read(raw, name, "detected")) is not None:
            return read
    return None


def _may_be(name: str, raw: bytes) -> bool:
    """True if bytes that can be read as Latin-1, as any can, are that."""
    return name != "latin-1" or not _CONTROLS.search(raw)


@lru_cache(maxsize=32)
def _likely(window: bytes) -> tuple[str, ...]:
    """The encodings to try, in order, for these lines."""
    western = ("latin-1", "cp1252") if _is_western(window) else ()
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return western
    matches = [one for one in from_bytes(window, cp_isolation=list(_DETECTED)) if not _is_half_width(str(one))]
    near = [one for one in matches if one.chaos - matches[0].chaos < _NEAR]
    if {one.encoding for one in near} <= _CYRILLIC:
        near = [one for one in near if 2 * sum(map(str.isupper, str(one))) < sum(map(str.islower, str(one)))]
    if len(near) != 1:
        return western
    # All of these read the window as the same text; the first one in the table has the fewest other characters.
    names = [name for name in _DETECTED if name in near[0].could_be_from_charset]
    if "cp1252" in names:
        return ("latin-1", "cp1252")
    return ("shift_jis", *names) if "cp932" in names else tuple(names)


def _is_half_width(text: str) -> bool:
    """True if more than a fifth of the non-ASCII characters are of half width."""
    return 5 * len(_HALF_WIDTH.findall(text)) > sum(not one.isascii() for one in text)


def _is_western(window: bytes) -> bool:
    """True if each non-ASCII letter is among ASCII letters and each sign alone, as in Western European languages."""
    runs = list(_HIGH.finditer(window))
    n_pairs = n_inside = 0
    for run in runs:
        n_letters = sum(byte in _LETTERS for byte in run[0])
        above, below = window[max(run.start() - 1, 0) : run.start()], window[run.end() : run.end() + 1]
        n_beside = above.isalpha() + below.isalpha()
        if n_letters > 2 or len(run[0]) - n_letters > 1 or not _RARE.isdisjoint(run[0]):
            return False
        if n_letters and not n_beside and run[0] not in _WORDS:
            return False
        n_pairs += n_letters == 2
        n_inside += n_letters == 1 or n_beside == 2
    return n_pairs <= n_inside and bool(runs)


def _size(text: str, encoding: str | None) -> int:
    return len(text.encode(encoding) if encoding else text.encode(UTF_8, "surrogateescape"))


def _encoded(new: str, encoding: str) -> bytes | int:
    """The new text in an encoding; or the offset of the first character that the encoding lacks."""
    try:
        data = new.encode(encoding)
    except UnicodeEncodeError as error:
        return error.start
    if data.decode(encoding) == new:
        return data
    return next((at for at, one in enumerate(new) if one.encode(encoding).decode(encoding) != one), 0)


def _kept_bytes(old: str, new: str, like: Decoded, name: str) -> bytes | int | Rejected:
    """The new text of a file with kept bytes, which an edit may move and not invent."""
    added = {one for one in (Counter(new) - Counter(old)) if not one.isascii()}
    lone = next((one for one in new if one in added and "\ud800" <= one <= "\udfff"), None)
    if lone is not None:
        return _lone_surrogate(lone, name)
    lacked = added & {"\ufffd"} if _is_mostly_utf_8(like.text) else added
    if lacked:
        return next(at for at, one in enumerate(new) if one in lacked)
    return new.encode(UTF_8, "surrogateescape")


def _is_mostly_utf_8(text: str, *, times: int = 1) -> bool:
    """True if valid non-ASCII characters outnumber kept bytes more than `times` times."""
    n_kept = len(_ESCAPED.findall(text))
    return len(_BEYOND_ASCII.findall(text)) > (times + 1) * n_kept


def _lone_surrogate(one: str, name: str) -> Rejected:
    return Rejected(Reason.MALFORMED, f"The new text of {name} has a lone surrogate ({one!a}): send valid text.")


def _lacking(text: str, at: int, like: Decoded, name: str) -> Rejected:
    one, line = text[at], text.count("\n", 0, at) + 1
    what = f"{one!a} (U+{ord(one):04X})" if not one.isprintable() else f"{one} (U+{ord(one):04X})"
    if like.encoding is not None:
        why = f"which the encoding of {name}, {like.encoding}, lacks: write it in ASCII"
    elif one == "\ufffd":
        why = f"which stands for a byte of {name} that is no text: leave its line out of the edit"
    else:
        why = f"but the encoding of {name} is not known: write it in ASCII"
    return Rejected(
        Reason.NOT_ALLOWED, f"Line {line} of the new text has {what}, {why}, or convert the file to UTF-8 first."
    )
