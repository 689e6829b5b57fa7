"""oh-my-pi 18's mode `sloppy`: a text to find, and the text to put in its place.

    raw           the search text, without blank lines around it and line numbers that all its lines have
    squeezed      both without any whitespace, and folded
    fuzzy         squeezed, with an eighth of the characters misspelt, three at most. Characters that are no part of
                  words must be equal.
    punctuation   fuzzy, with one such character more or less, but for brackets

Of several places none is taken, unless all lead to one text, whitespace aside. A place within another edit's place
does not count then. An empty new text takes the line with it, and one of two blank lines around it. All edits are
placed in the file as it was. A new text of lines marked by `＋` goes below the place; else `＋` is removed, and lines
marked by `－` with it. Gaps (`…`), selections (`⟪a│b⟫`) and markers that end a payload are not rebuilt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from editcore.agents.matching import PUNCTUATION, Folded, Work, within
from editcore.agents.rule import Rule
from editcore.agents.runner import Found, Span, every_line_feed, not_found, several, spliced, unchanged
from editcore.errors import PatchError
from editcore.text.endings import first_is_crlf, with_crlf
from editcore.text.line_index import occurrences
from editcore.text.lines import mark_of
from editcore.types import Applied, Edit, EditResult, Reason

_BLANKS = " \t\n\r\f"
_SQUEEZED = {**PUNCTUATION, **dict.fromkeys(map(ord, _BLANKS + "\ufeff\u200b\u200c\u200d\u2060"), "")}
_NUMBER = re.compile(r"\s*+[0-9]++\s*+[:|]")
_NUMBERED_LITERAL = re.compile(r"\s*+[0-9]++\s*+[:|]\s*+[0-9\"'`]")
_ADDED = re.compile(r"(\s*+)＋")
_GAP = re.compile(r"^[ \t]*+…[ \t]*+$", re.MULTILINE)
_MOST_MISSPELT, _SHARE, _FEWEST = 3, 0.12, 6
_SEED = 5
_MOST_CHARACTERS, _MOST_WITHOUT_SEEDS = 50_000, 10_000
_MOST_OUTCOMES = 4


class _Near(NamedTuple):
    distance: int
    start: int
    end: int


def _block(text: str) -> list[str]:
    """The lines without blank ones around them, and without line numbers."""
    lines = every_line_feed(text).split("\n")
    full = [n for n, line in enumerate(lines) if line.strip()]
    lines = lines[full[0] : full[-1] + 1] if full else []
    solid = [line for line in lines if line.strip()]
    if solid and all(map(_NUMBER.match, solid)) and not all(map(_NUMBERED_LITERAL.match, solid)):
        return [_NUMBER.sub("", line, count=1) for line in lines]
    return lines


def _sought(text: str) -> str:
    return "\n".join([line if line.strip() else "" for line in _block(text)])


def _put(text: str) -> tuple[str, bool]:
    """The new text, and True if it goes below the place: if all lines are marked as added by `＋`.

    Of a diff, its added lines and its context.
    """
    lines = _block(text)
    if lines[:1] and lines[0].strip() == "//":
        del lines[0]
    has_old = any(line.startswith("-") and not line.startswith("---") for line in lines)
    has_new = any(line.startswith("+") and not line.startswith("+++") for line in lines)
    if has_old and has_new:
        lines = [line.removeprefix("+") for line in lines if not line.startswith(("-", "+++"))]
    elif lines and all(line.startswith("+") for line in lines if line.strip()):
        lines = [line.removeprefix("+") for line in lines]
    wide = [_ADDED.match(line) is not None for line in lines if line.strip()]
    if any(wide):
        lines = [_ADDED.sub(r"\1", line) for line in lines if not line.lstrip().startswith("－")]
    return "\n".join(lines), bool(wide) and all(wide)


def _signs(text: str) -> str:
    return "".join([one for one in text if not (one.isalnum() or one in "_$")])


def _has_one_more(one: str, other: str) -> bool:
    """True if one text is the other with one further character, which is no bracket."""
    shorter, longer = sorted((one, other), key=len)
    at = next((n for n, sign in enumerate(shorter) if sign != longer[n]), len(shorter))
    return len(longer) == len(shorter) + 1 and shorter[at:] == longer[at + 1 :] and longer[at] not in "{}()[]"


def _starts(text: str, find: str, limit: int) -> Iterator[int]:
    """The offsets at which a misspelt text may begin: those at which a part of it stands where it should."""
    size = min(_SEED, max(3, len(find) - limit))
    for offset in (0, (len(find) - size) // 2, len(find) - size):
        for at in occurrences(text, find[offset : offset + size]):
            yield from range(max(at - offset - limit, 0), min(at - offset + limit + 1, len(text)))


def _misspelt(text: str, find: str, work: Work, fits: Callable[[str, str], bool]) -> list[Span]:
    """The most similar places that do not overlap, in order; `fits` says which signs may stand for which."""
    if len(find) < _FEWEST or len(text) > _MOST_CHARACTERS:
        return [(at, at + len(find)) for at in occurrences(text, find)] if len(find) < _FEWEST else []
    limit, signs = min(_MOST_MISSPELT, max(1, int(len(find) * _SHARE))), _signs(find)
    starts = sorted(set(_starts(text, find, limit)))
    found = list[_Near]()
    for start in starts or (range(len(text)) if len(text) <= _MOST_WITHOUT_SEEDS else ()):
        best: _Near | None = None
        for end in range(start + max(len(find) - limit, 1), min(start + len(find) + limit, len(text)) + 1):
            work.spend(20 + len(find))
            most = limit if best is None else best.distance - 1
            if most >= 0 and fits(signs, _signs(text[start:end])):
                distance = within(find, text[start:end], most, work)
                best = best if distance is None else _Near(distance, start, end)
        found += [best] if best else []
    taken = list[Span]()
    for _, start, end in sorted(found):
        if all(end <= one or start >= other for one, other in taken):
            taken.append((start, end))
    return sorted(taken)


def _places(text: str, find: str, *, every: bool, work: Work) -> tuple[str, list[Span]]:
    """The first step that finds a place, and its places."""
    raw = [(at, at + len(find)) for at in occurrences(text, find)]
    if raw:
        return "raw", raw
    folded, needle = Folded(text, _SQUEEZED), find.translate(_SQUEEZED)
    steps: dict[str, Callable[[], list[Span]]] = {
        "squeezed": lambda: [(at, at + len(needle)) for at in occurrences(folded.text, needle)],
        "fuzzy": lambda: _misspelt(folded.text, needle, work, str.__eq__),
        "punctuation": lambda: _misspelt(
            folded.text, needle, work, lambda one, other: one == other or _has_one_more(one, other)
        ),
    }
    for name, step in steps.items():
        found = step() if needle else []
        if found and (name != "punctuation" or (len(found) == 1 and not every)):
            return name, [(folded.first(start), folded.first(end - 1) + 1) for start, end in found]
    raise not_found()


def _only(text: str, found: list[Span], new: str, step: str) -> Span:
    """The one place; the first of several if all lead to one text, whitespace aside. Raises PatchError."""
    if len(found) > 1:
        outcomes = {
            f"{text[:start]}{new}{text[end:]}".translate(_SQUEEZED) for start, end in found[: _MOST_OUTCOMES + 1]
        }
        if len(found) > _MOST_OUTCOMES or len(outcomes) > 1:
            raise several(text, found, step)
    return found[0]


def _without_line(text: str, place: Span) -> Span:
    """The place of a deletion with the line that it leaves blank, and with one of the blank lines around it."""
    start, end = place
    top, below = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    bottom = len(text) if below < 0 else below
    if text[top:start].strip(" \t") or text[end:bottom].strip(" \t"):
        return place
    end = bottom if below < 0 else below + 1
    if not top:
        return top, end
    above = text.rfind("\n", 0, top - 1) + 1
    line = text[above : top - 1]
    if end >= len(text):
        return (top if line.strip() else above), end
    following = text.find("\n", end)
    next_line = text[end : len(text) if following < 0 else following]
    after = len(text) if following < 0 else following + 1
    if not next_line.strip() and (not line.strip() or line.rstrip().endswith(("(", "{", "["))):
        return top, after
    return (above if not line.strip() and next_line.lstrip().startswith((")", "]", "}")) else top), end


def _joined(text: str, above: tuple[Span, str], one: tuple[Span, str]) -> tuple[Span, str]:
    """Two edits that overlap as one: one within what the other deletes, or both the same change. Raises PatchError."""
    start, end = above[0][0], max(above[0][1], one[0][1])
    for outer, inner in ((above, one), (one, above)):
        if not outer[1] and inner[1] and outer[0][0] <= inner[0][0] and inner[0][1] <= outer[0][1]:
            is_ended = text[outer[0][1] - 1] == "\n" != inner[1][-1]
            return outer[0], f"{inner[1]}\n" if is_ended else inner[1]
    left, right = (f"{text[start : span[0]]}{new}{text[span[1] : end]}" for span, new in (above, one))
    if left != right:
        raise PatchError("two of the edits overlap: join them in one.", reason=Reason.AMBIGUOUS)
    return (start, end), left


def oh_my_pi_18(text: str, edits: Sequence[Edit]) -> EditResult:
    mark = mark_of(text)
    content, work = every_line_feed(text.removeprefix(mark)), Work("oh-my-pi's search for misspelt texts")
    taken, step = list[tuple[Span, str]](), ""
    waiting = [(edit, False) for edit in edits]
    while waiting:
        edit, is_again = waiting.pop(0)
        find, (new, is_below) = _sought(edit.old_string), _put(edit.new_string)
        if not find:
            raise PatchError("old_string is blank: give the text to replace.", reason=Reason.EMPTY)
        if "…" not in find and _GAP.search(new):
            raise PatchError("new_string has a line of … for a gap, and old_string has no gap: write the lines out.")
        step, found = _places(content, find, every=edit.replace_all, work=work)
        if is_again:
            found = [one for one in found if all(one[1] <= a or b <= one[0] for (a, b), _ in taken)] or found
        try:
            places = found if edit.replace_all else [_only(content, found, new, step)]
        except PatchError:
            if is_again or len(edits) == 1:
                raise
            waiting.append((edit, True))
            continue
        if is_below and new:
            # Without a line feed below, -1 becomes the end of the file.
            ends = dict.fromkeys(content.find("\n", end) % (len(content) + 1) for _, end in places)
            taken += (((at, at), f"\n{new}" + "\n" * (at == len(content))) for at in ends)
            continue
        places = [one if new else _without_line(content, one) for one in places if content[slice(*one)] != new]
        if not places or is_below:
            raise unchanged()
        for n, one in enumerate(places):
            if not n or one[0] >= places[n - 1][1]:
                taken.append((one, new))
    apart = list[tuple[Span, str]]()
    for change in sorted(taken):
        above = apart[-1] if apart else ((0, 0), "")
        apart[-1:] = [_joined(content, above, change)] if change[0][0] < above[0][1] else [*apart[-1:], change]
    done = spliced(content, Found([one for one, _ in apart], [new for _, new in apart]), step).content or ""
    if done == content:
        raise unchanged()
    return Applied(mark + with_crlf(done, first_is_crlf(text)), (), step)


RULES: dict[str, Rule] = {"oh_my_pi_18": oh_my_pi_18}
