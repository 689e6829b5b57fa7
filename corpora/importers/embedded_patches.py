"""Begin/End Patches inside programs that models write: here-documents of shell scripts, string literals of JavaScript.

No program is executed. A patch that a program builds from variables is reported as unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from posixpath import join
from typing import Any

from corpora.importers.log import dig, text
from editcore.patches.reading.unwrapping import here_documents, unwrapped

BEGIN = "*** Begin Patch"

_SIGN = re.compile(r"^\s*+\*\*\* Begin Patch", re.MULTILINE)
_ALONE = re.compile(
    r"""\s*(?:cd\s+(?P<folder>'[^'\n]*'|"[^"\n]*"|[^\s;&|]+)\s*&&\s*)?(?:(?P<piped>cat)|apply_?patch)\s*"""
)
_PIPE = re.compile(r"\s*\|\s*apply_?patch\s*")
_TOKEN = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|/\*.*?\*/)
      | String\s*\.\s*raw\s*`(?P<raw>[^`\\]*(?:\\.[^`\\]*)*)`
      | `(?P<template>[^`\\]*(?:\\.[^`\\]*)*)`
      | "(?P<double>[^"\\\n]*(?:\\.[^"\\\n]*)*)"
      | '(?P<single>[^'\\\n]*(?:\\.[^'\\\n]*)*)'
      | (?P<code>.)""",
    re.DOTALL | re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(\r\n|.))", re.DOTALL)
_HOLE = re.compile(r"(?<!\\)(?:\\\\)*\$\{")
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
_JOIN = "].join("
_OPEN = {
    "`": re.compile(r"`[^`\\]*(?:\\.[^`\\]*)*", re.DOTALL),
    '"': re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*', re.DOTALL),
    "'": re.compile(r"'[^'\\\n]*(?:\\.[^'\\\n]*)*", re.DOTALL),
}
"""The pattern of a literal that is not closed, by its quotation mark."""
_LONGEST_SCRIPT = 1 << 20
_MOST_PATCHES = 100
"""A longer script, or one with more patches, is not searched: the end of each patch would have to be found."""


@dataclass(frozen=True, slots=True)
class EmbeddedPatch:
    """A patch inside a program."""

    patch: str | None
    """None if the program builds the patch from variables."""
    folder: str | None = None
    """The folder in which the patch is applied, if the program changes to one."""
    alone: bool = True
    """False if the program does something besides applying the patch."""


def in_command(arguments: Any) -> list[EmbeddedPatch]:
    """The patches in the arguments of a shell call, in every form that a version of Codex writes."""
    command = next((dig(arguments, name) for name in ("command", "cmd") if dig(arguments, name)), None)
    workdir = text(dig(arguments, "workdir")) or text(dig(arguments, "working_directory")) or None
    parts = command if isinstance(command, list) else [command]
    last = text(parts[-1])
    if len(parts) == 2 and parts[0] in ("apply_patch", "applypatch"):
        return [EmbeddedPatch(unwrapped(last, (_SIGN,), []), workdir)]
    found = in_shell(last)
    return [replace(one, folder=join(workdir or "", one.folder) if one.folder else workdir) for one in found]


def in_shell(script: str) -> list[EmbeddedPatch]:
    """The patches that a shell script passes to apply_patch, as here-documents or as an argument in quotes."""
    if BEGIN not in script or not re.search(r"\bapply_?patch\b", script):
        return []
    if len(script) > _LONGEST_SCRIPT or script.count(BEGIN) > _MOST_PATCHES:
        return [EmbeddedPatch(None)]
    found: list[EmbeddedPatch] = []
    for here in here_documents(script, _SIGN):
        lead = _ALONE.fullmatch(here.above)
        rest = _PIPE.sub("", here.rest, count=1) if lead and lead["piped"] else here.rest
        alone = lead is not None and not rest.strip() and not here.below.strip()
        folder = (lead["folder"] or "").strip("'\"") if lead else ""
        found.append(EmbeddedPatch(here.body, folder or None, alone))
    inner = unwrapped(script, (_SIGN,), []) if not found else script
    if inner != script:
        lead = _ALONE.fullmatch(script[: script.index(BEGIN)].rstrip().rstrip("'\""))
        folder = (lead["folder"] or "").strip("'\"") if lead else ""
        found.append(EmbeddedPatch(inner, folder or None, lead is not None))
    return found


def in_javascript(source: str) -> Iterator[EmbeddedPatch]:
    """The patches in a script's string literals: a literal, literals joined by +, or a joined list of lines."""
    if BEGIN not in source:
        return
    for value in _literals(source):
        if value is None:
            yield EmbeddedPatch(None)
        elif value.lstrip().startswith(BEGIN):
            yield EmbeddedPatch(value)
        else:
            yield from in_shell(value)


def _literals(source: str) -> Iterator[str | None]:
    """The values of the literals that contain the start of a patch; None for a literal with unknown parts."""
    pieces = list(_pieces(source))
    n = 0
    while n < len(pieces):
        is_code, start = n % 2 == 0, n
        n += 1
        if is_code:
            continue
        between = "," if pieces[n - 2].endswith("[") else "+"
        while n + 1 < len(pieces) and pieces[n] == between:
            n += 2
        values = pieces[start:n:2]
        code_before, code_after = pieces[start - 1], pieces[n]
        if between == "," and code_after.lstrip(",").startswith(_JOIN):
            values = [_separator(pieces, n).join(values)]
        elif between == "+":
            values = ["".join(values)]
        for value in values:
            if BEGIN in value:
                # More code is added to the literal, so its text is not the whole patch.
                added_to = between == "+" and (code_before.endswith("+") or code_after.startswith("+"))
                yield None if added_to or "\0{" in value else value


def _separator(pieces: list[str], n: int) -> str:
    joined_by_literal = pieces[n].endswith(_JOIN) and n + 1 < len(pieces)
    return pieces[n + 1] if joined_by_literal else ","


def _pieces(source: str) -> Iterator[str]:
    """Code without whitespace and decoded literals, alternately. The first and the last piece are code."""
    code = ""
    for kind, token in _tokens(source):
        if kind == "code":
            code += token
        elif kind != "blank":
            yield code
            code = ""
            yield _value(kind, token)
    yield code


def _tokens(source: str) -> Iterator[tuple[str, str]]:
    """The kind and the text of each token, without quotation marks.

    After a literal or comment that is not closed, none that begins within it is tried: trying each would take
    quadratic time, and none of them is closed.
    """
    at = 0
    open_until: dict[str, int] = {}
    while at < len(source):
        begins = "`" if source[at] == "S" else source[at]
        if at < open_until.get(begins, 0) and (begins != "/" or source.startswith("/*", at)):
            yield "code", source[at]
            at += 1
            continue
        token = _TOKEN.match(source, at)
        assert token
        kind = token.lastgroup or ""
        if kind == "code" and source.startswith("/*", at):
            open_until["/"] = len(source)
        elif kind == "code" and token[0] in _OPEN:
            unclosed = _OPEN[token[0]].match(source, at)
            open_until[token[0]] = unclosed.end() if unclosed else at
        yield kind, token[kind]
        at = token.end()


def _value(kind: str, inner: str) -> str:
    """The text of a literal, with NUL and a brace in place of each inserted value."""
    if kind in ("raw", "template"):
        inner = _HOLE.sub("\0{", inner).replace("\r\n", "\n")
    if kind != "raw":
        inner = _ESCAPE.sub(_unescaped, inner)
    # Surrogate pairs that were escaped separately become one character.
    return inner.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _unescaped(match: re.Match[str]) -> str:
    if digits := match[1] or match[2] or match[3]:
        return chr(number) if (number := int(digits, 16)) < 0x110000 else ""
    return _CONTROLS.get(match[4], match[4])
