"""`str_replace`: pairs of a search text and its replacement, in the arguments of a tool.

{"old_string": "x = 1", "new_string": "x = 2"}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate

from editcore.apply import apply_edit
from editcore.cascade import Cascade
from editcore.formats.format import EditText, Files, Format, Written, only_file, unique_pairs
from editcore.text.document import Document
from editcore.text.lines import line_spans, with_feeds
from editcore.types import Applied, Edit, EditResult, Match, Rejected


def apply_edits(
    text: str | Document, edits: Sequence[Edit], cascade: Cascade, *, path: str, whole_lines: bool = False
) -> EditResult:
    """Apply edits in order through a cascade, all or nothing.

    The matches of several edits are the lines of the text before all of them that each edit is about. `replacer` is
    the last one in the cascade's order that decided an edit.
    """
    apply = partial(apply_edit, cascade=cascade, whole_lines=whole_lines, path=path)
    result = apply(text, edits[0])
    if len(edits) == 1 or isinstance(result, Rejected):
        return result
    applied = [result]
    for edit in edits[1:]:
        result = apply(applied[-1].content or "", edit)
        if isinstance(result, Rejected):
            return result
        applied.append(result)
    place = {name: number for number, name in enumerate(cascade.order)}
    furthest = max((step.replacer or "" for step in applied), key=lambda name: place.get(name, -1))
    matches = _in_first(text if isinstance(text, str) else text.text, applied)
    return Applied(applied[-1].content, matches, furthest, is_everywhere=any(step.is_everywhere for step in applied))


def _in_first(text: str, steps: Sequence[Applied]) -> tuple[Match, ...]:
    """The matches of edits one after the other, as whole lines of the first text."""
    starts = list(accumulate(map(len, with_feeds(text)), initial=0))
    # For each line of the current text, the lines of the first one that it is, or in whose place it is.
    origins, found = [(n, n + 1) for n in range(len(starts))], list[Match]()
    for step in steps:
        content, spans = step.content or "", line_spans(text, [(one.start, one.end) for one in step.matches])
        start, end = (step.matches[0].start, step.matches[-1].end) if spans else (0, 0)
        n_new = content.count("\n", start, len(content) - len(text) + end) - text.count("\n", start, end)
        grown, rest = divmod(n_new, len(spans) or 1)
        if rest:  # They have grown by different numbers of lines.
            spans, grown = [(spans[0][0], spans[-1][1])], n_new
        for (first, last), one in reversed(list(zip(spans, step.matches, strict=False))):
            about = origins[first : max(last, first + 1)]
            above, below = min(start for start, _ in about), min(max(end for _, end in about), len(starts) - 1)
            origins[first:last] = [(above, below)] * (last - first + grown)
            found.append(replace(one, start=starts[above], end=starts[below]))
        text = content
    return tuple(found)


def apply_pairs(
    files: Files, edit: EditText, seen: Files | None, cascade: Cascade, *, whole_lines: bool = False
) -> EditResult:
    """The careful rule for the pairs of one file. If it was changed since the model saw it, both changes are merged."""
    from editcore.stale import stale_rule

    only, edits = only_file(files), edit.edits or ()
    if isinstance(only, Rejected):
        return only
    path, text = only
    was = None if seen is None else seen.get(path)
    if was is None:
        return apply_edits(text, edits, cascade, path=path, whole_lines=whole_lines)
    if len(edits) == 1:
        return apply_edit(text, edits[0], cascade=cascade, whole_lines=whole_lines, path=path, seen=was)
    place = stale_rule("recommended")
    return place(was, text, lambda old: apply_edits(old, edits, cascade, path=path, whole_lines=whole_lines))


def _write(path: str, before: str, after: str) -> Written:
    del path
    return Written(edits=tuple(Edit(*pair) for pair in unique_pairs(before, after)))


STR_REPLACE = Format("str_replace", ("edits",), "cascade/recommended", apply_pairs, _write, has_edits=True)
