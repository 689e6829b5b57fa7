"""Agents that forgive whitespace at the ends of lines, and characters that look alike.

    codex      equal lines, without whitespace at the right, at both ends, folded: the steps of its envelopes
    goose      exact; folded |a  |“b”|; whole lines folded, without whitespace at their right
    tau        exact; whole lines without whitespace at the right, at both ends, or folded and at the right
    reasonix   exact; whole lines without whitespace at the right; that with each tab as four spaces; both again
               without `12→` before every line of the search text, if every line has it

Folded: dashes, quotes and spaces as ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher

from editcore.agents.matching import PUNCTUATION, Work, places, span
from editcore.agents.rule import Rule
from editcore.agents.runner import (
    Found,
    Given,
    Read,
    Span,
    Spans,
    Steps,
    exact,
    in_turn,
    nothing_sought,
    spans_of,
    unchanged,
)
from editcore.errors import PatchError
from editcore.patches.codex import apply_sections
from editcore.text.endings import line_feeds, with_crlf
from editcore.text.line_index import apart, block_starts
from editcore.types import Applied, Edit, EditResult, FilePatch, Hunk, Reason, Rejected

_PATH = "file"


def hunk_lines(old: str, new: str, work: Work) -> tuple[str, ...]:
    """The lines of a hunk that turns `old` into `new`, each behind its mark."""
    olds, news = (one.removesuffix("\n").split("\n") if one else [] for one in (old, new))
    work.spend(len(olds) * len(news) + len(old) + len(new))
    lines: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, olds, news, autojunk=False).get_opcodes():
        if kind == "equal":
            lines += (f" {line}" for line in olds[a:b])
        else:
            lines += (f"-{line}" for line in olds[a:b])
            lines += (f"+{line}" for line in news[c:d])
    return tuple(lines)


def codex(text: str, edit: Edit) -> EditResult:
    """Codex's rule. The pair becomes the one hunk of an envelope without an anchor; equal lines are its context."""
    old, new = map(line_feeds, (edit.old_string, edit.new_string))
    if not old:
        raise nothing_sought()
    if old == new:
        raise unchanged()
    hunk = Hunk(hunk_lines(old, new, Work("the diff of old_string and new_string")), 1)
    result = apply_sections({_PATH: text}, [FilePatch("update", _PATH, 1, hunks=(hunk,))])
    if isinstance(result, Rejected):
        return Rejected(result.reason, result.message, result.candidates)
    return Applied((result.files or {})[_PATH], (), result.landings[0].equality)


def _goose_line(line: str) -> str:
    return line.translate(PUNCTUATION).rstrip()


def _goose_lines(given: Given) -> Found | None:
    lines = given.old.removesuffix("\n").split("\n")
    starts = block_starts(map(_goose_line, given.document.lines), list(map(_goose_line, lines)))
    spans = [span(given.document, at, len(lines)) for at in starts]
    # The span ends before the last line feed: the new text's would be a second one.
    return Found(spans, given.new.removesuffix("\n") if given.old.endswith("\n") else given.new) if spans else None


_GOOSE = Steps(
    {
        "exact": exact,
        "folded": lambda given: spans_of(given.text.translate(PUNCTUATION), given.old.translate(PUNCTUATION)),
        "line_ends": _goose_lines,
    },
    takes_every=False,
)


_ASCII = str.maketrans(
    dict.fromkeys("\u2018\u2019", "'")
    | dict.fromkeys("\u201c\u201d", '"')
    | {"\u2013": "-", "\u2014": "--", "\u2026": "..."}
    | dict.fromkeys("\xa0\u2002\u2003\u2009", " ")
)


def _rust_lines(text: str) -> list[str]:
    """The lines as Rust's `lines` gives them: no empty one at the end, no carriage return before a line feed."""
    *lines, last = text.split("\n")
    return [line.removesuffix("\r") for line in lines] + ([last] if last else [])


def _ends_trimmed(text: str) -> str:
    return "\n".join([line.rstrip() for line in _rust_lines(text)])


