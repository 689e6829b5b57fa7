"""tau's file_edit.

Evidence: run (its matching, compiled, on 6,000 drawn calls). An exact place, counted without overlap; if there is none,
the first of these with one place:

    trim_end   lines without whitespace at their ends
    trim_both  lines without whitespace at both ends
    unicode    as `trim_end`, curly quotes, dashes, the ellipsis and some spaces as ASCII

Policy: unique; a step with several places is passed over. There is no way to ask for every place. The place is looked
for in the text as each step compares it, and the whole lines that it touches are replaced. Line endings stay.

Known failures: a search text that begins or ends within a line takes the rest of the line with it; in a file with CRLF,
each line above the place moves it by one byte, and where that is within a character the program stops.
"""

from __future__ import annotations

from collections.abc import Callable

from editcore.agents.habits import STRICT
from editcore.agents.matching import places
from editcore.agents.rule import AgentRule, Declared, Source, in_turn
from editcore.agents.runner import not_found, nothing_sought, replaced, several
from editcore.errors import PatchError
from editcore.types import Edit, EditResult, Reason

_ASCII = str.maketrans(
    dict.fromkeys("\u2018\u2019", "'")
    | dict.fromkeys("\u201c\u201d", '"')
    | {"\u2013": "-", "\u2014": "--", "\u2026": "..."}
    | dict.fromkeys("\xa0\u2002\u2003\u2009", " ")
)


def _lines(text: str) -> list[str]:
    """The lines as Rust's `lines` gives them: no empty one at the end, no carriage return before a line feed."""
    *lines, last = text.split("\n")
    return [line.removesuffix("\r") for line in lines] + ([last] if last else [])


def _ends_trimmed(text: str) -> str:
    return "\n".join([line.rstrip() for line in _lines(text)])


def _trimmed(text: str) -> str:
    return "\n".join([line.strip() for line in _lines(text)])


def _folded(text: str) -> str:
    return _ends_trimmed(text).translate(_ASCII)


_STEPS: dict[str, Callable[[str], str]] = {"trim_end": _ends_trimmed, "trim_both": _trimmed, "unicode": _folded}


def tau(text: str, edit: Edit) -> EditResult:
    """tau: exact, then whole lines without whitespace at their ends, at both ends, as ASCII; each must find one."""
    old = edit.old_string
    if not old:
        raise nothing_sought()
    exact = places(text, old)
    if len(exact) == 1:
        return replaced(text, exact[0], exact[0] + len(old), edit.new_string, "exact")
    if exact:
        raise several(text, [(at, at + len(old)) for at in exact], "exact")
    lines = _lines(text)
    for step, changed in _STEPS.items():
        whole, find = changed(text), changed(old)
        found = places(whole, find) if find else []
        if len(found) != 1:
            continue
        first = whole.count("\n", 0, found[0])
        last = first + find.count("\n") + 1
        if last <= len(lines):
            start, end = _span(text, lines, first, last)
            return replaced(text, start, end, edit.new_string, step)
    raise not_found()


def _span(text: str, lines: list[str], first: int, last: int) -> tuple[int, int]:
    """Where the program takes these lines to be: as if each line above ended in one byte. Raises PatchError."""
    raw = text.encode("utf-8", "surrogatepass")
    start = sum(len(line.encode("utf-8", "surrogatepass")) + 1 for line in lines[:first])
    end = start + len("\n".join(lines[first:last]).encode("utf-8", "surrogatepass"))
    try:
        return tuple(len(raw[:at].decode("utf-8", "surrogatepass")) for at in (start, end))  # type: ignore[return-value]
    except UnicodeDecodeError:
        raise PatchError(
            "The place begins or ends within a character, at which the program stops.", reason=Reason.NOT_ALLOWED
        ) from None


_SOURCE = Source("2026-04-25", "nwyin/tau coding-agent/src/tools/file_edit.rs", "5010f880")
_ON_BYTES = Declared(STRICT, _SOURCE)
TAU = (AgentRule("tau", "tau 2026", "run", "unique", in_turn(tau), source=_SOURCE, on_bytes=_ON_BYTES),)
