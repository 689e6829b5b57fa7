"""Crush's edit tool in two versions. `crush`, since 2026-07-29, works on the text of the file with LF:

    exact       one place
    whitespace  whole lines, every run of whitespace as one space, without whitespace at both ends of a line

For a place of `whitespace`, the new text gets the indentation of the file. Each new line is as deep as it was, in
units of the search text (a tab, or as many spaces as its least indented line has), plus the extra depth of the place.

`crush_2026_01` is the earlier ladder. It undoes, one after the other, what viewing a file adds. First the search text
loses zero-width characters, a code fence around it, and line numbers (`12|`) if half of its lines have one. Then:

    exact · without blank lines around · without whitespace at line ends · with or without a last line feed ·
    runs of blank lines as one · |    a|b  |  two or more lines, equal but for spaces and tabs at their ends ·
    that with runs of blank lines as one
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from editcore.agents.matching import places, span
from editcore.agents.rule import Rule
from editcore.agents.runner import CRLF_IF_ANY, Found, Given, Read, Span, Steps, exact, nothing_sought
from editcore.text.endings import line_feeds, with_crlf
from editcore.text.line_index import apart, block_starts
from editcore.text.whitespace import SPACES_AND_TABS, indent
from editcore.types import Edit

_INVISIBLE = str.maketrans(dict.fromkeys("\ufeff\u200b\u200c\u200d\u2060"))
_NUMBERED = re.compile(r"^\s*+\d++\|\s?", re.ASCII)
_BLANK_LINES = re.compile(r"\n{3,}")


def _unwrapped(find: str) -> str:
    """The search text without zero-width characters, without a code fence around it and without line numbers."""
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


def _without_view(text: str, edit: Edit) -> Read:
    """The texts with line feeds, and the search text without what viewing a file adds. Raises PatchError."""
    read = CRLF_IF_ANY(text, edit)
    read = read._replace(old=_unwrapped(read.old))
    if not read.old:
        raise nothing_sought()
    return read


def _rung(changed: Callable[[str], str]) -> Callable[[Given], list[Span]]:
    """The step that looks for the search text after `changed` was applied to it."""

    def step(given: Given) -> list[Span]:
        sought, is_same = changed(given.old), changed is str
        at = given.text.find(sought) if sought else -1
        if at < 0:
            return []
        if given.text.rfind(sought) != at and not (is_same and given.every):
            raise given.several([(at, at + len(sought))])
        return _first_or_every(given, sought)

    return step


def _first_or_every(given: Given, sought: str) -> list[Span]:
    found = [(at, at + len(sought)) for at in places(given.text, sought)]
    return found if given.every else found[:1]


def _flexible(changed: Callable[[str], str]) -> Callable[[Given], list[Span]]:
    """The step that looks for two or more lines that are equal but for spaces and tabs at both ends of each."""

    def step(given: Given) -> list[Span]:
        document = given.document
        wanted = [line.strip(SPACES_AND_TABS) for line in changed(given.old).removesuffix("\n").split("\n")]
        if len(wanted) < 2:
            return []
        lines = [line.strip(SPACES_AND_TABS) for line in document.lines]
        starts = list(apart(block_starts(lines, wanted), len(wanted)))
        if not starts:
            return []
        sought = document.text[slice(*span(document, starts[0], len(wanted)))]
        if len(starts) > 1:
            at = document.text.find(sought)
            raise given.several([(at, at + len(sought))])
        # As in the program: the first text like the window is replaced, wherever that is.
        return _first_or_every(given, sought)

    return step


def _unit(lines: Sequence[str]) -> str:
    """One level of indentation of `lines`: a tab if any is indented by one, else the fewest spaces; "" without any."""
    indents = [indent(line, SPACES_AND_TABS) for line in lines if line.strip(SPACES_AND_TABS)]
    if any("\t" in one for one in indents):
        return "\t"
    return " " * min((len(one) for one in indents if one), default=0)


def _depth(line: str, unit: str) -> int:
    """The number of units by which a line is indented. Indentation characters of the other kind do not count."""
    return indent(line, SPACES_AND_TABS).count(unit[0]) // len(unit) if unit else 0


def _adapted(place: Sequence[str], old: Sequence[str], new: str, unit: str) -> str:
    lines = new.split("\n")
    own = _unit(old) or _unit(lines) or unit
    first, sought = (next((line for line in some if line.strip(SPACES_AND_TABS)), "") for some in (place, old))
    deeper = _depth(first, unit) - _depth(sought, own)
    if not unit or (own == unit and not deeper):
        return new

    def adapted(line: str) -> str:
        text = line.lstrip(SPACES_AND_TABS)
        return unit * max(_depth(line, own) + deeper, 0) + text if text else line

    return "\n".join(map(adapted, lines))


def _in_line_feeds(text: str, edit: Edit) -> Read:
    crlf = "\r\n" in text
    # One CRLF in the new text, and the program takes the file to have its endings.
    return Read(
        line_feeds(text),
        edit.old_string,
        edit.new_string,
        lambda content: with_crlf(content, crlf and "\r\n" not in content),
    )


def _exact(given: Given) -> list[Span]:
    found = exact(given)
    if found and not given.every and given.text.rfind(given.old) != found[0][0]:
        raise given.several(found)  # Places that overlap count, too.
    return found


def _whitespace(given: Given) -> Found | None:
    document, olds = given.document, given.old.split("\n")
    wanted = [" ".join(line.split()) for line in olds]
    if not any(wanted):
        return None
    lines = document.lines
    starts = list(apart(block_starts([" ".join(line.split()) for line in lines], wanted), len(wanted)))
    unit = _unit(lines)
    news = [_adapted(lines[at : at + len(wanted)], olds, given.new, unit) for at in starts]
    return Found([span(document, at, len(wanted)) for at in starts], news) if starts else None


RULES: dict[str, Rule] = {
    "crush": Steps(
        {"exact": _exact, "whitespace": _whitespace}, reading=_in_line_feeds, refuses=("empty",), must_change=True
    ),
    "crush_2026_01": Steps(
        {
            "exact": _rung(str),
            "blank_edges": _rung(_without_blank_edges),
            "line_ends": _rung(lambda find: "\n".join(line.rstrip(SPACES_AND_TABS) for line in find.split("\n"))),
            "final_newline": _rung(lambda find: find.removesuffix("\n") if find.endswith("\n") else f"{find}\n"),
            "blank_lines": _rung(_collapsed),
            "indentation": _flexible(str),
            "indentation_and_blank_lines": _flexible(_collapsed),
        },
        reading=_without_view,
        refuses=(),
        must_change=True,
    ),
}
