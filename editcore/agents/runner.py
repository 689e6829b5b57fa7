"""The one runner of agents' rules: an agent is a table of steps, and options for what all agents do alike.

    steps     exact | folded | similar    Each finds places of the search text, or none. The first that does decides.
    reading   The texts as the agent compares them, and the way back: line endings, byte order mark.
    places    Several are refused, unless the edit asks for every one and the agent can replace every one.
    new text  As the edit has it, or as the step adapts it to each place.

A step returns places: spans of the text, in order and without overlap. A step that changes the new text returns
`Found`. A step that must refuse raises PatchError. A step that refuses only if no later step finds a place sets
`Given.doubt`.

To add an agent: write its steps, put `Steps(...)` into the table RULES of a module, name the module in
`editcore.agents`, and declare in `agents.toml` what is known of the rule. An agent that works on a list of edits, or
that does not replace spans, is a function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Literal, NamedTuple

from editcore.agents.matching import Work, places
from editcore.agents.rule import Rule
from editcore.errors import PatchError
from editcore.text.document import Document
from editcore.text.endings import first_is_crlf, is_mostly_crlf, line_feeds, with_crlf
from editcore.types import MAX_CANDIDATES, Applied, Edit, EditResult, Match, Reason, Rejected

Span = tuple[int, int]
Spans = Sequence[Span]
OneEdit = Callable[..., EditResult]
"""(text, edit, **thresholds) -> result. May raise PatchError."""

# Refusals


def not_found() -> PatchError:
    return PatchError(
        "old_string was not found: read the file again and copy the text exactly.", reason=Reason.NO_MATCH
    )


def several(text: str, spans: Spans, step: str) -> PatchError:
    """The refusal of a search text with several places; `spans` may be only the first of them."""
    first = spans[:MAX_CANDIDATES]
    lines = ", ".join(str(text.count("\n", 0, start) + 1) for start, _ in first)
    return PatchError(
        f"old_string has multiple matches (lines {lines}): add surrounding lines that make it unique.",
        reason=Reason.AMBIGUOUS,
        candidates=tuple(Match(start, end, step) for start, end in first),
    )


def unchanged() -> PatchError:
    return PatchError("old_string and new_string are identical: nothing would change.", reason=Reason.IDENTICAL)


def nothing_happened(edits: Sequence[Edit]) -> PatchError:
    """The refusal of a list of edits that changed nothing: no search text was found, or no new text differs."""
    return unchanged() if all(edit.old_string == edit.new_string for edit in edits) else not_found()


def nothing_sought() -> PatchError:
    return PatchError("old_string is empty: give the text to replace.", reason=Reason.EMPTY)


# Readings


class Read(NamedTuple):
    """The texts of an edit as an agent compares them."""

    text: str
    old: str
    new: str
    back: Callable[[str], str] | None = None
    """Makes the file of the text afterwards; None if offsets of the text are offsets of the file."""


Reading = Callable[[str, Edit], Read]
"""(file, edit) -> the texts as the agent compares them. May raise PatchError."""


def as_it_is(text: str, edit: Edit) -> Read:
    return Read(text, edit.old_string, edit.new_string)


def every_line_feed(text: str) -> str:
    """The text with LF for every CRLF and CR, as Python's text mode reads it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def ended_like_the_file(text: str, edit: Edit) -> Read:
    """The edit with CRLF in its texts if the file has one, else with LF."""
    ending = "\r\n" if "\r\n" in text else "\n"
    old, new = (line_feeds(one).replace("\n", ending) for one in (edit.old_string, edit.new_string))
    return Read(text, old, new)


def in_line_feeds(is_crlf: Callable[[str], bool]) -> Reading:
    """The reading with LF in all texts. Afterwards the file gets CRLF throughout if `is_crlf` is true of it."""

    def read(text: str, edit: Edit) -> Read:
        crlf = is_crlf(text)
        text, old, new = map(line_feeds, (text, edit.old_string, edit.new_string))
        return Read(text, old, new, lambda content: with_crlf(content, crlf))

    return read


def that_differ(reading: Reading) -> Reading:
    """The reading, which refuses texts of an edit that differ in line endings only."""

    def read(text: str, edit: Edit) -> Read:
        found = reading(text, edit)
        if found.old == found.new:
            raise unchanged()
        return found

    return read


