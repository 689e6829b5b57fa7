"""Formats with pairs of a search text and its replacement: `str_replace` and `search_replace`.

`str_replace` has them in the arguments of a tool: `{"old_string": "x = 1", "new_string": "x = 2"}`. `search_replace` is
blocks between marker lines, as aider asks for them; a sample may have `edits` instead, if its blocks were parsed
elsewhere:

    a.py
    <<<<<<< SEARCH
    x = 1
    =======
    x = 2
    >>>>>>> REPLACE
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


def _write_pairs(path: str, before: str, after: str) -> Written:
    del path
    return Written(edits=tuple(Edit(*pair) for pair in unique_pairs(before, after)))


STR_REPLACE = Format("str_replace", ("edits",), "cascade/recommended", apply_pairs, _write_pairs, has_edits=True)


def _apply_blocks(files: Files, edit: EditText, seen: Files | None, cascade: Cascade) -> EditResult:
    from editcore.patches.search_replace import apply_search_replace

    if edit.patch is None:
        return apply_pairs(files, edit, seen, cascade, whole_lines=True)
    return apply_search_replace(files, edit.patch, cascade=cascade, seen=seen)


def blocks_of(path: str, edits: Iterable[Edit]) -> str | None:
    """Edits of a file as blocks of whole lines; None if blocks cannot express them."""
    blocks = []
    for edit in edits:
        texts = (edit.old_string, edit.new_string)
        old, new = (text if not text or text.endswith("\n") else f"{text}\n" for text in texts)
        is_marker = any(line[:5] in ("<<<<<", "=====", ">>>>>") for line in f"{old}{new}".split("\n"))
        if edit.replace_all or edit.occurrence or is_marker:
            return None
        blocks.append(f"{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n")
    return "".join(blocks)


def _write_blocks(path: str, before: str, after: str) -> Written:
    blocks = [
        "".join(f"{row}\n" for row in (path, "<<<<<<< SEARCH", old, "=======", new, ">>>>>>> REPLACE"))
        for old, new in unique_pairs(before, after)
    ]
    return Written(patch="".join(blocks))


SEARCH_REPLACE = Format(
    "search_replace", ("patch",), "search_replace/recommended", _apply_blocks, _write_blocks, has_edits=True,
    several_files=True,
)  # fmt: skip
