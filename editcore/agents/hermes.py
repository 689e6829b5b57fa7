"""Hermes Agent's nine-rule chain.

Evidence: read (`tools/fuzzy_match.py`, and what `tools/file_operations.py` does after it). The first rule that finds
something decides:

    exact, line_trimmed |a|b|, whitespace_normalized `a  b`, indentation_flexible, escape_normalized `a\\nb`,
    trimmed_boundary (first and last line only), unicode_normalized, block_anchor (same size; difflib's ratio of the
    middles 0.5 for one block, 0.7 for several), context_aware (every line 0.8)

Policy: unique at the rule that decides; replace_all too, except by the last two. Below exact: refused if both texts
have an escaped quote that the place has not, or if new lines are indented deeper without a block being opened;
literal \\t and \\r become what they stand for where the place has such; the new lines get the indentation of the
place; characters that a fold made equal stay as the file has them. A change that stands in the file already is
refused here; the program calls it done. Line endings: all are made those of the first 4,096 characters: CRLF if one
is there, else LF; a text of one line keeps its own.

Known failures: `block_anchor` takes a block that shares half of its characters in order; where the first line of the
search text alone has lost its blanks, all lines of the new text get those of the place once more; a search text with
`\\n` in it is found unescaped, and the new text is written with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import NamedTuple

from editcore.agents.habits import SAMPLED
from editcore.agents.matching.folding import Folded
from editcore.agents.matching.results import not_found, nothing_sought, replaced_everywhere, several, unchanged
from editcore.agents.matching.windows import places, span
from editcore.agents.matching.work import Work
from editcore.agents.rule import AgentRule, Declared, Source, in_turn
from editcore.errors import PatchError
from editcore.text.document import Document
from editcore.text.endings import line_feeds, with_crlf
from editcore.text.line_index import block_starts
from editcore.text.whitespace import SPACES_AND_TABS, indent, indent_width, moved
from editcore.thresholds import Threshold
from editcore.types import Applied, Edit, EditResult, Reason

_TABLE = str.maketrans(
    {"“": '"', "”": '"', "‘": "'", "’": "'", "—": "--", "–": "-", "…": "...", "\xa0": " ", "−": "-"}
    | dict.fromkeys((*map(chr, range(0x2000, 0x200B)), "\u202f", "\u205f", "\u3000"), " ")
)
_BLANKS = re.compile(r"[ \t]+")
_OPENERS = (":", "{", "(")
_HEAD = 4_096
"""Characters of a text in which its line endings are looked for."""
_LONG_ENOUGH = 8
"""Characters of a new text by which it counts as standing in the file already."""

Spans = list[tuple[int, int]]


class _Sought(NamedTuple):
    """The file, the search text, and the limits of the rules that compare approximately."""

    document: Document
    find: str
    anchored: float
    contexts: float
    work: Work

    @property
    def lines(self) -> list[str]:
        """The search text's lines."""
        return self.find.split("\n")


def _exact(sought: _Sought) -> Spans:
    return _at(sought.document.text, sought.find)


def _at(text: str, find: str) -> Spans:
    return [(at, at + len(find)) for at in places(text, find)] if find else []


def _windows(sought: _Sought, key: Callable[[str], str]) -> Spans:
    starts = block_starts(map(key, sought.document.lines), [key(line) for line in sought.lines])
    return [span(sought.document, at, len(sought.lines)) for at in starts]


def _line_trimmed(sought: _Sought) -> Spans:
    return _windows(sought, str.strip)


def _whitespace_normalized(sought: _Sought) -> Spans:
    text = sought.document.text
    find = _BLANKS.sub(" ", sought.find)
    kept: list[str] = []
    starts: list[int] = []
    done = 0
    for run in _BLANKS.finditer(text):
        kept += [text[done : run.start()], " "]
        starts += [*range(done, run.start()), run.start()]
        done = run.end()
    kept.append(text[done:])
    starts += [*range(done, len(text)), len(text)]
    found = []
    for start, end in _at("".join(kept), find):
        last = starts[end] if find.endswith(" ") else starts[end - 1] + 1
        found.append((starts[start], last))
    return found


def _indentation_flexible(sought: _Sought) -> Spans:
    return _windows(sought, str.lstrip)


def _escape_normalized(sought: _Sought) -> Spans:
    find = sought.find.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r")
    return [] if find == sought.find else _at(sought.document.text, find)


