"""GitHub Copilot's replace_string tool in VS Code.

Evidence: read (`editFileToolUtils.tsx` of vscode-copilot-chat, two commits of 2025). The chain:

    exact        counted without overlap
    whitespace   |  a|b |   trimmed lines, if the line below them is blank too
    fuzzy        |a  |b |   the search text with spaces and tabs allowed at the ends of its lines
    similarity   the best window of as many lines whose mean similarity is over 0.95; at most 1,000 characters and
                 20 lines of search text, in a file of at most 1,000 lines

Policy: unique in the first three, best in the last. Nothing is re-indented. Line endings: VS Code gives the whole
file the ending that most of its lines have, and the texts of the edit are given the same.

Known failure: in `whitespace`, lines that both texts begin with are kept, but as many lines below the place are
deleted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editcore.agents.matching.results import not_found, nothing_sought, replaced, several, unchanged
from editcore.agents.matching.similarity import Similarities
from editcore.agents.matching.windows import places, span
from editcore.agents.matching.work import Work
from editcore.agents.rule import AgentRule, Source, in_turn
from editcore.text.diff import common_lines
from editcore.text.document import Document
from editcore.text.endings import line_feeds, with_crlf
from editcore.text.line_index import apart, block_starts
from editcore.text.whitespace import trim
from editcore.thresholds import Threshold
from editcore.types import Applied, Edit, EditResult

_LONGEST, _MOST_LINES, _MOST_FILE_LINES = 1000, 20, 1000
_END = re.compile(r"[ \t]*+\r?\n?")

Spans = Sequence[tuple[int, int]]


def copilot(text: str, edit: Edit, *, similarity: float = 0.95) -> EditResult:
    """Copilot's replace_string: exact, trimmed lines above a blank line, whitespace at line ends, mean similarity."""
    crlf = 2 * text.count("\r\n") > text.count("\n")
    text, old, new = map(line_feeds, (text, edit.old_string, edit.new_string))
    if not trim(text) and not trim(old):
        return Applied(new, (), "blank_file")
    if not old:
        raise nothing_sought()
    found = _exact(text, old, new) or _trimmed(text, old, new) or _loose_ends(text, old, new)
    found = found or _similar(text, old, new, similarity)
    if found is None:
        raise not_found()
    content = found.content or ""
    if content == text:
        raise unchanged()
    return Applied(with_crlf(content, crlf), (), found.replacer)


def _unique(text: str, found: Spans, step: str) -> tuple[int, int] | None:
    if len(found) > 1:
        raise several(text, found, step)
    return found[0] if found else None


def _exact(text: str, old: str, new: str) -> Applied | None:
    found = _unique(text, [(at, at + len(old)) for at in places(text, old)], "exact")
    return found and replaced(text, *found, new, "exact")


def _trimmed(text: str, old: str, new: str) -> Applied | None:
    document = Document(text)
    olds, news = trim(old).split("\n"), trim(new).split("\n")
    wanted = [*map(trim, olds), ""]
    starts = list(apart(block_starts(document.trimmed, wanted), len(wanted)))
    if not starts:
        return None
    _unique(text, [span(document, at, len(olds)) for at in starts], "whitespace")
    head, tail = common_lines(olds, news)
    first = starts[0] + head
    end = min(first + len(olds) - tail, len(document.lines))
    put = "\n".join(news[head : len(news) - tail])
    return replaced(text, document.starts[first], max(document.starts[end] - 1, 0), put, "whitespace")


def _loose_ends(text: str, old: str, new: str) -> Applied | None:
    """The search text with spaces and tabs allowed before each of its line feeds, and at its end."""
    ends_in_line = old.endswith("\n")
    lines = old.removesuffix("\n").split("\n")
    found: list[tuple[int, int]] = []
    work = Work("Copilot's search for whitespace at line ends")
    for at in places(text, lines[0]) if lines[0] else ():
        end = at
        for n, line in enumerate(lines):
            work.spend(10)
            if not text.startswith(line, end):
                break
            tail = _END.match(text, end + len(line))
            assert tail
            has_feed = tail[0].endswith("\n")
            if n < len(lines) - 1 or ends_in_line:
                if not has_feed:
                    break
                end = tail.end()
            else:
                end += len(line) + len(tail[0].rstrip("\r\n"))
        else:
            if not found or at >= found[-1][1]:
                found.append((at, end))
    place = _unique(text, found, "fuzzy")
    return place and replaced(text, *place, new, "fuzzy")


def _similar(text: str, old: str, new: str, threshold: float) -> Applied | None:
    document, olds = Document(text), old.split("\n")
    if len(old) > _LONGEST or len(olds) > _MOST_LINES or len(document.lines) > _MOST_FILE_LINES:
        return None
    lines = Similarities(Work("Copilot's mean similarity"))
    best, first = threshold, -1
    for at in range(len(document.lines) - len(olds) + 1):
        lost, most = 0.0, (1 - best) * len(olds)
        total = 0.0
        for ours, theirs in zip(olds, document.lines[at : at + len(olds)], strict=True):
            one = lines.of(ours, theirs)
            total += one
            lost += 1 - one
            if lost > most + 1e-6:
                break
        else:
            if total / len(olds) > best:
                best, first = total / len(olds), at
    if first < 0:
        return None
    news = new.split("\n")
    head, tail = common_lines(olds, news)
    after = document.lines[first + len(olds) - tail :]
    content = "\n".join([*document.lines[: first + head], *news[head : len(news) - tail], *after])
    return Applied(content, (), "similarity")


COPILOT = (
    AgentRule(
        "copilot",
        "vscode-copilot-chat 2025",
        "read",
        "unique",
        in_turn(copilot),
        (Threshold("similarity", 0, 1, (0.7, 0.8, 0.9, 0.95, 0.98, 1.0), "mean similarity of lines to be exceeded"),),
        source=Source(
            "2025-12-23", "microsoft/vscode-copilot-chat src/extension/tools/node/editFileToolUtils.tsx", "d867dc74"
        ),
    ),
)
