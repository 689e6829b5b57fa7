"""Properties of cascades of tiers, which merge an edit into its place instead of pasting the new text there."""

from __future__ import annotations

from dataclasses import replace
from functools import wraps

from corpora.sample import Sample
from editcore.replacers.escape_normalized import unescape
from editcore.text.whitespace import trim
from editcore.tiers.squeezed import squeezed
from editcore.types import Applied, Edit, EditResult, Match, Reason, Rejected
from harness.fuzz.properties import replacing
from harness.fuzz.properties.property import (
    BY_RECOMMENDED,
    Apply,
    Check,
    Property,
    only_edit,
    only_file,
    text_after,
    texts_of,
    with_texts,
)

# Lists of edits: properties of all edits of one call together

_NOWHERE = Edit("⁂ stands_in_no_file(314159) ⁂\n⁂ nor_does_this(271828) ⁂", "⁂ nobody_writes_this(161803) ⁂")
_ADDED = "\nunrelated_addition := stranger(42);"


def all_or_nothing(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """A list with an edit whose text is nowhere, first or last, is not made."""
    if isinstance(result, Rejected):
        return None
    edit, before = only_edit(sample), sample.before[0].content
    for edits, which in (((edit, _NOWHERE), "second"), ((_NOWHERE, edit), "first")):
        other = apply(replace(sample, edits=edits))
        if not isinstance(other, Rejected) and text_after(sample, other) != before:
            return f"changes the file, although the {which} of two edits is of a text that is nowhere"
    return None


def made_in_turn(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """A list of an edit and one that adds to its new text leaves the same as both edits one after the other."""
    content, _, new = texts_of(sample)
    if isinstance(result, Rejected) or not new.strip():
        return None
    second = replace(only_edit(sample), old_string=new, new_string=new + _ADDED)
    listed = apply(replace(sample, edits=(only_edit(sample), second)))
    after = text_after(sample, result)
    alone = apply(with_texts(sample, after, new, new + _ADDED))
    if isinstance(alone, Rejected):
        refused = isinstance(listed, Rejected) or text_after(sample, listed) == content
        return None if refused else "a list is applied of which the second edit is refused in its turn"
    if isinstance(listed, Rejected):
        return f"refused as a list, applied one after the other: {listed.message}"
    same = text_after(sample, listed) == text_after(sample, alone)
    return None if same else "a list leaves another text than its edits one after the other"


_FORMATS = frozenset({"str_replace"})
_TAKE_LISTS = (
    "tier/*", "cascade/*", "replacer/*", "tool/edit", "tool/edit@*", "tool/multi_edit", "agent/*", "cmd/*", "peer/*",
)  # fmt: skip
"""Strategies that are called once for a whole list. A refusal of one edit would not undo edits of earlier calls."""


_TIERS = (*BY_RECOMMENDED, "tier/*")
_RECOMMENDED = (*BY_RECOMMENDED, "tier/exact")
_NAMED_TIERS = ("cascade/recommended", "tier/*")
"""Strategies whose results name the tier that decided."""


def only_at_the_place(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """Nothing changes outside the places that the result names and their line ends."""
    if isinstance(result, Rejected) or not result.matches:
        return None
    content, after = sample.before[0].content, text_after(sample, result)
    first, last = result.matches[0], result.matches[-1]
    head, rest = content[: first.start], content[last.end :]
    rest = rest.removeprefix("\r").removeprefix("\n")
    return None if after.startswith(head) and after.endswith(rest) else "changes text outside its place"


def exact_is_taken(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A search text that occurs exactly once is replaced exactly there, unless the edit was made before."""
    content, old, new = texts_of(sample)
    if not trim(old) or old == new:
        return None
    at = content.find(old)
    if at < 0 or content.find(old, at + 1) >= 0:
        return None
    if isinstance(result, Rejected):
        is_there = result.reason is Reason.IDENTICAL and "\n".join(_solid(new)) in "\n".join(_solid(content))
        return None if is_there else f"refused, although the search text occurs exactly once: {result.message}"
    # A line feed at the end of whole lines stays: see `no_lines_joined`.
    rights = [content[:at] + new + feed + content[at + len(old) :] for feed in ("", "\n"[: old[-1] == "\n"])]
    return None if text_after(sample, result) in rights else f"not replaced at {at}, where the search text occurs"


def no_lines_joined(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """The line below replaced whole lines is not joined to the new text."""
    content, _old, new = texts_of(sample)
    if isinstance(result, Rejected) or not new or len(result.matches) != 1:
        return None
    place = result.matches[0]
    replaced, rest = content[place.start : place.end], content[place.end :]
    if not replaced.endswith("\n") or trim(content[: place.start].rpartition("\n")[2]) or not rest:
        return None
    written = text_after(sample, result)[: -len(rest)]
    return None if written.endswith("\n") else "joins the line below to the new text"


def carriage_returns_do_not_matter(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """A file with CRLF instead of LF has the same result, with CRLF instead of LF."""
    content, old, new = texts_of(sample)
    if "\n" not in content:
        return None
    other = apply(with_texts(sample, content.replace("\n", "\r\n"), old, new))
    if isinstance(result, Rejected) or isinstance(other, Rejected):
        return None if type(result) is type(other) else "applied to one of the file with LF and the one with CRLF only"
    wanted = text_after(sample, result).replace("\n", "\r\n")
    return None if text_after(sample, other) == wanted else "makes another change to the file with CRLF"


def not_made_twice(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """An insertion, whose new text has all lines of its search text in a row, is not made twice at its place.

    Insertions of blank lines count between lines only: any line may end with a line feed. Insertions of other lines
    do not count within a line: the text before them may be a line of the file.
    """
    if isinstance(result, Rejected) or len(result.matches) != 1 or only_edit(sample).replace_all:
        return None
    content, old, new = texts_of(sample)
    if old.strip("\n") not in new or old.startswith("\n") or _n_words(new, old) > 1:
        return None
    if "\n" + "\n".join(_solid(old)) + "\n" not in "\n" + "\n".join(_solid(new)) + "\n":
        return None
    place = result.matches[0]
    if _not_blank(old) == _not_blank(new) and not _is_whole_lines(content, place):
        return None
    if new.count("\n") > old.count("\n") and _is_within_line(content, place):
        return None
    after = text_after(sample, result)
    start = place.start
    end = len(after) - (len(content) - place.end)
    other = apply(with_texts(sample, after, old, new))
    if isinstance(other, Rejected) or len(other.matches) != 1:
        return None
    again = other.matches[0]
    return None if again.end <= start or again.start >= end else f"made again at {again.start}, where it was made"


def _n_words(text: str, piece: str) -> int:
    """How often a piece occurs in a text, regardless of whitespace, escapes and look-alike characters."""
    read = [(text, piece), (unescape(text), unescape(piece))]
    return max(squeezed(one).count(squeezed(other) or " ") for one, other in read)


def _not_blank(text: str) -> list[str]:
    return [line for line in text.split("\n") if trim(line)]


def _is_whole_lines(text: str, place: Match) -> bool:
    """True if only whitespace and a line feed are beside a place."""
    below, feed, _ = text[place.end :].partition("\n")
    is_ended = text[: place.end].endswith("\n") or (feed and not trim(below))
    return bool(is_ended) and not trim(text[: place.start].rpartition("\n")[2])


def _is_within_line(text: str, place: Match) -> bool:
    """True if more than whitespace is beside a place, on its first or its last line."""
    after = "" if text[: place.end].endswith("\n") else text[place.end :].partition("\n")[0]
    return bool(trim(text[: place.start].rpartition("\n")[2]) or trim(after))


def _solid(text: str) -> list[str]:
    return [trim(line) for line in text.split("\n") if trim(line)]


def stays_beside_a_copy(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """If a copy of the target has another indentation, the edit is refused or stays at its place."""
    content, old, new = texts_of(sample)
    if isinstance(result, Rejected) or len(result.matches) != 1 or only_edit(sample).replace_all:
        return None
    place = result.matches[0]
    copy = "\n".join([f"      {line}" for line in content[place.start : place.end].split("\n")])
    if not trim(copy) or old != old.strip():
        return None  # Indented search text may stand exactly in the copy.
    other = apply(with_texts(sample, f"{content}\n{copy}\n", old, new))
    if isinstance(other, Rejected) or (other.matches[0].start < place.end and place.start < other.matches[0].end):
        return None
    return "moves to a copy of its target with other indentation"


def unrelated_above(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """Unrelated lines above do not change the result, unless the search text begins with an escape."""
    return None if only_edit(sample).old_string.startswith("\\") else replacing.unrelated_above(apply, sample, result)


def advice_succeeds(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """Each edit that a refusal advises is applied exactly."""
    if isinstance(result, Applied):
        return None
    content = sample.before[0].content
    for edit in result.advice:
        other = apply(replace(sample, before=only_file(sample, content), edits=(edit,)))
        if isinstance(other, Rejected):
            return f"advised an edit that is refused: {other.message}"
    return None


def _plain(
    check: Check,
    promised_by: tuple[str, ...],
    *,
    unless_by: tuple[str, ...] = (),
    applies_again: bool = False,
    as_pasted: bool = False,
) -> Property:
    """The property for texts without carriage returns and byte order marks, which tiers do not see.

    Results by the tiers of `unless_by` are not checked. If `as_pasted`, edits are left out in which the old text alone
    ends in a line feed: it stays (see `no_lines_joined`).
    """

    @wraps(check)
    def checked(apply: Apply, sample: Sample, result: EditResult) -> str | None:
        if isinstance(result, Applied) and result.replacer in unless_by:
            return None
        _, old, new = texts_of(sample)
        if as_pasted and old.endswith("\n") and not new.endswith("\n"):
            return None
        texts = "".join(texts_of(sample))
        return None if "\r" in texts or "\ufeff" in texts else check(apply, sample, result)

    return Property(checked, _FORMATS, promised_by, applies_again=applies_again)


_REPAIRING = ("escapes", "pasted", "elision")
"""Tiers that repair the search text: its lines and its ends are then others."""

PROPERTIES = (
    Property(all_or_nothing, _FORMATS, _TAKE_LISTS, applies_again=True),
    Property(made_in_turn, _FORMATS, _TAKE_LISTS, applies_again=True),
    _plain(replacing.every_match, _TIERS, as_pasted=True),
    _plain(replacing.replaces_all_only_exactly, _TIERS),
    _plain(replacing.exact_ambiguity_refused, _TIERS),
    _plain(replacing.final_newline_kept, _NAMED_TIERS, unless_by=_REPAIRING),
    _plain(replacing.in_proportion, _NAMED_TIERS, unless_by=(*_REPAIRING, "spacing", "line_breaks")),
    _plain(only_at_the_place, _NAMED_TIERS),
    _plain(exact_is_taken, _RECOMMENDED),
    _plain(no_lines_joined, BY_RECOMMENDED),
    _plain(replacing.unrelated_below, _TIERS, applies_again=True),
    _plain(unrelated_above, _TIERS, applies_again=True),
    _plain(replacing.more_context_kept, _RECOMMENDED, applies_again=True, as_pasted=True),
    _plain(replacing.indented_together, _RECOMMENDED, applies_again=True),
    _plain(carriage_returns_do_not_matter, _TIERS, applies_again=True),
    _plain(not_made_twice, _NAMED_TIERS, applies_again=True, as_pasted=True),
    _plain(stays_beside_a_copy, _NAMED_TIERS, unless_by=_REPAIRING, applies_again=True),
    _plain(advice_succeeds, _RECOMMENDED, applies_again=True),
)
