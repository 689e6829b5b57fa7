r"""Tiers that undo one damage of the whole search text, and look for the result: `escapes` and `pasted`.

    search text  |print(\"a\")        undone  |print("a")        the file has that in one place: applied

What was done to all of the search text is undone in the new text, too, where the new text shows the same damage.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice, pairwise
from typing import NamedTuple

from editcore.text.keys import BODY, FOLDED, RIGHT_TRIMMED
from editcore.text.line_index import occurrences
from editcore.text.whitespace import trim
from editcore.tiers.merging.outcome import already_there, several, stands_literally
from editcore.tiers.query import Query
from editcore.tiers.squeezed import squeezed
from editcore.tiers.whole_lines import in_whole_lines
from editcore.types import MAX_CANDIDATES, Applied, EditResult, Evidence

_SHORTEST_PIECE = 8
"""Characters, whitespace aside, that a repaired search text must have to be found within a line."""


def apply_repaired(
    query: Query, old: str, new: str, tier: str, phrase: str, *, whole_lines: bool = False
) -> EditResult | None:
    """The edit with repaired texts, exactly or by the stricter tiers; None where they do not find it.

    With `whole_lines`, places within lines are left out.
    """
    if old == query.old.text or not old.strip() or query.edit.replace_all or old == new:
        return None
    return apply_stricter(query.repaired(old, new), tier, (phrase,), whole_lines=whole_lines)


def apply_stricter(
    query: Query, tier: str, repaired: tuple[str, ...], *, whole_lines: bool = False
) -> EditResult | None:
    """The edit at the exact place of its search text, or else by whole lines, less and less strictly."""
    places: Iterable[int] = filter(partial(_is_pasted, query), query.exact_places)
    if whole_lines or len(squeezed(query.old.text)) < _SHORTEST_PIECE:
        places = filter(query.stands_in_whole_lines, occurrences(query.view.text, query.old.text))
    if found := list(islice(places, MAX_CANDIDATES)):
        return _exactly(query, found, tier, repaired)
    for key in (RIGHT_TRIMMED, BODY, FOLDED):
        result = in_whole_lines(query, key, tier, repaired)
        if result is not None:
            return result
    return None


def _is_pasted(query: Query, at: int) -> bool:
    """True unless whole lines are there that begin otherwise than the new text: then a merge says what is written."""
    text = query.view.text
    if query.old.text[0] == "\n" and query.new.text and query.new.text[0] != "\n":
        return False
    before, end = text[text.rfind("\n", 0, at) + 1 : at], at + len(query.old.text)
    return bool(trim(before)) or not before or "\n" not in (text[end - 1 : end], text[end : end + 1] or "\n")


def _exactly(query: Query, places: Sequence[int], tier: str, repaired: tuple[str, ...]) -> EditResult:
    view, old = query.view, query.old.text
    spans = [(at, at + len(old)) for at in places]
    if len(places) > 1:
        return several(query, spans, tier)
    new = query.written(places[0])
    if stands_literally(view.text, places[0], old, new):
        return already_there(query, *spans[0], tier)
    match = view.match(*spans[0], tier)
    return Applied(view.with_text((*spans[0], new)), (match,), tier, evidence=Evidence(repaired=repaired))


_ESCAPE = re.compile(r"\\([ntr\"'`\\$/])")
_MEANT = {"n": "\n", "t": "\t", "r": "\r"}
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|#39|#x27|nbsp);")
_IN_STRINGS = {*_MEANT, "\\"}
"""Escapes that string literals have; alone, they show no damage."""

Decode = Callable[[str], str]


def escapes(query: Query) -> EditResult | None:
    r"""The tier for an edit that was encoded once too often.

        search text  |print(\"a\")       file  |print("a")     new text  |print(\"b\")     written  |print("b")

    Forgives: backslash escapes as in JSON, once or twice; HTML entities. The new text is decoded where it shows the
    same damage: all of its escapes are of the search text's kinds, and every character they stand for is escaped. It
    is taken as it is where it has no escape, or has plain quotes and only escapes that string literals have. Refuses:
    a new text with escapes where neither holds. Known limit: a file with an escape, and a search text with the
    character that the escape stands for, is not tried.
    """
    old = query.old.text
    if query.exact_places:
        return None  # The file has the escapes too.
    if "\\" in old:
        for n_times in (1, 2):
            result = _decoded(query, without_escapes, _ESCAPE, n_times, "backslash escapes")
            if result is not None:
                return result
    return _decoded(query, _without_entities, _ENTITY, 1, "HTML entities") if _ENTITY.search(old) else None


def _decoded(query: Query, decode: Decode, escape: re.Pattern[str], n_times: int, phrase: str) -> EditResult | None:
    old, kinds = query.old.text, list[set[str]]()
    for _ in range(n_times):
        here = set(escape.findall(old))
        if _raw(old, escape, here):
            return None
        kinds.append(here)
        old = decode(old)
    new = query.new.text
    shared = any(trim(line) in new for line in query.old.solid if escape.search(line))
    undone = _decoded_too(new, old, decode, escape, kinds, is_certain=shared)
    if undone is None and (shared or not _is_as_meant(new, old, escape, set[str]().union(*kinds))):
        return None
    new = new if undone is None else undone
    if _has_another_form(old, new, lambda line: _without_entities(line).replace("\\", "")):
        return None
    return apply_repaired(query, old, new, "escapes", phrase)


def _has_another_form(old: str, new: str, bare: Callable[[str], str]) -> bool:
    """True if a new line is an old one in another form: the edit keeps it, and does not know how the file has it."""
    lines = set(map(trim, old.split("\n")))
    forms = set(map(bare, lines)) - {""}
    return any(line not in lines and bare(line) in forms for line in map(trim, new.split("\n")))


def _decoded_too(
    new: str, old: str, decode: Decode, escape: re.Pattern[str], kinds: Sequence[set[str]], *, is_certain: bool
) -> str | None:
    """The new text, decoded as the search text was; None unless it has escapes of the same kinds only.

    `old` is decoded. A doubled backslash proves nothing. An escape that `old` still has proves nothing either.
    """
    text, shows = new, set[str]()
    for here in kinds:
        found = set(escape.findall(text))
        if not found <= here or _raw(text, escape, here):
            return None
        shows |= found - {"\\"}
        text = decode(text)
    shows.difference_update(escape.findall(old))
    return text if is_certain or (shows and not _keeps_an_escape(new, old, escape)) else None


def _is_as_meant(new: str, old: str, escape: re.Pattern[str], kinds: set[str]) -> bool:
    """True if the new text is not encoded."""
    in_new = set(escape.findall(new))
    if not in_new or _keeps_an_escape(new, old, escape):
        return True
    return not in_new - _IN_STRINGS and bool(_raw(new, escape, kinds) - _IN_STRINGS)


def _keeps_an_escape(new: str, old: str, escape: re.Pattern[str]) -> bool:
    """True if a line with an escape is in the new text as in the decoded search text."""
    lines = {line.strip() for line in old.split("\n") if escape.search(line)}
    return any(line.strip() in lines for line in new.split("\n"))


def _raw(text: str, escape: re.Pattern[str], kinds: set[str]) -> set[str]:
    """The kinds whose character is in the text without being escaped; as an entity, always `&`."""
    rest = escape.sub("", text)
    if escape is _ENTITY:
        return {kind for kind in (*kinds, "&amp;") if _unescaped(kind) in rest}
    return {kind for kind in kinds if _MEANT.get(kind, kind) in rest}


def without_escapes(text: str) -> str:
    """The text with each backslash escape decoded once."""
    return _ESCAPE.sub(lambda found: _MEANT.get(found[1], found[1]), text)


def _without_entities(text: str) -> str:
    return _ENTITY.sub(lambda found: _unescaped(found[0]), text)


def _unescaped(entity: str) -> str:
    from html import unescape  # Its table is large, and seldom needed.

    return unescape(entity)


_NUMBER = re.compile(r"[^\S\n]*(?:[A-Za-z]?\d{1,7}(?!\w)[→:|.)\]]?|[|→])[^\S\n]*")
_SIGN = re.compile(r"[^\S\n]*[-+>|][^\S\n]*")
"""What may be a line number, or a sign of a diff or quotation, before a line, in any notation."""
_FIRST_NUMBER = re.compile(r"[A-Za-z]?(\d{1,7})(?!\w)")
_MOST_SIGNS = 3
"""Signs of one mark that are taken off, such as `9` and `|`."""
_GUTTERS = tuple(
    re.compile(shape) for shape in (r" *(\d{1,7})→", r" *(\d{1,7})\t", r" *(\d{1,7}) ?\| ?", r" *(\d{1,7}): ?")
)
_FENCE = re.compile(r"(?:```|~~~)[\w.+#-]*")


class Marks(NamedTuple):
    """Marks before or around all lines of a search text, and how to recognise them in the new text."""

    phrase: str
    old: list[str]
    """The lines of the search text without marks."""
    unmark: Callable[[list[str]], list[str] | None]
    """Lines of the new text -> the lines without marks; None where a line has none."""
    is_marked: Callable[[str], object]
    """Something true for a line of the new text that has a mark."""
    other: re.Pattern[str] | None
    """A mark of this kind before a line in any notation; None for marks around all lines."""


def pasted(query: Query) -> EditResult | None:
    """The tier for a search text that was copied with line numbers, a code fence, or marks of a diff or quotation.

        search text  |12: def f():    file  |def f():        search text  |```py     file  |x = 1
                     |13:     go()          |    go()                     |x = 1
                                                                          |```

    Forgives: line numbers before all lines, ascending by one; a Markdown code fence around all lines, or one end of it;
    minus or quotation marks before all lines. The new text is taken without marks where all of its lines are marked so,
    and as it is where none is. Refuses: a single line, since `-x`, `8080: y` and `> 100` are code; text that is not
    whole lines of the file; text with some marked lines. Known limit: the numbers of an ascending list look like line
    numbers; such a list is safe only because the tiers above look for the search text as it is.
    """
    lines = query.old.all
    if len(query.old.solid) < 2:
        return None
    for find in _KINDS:
        marks = find(query, lines)
        if marks is None:
            continue
        new = marks.unmark(query.new.all) if query.new.all else []
        if new is None and any(map(marks.is_marked, query.new.solid)):
            continue
        if new is not None and any(trim(line) and marks.unmark([line]) for line in marks.old):
            continue  # Lines of the file look like marked ones, and lines of an unmarked new text may look so too.
        written = query.new.all if new is None else new
        if marks.other and _is_marked_otherwise(marks.old, written, marks.other):
            continue
        old, text = ("".join([f"{line}\n" if trim(line) else "\n" for line in lines]) for lines in (marks.old, written))
        result = apply_repaired(query, old, text, "pasted", marks.phrase, whole_lines=True)
        if result is not None:
            return result
    return None


def _n_spaces(line: str) -> int:
    """The number of spaces that a line begins with."""
    return len(line) - len(line.lstrip(" \xa0"))


def _is_marked_otherwise(old: list[str], new: list[str], mark: re.Pattern[str]) -> bool:
    """True if the new text shows marks that were not taken off, or a space that may be a part of a mark.

    Such marks are before old lines, or before all other lines. Such a space is in an old line, in the first line, or in
    the line with the least indentation.
    """
    mine, others = ({trim(line): _n_spaces(line) for line in lines if trim(line)} for lines in (old, new))
    pairs = [(mine[body], depth) for body, depth in others.items() if body in mine]
    if mine and others:
        depths = [[_n_spaces(line) for line in lines if trim(line)] for lines in (old, new)]
        pairs += [(depths[0][0], depths[1][0]), (min(depths[0]), min(depths[1]))]
    if any(abs(one - other) == 1 for one, other in pairs):
        return True
    added = [body for body in others if body not in mine]
    signs, usual = (
        {re.sub(r"[\d\s]", "", found[0]) if found else None for found in map(mark.match, lines)}
        for lines in (added, mine)
    )
    if added and None not in signs and (_count_up(added) or None in usual or not signs <= usual):
        return True
    return any(body in mine for line in added for body in _unmarked(line, mark))


def _count_up(lines: list[str]) -> bool:
    """True if several lines begin with numbers that ascend by one."""
    return len(lines) > 1 and _numbers(_FIRST_NUMBER, lines) is not None


def _unmarked(line: str, mark: re.Pattern[str]) -> Iterator[str]:
    """The line without what may be a mark before it, sign by sign."""
    for _ in range(_MOST_SIGNS):
        found = mark.match(line)
        if found is None:
            return
        line = line[found.end() :]
        yield line


def _line_numbers(_query: Query, lines: list[str]) -> Marks | None:
    """Numbers followed by one sign; in the new text, numbers of the same lines with the same sign."""
    for gutter in _GUTTERS:
        numbers = _numbers(gutter, lines)
        if numbers is None:
            continue
        of_place = range(numbers[0], numbers[-1] + 2)

        def is_numbered(line: str, gutter: re.Pattern[str] = gutter, of_place: range = of_place) -> bool:
            found = gutter.match(line)
            return found is not None and int(found[1]) in of_place

        def unnumbered(
            lines: list[str], gutter: re.Pattern[str] = gutter, of_place: range = of_place
        ) -> list[str] | None:
            for one in (gutter, *_GUTTERS):
                numbers = _numbers(one, lines)
                if numbers and numbers[0] in of_place:
                    return _without_numbers(one, lines)
            return None

        return Marks("line numbers", _without_numbers(gutter, lines), unnumbered, is_numbered, _NUMBER)
    return None


def _numbers(gutter: re.Pattern[str], lines: list[str]) -> list[int] | None:
    """The numbers before all lines; None unless they ascend by one."""
    if not gutter.match(lines[0]):
        return None
    found = [gutter.match(line) for line in lines]
    numbers = [int(one[1]) for one in found if one]
    ascends = len(numbers) == len(lines) and all(after == before + 1 for before, after in pairwise(numbers))
    return numbers if ascends else None


def _without_numbers(gutter: re.Pattern[str], lines: list[str]) -> list[str]:
    return [gutter.sub("", line, count=1) for line in lines]


def _code_fence(query: Query, lines: list[str]) -> Marks | None:
    """A code fence; None in a file that has fences, where it may be a line of the file."""
    inside = _unfenced(lines)
    if inside is None or any(map(_is_fence, query.view.solid)):
        return None
    return Marks("a code fence", inside, _unfenced, _is_fence, None)


def _unfenced(lines: list[str]) -> list[str] | None:
    """The lines within a code fence, or above or below its only end."""
    while lines and not lines[0]:
        lines = lines[1:]
    while lines and not lines[-1]:
        lines = lines[:-1]
    fences = [n for n, line in enumerate(lines) if _is_fence(line)]
    if len(lines) > 2 and fences == [0, len(lines) - 1] and lines[-1].strip() == lines[0].strip()[:3]:
        return lines[1:-1]
    if len(lines) > 1 and len(fences) == 1 and fences[0] in (0, len(lines) - 1):
        return lines[1:] if fences[0] == 0 else lines[:-1]
    return None


def _is_fence(line: str) -> bool:
    return _FENCE.fullmatch(line.strip()) is not None


def _diff_marks(_query: Query, lines: list[str]) -> Marks | None:
    old = _after_mark(lines, "-")
    return None if old is None else Marks("marks of a diff", old, partial(_after_mark, mark="+"), _has_sign, _SIGN)


def _has_sign(line: str) -> bool:
    return line[:1] in ("-", "+")


def _quotation_marks(_query: Query, lines: list[str]) -> Marks | None:
    old = _quoted(lines)
    return None if old is None else Marks("marks of a quotation", old, _quoted, re.compile(">").match, _SIGN)


def _quoted(lines: list[str]) -> list[str] | None:
    return _after_mark(lines, "> ") or _after_mark(lines, ">")


def _after_mark(lines: list[str], mark: str) -> list[str] | None:
    is_marked = all(line.startswith(mark) or line == mark.rstrip() for line in lines)
    return [line[len(mark) :] for line in lines] if is_marked else None


_KINDS: tuple[Callable[[Query, list[str]], Marks | None], ...] = (
    _line_numbers,
    _code_fence,
    _diff_marks,
    _quotation_marks,
)
"""(query, lines of the search text) -> the marks of all these lines; None where they have none of that kind."""
