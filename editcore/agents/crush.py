"""Crush's edit tool at two times.

Evidence: run (its matching, compiled, on 6,000 drawn calls); of the ladder read. `crush`, since 2026-07-29, on the text
of the file with LF:

    exact       one place
    whitespace  whole lines, every run of whitespace as one blank, without whitespace at both ends of a line

What `whitespace` finds gets the new text in the indentation of the file: its depth, in units of the search text's (a
tab, or as many blanks as its least indented line has), plus what the place is deeper, in units of the file's.

`crush_2026_01` is the ladder that was in its place: it undoes, one after the other, what viewing a file adds. First of
all the search text loses zero-width characters, a code fence around it, and line numbers (`12|`) if half of its lines
have one. Then each must be found, and once:

    exact · without blank lines around · without whitespace at line ends · with or without a last line feed ·
    runs of blank lines as one · |    a|b  |  two or more lines, equal but for spaces and tabs at their ends ·
    that with runs of blank lines as one

Policy: unique at the rung that finds something; then the first text like it is replaced. The ladder re-indents nothing.
Line endings: CRLF throughout if the file has one; the edit's are those of the file in the ladder, and their own now.

Known failures: of the ladder, a window found with other indentation gets the new text's own; of `whitespace`, blanks
that align a line within a file of tabs are lost. A new text with CRLF leaves the other lines of a file with CRLF in LF,
and a search text with CRLF is found by `whitespace` alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from editcore.agents.habits import RAW
from editcore.agents.matching.results import not_found, nothing_sought, replaced_everywhere, several, unchanged
from editcore.agents.matching.windows import places, span
from editcore.agents.rule import AgentRule, Declared, Source, in_turn
from editcore.text.document import Document
from editcore.text.endings import line_feeds, with_crlf
from editcore.text.line_index import apart, block_starts
from editcore.types import Applied, Edit, EditResult

_INVISIBLE = str.maketrans(dict.fromkeys("\ufeff\u200b\u200c\u200d\u2060"))
_NUMBERED = re.compile(r"^\s*+\d++\|\s?", re.ASCII)
_BLANK_LINES = re.compile(r"\n{3,}")
_BLANKS = " \t"


def _unwrapped(find: str) -> str:
    """The search text without what viewing a file adds."""
    find = find.translate(_INVISIBLE)
    lines = find.strip().split("\n")
    if len(lines) > 2 and lines[0].startswith("```") and lines[-1] == "```":
        find = "\n".join(lines[1:-1])
    lines = find.split("\n")
    if len(lines) > 1 and 2 * sum(1 for line in lines if _NUMBERED.match(line)) >= len(lines):
        find = "\n".join(_NUMBERED.sub("", line) for line in lines)
    return find


def _collapsed(find: str) -> str:
    return _BLANK_LINES.sub("\n\n", find)


def _without_blank_edges(find: str) -> str:
    lines = find.split("\n")
    filled = [n for n, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[filled[0] : filled[-1] + 1]) if filled else ""


def _exact_rungs(find: str) -> Iterator[tuple[str, str]]:
    """(rung, the text that it looks for), in order."""
    yield "exact", find
    yield "blank_edges", _without_blank_edges(find)
    yield "line_ends", "\n".join(line.rstrip(_BLANKS) for line in find.split("\n"))
    yield "final_newline", find.removesuffix("\n") if find.endswith("\n") else f"{find}\n"
    yield "blank_lines", _collapsed(find)


def _flexible(document: Document, find: str) -> list[str]:
    """The texts of windows that are equal but for whitespace at both ends of each line; of two lines or more."""
    wanted = [line.strip(_BLANKS) for line in find.removesuffix("\n").split("\n")]
    if len(wanted) < 2:
        return []
    starts = apart(block_starts([line.strip(_BLANKS) for line in document.lines], wanted), len(wanted))
    return [document.text[slice(*span(document, at, len(wanted)))] for at in starts]


def _found(text: str, find: str) -> tuple[str, str]:
    """The rung that finds something, and the text it finds. Raises PatchError."""
    for rung, sought in _exact_rungs(find):
        at = text.find(sought) if sought else -1
        if at >= 0:
            if text.rfind(sought) != at:
                raise several(text, [(at, at + len(sought))], rung)
            return rung, sought
    document = Document(text)
    for rung, change in _FLEXIBLE.items():
        windows = _flexible(document, change(find))
        if len(windows) > 1:
            at = text.find(windows[0])
            raise several(text, [(at, at + len(windows[0]))], rung)
        if windows:
            return rung, windows[0]
    raise not_found()


_FLEXIBLE: dict[str, Callable[[str], str]] = {"indentation": str, "indentation_and_blank_lines": _collapsed}


def crush_2026_01(text: str, edit: Edit) -> EditResult:
    """Crush until July 2026: undoes line numbers, fences and whitespace one by one; each rung must find one place."""
    crlf = "\r\n" in text
    text, old, new = map(line_feeds, (text, edit.old_string, edit.new_string))
    find = _unwrapped(old)
    if not find:
        raise nothing_sought()
    if edit.replace_all and find in text:
        rung, content = "exact", text.replace(find, new)
    else:
        rung, sought = _found(text, find)
        content = text.replace(sought, new, -1 if edit.replace_all else 1)
    if content == text:
        raise unchanged()
    return Applied(with_crlf(content, crlf), (), rung)


def _unit(lines: Sequence[str]) -> str:
    """What lines are indented by: a tab if one has a tab there, else the fewest blanks; empty if none is indented."""
    indents = [_indent(line) for line in lines if line.strip(_BLANKS)]
    if any("\t" in indent for indent in indents):
        return "\t"
    return " " * min((len(indent) for indent in indents if indent), default=0)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(_BLANKS))]


def _depth(line: str, unit: str) -> int:
    """How many units a line is indented by; tabs and blanks of the other kind do not count."""
    return _indent(line).count(unit[0]) // len(unit) if unit else 0


def _adapted(place: Sequence[str], old: Sequence[str], new: str, unit: str) -> str:
    """The new text as deep as the place is, in the file's unit."""
    lines = new.split("\n")
    own = _unit(old) or _unit(lines) or unit
    first, sought = (next((line for line in some if line.strip(_BLANKS)), "") for some in (place, old))
    deeper = _depth(first, unit) - _depth(sought, own)
    if not unit or (own == unit and not deeper):
        return new
    return "\n".join(
        [
            unit * max(_depth(line, own) + deeper, 0) + line.lstrip(_BLANKS) if line.strip(_BLANKS) else line
            for line in lines
        ]
    )


