"""Properties of lists of edits: what holds of the edits of one call together."""

from __future__ import annotations

from dataclasses import replace

from corpora.sample import Sample
from editcore.types import Edit, EditResult, Rejected
from harness.fuzz.properties.property import Apply, Property, only_edit, text_after, texts_of, with_texts

_NOWHERE = Edit("⁂ stands_in_no_file(314159) ⁂\n⁂ nor_does_this(271828) ⁂", "⁂ nobody_writes_this(161803) ⁂")
_ADDED = "\nunrelated_addition := stranger(42);"


def all_or_nothing(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """In a list with an edit of a text that is nowhere, before it or after it, an edit is not made."""
    if isinstance(result, Rejected):
        return None
    edit, before = only_edit(sample), sample.before[0].content
    for edits, which in (((edit, _NOWHERE), "second"), ((_NOWHERE, edit), "first")):
        other = apply(replace(sample, edits=edits))
        if not isinstance(other, Rejected) and text_after(sample, other) != before:
            return f"changes the file, although the {which} of two edits is of a text that is nowhere"
    return None


def made_in_turn(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """A list of an edit and one that adds to its new text leaves what the two leave one after the other."""
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
"""Not those that are called once for each edit: a refused call does not undo the ones before it."""

_OF_LISTS = (
    Property(all_or_nothing, _FORMATS, _TAKE_LISTS, applies_again=True),
    Property(made_in_turn, _FORMATS, _TAKE_LISTS, applies_again=True),
)