CRLF_IF_ANY = in_line_feeds(lambda text: "\r\n" in text)
CRLF_IF_FIRST = in_line_feeds(first_is_crlf)
CRLF_IF_MOST = in_line_feeds(is_mostly_crlf)

# Steps


class Found(NamedTuple):
    """Places of a search text, and the new text for them."""

    spans: Spans
    new: str | Sequence[str]
    """One text for all places, or one for each place. With one for each, the result reports no matches."""
    step: str = ""
    """The name that the result reports, if it differs from the step's."""
    similarity: float = 1.0


@dataclass
class Given:
    """One edit, as the steps of a rule see it."""

    text: str
    old: str
    new: str
    edit: Edit
    limits: Mapping[str, float]
    """Name -> value of the rule's thresholds."""
    work: Work
    step: str = ""
    doubt: PatchError | None = None
    """The refusal that is raised if no later step finds a place."""

    @property
    def every(self) -> bool:
        return self.edit.replace_all

    def several(self, spans: Spans) -> PatchError:
        """The refusal of several places that the step finds."""
        return several(self.text, spans, self.step)

    @cached_property
    def document(self) -> Document:
        return Document(self.text)


Step = Callable[[Given], Found | Spans | None]
Refused = Literal["empty", "identical"]


def spans_of(text: str, find: str) -> list[Span]:
    """The occurrences of `find` without overlap; none if it is empty."""
    return [(at, at + len(find)) for at in places(text, find)] if find else []


def exact(given: Given) -> list[Span]:
    """The occurrences of the search text, without overlap."""
    return spans_of(given.text, given.old)


def spliced(text: str, found: Found, step: str) -> Applied:
    """The text with places replaced."""
    news = [found.new] * len(found.spans) if isinstance(found.new, str) else found.new
    out, done = list[str](), 0
    for (start, end), new in zip(found.spans, news, strict=True):
        out += [text[done:start], new]
        done = end
    matches = [Match(*span, step, found.similarity) for span in found.spans if isinstance(found.new, str)]
    return Applied("".join(out) + text[done:], tuple(matches), step)


@dataclass(frozen=True)
class Steps:
    """A rule for pairs of texts: the first step that finds a place decides. Several edits are applied in turn."""

    steps: Mapping[str, Step]
    limits: Mapping[str, float] = field(default_factory=dict)
    """Name -> the program's own value of each threshold."""
    reading: Reading = as_it_is
    refuses: tuple[Refused, ...] = ("empty", "identical")
    """Kinds of edits that are refused before any step, in this order."""
    takes_every: bool = True
    """False for a program that cannot replace every place on request."""
    must_change: bool = False
    """True if a result that equals the file is refused."""
    work: str = "the rule"
    """The name in the refusal of an edit that takes too long, for steps that share their work."""

    def __call__(self, text: str, edits: Sequence[Edit], **limits: float) -> EditResult:
        return in_turn(self.apply)(text, edits, **limits)

    def apply(self, text: str, edit: Edit, **limits: float) -> Applied:
        """Apply one edit. Raises PatchError."""
        for refused in self.refuses:
            if refused == "empty" and not edit.old_string:
                raise nothing_sought()
            if refused == "identical" and edit.old_string == edit.new_string:
                raise unchanged()
        read = self.reading(text, edit)
        given = Given(*read[:3], edit, {**self.limits, **limits}, Work(self.work))
        for name, step in self.steps.items():
            given.step = name
            found = step(given)
            if not found:
                continue
            if not isinstance(found, Found):
                found = Found(found, given.new)
            name = found.step or name
            if len(found.spans) > 1 and not (edit.replace_all and self.takes_every):
                raise several(given.text, found.spans, name)
            done = spliced(given.text, found, name)
            if self.must_change and done.content == given.text:
                raise unchanged()
            return done if read.back is None else Applied(read.back(done.content or ""), (), name)
        raise given.doubt or not_found()


def in_turn(rule: OneEdit) -> Rule:
    """The rule for several edits that applies each to the result of the ones before it, all or nothing."""

    @wraps(rule)
    def apply(text: str, edits: Sequence[Edit], **thresholds: float) -> EditResult:
        matches: tuple[Match, ...] = ()
        step = None
        for edit in edits:
            result = rule(text, edit, **thresholds)
            if isinstance(result, Rejected):
                return result
            text, step = result.content or "", result.replacer
            matches += result.matches
        return Applied(text, matches, step)

    return apply
