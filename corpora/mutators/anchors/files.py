"""Files that changed after their anchors were shown, files with odd line ends, and hashes that no view has shown."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from random import Random
from types import MappingProxyType

from xxhash import xxh32

from corpora.mutators.anchors.calls import IN_JSON, AnchoredEdit, anchor_mutators
from corpora.mutators.clean_edit import CleanEdit, Damaged, needs, text_of
from corpora.mutators.mutator import Mutator, named
from corpora.mutators.words import invented_statement
from corpora.sample import Format, SeenLines
from editcore.anchors.calls import Change
from editcore.anchors.views import BASE64URL, LETTERS, anchor_of, changes_between, h2_hash, h4_tag, show, shown_lines
from editcore.types import File

# Files that another hand changed after their anchors were shown, and lines that were not shown.

_MOST_TRIES = 4_000
"""The most statements that are tried to find one with a given hash of one byte."""
_MOST_TEXTS = 1 << 18
"""The most texts that are tried to find one with a given tag of two bytes; one edit in fifty finds none."""


def lines_added_above(edit: AnchoredEdit, degree: int, random: Random) -> Damaged | None:
    """Lines were added at the top of the file since; degree is their number."""
    more = [invented_statement(edit.path, random) for _ in range(degree)]
    lines = [*more, *edit.lines]
    return edit.stale(lines, edit.after(lines, by=degree))


def lines_added_below(edit: AnchoredEdit, degree: int, random: Random) -> Damaged | None:
    """Lines were added at the end of the file since; degree is their number."""
    lines = [*edit.lines, *(invented_statement(edit.path, random) for _ in range(degree))]
    return edit.stale(lines, edit.after(lines))


def copy_added_above(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """A copy of the lines was added at the top of the file since, and others below that."""
    copy = [*edit.lines[edit.first - 1 : edit.last], invented_statement(edit.path, random)]
    lines = [*copy, *edit.lines]
    return edit.stale(lines, edit.after(lines, by=len(copy)))


def lines_changed(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """One of the lines that the edit changes was changed since into something else."""
    old = text_of(edit.lines[edit.first - 1 : edit.last])
    replaced = [one for one in changes_between(old, text_of(edit.new)) if one.kind == "replace"]
    mine = [n for one in replaced for n in range(one.first, one.last + 1) if edit.lines[edit.first + n - 2].strip()]
    needs(mine)
    at = edit.first + random.choice(mine) - 1
    lines = list(edit.lines)
    lines[at - 1] = invented_statement(edit.path, random)
    return edit.stale(lines, None, reason="line_changed")


def lines_removed(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The lines were removed since."""
    # Removing other lines must not give the same text.
    needs(edit.lines[edit.first - 1] != edit.lines[edit.last])
    needs(edit.lines[edit.last - 1] != edit.lines[edit.first - 2])
    lines = [*edit.lines[: edit.first - 1], *edit.lines[edit.last :]]
    return edit.stale(lines, None, reason="line_gone")


