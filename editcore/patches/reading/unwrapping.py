"""The patch in a text that carries it: a JSON document, a here-document of a shell, quotes around the whole.

    ["apply_patch", "<<'EOF'\n*** Begin Patch..."]      cat <<'EOF' | git apply      apply_patch '*** Begin Patch ...'

Carriers may be in each other. One is undone only if nothing outside of it looks like a part of a patch.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

_MOST_CARRIERS = 4
_MOST_VALUES = 1000
_HERE = re.compile(r"<<(?P<tabs>-?)[ \t]*+(?P<quote>['\"]?)(?P<word>\w++)(?P=quote)(?P<rest>[^\n]{0,300}+)\n")
_OPENING = re.compile(
    r"""\s*+(?P<command>(?:[^'"`\n]|'[^'\n]{0,99}'|"[^"\n]{0,99}"){0,1000}?)(?<![^\s=(])(?P<quote>\"""|\'''|["'`])"""
    r"(?:(?<=c .)|(?=\s*+(?:diff --git |Index: |--- |@@ |\*\*\* |<{5})))"
)
"""A command on one line, and the quotation mark before a patch. That behind `-c` may be before another command."""
_CLOSED = re.compile(r"[ \t]*+(?:[|;&)>][^\n'\"`]*+)?\s*\Z")
_QUOTE_IN_QUOTES = re.compile(r"""'(?:\\'|"'")'""")
_SIGN_IN_QUOTES = re.compile(r'\\([\\"$`])')


def unwrapped(text: str, signs: Sequence[re.Pattern[str]], notes: list[str]) -> str:
    """The patch in a text; the text itself if nothing carries it. Notes say what was read.

    `signs`: beginnings of lines that a patch has, the best ones first.
    """
    for _ in range(_MOST_CARRIERS):
        inner = _in_json(text, signs, notes)
        if inner is None:
            inner = _in_here_document(text, signs) or _in_quotes(text, signs, notes)
        if inner is None:
            break
        text = inner
    return text


def _in_json(text: str, signs: Sequence[re.Pattern[str]], notes: list[str]) -> str | None:
    """The only string of a document that contains a sign; or a whole patch on one line, as a string."""
    text = text.strip()
    is_line = "\n" not in text and ("\\n" in text or "{" in text)
    if not is_line and not (text[:1] in ("{", "[") and "\\n" in text):
        return None
    value: object = None
    with suppress(ValueError, RecursionError):
        value = json.loads(text if text[:1] in ('"', "{", "[") else f'"{text}"')
    if isinstance(value, str):
        notes.append("read as one JSON string")
        return value
    strings = list(_strings(value))
    for sign in signs:
        found = [one for one in strings if sign.search(one)]
        if len(found) == 1:
            notes.append("read from a JSON document")
            return found[0]
        if found:
            break
    return None


def _strings(value: object) -> Iterator[str]:
    waiting, n_seen = [value], 0
    while waiting and n_seen < _MOST_VALUES:
        one = waiting.pop()
        n_seen += 1
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


@dataclass(frozen=True, slots=True)
class HereDocument:
    """A here-document of a shell script."""

    body: str
    above: str
    """The script before `<<`."""
    rest: str
    """The rest of that line."""
    below: str
    """The script below the line that ends the document."""


def here_documents(script: str, sign: re.Pattern[str], at: int = 0) -> Iterator[HereDocument]:
    """The here-documents of a script that contain a sign, the part of the script before offset `at` left out."""
    while (inner := sign.search(script, at)) is not None:
        opening = next(reversed([*_HERE.finditer(script, at, inner.start())]), None)
        if opening is None:
            at = inner.end()
            continue
        closing = re.compile(rf"^[ \t]*{opening['word']}[ \t]*\r?$", re.MULTILINE).search(script, inner.end())
        if closing is None:
            return
        body = script[opening.end() : closing.start()]
        if opening["tabs"] and all(line.startswith("\t") for line in body.split("\n") if line.strip()):
            body = re.sub(r"^\t+", "", body, flags=re.MULTILINE)
        yield HereDocument(body, script[: opening.start()], opening["rest"], script[closing.end() :])
        at = closing.end()


def _in_here_document(text: str, signs: Sequence[re.Pattern[str]]) -> str | None:
    sign = next((sign for sign in signs if sign.search(text)), None) if "<<" in text else None
    here = next(here_documents(text, sign), None) if sign else None
    if sign is None or here is None or sign.search(here.above) or sign.search(here.below):
        return None
    return here.body


def _in_quotes(text: str, signs: Sequence[re.Pattern[str]], notes: list[str]) -> str | None:
    """The patch in quotation marks, with or without a command of a shell before them, as the shell reads it."""
    opening = _OPENING.match(text)
    if opening is None:
        return None
    quote, end = opening["quote"], text.rfind(opening["quote"])
    body = text[opening.end() : end].removeprefix("\n")
    if end <= opening.end() or not _CLOSED.match(text, end + len(quote)) or not any(one.search(body) for one in signs):
        return None
    if quote == "'" and "'" not in _QUOTE_IN_QUOTES.sub("", body):
        body = _QUOTE_IN_QUOTES.sub("'", body)
    elif quote == '"' and '"' in body and '"' not in _SIGN_IN_QUOTES.sub("", body):
        body = _SIGN_IN_QUOTES.sub(r"\1", body)
    elif quote in body and opening["command"].strip():
        return None
    notes.append("quotes around the patch were dropped")
    return body if body.endswith("\n") else f"{body}\n"
