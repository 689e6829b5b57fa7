"""The envelope in a text: models wrap prose and code fences around it, and decorate its markers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from editcore.errors import PatchError
from editcore.patches.reading.cut_off import check_head
from editcore.patches.reading.envelope import BEGIN, END, HEADERS, UPDATE, lines_of
from editcore.patches.reading.unwrapping import unwrapped

_SIGNS = tuple(
    re.compile(rf"^\t*+(?:{'|'.join(map(re.escape, begin))})", re.MULTILINE) for begin in ((BEGIN,), HEADERS)
)
"""Beginnings of lines of an envelope, the best ones first."""
# Quantifiers are possessive where two runs of spaces may meet: lines of a model are read in linear time.
_LOOSE_BEGIN = re.compile(r"^[\s`>]*+[*_]{2,6} *+begin (?:of )?patch *+:? *+[*_]*+ *+$", re.IGNORECASE)
_LOOSE_END = re.compile(r"^[\s`]*+[*_]{2,6} *+end (?:of )?patch *+:? *+(?:[*_]++|\([^*]*\))?[`\s]*+$", re.IGNORECASE)
_GLUED_END = re.compile(r"\*\*\* End Patch *$")
_VERBS = {"remove": "delete", "modify": "update", "edit": "update"}
LOOSE_HEADER = re.compile(
    rf"^\s*+(?:\*\*\*|(?=\*+ *+\w++ File *+:)\*{{2,5}}) *+(Add|Delete|Update|{'|'.join(_VERBS)})"
    r"(?: File(?: *+:|(?= ))| *+:)(.*)$",
    re.IGNORECASE,
)
_GLUED_BEGIN = re.compile(r"^(\*\*\* Begin Patch) *+(?=\*\*\* (?!End ))")
_WRAPPING = re.compile(r"^\s*+(```.*|~~~.*|EOF|'EOF'|PATCH|(?:cat|apply_patch)?\s*<<-?\s*['\"]?\w+['\"]?.*)?\s*$")
_SENTENCE = re.compile(r"[A-Z][\w']*+(?: \S++){3,}+(?<=[.!:?])$")
_PROSE = re.compile(r"[A-Za-z`(]")
"""The beginning of the other lines of a paragraph."""
_TEXTS = (".md", ".mdx", ".rst", ".txt", ".adoc", ".tex", ".html")
"""Endings of files that may contain sentences."""
_FENCE = re.compile(r"^(?:```\w*|~~~\w*)\s*$")


@dataclass
class Envelope:
    """The lines of an envelope, and what was found around them."""

    lines: list[str]
    first: int
    """The 0-based line below the begin marker."""
    end: int
    """The line of the end marker, or one past the last line."""
    ended: bool
    complete: bool
    """True if the last line is whole: it has a line feed, or text follows it."""
    starred: list[int] = field(default_factory=list)
    """Indices of lines that may be markers, ascending, also outside of the envelope."""
    notes: list[str] = field(default_factory=list)


def envelope_in(text: str) -> Envelope:
    """Find the envelope in a text. Raises PatchError if there is none, or more than one."""
    notes: list[str] = []
    text = unwrapped(text, _SIGNS, notes)
    lines = lines_of(text.removeprefix("\ufeff"))
    glued = next((n for n, line in enumerate(lines) if _GLUED_BEGIN.match(line)), None)
    if glued is not None:
        lines[glued : glued + 1] = _GLUED_BEGIN.sub(r"\1\n", lines[glued]).split("\n")
    envelope = Envelope(lines, 0, len(lines), False, text.endswith("\n"), notes=notes)
    envelope.starred = [n for n, line in enumerate(lines) if "**" in line]
    _find_bounds(envelope)
    return envelope


def action_and_path(header: re.Match[str]) -> tuple[str, str]:
    """The action (add, update or delete) and the path as written, of a file header of `LOOSE_HEADER`."""
    verb = header[1].lower()
    return _VERBS.get(verb, verb), header[2]


def _find_bounds(envelope: Envelope) -> None:
    lines, starred = envelope.lines, envelope.starred
    begin = next((n for n in starred if _LOOSE_BEGIN.match(lines[n])), None)
    if begin is None:
        begin = next((n for n in starred if LOOSE_HEADER.match(lines[n])), None)
        if begin is None:
            raise PatchError(f"there is no '{BEGIN}' and no file header: '{UPDATE}PATH' begins a section.", line=1)
        check_head(lines[:begin], begin)
        envelope.notes.append(f"'{BEGIN}' is missing")
        begin -= 1
    below = [n for n in starred if n > begin]
    if below and _LOOSE_BEGIN.match(lines[below[0]]) and not any(map(str.strip, lines[begin + 1 : below[0]])):
        envelope.notes.append(f"'{BEGIN}' stood there twice")
        begin = below.pop(0)
    for n in below:
        if _LOOSE_BEGIN.match(lines[n]) and not lines[n].startswith((" ", "\t")):
            raise PatchError(f"'{BEGIN}' stands there twice: send one patch at a time.", line=n + 1)
    envelope.first = begin + 1
    if not _find_end(envelope, below):
        _end_at_last_line(envelope)
    _drop_inner_fence(envelope)


def _find_end(envelope: Envelope, below: list[int]) -> bool:
    """End the envelope at its end marker; False without one."""
    lines, first = envelope.lines, envelope.first
    inner = next((n for n in range(len(lines) - 1, first - 1, -1) if not _WRAPPING.match(lines[n])), first - 1)
    for n in below:
        # An indented end marker is a context line, unless only wrapping follows.
        if _LOOSE_END.match(lines[n]) and (not lines[n].startswith((" ", "\t")) or n >= inner):
            after = next((after for after in below if after > n and LOOSE_HEADER.match(lines[after])), None)
            if after is not None:
                raise PatchError(f"a section follows after '{END}': put it before.", line=after + 1)
            envelope.end, envelope.ended = n, True
            return True
    return False


def _end_at_last_line(envelope: Envelope) -> None:
    lines, first = envelope.lines, envelope.first
    last = len(lines)
    while last > first and _WRAPPING.match(lines[last - 1]):
        envelope.complete = envelope.complete or bool(lines[last - 1].strip())
        last -= 1
    end = _above_prose(envelope, last)
    if end < last:
        envelope.complete = True
        envelope.notes.append("text after the patch was passed over")
    envelope.end = last = end
    if _has_glued_fence(lines, first, last):
        lines[last - 1] = lines[last - 1].removesuffix("```")
        envelope.complete = True
        envelope.notes.append("the code fence was glued to the last line")
    glued = _GLUED_END.search(lines[last - 1]) if last > first else None
    envelope.ended = bool(glued and glued.start())
    if glued and envelope.ended:
        lines[last - 1] = lines[last - 1][: glued.start()]
        envelope.notes.append("the end marker was glued to the last line")
    else:
        envelope.notes.append(f"'{END}' is missing")


def _has_glued_fence(lines: list[str], first: int, last: int) -> bool:
    """True if the last line of an envelope ends in the fence that closes the one above it, behind other text."""
    if last <= first or not lines[last - 1].endswith("```") or len(lines[last - 1]) <= 4 or any(lines[last:]):
        return False
    return sum(map(bool, map(_FENCE.match, lines[:first]))) % 2 == 1


def _above_prose(envelope: Envelope, end: int) -> int:
    """The end of an envelope without end marker: above paragraphs of sentences, which no file of code has."""
    lines, first = envelope.lines, envelope.first
    header = next((found for n in reversed(envelope.starred) if (found := LOOSE_HEADER.match(lines[n]))), None)
    if header is None or header[2].rstrip().endswith(_TEXTS):
        return end
    while True:
        start = end
        while start > first and lines[start - 1].strip():
            start -= 1
        if start <= first or not _SENTENCE.match(lines[start]) or not all(map(_PROSE.match, lines[start:end])):
            return end
        end = start
        while end > first and _WRAPPING.match(lines[end - 1]):
            end -= 1


def _drop_inner_fence(envelope: Envelope) -> None:
    """Leave out a code fence right inside of both markers. A file's own fence would have a mark."""
    lines, first, end = envelope.lines, envelope.first, envelope.end
    if end - first >= 2 and _FENCE.match(lines[first]) and _FENCE.match(lines[end - 1]):
        envelope.first, envelope.end = first + 1, end - 1
        envelope.notes.append("a code fence within the markers was dropped")
