"""Tiers that compare whole lines by a key: `blank_lines`, `indentation` and `look_alikes`.

    search text  |if a:          file  |    if a:       new text  |if a:       written  |    if a:
                 |  b()                |        b()               |  c()                |        c()

The three tiers differ in the key alone. `in_whole_lines` finds the only place whose lines have the search text's keys,
and merges the edit into it. Every tier refuses lines that fit several places.
"""

from __future__ import annotations

from itertools import takewhile

from editcore.replacers.size_guard import SizeGuard
from editcore.text.keys import BODY, FOLDED, RIGHT_TRIMMED, SQUEEZED, Key
from editcore.tiers.merging.merge import Doubt, merged, partners
from editcore.tiers.merging.outcome import already_there, doubted, merged_result, several, stands_in_lines
from editcore.tiers.query import Place, Query, line_by_line
from editcore.types import EditResult

_MARKDOWN = (".md", ".markdown", ".mdx")


def in_whole_lines(query: Query, key: Key, tier: str, repaired: tuple[str, ...] = ()) -> EditResult | None:
    """The edit at the only place whose solid lines have the search text's keys; None if there is no such place."""
    if query.edit.replace_all or (key is not RIGHT_TRIMMED and not any(map(str.isalnum, query.old.text))):
        return None  # Of brackets alone, only their indentation says which are meant.
    wanted = query.old.keys(key)
    if not query.view.may_have(wanted, key):
        return None
    view = query.around(query.sought.rarest) if query.sought else query.view
    places = [line_by_line(view, at, len(wanted)) for at in view.windows(key, wanted)]
    if not places:
        return None
    if len(places) > 1:
        return several(query, [place.span for place in places], tier)
    start, end = places[0].span
    if SizeGuard().refuses(query.view.text[start:end], query.old.text):
        return None
    return merge_at(query, places[0], key, tier, repaired)


def merge_at(
    query: Query, place: Place, key: Key, tier: str, repaired: tuple[str, ...] = (), *, is_loose: bool = False
) -> EditResult:
    """The edit merged into a place; a refusal if it was made there before, or the indentation of new lines is not
    certain.

    A loosely found place is also refused if the lines that the edit adds are next to it already.
    """
    start, end = place.span
    if stands_in_lines(query.view.text, start, end, query.old, query.new, SQUEEZED):
        return already_there(query, start, end, tier)
    if is_loose and _repeats_neighbours(query, place, key):
        return doubted(place, "neighbours", tier)
    found = merged(place, query.old, query.new, key, keeps_tails=_may_be_markdown(query.path))
    return doubted(place, found, tier) if isinstance(found, Doubt) else merged_result(place.view, found, tier, repaired)


def _may_be_markdown(path: str | None) -> bool:
    """True if spaces at the end of a line may break the line."""
    return path is None or path.lower().endswith(_MARKDOWN)


def _repeats_neighbours(query: Query, place: Place, key: Key) -> bool:
    """True if the lines that the edit adds before its first line, or after its last, are next to the place already."""
    old, new = query.old.keys(key), query.new.keys(key)
    solid, there, partner = place.view.solid, place.there, partners(old, new)
    above = sum(1 for _ in takewhile(lambda one: one is None, partner)) if 0 in partner else 0
    below = sum(1 for _ in takewhile(lambda one: one is None, partner[::-1])) if len(old) - 1 in partner else 0
    return (above > 0 and list(map(key, solid[max(there.start - above, 0) : there.start])) == new[:above]) or (
        below > 0 and list(map(key, solid[there.stop : there.stop + below])) == new[len(new) - below :]
    )


def blank_lines(query: Query) -> EditResult | None:
    """The tier for lines that are equal but for blank lines and whitespace at their ends.

        search text  |a = 1          file  |a = 1
                     |b = 2                |            <- the search text lacks a blank line; it stays
                                           |b = 2

    Forgives: blank lines that only the search text or only the file has, within and at both ends; whitespace at the
    ends of lines; a final line feed. Known limit: where a blank line has a meaning (Markdown), the new text's blank
    lines beside a change win.
    """
    return in_whole_lines(query, RIGHT_TRIMMED, "blank_lines")


def indentation(query: Query) -> EditResult | None:
    """The tier for lines that are equal but for their indentation; the new text is indented as the file is.

    Forgives: another indentation of all lines, or of each level; and what `blank_lines` forgives. Refuses: new lines
    whose indentation in the file is not certain (see `frame`). Known limit: a search text of one line, with a new text
    that is indented deeper than both it and the file, gives no frame and is refused.
    """
    return in_whole_lines(query, BODY, "indentation")


def look_alikes(query: Query) -> EditResult | None:
    """The tier for lines that are equal but for characters that look alike or cannot be seen.

        search text  |print(“a”)     file  |print("a")     applied; lines that the edit keeps stay as the file has them

    Forgives: curly quotes, dashes, the ellipsis, spaces of other widths, full-width punctuation, accented letters in
    one or two characters, zero-width characters, marks of writing direction; and what `indentation` forgives. Known
    limit: such characters in lines that the new text adds are written as they are.
    """
    if (query.view.text.isascii() and query.old.text.isascii()) or not query.has_words:
        return None
    return in_whole_lines(query, FOLDED, "look_alikes", ("characters that look alike",))
