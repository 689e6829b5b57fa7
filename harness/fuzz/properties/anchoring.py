"""Properties of anchored edits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from corpora.sample import Sample
from editcore.anchors.calls import Call, named_lines, resolved
from editcore.anchors.rules import READINGS
from editcore.anchors.views import ended_lines, h4_tag
from editcore.errors import PatchError
from editcore.formats import ANCHORED_FORMATS
from editcore.quoting import quoted
from editcore.text.whitespace import split_exactly, trim
from editcore.types import Applied, EditResult, Rejected
from harness.fuzz.properties.property import Apply, Property, text_after

_FORMATS = frozenset(ANCHORED_FORMATS)
_CAREFUL = ("anchors/strict", "anchors/recommended")


def _only_call(sample: Sample) -> Call | None:
    """The call of the sample's only file; None if it is for another file, is no call, or moves or deletes the file."""
    try:
        calls = READINGS[sample.format](sample.patch or "")
    except PatchError:
        return None
    path = sample.before[0].path
    if len(calls) != 1 or calls[0].path not in (None, path, f"./{path}"):
        return None
    return None if calls[0].is_deleted or calls[0].moved_to else calls[0]


def _seen(sample: Sample) -> str:
    return sample.seen[0].content if sample.seen else sample.before[0].content


def _words(lines: Sequence[str]) -> str:
    return "".join([word for line in lines for word in split_exactly(line)])


def only_named_lines_change(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """If the text did not change since, the lines that no edit names stay, in order, and nothing else goes."""
    call = _only_call(sample)
    if isinstance(result, Rejected) or call is None or _seen(sample) != sample.before[0].content:
        return None
    lines, after = ended_lines(_seen(sample)), ended_lines(text_after(sample, result))
    changes = resolved(call, lines, {})
    gone = {n for one in changes if one.kind == "replace" for n in named_lines([one])}
    kept = [line for n, line in enumerate(lines, 1) if n not in gone]
    new = [line for one in changes for line in one.new]
    if len(kept) + len(new) - len(after) not in (0, 1) and not {"\r", "\n"} & {*"".join(new)}:
        return f"{len(kept)} lines stay and {len(new)} are new, but there are {len(after)}"
    rest = iter(trim(line) for line in after)
    lost = next((line for line in kept if trim(line) not in rest), None)
    return None if lost is None else f"loses {quoted(lost, limit=60)}, which no edit names"


def what_others_added_stays(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """If the text changed since, no line goes whose words were not seen."""
    if isinstance(result, Rejected) or result.files is not None or not sample.seen:
        return None
    call = _only_call(sample)
    if call is None or call.tag == h4_tag(sample.before[0].content):
        return None  # The tag says that the text of now was shown later.
    seen = _words(ended_lines(_seen(sample)))
    before = Counter(map(trim, ended_lines(sample.before[0].content)))
    lost = before - Counter(map(trim, ended_lines(text_after(sample, result))))
    mine = next((line for line in lost if line and _words([line]) not in seen), None)
    return None if mine is None else f"loses {quoted(mine, limit=60)}, which was added since"


def call_changes_something(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """An applied call changes something."""
    if isinstance(result, Rejected) or result.files is not None:
        return None
    return "applied, and no file differs" if result.content == sample.before[0].content else None


def mark_stays(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A byte order mark at the start of the text stays, and none is added."""
    if isinstance(result, Rejected) or result.files is not None:
        return None
    before, after = sample.before[0].content, text_after(sample, result)
    if before.startswith("\ufeff") and not after.startswith("\ufeff"):
        return "the byte order mark is gone"
    return None


def same_anchors_twice(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """An applied call is refused if its first edit is added again with other new lines."""
    if isinstance(result, Rejected):
        return None
    call = _only_call(sample)
    if call is None or not call.edits or any(edit.captured or edit.pasted for edit in call.edits):
        return None
    patch = _doubled(sample)
    again = None if patch is None else apply(replace(sample, patch=patch))
    return "applied, though two edits are of the same lines" if isinstance(again, Applied) else None


def _doubled(sample: Sample) -> str | None:
    """The call with its first edit twice; None if the first edit cannot be told."""
    patch = sample.patch or ""
    if sample.format == "hashline_h4":
        rows = patch.split("\n")
        hunks = [n for n, row in enumerate(rows) if row.startswith(("PUT ", "CUT "))]
        if not hunks or not rows[0].startswith("[") or hunks[0] != 1 or not rows[1].startswith("PUT "):
            return None
        return "\n".join([rows[0], rows[1], "+other", "+lines", *rows[1:]])
    fields = json.loads(patch)
    if sample.format == "exhash":
        address, op, *_ = fields["cmds"][0]
        return json.dumps({**fields, "cmds": [[address, "c" if op == "d" else op, "other\nlines"], *fields["cmds"]]})
    first = fields["edits"][0]
    return json.dumps({**fields, "edits": [{**first, "lines": ["other", "lines"]}, *fields["edits"]]})


PROPERTIES = (
    Property(only_named_lines_change, _FORMATS, _CAREFUL),
    Property(what_others_added_stays, _FORMATS, ("anchors/recommended",)),
    Property(call_changes_something, _FORMATS, ("anchors/*",)),
    Property(mark_stays, _FORMATS, ("anchors/*",), except_for=("anchors/h4_gptme", "anchors/exhash")),
    Property(same_anchors_twice, _FORMATS, _CAREFUL, applies_again=True),
)
