"""The rule of oh-my-pi in February 2026 (12.x), for H1.

Source: patch/hashline.ts of 18 February 2026. An anchor whose hash is another is moved to the only line of the file
that has it, at any distance and without a word; all that is left is refused at once. New lines are corrected in seven
ways. Edits are made bottom-up; those that overlap are not noticed. An edit by search text is made exactly and after
the others, which is chosen here: the program has a fuzzy rule of its own for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from editcore.anchors.call import Anchor, LineEdit
from editcore.anchors.change import made, no_such_line, resolved
from editcore.anchors.corrections import H1_CORRECTIONS
from editcore.anchors.hashes import h1_hash
from editcore.anchors.rules.rule import Given, anchors_of, corrected, each_once, mismatch, plain_lines, rewritten
from editcore.anchors.rules.texts import with_text_edits
from editcore.types import EditResult

NAME = "h1_oh_my_pi"


def h1_oh_my_pi(given: Given) -> EditResult:
    """Moves an anchor to the only line of its hash, and corrects echoes, reflow, indentation, merges and hyphens."""
    lines = plain_lines(given.live)
    moves = _moves(given, lines)
    edits = [_moved(edit, moves) for edit in given.call.edits]
    wrong = [
        anchor.line
        for was, now in zip(given.call.edits, edits, strict=True)
        for anchor in (_unknown(was, moves) if now is not None else (was.first, was.last))
        if anchor is not None
    ]
    if wrong:
        return mismatch(wrong, lines, "LINE:HASH", lambda n: f"{n}:{h1_hash(lines[n - 1])}|{lines[n - 1]}")
    call = replace(given.call, edits=tuple([edit for edit in edits if edit is not None]))
    changes = each_once(resolved(call, lines, {}))
    changes = [corrected(one, lines, H1_CORRECTIONS, given.without) for one in changes]
    changes.sort(key=lambda one: (-one.last, one.kind != "replace", one.at))
    return with_text_edits(rewritten(given.live, made(lines, changes), NAME), given.call, given.live)


def _moves(given: Given, lines: Sequence[str]) -> dict[Anchor, int | None]:
    """The line that each anchor means; None where nothing tells. Raises PatchError for one outside of the file."""
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
    if last - first != edit.last.line - edit.first.line or last < first:
        return None
    return replace(edit, first=Anchor(first), last=Anchor(last))