def _by_lines(changed: Callable[[str], str]) -> Callable[[Given], Spans]:
    """The step that looks for the changed search text in the changed text, and takes the whole lines it touches."""

    def step(given: Given) -> Spans:
        lines, whole, find = _rust_lines(given.text), changed(given.text), changed(given.old)
        found = places(whole, find) if find else []
        first = whole.count("\n", 0, found[0]) if found else 0
        last = first + find.count("\n") + 1
        # Several places are passed over, and the next step is tried.
        return [_span(given.text, lines, first, last)] if len(found) == 1 and last <= len(lines) else []

    return step


def _span(text: str, lines: list[str], first: int, last: int) -> Span:
    """The span that the program computes for these lines: as if each line above ended in one byte."""
    raw = text.encode("utf-8", "surrogatepass")
    start = sum(len(line.encode("utf-8", "surrogatepass")) + 1 for line in lines[:first])
    end = start + len("\n".join(lines[first:last]).encode("utf-8", "surrogatepass"))
    try:
        return tuple(len(raw[:at].decode("utf-8", "surrogatepass")) for at in (start, end))  # type: ignore[return-value]
    except UnicodeDecodeError:
        raise PatchError(
            "The place begins or ends within a character, at which the program stops.", reason=Reason.NOT_ALLOWED
        ) from None


_TAU = Steps(
    {
        "exact": exact,
        "trim_end": _by_lines(_ends_trimmed),
        "trim_both": _by_lines(lambda text: "\n".join([line.strip() for line in _rust_lines(text)])),
        "unicode": _by_lines(lambda text: _ends_trimmed(text).translate(_ASCII)),
    },
    refuses=("empty",),
    takes_every=False,
)


_NUMBER = re.compile("[ \t]*+[0-9]++\u2192")


def _in_crlf_if_found_so(text: str, edit: Edit) -> Read:
    """The edit with CRLF in its texts, if its search text occurs in the file with CRLF only."""
    old, new = edit.old_string, edit.new_string
    if old not in text and "\r\n" in text and (crlf := with_crlf(line_feeds(old), True)) in text:
        old, new = crlf, with_crlf(line_feeds(new), True)
    return Read(text, old, new)


def _ends(line: str) -> str:
    return line.rstrip(" \t\r")


def _tabs(line: str) -> str:
    return _ends(line).replace("\t", "    ")


def _windows(compared: Callable[[str], str], *, without_numbers: bool = False) -> Callable[[Given], Found | None]:
    """The step that looks for whole lines, equal once `compared`. A final line feed must be in the file, too."""

    def step(given: Given) -> Found | None:
        document, old = given.document, given.old
        wanted, is_ended = old.removesuffix("\n").split("\n"), old.endswith("\n")
        if without_numbers:
            if not all(map(_NUMBER.match, wanted)):
                return None
            wanted = [_NUMBER.sub("", line, count=1) for line in wanted]
        lines = document.lines if is_ended or not document.text.endswith("\n") else document.lines[:-1]
        spans = []
        for first in apart(block_starts(map(compared, lines), list(map(compared, wanted))), len(wanted)):
            last = first + len(wanted)
            if is_ended and last == len(document.lines):
                continue
            end = document.starts[last] if is_ended else document.starts[last] - 1
            if not is_ended and document.text[end - 1 : end + 1] == "\r\n":
                end -= 1
            spans.append((document.starts[first], end))
        new = with_crlf(line_feeds(given.new), True) if "\r\n" in given.text else given.new
        return Found(spans, new) if spans else None

    return step


_REASONIX = Steps(
    {
        "exact": exact,
        "ends": _windows(_ends),
        "tabs": _windows(_tabs),
        "numbers_ends": _windows(_ends, without_numbers=True),
        "numbers_tabs": _windows(_tabs, without_numbers=True),
    },
    reading=_in_crlf_if_found_so,
    refuses=("empty",),
)

RULES: dict[str, Rule] = {"codex": in_turn(codex), "goose": _GOOSE, "tau": _TAU, "reasonix": _REASONIX}
