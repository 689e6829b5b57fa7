"""Continue's edit tool in two versions. `continue`, since 2026-03-24, tries:

    exact        indexOf
    trimmed      the search text without whitespace at its ends
    letters      both in lower case
    squeezed     all whitespace removed from both, and the place mapped back

All steps are asked again below the first place. If a place that is not exact is indented otherwise than the search
text, the new lines get the indentation of the file. `continue_2025` takes the first place of the first step. A blank
search text is found at the start of the file.
"""

from __future__ import annotations

from editcore.agents.matching import Work, first_squeezed
from editcore.agents.rule import Rule
from editcore.agents.runner import Found, Given, Steps, exact
from editcore.text.whitespace import indent, trim


def _top(given: Given) -> Found | None:
    return None if trim(given.old) else Found([(0, 0)], given.new)


def _all_exact(given: Given) -> Found | None:
    found = exact(given) if given.every else []
    return Found(found, [given.new] * len(found)) if found else None


def _first_place(given: Given) -> Found | None:
    found = _first(given.text, given.old, with_blanks_above=True)
    return Found([found[1:]], given.new, found[0]) if found else None


def _first(text: str, old: str, *, with_blanks_above: bool = False) -> tuple[str, int, int] | None:
    """The first step that finds a place in `text`, and the start and end of that place."""
    for step, find in (("exact", old), ("trimmed", trim(old))):
        if (at := text.find(find)) >= 0:
            return step, at, at + len(find)
    if (at := text.lower().find(old.lower())) >= 0:
        return "letters", at, min(at + len(old), len(text))
    span = first_squeezed(text, old, with_blanks_above=with_blanks_above)
    return None if span is None else ("squeezed", *span)


def _places(text: str, old: str, most: int) -> list[tuple[str, int, int]]:
    """At most `most` places as (step, start, end). Each is looked for below the previous one, by all steps."""
    work = Work("continue")
    found: list[tuple[str, int, int]] = []
    at = 0
    while len(found) < most and at < len(text):
        work.spend(len(text) - at)
        one = _first(text[at:], old)
        if one is None:
            break
        step, start, end = one
        found.append((step, at + start, at + end))
        at += end
    return found


def _re_indented(new: str, own: str, its: str) -> str:
    """The new text with indentation `its` for `own`. Its first line goes behind the file's own indentation."""
    first, *others = new.split("\n")
    moved = [its + line.removeprefix(own) if trim(line) and line.startswith(own) else line for line in others]
    return "\n".join([first.removeprefix(own) if trim(first) else first, *moved])


def _any_step(given: Given) -> Found | None:
    text, old, new = given.text, given.old, given.new
    found = _places(text, old, len(text) if given.every else 2)
    if not found:
        return None
    own = indent(next(line for line in old.split("\n") if trim(line)))
    news = []
    for step, start, _ in found:
        # The line feed that a place begins with counts as the end of the line above, but at the top of a file.
        line = text[text.rfind("\n", 0, max(start, 1)) + 1 :].partition("\n")[0]
        its = own if step == "exact" else indent(line)
        news.append(new if its == own else _re_indented(new, own, its))
    return Found([(start, end) for _, start, end in found], news, found[0][0])


RULES: dict[str, Rule] = {
    "continue": Steps({"top": _top, "any": _any_step}, refuses=("identical",)),
    "continue_2025": Steps({"exact": _all_exact, "top": _top, "any": _first_place}, refuses=("identical",)),
}
