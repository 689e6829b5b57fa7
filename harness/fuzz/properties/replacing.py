"""Properties of edits by search text and new text."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from corpora.sample import Sample
from editcore.quoting import quoted
from editcore.replacers.size_guard import SizeGuard
from editcore.text.diff import common_prefix, common_suffix
from editcore.text.keys import SQUEEZED
from editcore.text.lines import BOM
from editcore.text.whitespace import trim
from editcore.types import Applied, Edit, EditResult, Rejected
from harness.fuzz.properties.property import (
    BY_RECOMMENDED,
    Apply,
    Property,
    only_edit,
    text_after,
    texts_of,
    with_texts,
)

_DOORS = ("tool/edit@*",)
"""Tools that find the place by a cascade that is named."""
_REPLACES = ("cascade/*", "replacer/*", "search_replace/*", *_DOORS, "tool/edit_file", "cmd/*", "peer/*")
_CASCADES = ("cascade/*", "replacer/simple", "search_replace/*", *_DOORS, "cmd/*", "peer/*")
"""Strategies that decide about exact search texts themselves. A replacer alone is one rung of a cascade."""
_CAREFUL = ("cascade/*", "replacer/*", "search_replace/*", *_DOORS, "cmd/*", "peer/*")
"""All strategies but the tool that takes the first of several places, as its description says."""
_MERGES = ("cascade/recommended",)
"""Strategies that merge the edit into its place, instead of pasting the new text there."""


def _n_exact(content: str, find: str) -> int:
    """The number of exact occurrences, including overlapping ones; 2 stands for more."""
    at = content.find(find)
    return 0 if at < 0 else 1 if content.find(find, at + 1) < 0 else 2


def _replaced_span(content: str, after: str, old: str, new: str) -> tuple[int, int] | None:
    """The span of the content that the new text replaced, with nothing else changed; None if there is none.

    If an occurrence of the search text explains the result, it is the span.
    """
    grown = len(after) - len(content)
    ahead, behind = common_prefix(content, after), common_suffix(content, after)
    found = None
    for start in range(ahead, -1, -1):
        end = start + len(new) - grown
        if start <= end and len(content) - end <= behind and after.startswith(new, start):
            if content[start:end] == old:
                return start, end
            found = found or (start, end)
    return found


def _span(sample: Sample, result: Applied) -> tuple[int, int] | None:
    """The replaced span; None if it was not one span."""
    if len(result.matches) == 1:
        return result.matches[0].start, result.matches[0].end
    return (
        None
        if result.matches
        else _replaced_span(texts_of(sample)[0], text_after(sample, result), *texts_of(sample)[1:])
    )


def _is_alike(sample: Sample, result: Applied) -> bool:
    """True if the replaced text is the search text but for whitespace: a tolerant reading takes one for the other."""
    content, old, _new = texts_of(sample)
    span = _span(sample, result)
    return span is not None and "".join(content[slice(*span)].split()) == "".join(old.split())


def one_span(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """The result is content[:start] + new + content[end:], with the new text exactly as given."""
    if isinstance(result, Rejected) or only_edit(sample).replace_all:
        return None
    content, old, new = texts_of(sample)
    after = text_after(sample, result)
    if result.matches:
        match = result.matches[0]
        if len(result.matches) == 1 and after == content[: match.start] + new + content[match.end :]:
            return None
    elif _replaced_span(content, after, old, new):
        return None
    return f"the result is not the content with the new text in one place: {quoted(after, limit=60)}"


def every_match(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """With replace_all, the result is the content with every match replaced, in order and without overlap."""
    if isinstance(result, Rejected) or not only_edit(sample).replace_all or not result.matches:
        return None
    content, _old, new = texts_of(sample)
    at, pieces = 0, []
    for match in result.matches:
        if not at <= match.start <= match.end <= len(content):
            return f"the matches overlap or leave the content at {match.start}"
        pieces += [content[at : match.start], new]
        at = match.end
    return (
        None
        if "".join(pieces) + content[at:] == text_after(sample, result)
        else "the result is not what the matches say"
    )


def exact_wins(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A search text that occurs exactly once is replaced exactly there."""
    content, old, new = texts_of(sample)
    if not old.strip(BOM) or old == new or _n_exact(content, old) != 1:
        return None  # A byte order mark is no part of the text.
    if isinstance(result, Rejected):
        return f"refused, although the search text occurs exactly once: {result.message}"
    at = content.find(old)
    if text_after(sample, result) == content[:at] + new + content[at + len(old) :]:
        return None
    return f"not replaced at {at}, where the search text occurs"