def _trimmed_boundary(sought: _Sought) -> Spans:
    """Windows whose first and last lines are equal trimmed, and whose other lines are equal."""
    wanted, lines = sought.lines, sought.document.lines
    first, last = wanted[0].strip(), wanted[-1].strip()
    if len(wanted) <= 2:
        key = [first, last][: len(wanted)]
        starts = list(block_starts([line.strip() for line in lines], key))
    else:
        inner = block_starts(lines, wanted[1:-1])
        below = len(wanted) - 2
        starts = [
            at - 1
            for at in inner
            if at > 0
            and at + below < len(lines)
            and lines[at - 1].strip() == first
            and lines[at + below].strip() == last
        ]
    return [span(sought.document, at, len(wanted)) for at in starts]


def _unicode_normalized(sought: _Sought) -> Spans:
    folded, find = Folded(sought.document.text, _TABLE), sought.find.translate(_TABLE)
    if folded.text == sought.document.text and find == sought.find:
        return []
    found = _at(folded.text, find) or _line_trimmed(sought._replace(document=Document(folded.text), find=find))
    return [(folded.offset(start), folded.offset(end)) for start, end in found if folded.begins(start)]


def _ratio(one: str, other: str, matcher: SequenceMatcher[str], least: float, work: Work) -> float:
    """difflib's ratio of a text and another, for which the matcher was made; 0 if it is less than `least`."""
    n, m = len(one), len(other)
    if one == other:
        return 1.0
    if 2 * min(n, m) < least * (n + m):
        return 0.0
    matcher.set_seq1(one)
    work.spend(200 + 30 * n)
    if matcher.quick_ratio() < least:
        return 0.0
    work.spend(100 * n)
    found = matcher.ratio()
    return found if found >= least else 0.0


def _block_anchor(sought: _Sought) -> Spans:
    wanted = sought.find.translate(_TABLE).split("\n")
    lines = sought.document.text.translate(_TABLE).split("\n")
    size, last = len(wanted), len(wanted) - 1
    if size < 2:
        return []
    trimmed = [line.strip() for line in lines]
    ends = wanted[0].strip(), wanted[-1].strip()
    starts = [at for at in range(len(lines) - last) if (trimmed[at], trimmed[at + last]) == ends]
    least = sought.anchored if len(starts) == 1 else min(sought.anchored + 0.2, 1.0)
    inner = "\n".join(wanted[1:-1])
    middle = SequenceMatcher(None, "", inner)
    found = []
    for at in starts:
        sought.work.spend(size)
        if size == 2 or _ratio("\n".join(lines[at + 1 : at + last]), inner, middle, least, sought.work) >= least:
            found.append(span(sought.document, at, size))
    return found


def _context_aware(sought: _Sought) -> Spans:
    wanted = [line.strip() for line in sought.lines]
    lines = [line.strip() for line in sought.document.lines]
    distinct, size = list(dict.fromkeys(lines)), len(wanted)
    alike: dict[str, set[str]] = {}

    def likes(line: str) -> set[str]:
        if line not in alike:
            matcher = SequenceMatcher(None, "", line)
            sought.work.spend(40 * len(distinct))
            ratios = ((one, _ratio(one, line, matcher, sought.contexts, sought.work)) for one in distinct)
            alike[line] = {one for one, ratio in ratios if ratio >= sought.contexts}
        return alike[line]

    def fits(at: int) -> bool:
        sought.work.spend(10 * size)
        return all(not line or lines[at + n] in likes(line) for n, line in enumerate(wanted))

    first, last = likes(wanted[0]), likes(wanted[-1])
    ends = range(len(lines) - size + 1)
    starts = [at for at in ends if lines[at] in first and lines[at + size - 1] in last and fits(at)]
    return [span(sought.document, at, size) for at in starts]


_CHAIN: dict[str, Callable[[_Sought], Spans]] = {
    "exact": _exact,
    "line_trimmed": _line_trimmed,
    "whitespace_normalized": _whitespace_normalized,
    "indentation_flexible": _indentation_flexible,
    "escape_normalized": _escape_normalized,
    "trimmed_boundary": _trimmed_boundary,
    "unicode_normalized": _unicode_normalized,
    "block_anchor": _block_anchor,
    "context_aware": _context_aware,
}
_APPROXIMATE = ("block_anchor", "context_aware")


def hermes(text: str, edit: Edit, *, anchored: float = 0.5, contexts: float = 0.8) -> EditResult:
    """Hermes Agent: nine rules, the first that finds something decides, and only if in one place."""
    done = _changed(text, edit, anchored, contexts)
    head = text[:_HEAD]
    content = done.content or ""
    if "\n" in head:
        content = with_crlf(line_feeds(content).replace("\r", "\n"), "\r\n" in head)
    return done if content == done.content else Applied(content, (), done.replacer)


