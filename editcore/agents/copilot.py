"""GitHub Copilot's replace_string tool in VS Code.

    exact        counted without overlap
    whitespace   |  a|b |   trimmed lines, if the line below them is blank too
    fuzzy        |a  |b |   the search text with spaces and tabs allowed at the ends of its lines
    similarity   the best window of as many lines whose mean similarity is over 0.95; at most 1,000 characters and
                 20 lines of search text, in a file of at most 1,000 lines

Nothing is re-indented.
"""

from __future__ import annotations

import re

from editcore.agents.matching import Similarities, Work, places, span
from editcore.agents.rule import Rule
from editcore.agents.runner import CRLF_IF_MOST, Found, Given, Span, Steps, exact, in_turn
from editcore.text.diff import common_lines
from editcore.text.endings import line_feeds
from editcore.text.line_index import apart, block_starts
from editcore.text.whitespace import trim
from editcore.types import Applied, Edit, EditResult

_LONGEST, _MOST_LINES, _MOST_FILE_LINES = 1000, 20, 1000
_END = re.compile(r"[ \t]*+\r?\n?")


def _trimmed(given: Given) -> Found | None:
    document = given.document
    olds, news = trim(given.old).split("\n"), trim(given.new).split("\n")
    wanted = [*map(trim, olds), ""]
    starts = list(apart(block_starts(document.trimmed, wanted), len(wanted)))
    if not starts:
        return None
    if len(starts) > 1:
        raise given.several([span(document, at, len(olds)) for at in starts])
    head, tail = common_lines(olds, news)
    # As in the program: the lines that both texts begin with are passed over, and the place keeps its length.
    first = starts[0] + head
    end = min(first + len(olds) - tail, len(document.lines))
    put = "\n".join(news[head : len(news) - tail])
    return Found([(document.starts[first], max(document.starts[end] - 1, 0))], put)


def _loose_ends(given: Given) -> list[Span]:
    """The places of the search text, with spaces and tabs allowed before each of its line feeds and at its end."""
    text, old = given.text, given.old
    ends_in_line = old.endswith("\n")
    lines = old.removesuffix("\n").split("\n")
    found: list[Span] = []
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
    return found


def _similar(given: Given) -> Found | None:
    document, olds = given.document, given.old.split("\n")
    if len(given.old) > _LONGEST or len(olds) > _MOST_LINES or len(document.lines) > _MOST_FILE_LINES:
        return None
    lines = Similarities(Work("Copilot's mean similarity"))
    best, first = given.limits["similarity"], -1
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
    news = given.new.split("\n")
    head, tail = common_lines(olds, news)
    after = document.lines[first + len(olds) - tail :]
    content = "\n".join([*document.lines[: first + head], *news[head : len(news) - tail], *after])
    return Found([(0, len(given.text))], content)


_STEPS = Steps(
    {"exact": exact, "whitespace": _trimmed, "fuzzy": _loose_ends, "similarity": _similar},
    {"similarity": 0.95},
    CRLF_IF_MOST,
    refuses=("empty",),
    takes_every=False,
    must_change=True,
)


def copilot(text: str, edit: Edit, **limits: float) -> EditResult:
    """Copilot's rule. A blank search text replaces a blank file as a whole."""
    if not trim(text) and not trim(edit.old_string):
        return Applied(line_feeds(edit.new_string), (), "blank_file")
    return _STEPS.apply(text, edit, **limits)


RULES: dict[str, Rule] = {"copilot": in_turn(copilot)}
