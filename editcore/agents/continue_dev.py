"""Continue's edit tool at two times.

Evidence: read (`findSearchMatch.ts`, `performReplace.ts`); the third step of the former is documented. `continue`,
since 2026-03-24:

    exact        indexOf
    trimmed      the search text without whitespace at its ends
    squeezed     all whitespace removed from both, and the place mapped back

Policy: unique: below the first place, each step is asked again, and any further place is an error, unless every place
is asked for. Where the place begins with other blanks than the search text, those of the search text become its own at
the start of each new line. `continue_2025` takes the first place of the first step, has a step for any case, and takes
the whitespace above a squeezed place. A blank search text is found at the start of the file. Line endings stay.

Known failures: of 2025, several false positives by design, a control that shows what uniqueness is worth; of 2026, an
exact place above another text that is equal without whitespace is refused, and a trimmed place begins with no blanks,
so that the new text loses those of the search text.
"""

from __future__ import annotations

from editcore.agents.matching.results import not_found, replaced, several, unchanged
from editcore.agents.matching.squeezed import first_squeezed
from editcore.agents.matching.work import Work
from editcore.agents.rule import AgentRule, Source, in_turn
from editcore.text.whitespace import WHITESPACE, trim
from editcore.types import Applied, Edit, EditResult


def continue_2025(text: str, edit: Edit) -> EditResult:
    """Continue 2025: exact, stripped, in any case, without any whitespace; always the first place."""
    old, new = edit.old_string, edit.new_string
    if old == new:
        raise unchanged()
    if edit.replace_all and old and old in text:
        return Applied(text.replace(old, new), (), "exact")
    if not trim(old):
        return replaced(text, 0, 0, new, "top")
    for step, find in (("exact", old), ("trimmed", trim(old))):
        at = text.find(find)
        if at >= 0:
            return replaced(text, at, at + len(find), new, step)
    lower = text.lower()
    at = lower.find(old.lower()) if len(lower) == len(text) else -1
    if at >= 0:
        return replaced(text, at, at + len(old.lower()), new, "letters")
    squeezed = first_squeezed(text, old)
    if squeezed is None:
        raise not_found()
    return replaced(text, *squeezed, new, "squeezed")


def _tiers(text: str, old: str) -> tuple[str, int, int] | None:
    """The first step that finds something in a text, and its first place."""
    for step, find in (("exact", old), ("trimmed", trim(old))):
        if (at := text.find(find)) >= 0:
            return step, at, at + len(find)
    span = first_squeezed(text, old, with_blanks_above=False)
    return None if span is None else ("squeezed", *span)


def _places(text: str, old: str, most: int) -> list[tuple[str, int, int]]:
    """The places, each looked for below the one before by all steps; not more than `most`."""
    work = Work("continue")
    found: list[tuple[str, int, int]] = []
    at = 0
    while len(found) < most and at < len(text):
        work.spend(len(text) - at)
        one = _tiers(text[at:], old)
        if one is None:
            break
        step, start, end = one
        found.append((step, at + start, at + end))
        at += end
    return found


def _first_indent(text: str) -> str:
    """The whitespace before the first line that is not blank; line breaks do not count."""
    line = next((line for line in text.split("\n") if trim(line)), "")
    return line[: len(line) - len(line.lstrip(WHITESPACE))]


def _re_indented(place: str, old: str, new: str) -> str:
    """The new text with the blanks of the place for those of the search text, line by line."""
    its, own = _first_indent(place), _first_indent(old)
    if its == own:
        return new
    lines = new.split("\n")
    return "\n".join([its + line.removeprefix(own) if trim(line) and line.startswith(own) else line for line in lines])


def continue_dev(text: str, edit: Edit) -> EditResult:
    """Continue: exact, stripped, without any whitespace; several places are an error; other blanks are adapted."""
    old, new = edit.old_string, edit.new_string
    if old == new:
        raise unchanged()
    if not trim(old):
        return replaced(text, 0, 0, new, "top")
    found = _places(text, old, len(text) if edit.replace_all else 2)
    if not found:
        raise not_found()
    if len(found) > 1 and not edit.replace_all:
        raise several(text, [(start, end) for _, start, end in found], found[0][0])
    out, done = [], 0
    for step, start, end in found:
        out += [text[done:start], new if step == "exact" else _re_indented(text[start:end], old, new)]
        done = end
    return Applied("".join(out) + text[done:], (), found[0][0])


_SEARCH = "continuedev/continue core/edit/searchAndReplace"
_SOURCE = Source("2026-03-24", f"{_SEARCH}/performReplace.ts", "9c08e591")
_FORMER = Source("2025-12-04", f"{_SEARCH}/findSearchMatch.ts", "079ad170")
CONTINUE = (
    AgentRule("continue", "Continue since 2026-03-24", "read", "unique", in_turn(continue_dev), source=_SOURCE),
    AgentRule("continue_2025", "Continue 2025", "read", "first", in_turn(continue_2025), source=_FORMER),
)