def _changed(text: str, edit: Edit, anchored: float, contexts: float) -> Applied:
    old, new = edit.old_string, edit.new_string
    if not old.strip():
        raise nothing_sought()
    if old == new:
        raise unchanged()
    sought = _Sought(Document(text), old, anchored, contexts, Work("Hermes Agent's search for similar lines"))
    for name, rule in _CHAIN.items():
        found = rule(sought)
        if not found:
            continue
        if len(found) > 1 and (not edit.replace_all or name in _APPROXIMATE):
            raise several(text, found, name)
        if name == "exact":
            return replaced_everywhere(text, found, new, name)
        _check(text, found, old, new)
        new = _unescaped(text, found, new)
        if name == "unicode_normalized":
            new = _with_the_files_characters(text, found, old, new)
        return _applied(text, found, old, new, name)
    if new not in text or len(new.strip()) < _LONG_ENOUGH:
        raise not_found()
    raise PatchError("new_string stands in the file already, and old_string does not.", reason=Reason.IDENTICAL)


def _applied(text: str, found: Spans, old: str, new: str, step: str) -> Applied:
    apart = [one for n, one in enumerate(found) if not n or one[0] >= found[n - 1][1]]
    put = [_reindented(text[start:end], old, new) for start, end in apart]
    if len(set(put)) == 1:
        return replaced_everywhere(text, apart, put[0], step)
    out, done = [], 0
    for (start, end), one in zip(apart, put, strict=True):
        out += [text[done:start], one]
        done = end
    return Applied("".join(out) + text[done:], (), step)


def _check(text: str, found: Spans, old: str, new: str) -> None:
    """Refuse escapes that the place does not have, and indentation that nothing opens."""
    region = "".join(text[start:end] for start, end in found)
    for suspect in ("\\'", '\\"'):
        if suspect in new and suspect in old and suspect not in region:
            raise PatchError(f"the file has no {suspect} there: copy the quotes as they are.", reason=Reason.NO_MATCH)
    olds, news = ([line for line in one.split("\n") if line.strip()] for one in (old, new))
    if not news or any(line.rstrip().endswith(_OPENERS) for line in (*olds, *news)):
        return
    deepest = max(indent_width(line, SPACES_AND_TABS) for line in olds)
    if any(indent_width(line, SPACES_AND_TABS) > deepest for line in news):
        raise PatchError("new_string is indented deeper, but opens no block: check it.", reason=Reason.NO_MATCH)


def _unescaped(text: str, found: Spans, new: str) -> str:
    region = "".join(text[start:end] for start, end in found)
    for written, character in (("\\t", "\t"), ("\\r", "\r")):
        if character in region:
            new = new.replace(written, character)
    return new


def _reindented(region: str, old: str, new: str) -> str:
    """The new text with the indentation of the place for that of the search text, by their first lines with text."""
    first, theirs = _first_filled(old), _first_filled(region)
    if not new or first is None or theirs is None:
        return new
    ours, at = indent(first, SPACES_AND_TABS), indent(theirs, SPACES_AND_TABS)
    if ours == at:
        return new
    return "\n".join(moved(line, ours, at) if line.strip() else line for line in new.split("\n"))


def _first_filled(text: str) -> str | None:
    return next((line for line in text.split("\n") if line.strip()), None)


def _with_the_files_characters(text: str, found: Spans, old: str, new: str) -> str:
    """The new text, its parts that the search text has too as the file writes them."""
    region = "".join(text[start:end] for start, end in found)
    folded, find = Folded(region, _TABLE), old.translate(_TABLE)
    if folded.text != find:
        return new
    work = Work("Hermes Agent's search for what an edit changes")
    work.spend((len(find) * len(new)) // 50)
    out = []
    for kind, a, b, c, d in SequenceMatcher(None, find, new).get_opcodes():
        out.append(region[folded.offset(a) : folded.offset(b)] if kind == "equal" else new[c:d])
    return "".join(out)


HERMES = (
    AgentRule(
        "hermes",
        "Hermes Agent 2026",
        "read",
        "unique",
        in_turn(hermes),
        (
            Threshold("anchored", 0, 1, (0.1, 0.3, 0.5, 0.65, 0.8, 1.0), "least ratio of a block; 0.2 more of several"),
            Threshold("contexts", 0, 1, (0.5, 0.6, 0.7, 0.8, 0.9, 1.0), "least ratio of every line of a window"),
        ),
        source=Source("2026-08", "NousResearch/hermes-agent tools/fuzzy_match.py", "02022048"),
        on_bytes=Declared(
            SAMPLED,
            Source(
                None, "NousResearch/hermes-agent tools/file_operations.py, whose terminal replaces errors", "000429aa"
            ),
        ),
    ),
)