def crush(text: str, edit: Edit) -> EditResult:
    """Crush: exact, then whole lines whatever their whitespace, the new text in the file's indentation; one place."""
    crlf, text, old, new = "\r\n" in text, text.replace("\r\n", "\n"), edit.old_string, edit.new_string
    if not old:
        raise nothing_sought()
    exact = [(at, at + len(old)) for at in places(text, old)]
    if exact and (edit.replace_all or text.rfind(old) == exact[0][0]):
        rung, content = "exact", replaced_everywhere(text, exact, new, "exact").content or ""
    elif exact:
        raise several(text, exact, "exact")
    else:
        rung, content = "whitespace", _by_whitespace(text, old, new, every=edit.replace_all)
    if content == text:
        raise unchanged()
    # One CRLF in the new text, and the file is taken to have its endings.
    return Applied(with_crlf(content, crlf and "\r\n" not in content), (), rung)


def _by_whitespace(text: str, old: str, new: str, *, every: bool) -> str:
    """The text with the lines replaced that are the search text's whatever their whitespace. Raises PatchError."""
    lines, wanted = text.split("\n"), [" ".join(line.split()) for line in old.split("\n")]
    if not any(wanted):
        raise not_found()
    starts = list(apart(block_starts([" ".join(line.split()) for line in lines], wanted), len(wanted)))
    if not starts:
        raise not_found()
    if len(starts) > 1 and not every:
        document = Document(text)
        raise several(text, [span(document, at, len(wanted)) for at in starts], "whitespace")
    unit, out, done = _unit(lines), [], 0
    for at in starts:
        adapted = _adapted(lines[at : at + len(wanted)], old.split("\n"), new, unit)
        out += [*lines[done:at], adapted]
        done = at + len(wanted)
    return "\n".join([*out, *lines[done:]])


_SOURCE = Source("2026-07-29", "charmbracelet/crush internal/agent/tools/edit.go, edit_whitespace.go", "0388f5f4")
_LADDER = Source("2026-01", "charmbracelet/crush internal/agent/tools", None)
_ON_BYTES = Declared(RAW, _SOURCE)
CRUSH = (
    AgentRule("crush", "Crush since 2026-07-29", "run", "unique", in_turn(crush), source=_SOURCE, on_bytes=_ON_BYTES),
    AgentRule("crush_2026_01", "Crush 2026-01", "read", "unique", in_turn(crush_2026_01), source=_LADDER),
)
