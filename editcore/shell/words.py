"""The words of a shell command, as bash makes them of its text: quotes, variables, here-documents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from editcore.errors import Unmeasured

MARK = "\ue000"
"""Stands for a here-document; the number of the document follows."""
_SCANNED = re.compile(
    r"""(?P<copied>\\.|'[^']*'|"(?:[^"\\]|\\.)*+"|<<<|(?<![^\s;&|()])\#[^\n]*|[^\\'"<\n\#]+|[\#<])"""
    r"""|(?P<newline>\n)""",
    re.DOTALL,
)
_HERE = re.compile(
    r"""<<(?!<)(?P<dash>-?)[ \t]*(?:'(?P<single>[^'\n]+)'|"(?P<double>[^"\n]+)"|(?P<plain>\\?[\w.!+-]+))"""
)
_TOKEN = re.compile(
    r"""'(?P<single>[^']*)'|\$'(?P<ansi>(?:[^'\\]|\\.)*+)'|"(?P<double>(?:[^"\\]|\\.)*+)"|\\(?P<escaped>.)"""
    r"""|(?P<variable>\$\w+|\$\{\w+\})|(?P<plain>[^'"\\$`]+|\$$)""",
    re.DOTALL,
)
_IN_DOUBLE = re.compile(r"\\([$`\"\\\n])|(\$\w+|\$\{\w+\})|(\$[({?@*#!$-]|`)", re.DOTALL)
_ANSI = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|(.))", re.DOTALL)
_ANSI_NAMES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
WILD = re.compile(r"[*?[]")
_BRACES = re.compile(r"\{[^{}]*(?:,|\.\.)[^{}]*\}")


class HereDocument(NamedTuple):
    text: str
    is_literal: bool
    """True if nothing in it is expanded, because its delimiter is quoted."""


def without_documents(command: str) -> tuple[str, list[HereDocument]]:
    """The command with `< MARK0` in place of each here-document, and the documents.

    The grammar of tree-sitter misreads what follows a here-document on its line, and takes long over long texts.
    """
    if MARK in command:
        raise Unmeasured("the command has a character for private use")
    found: list[HereDocument] = []
    written: list[str] = []
    waiting: list[re.Match[str]] = []
    at = 0
    while at < len(command):
        if here := _HERE.match(command, at):
            written.append(f"< {MARK}{len(found) + len(waiting)} ")
            waiting.append(here)
            at = here.end()
            continue
        token = _SCANNED.match(command, at)
        if token is None:
            raise Unmeasured("a quotation mark is not closed")
        written.append(token[0])
        at = token.end()
        if token["newline"]:
            for one in waiting:
                document, at = _document(command, at, one)
                found.append(document)
            waiting = []
    if waiting:
        raise Unmeasured("a here-document has no end")
    return "".join(written), found


def _document(command: str, at: int, here: re.Match[str]) -> tuple[HereDocument, int]:
    plain = here["plain"] or ""
    end = here["single"] or here["double"] or plain.removeprefix("\\")
    lines: list[str] = []
    while at < len(command):
        below = command.find("\n", at) + 1 or len(command)
        line = command[at:below].lstrip("\t") if here["dash"] else command[at:below]
        at = below
        if line.removesuffix("\n") == end:
            return HereDocument("".join(lines), plain in ("", f"\\{end}")), at
        lines.append(line)
    raise Unmeasured("a here-document has no end")


class Word(NamedTuple):
    text: str
    pattern: str | None = None
    """The glob to expand, in which quoted wildcards are escaped; None if the word has no wildcards."""


def expanded(source: str, variables: Mapping[str, str]) -> Word:
    """The word that bash makes of a word's text. Raises Unmeasured if it depends on running something."""
    pieces: list[tuple[str, bool]] = []
    at = 0
    while at < len(source):
        token = _TOKEN.match(source, at)
        if token is None:
            raise Unmeasured(f"what {source[at : at + 20]!r} stands for is known only when it runs")
        at = token.end()
        match token.lastgroup:
            case "variable":
                pieces.append((_unquoted(value_of(token[0], variables)), False))
            case "double":
                pieces.append((in_double_quotes(token["double"], variables), False))
            case "ansi":
                pieces.append((_ANSI.sub(_of_ansi, token["ansi"]), False))
            case "escaped":
                pieces.append(("" if token["escaped"] == "\n" else token["escaped"], False))
            case kind:
                pieces.append((token[kind or 0], kind == "plain"))
    text = "".join(piece for piece, _ in pieces)
    bare = "".join(piece if is_plain else "_" * len(piece) for piece, is_plain in pieces)
    if _BRACES.search(bare):
        raise Unmeasured(f"braces in {source[:40]!r} are not expanded")
    if not WILD.search(bare):
        return Word(text)
    return Word(text, "".join(piece if is_plain else re.sub(r"([*?[])", r"[\1]", piece) for piece, is_plain in pieces))


def in_double_quotes(text: str, variables: Mapping[str, str]) -> str:
    """The text that double quotes, or a here-document that is not literal, stand for."""

    def of(found: re.Match[str]) -> str:
        if found[3]:
            raise Unmeasured(f"what {found[3]!r} stands for in double quotes is known only when it runs")
        return value_of(found[2], variables) if found[2] else found[1].removeprefix("\n")

    return _IN_DOUBLE.sub(of, text)


def value_of(source: str, variables: Mapping[str, str]) -> str:
    """The value of `$NAME` or `${NAME}`. Raises Unmeasured for a variable that the command does not set."""
    name = source.strip("${}")
    if name not in variables:
        raise Unmeasured(f"the value of ${name} is known only when it runs")
    return variables[name]


def _unquoted(value: str) -> str:
    if not value or WILD.search(value) or any(map(str.isspace, value)):
        raise Unmeasured("a variable without quotes becomes no word, or several")
    return value


def _of_ansi(found: re.Match[str]) -> str:
    if found[1] or found[2]:
        return chr(int(found[1] or found[2], 16 if found[1] else 8))
    if found[3] in "cuUx":
        raise Unmeasured(f"\\{found[3]} in $'...' is not read")
    return _ANSI_NAMES.get(found[3], found[3])