def exact_ambiguity_refused(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A search text that occurs exactly more than once is refused; no fuzzy replacer decides it."""
    content, old, new = texts_of(sample)
    if (
        isinstance(result, Rejected)
        or only_edit(sample).replace_all
        or not old
        or old == new
        or _n_exact(content, old) < 2
    ):
        return None
    return f"replaced {_replaced_text(sample, result)}, although the search text occurs in several places"


def in_proportion(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """The replaced text is in proportion to the search text, in lines and characters."""
    if isinstance(result, Rejected) or only_edit(sample).replace_all:
        return None
    content, old, _new = texts_of(sample)
    span = _span(sample, result)
    if span is None or not SizeGuard().refuses(content[slice(*span)], old):
        return None
    lines = content[slice(*span)].count("\n") + 1
    return f"replaced {lines} lines for a search text of {old.count(chr(10)) + 1}"


def _replaced_text(sample: Sample, result: Applied) -> str:
    span = _span(sample, result)
    return "several places" if span is None else quoted(sample.before[0].content[slice(*span)], limit=40)


def kept_lines_stay(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A line that search text and new text share stays as the file has it, byte for byte.

    Lines that either text has twice, and lines that change places, may be kept or written anew.
    """
    if isinstance(result, Rejected) or len(result.matches) != 1 or result.replacer == "exact":
        return None
    content, after, place = sample.before[0].content, text_after(sample, result), result.matches[0]
    start = content.rfind("\n", 0, place.start) + 1
    rest = content[place.end :].partition("\n")
    if content[start : place.start].strip() or rest[0].strip():
        return None  # The place is within a line.
    written = after[start : len(after) - len("".join(rest[1:]))]
    there, out, old, new = (
        [line.rstrip("\r") for line in text.split("\n") if trim(line)]
        for text in (content[start : place.end] + rest[0], written, *texts_of(sample)[1:])
    )
    mine, others = (Counter(map(SQUEEZED, lines)) for lines in (old, new))
    common = {line for line in {*old} & {*new} if mine[SQUEEZED(line)] == others[SQUEEZED(line)] == 1}
    shared, moved = ([line for line in lines if line in common] for lines in (old, new))
    if len(there) != len(old) or len(out) != len(new) or shared != moved:
        return None
    changed = (line for line in shared if out[new.index(line)] != there[old.index(line)])
    return next((f"writes the line {quoted(line, limit=60)}, which both texts have, anew" for line in changed), None)


# Relations: a changed sample is applied too


def second_refused(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """An edit whose search text is gone is refused on its own result, unless a place is alike but for whitespace."""
    content, old, new = texts_of(sample)
    if isinstance(result, Rejected) or old == new:
        return None
    after = text_after(sample, result)
    if old in after or after == content:
        return None
    again = with_texts(sample, after, old, new)
    other = apply(again)
    if isinstance(other, Rejected) or _is_alike(again, other):
        return None
    return f"applied a second time, to {_replaced_text(again, other)}, although the search text is not in the result"


def advice_succeeds(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """Each edit that a refusal advises is applied; texts with carriage returns and byte order marks are left out."""
    if {"\r", BOM} & {*"".join(texts_of(sample))}:
        return None
    for edit in result.advice if isinstance(result, Rejected) else ():
        other = apply(replace(sample, edits=(edit,)))
        if isinstance(other, Rejected):
            return f"advised an edit that is refused: {other.message}"
    return None


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

PROPERTIES = (
    Property(one_span, _FORMATS, _REPLACES, except_for=_MERGES),
    Property(every_match, _FORMATS, _REPLACES, except_for=_MERGES),
    Property(exact_wins, _FORMATS, _CASCADES, except_for=_MERGES),
    Property(exact_ambiguity_refused, _FORMATS, _CAREFUL, except_for=_MERGES),
    Property(in_proportion, _FORMATS, _REPLACES, except_for=_MERGES),
    Property(kept_lines_stay, _FORMATS, (*BY_RECOMMENDED, "tier/*")),
    Property(second_refused, _FORMATS, _REPLACES, except_for=_MERGES, applies_again=True),
    Property(advice_succeeds, _FORMATS, (*BY_RECOMMENDED, "tier/exact"), applies_again=True),
    Property(all_or_nothing, _FORMATS, _TAKE_LISTS, applies_again=True),
    Property(made_in_turn, _FORMATS, _TAKE_LISTS, applies_again=True),
)