def made_since(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The same change was made since."""
    lines = edit.after(edit.lines)[:-1].split("\n")
    return edit.stale(lines, None, reason="already_applied") if edit.after(edit.lines) != edit.text else None


def equal_hash_added(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """Lines were added since; one of them now has the number and the hash of the intended line."""
    line = edit.lines[edit.first - 1]
    needs(edit.first == edit.last and any(map(str.isalnum, line)))
    hashed = h2_hash(line, edit.first)
    for _ in range(_MOST_TRIES):
        other = f"{invented_statement(edit.path, random)}{random.randrange(10_000)}"
        if hashed == h2_hash(other, edit.first):
            lines = [*edit.lines[: edit.first - 1], other, *edit.lines[edit.first - 1 :]]
            return edit.stale(lines, edit.after(lines, by=1))
    return None


def tag_collision(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """Lines were added at the top and at the end of the file since, and the file has the same tag as before."""
    tag, statement = h4_tag(edit.text), invented_statement(edit.path, random)
    lines = [invented_statement(edit.path, random), *edit.lines]
    above = xxh32("".join([f"{line.rstrip(' ' + chr(9))}\n" for line in lines]).encode("utf-8", "replace"))
    for n in range(_MOST_TEXTS):
        whole = above.copy()
        whole.update(f"{statement}{n}\n".encode())
        if whole.intdigest() & 0xFFFF == int(tag, 16):
            lines.append(f"{statement}{n}")
            return edit.stale(lines, edit.after(lines, by=1)) if h4_tag(text_of(lines)) == tag else None
    return None


def lines_not_shown(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The lines are right, but the model was not shown them."""
    damaged = edit.refused(edit.call(), "unseen")
    shown = SeenLines(edit.path, 1, edit.first - 1)
    return replace(damaged, seen=damaged.before, seen_lines=(shown,))


# Files whose lines programs split and hash differently: other line endings, a byte order mark, odd separators.


def crlf_file(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """All lines of the file end in CRLF, and all lines of the call in LF."""
    return _with_texts(edit, edit.text.replace("\n", "\r\n"), edit.after(edit.lines).replace("\n", "\r\n"))


def odd_separator_above(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """A line above has a form feed or a line separator in it, which ends no line."""
    above = edit.lines[0] + random.choice("\f\u2028\x85\v") + "x"
    return as_meant(replace(edit, lines=(above, *edit.lines[1:])))


def no_final_newline(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The last line of the file has no line feed."""
    return _with_texts(edit, edit.text[:-1], edit.after(edit.lines)[:-1]) if edit.lines[-1] else None


def as_meant(edit: AnchoredEdit) -> Damaged:
    """The edit as it is meant."""
    return edit.written(edit.call())


def _with_texts(edit: AnchoredEdit, before: str, target: str) -> Damaged:
    """The same call for a file with other texts before and after."""
    damaged = as_meant(edit)
    return replace(damaged, before=(File(edit.path, before),), target=(File(edit.path, target),))


# Anchors that no view has shown, and edits of one call that depend on each other.

_DIGITS = "0123456789ABCDEF"
_LETTERS: Mapping[Format, tuple[str, str]] = MappingProxyType(
    {"hashline_h2": (LETTERS, "ACDEFG"), "hashline_h4": (_DIGITS, "GHKMUV"), "exhash": (BASE64URL, "+/=.!?")}
)
"""Format -> the letters of its hashes, and characters that no hash has."""
_HASH = re.compile(
    r"(?<=[0-9]#)[A-Z]{2}(?=\")|(?<=[0-9]:)[0-9a-f]{2}(?=\")|(?<=#)[0-9A-F]{4}(?=\]\n)|(?<=[0-9]\|)[\w-]{2}(?=\|[\",])"
)


def invented_hash(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """No line of the file has the hashes, and the file does not have the tag."""
    letters, _ = _LETTERS[edit.format]
    shown = show(edit.text, edit.format)
    for _ in range(100):
        invented = "".join(random.choices(letters, k=4 if edit.format == "hashline_h4" else 2))
        if not re.search(rf"[#:|]{invented}", shown):
            return edit.refused(_HASH.sub(invented, edit.call()), "unknown_anchor")
    return None


def wrong_alphabet(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """The hashes consist of characters that no hash of the format has."""
    _, letters = _LETTERS[edit.format]
    other = _HASH.sub(lambda found: "".join(random.choices(letters, k=len(found[0]))), edit.call())
    return edit.refused(other, "unknown_anchor")


def other_case(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The letters of the hashes are in the other case."""
    call = edit.call()
    other = _HASH.sub(lambda found: found[0].swapcase(), call)
    return edit.written(other) if other != call else None


def edited_twice(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """Two edits of one call replace the same lines, with different new lines."""
    other = edit.replacing(edit.first, edit.last, [*edit.new, edit.lines[edit.first - 1]])
    return edit.refused(edit.call(edit.replacing(edit.first, edit.last), other), "twice")


def dependent_edits(edit: AnchoredEdit, degree: int, random: Random) -> Damaged | None:
    """The first edit adds lines above; the second has the numbers and hashes after that; degree is their number."""
    added, after = _with_lines_above(edit, degree, random)
    was, shown = (shown_lines(text, edit.format) for text in (edit.text, after.text))
    ends = {after.first, after.last}
    # By chance, the anchors may be right for other lines.
    needs(any(n >= len(was) or anchor_of(edit.format, was, n) != anchor_of(edit.format, shown, n) for n in ends))
    return edit.written(_joined(edit.call(added), after.call()), target=after.after(after.lines))


def dependent_numbers(edit: AnchoredEdit, degree: int, random: Random) -> Damaged | None:
    """The first edit adds lines above, and the second counts them, so it names other lines; degree is their number."""
    added, after = _with_lines_above(edit, degree, random)
    needs(after.last <= len(edit.lines))
    target = text_of([*added.new, *edit.lines[: after.first - 1], *edit.new, *edit.lines[after.last :]])
    return edit.written(edit.call(added, edit.replacing(after.first, after.last)), target=target)


def _with_lines_above(edit: AnchoredEdit, n: int, random: Random) -> tuple[Change, AnchoredEdit]:
    """A change that adds lines at the top, and the edit for the file after that change."""
    lines = [invented_statement(edit.path, random) for _ in range(n)]
    added = Change("before", 1, 1, tuple(lines))
    return added, replace(edit, lines=(*lines, *edit.lines), first=edit.first + n, last=edit.last + n)


def _joined(first: str, second: str) -> str:
    """Two calls in JSON as one."""
    one, other = json.loads(first), json.loads(second)
    name = "cmds" if "cmds" in one else "edits"
    return json.dumps({**one, name: [*one[name], *other[name]]}, ensure_ascii=False)


def own_edit_forgotten(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """The model's own earlier edit changed the first of the lines, and the call still has the old hashes."""
    lines = list(edit.lines)
    lines[edit.first - 1] = invented_statement(edit.path, random)
    return replace(edit, lines=tuple(lines)).written(edit.call())


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    *anchor_mutators(lines_added_above, lines_added_below, copy_added_above, truth="tolerate"),
    *anchor_mutators(lines_changed, lines_removed, made_since, truth="refuse"),
    *anchor_mutators(equal_hash_added, truth="tolerate", formats=("hashline_h2",)),
    *anchor_mutators(tag_collision, truth="tolerate", formats=("hashline_h4",)),
    *anchor_mutators(lines_not_shown, truth="refuse"),
    *anchor_mutators(
        crlf_file,
        named("mixed_endings", "The last line of the file alone ends in CRLF.",
              lambda edit, *_: _with_texts(edit, edit.text[:-1] + "\r\n", edit.after(edit.lines)[:-1] + "\r\n")),
        named("marked_file", "The file begins with a byte order mark, which no view shows.",
              lambda edit, *_: _with_texts(edit, "\ufeff" + edit.text, "\ufeff" + edit.after(edit.lines))),
        odd_separator_above,
    ),
    *anchor_mutators(no_final_newline, formats=IN_JSON),
    *anchor_mutators(invented_hash, wrong_alphabet, truth="refuse"),
    *anchor_mutators(other_case, truth="tolerate", formats=("hashline_h2", "hashline_h4")),
    *anchor_mutators(edited_twice, truth="refuse"),
    *anchor_mutators(dependent_edits, truth="tolerate", formats=IN_JSON),
    *anchor_mutators(dependent_numbers, truth="hazard", formats=("hashline_h4",)),
    *anchor_mutators(own_edit_forgotten, truth="tolerate"),
)  # fmt: skip
