"""The rule of oh-my-pi in February 2026 (12.x), for H1.

Source: patch/hashline.ts of 18 February 2026. An anchor whose hash is another is moved to the only line of the file
that has it, at any distance and without a word; all that is left is refused at once. New lines are corrected in seven
ways. Edits are made bottom-up; those that overlap are not noticed. Of a range that ends in its first line the hash of
the end is not checked. An edit by search text is made exactly and after the others, which is chosen here: the program
has a fuzzy rule of its own for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from editcore.anchors.call import Anchor, LineEdit
from editcore.anchors.change import Change, made, named_lines, no_such_line, resolved
from editcore.anchors.corrections import H1_CORRECTIONS, indentation, merge, strip_prefixes
from editcore.anchors.hashes import h1_hash
from editcore.anchors.rules.rule import Given, anchors_of, corrected, each_once, mismatch, plain_lines, rewritten
from editcore.anchors.rules.texts import with_text_edits
from editcore.errors import PatchError
from editcore.types import EditResult

NAME = "h1_oh_my_pi"


def h1_oh_my_pi(given: Given) -> EditResult:
    """Moves an anchor to the only line of its hash, and corrects echoes, reflow, indentation, merges and hyphens."""
    lines = plain_lines(given.live)
    asked = [_of_one_line(edit) for edit in given.call.edits]
    moves = _moves(replace(given, call=replace(given.call, edits=tuple(asked))), lines)
    edits = [_moved(edit, moves) for edit in asked]
    wrong = [
        anchor.line
        for was, now in zip(asked, edits, strict=True)
        for anchor in (_unknown(was, moves) if now is not None else (was.first, was.last))
        if anchor is not None
    ]
    if wrong:
        return mismatch(wrong, lines, "LINE:HASH", lambda n: f"{n}:{h1_hash(lines[n - 1])}|{lines[n - 1]}")
    call = replace(given.call, edits=tuple([edit for edit in edits if edit is not None]))
    changes = resolved(call, lines, {})
    if "strip_prefixes" not in given.without:
        changes = [strip_prefixes(one, lines) for one in changes]
    return with_text_edits(rewritten(given.live, _made(given, lines, each_once(changes)), NAME), given.call, given.live)


def _of_one_line(edit: LineEdit) -> LineEdit:
    """The edit without an end that is its first line."""
    is_one = edit.first is not None and edit.last is not None and edit.first.line == edit.last.line
    return replace(edit, last=None) if is_one else edit


def _made(given: Given, lines: Sequence[str], changes: Sequence[Change]) -> list[str]:
    """The lines after the changes, each corrected and made, from the bottom up."""
    touched = {*named_lines(changes)}
    after = list(lines)
    for one in sorted(changes, key=lambda one: (-one.last, one.kind != "replace", one.at)):
        # Lines are merged as they are by then, and else corrected by those of before.
        is_there = "merge" not in given.without and one.first <= len(after)
        wider = merge(one, after, touched) if is_there else one
        if wider == one:
            one = corrected(one, lines, H1_CORRECTIONS, given.without)
        elif "indentation" not in given.without:
            one = replace(wider, new=indentation(replace(wider, last=wider.first), lines).new)
        else:
            one = wider
        # The texts are compared, so that a blank line is not deleted.
        if one.kind != "replace" or "\n".join(one.new) != "\n".join(lines[one.first - 1 : one.last]):
            after = made(after, [one])
    return after


def _moves(given: Given, lines: Sequence[str]) -> dict[Anchor, int | None]:
    """The line that each anchor means; None where nothing tells. Raises PatchError for one outside of the file."""
    for edit in given.call.edits:
        if edit.first is not None and edit.last is not None and edit.last.line < edit.first.line:
            raise PatchError(f"Range start line {edit.first.line} must be <= end line {edit.last.line}")
    moves: dict[Anchor, int | None] = {}
    places: dict[str, list[int]] = defaultdict(list)
    for anchor in anchors_of(given.call):
        if not 1 <= anchor.line <= len(lines):
            raise no_such_line(anchor.line, len(lines))
        if h1_hash(lines[anchor.line - 1]) == anchor.hash:
            moves[anchor] = anchor.line
            continue
        if not places and "relocation" not in given.without:
            for n, line in enumerate(lines, 1):
                places[h1_hash(line)].append(n)
        found = places.get(anchor.hash, [])
        moves[anchor] = found[0] if len(found) == 1 else None
    return moves


def _unknown(edit: LineEdit, moves: dict[Anchor, int | None]) -> list[Anchor]:
    return [anchor for anchor in (edit.first, edit.last) if anchor is not None and moves[anchor] is None]


def _moved(edit: LineEdit, moves: dict[Anchor, int | None]) -> LineEdit | None:
    """The edit at the lines that are meant; None where both ends are known and no longer so far apart."""
    assert edit.first is not None
    first, last = moves[edit.first], None if edit.last is None else moves[edit.last]
    if first is None or edit.last is None:
        return edit if first is None else replace(edit, first=Anchor(first))
    if last is None:
        return edit
    if last - first != edit.last.line - edit.first.line:
        return None
    return replace(edit, first=Anchor(first), last=Anchor(last))
