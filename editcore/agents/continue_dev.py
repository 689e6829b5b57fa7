"""Continue's edit tool at two times.

Evidence: run (`peer/continue_cli`, the source in its command line 1.5.47); of 2025 read (`findSearchMatch.ts`), its
third step documented. `continue`, since 2026-03-24:

    exact        indexOf
    trimmed      the search text without whitespace at its ends
    letters      in lower case
    squeezed     all whitespace removed from both, and the place mapped back

Policy: unique: below the first place, each step is asked again, and any further place is an error, unless every place
is asked for. Where a line found otherwise than exactly is indented otherwise than the search text, the new lines below
the first get its indentation for the search text's. `continue_2025` takes the first place of the first step, and the
whitespace above a squeezed place. A blank search text is found at the start of the file. Line endings stay.

Known failures: of 2025, several false positives by design, a control that shows what uniqueness is worth; of 2026, an
exact place above another text that is equal without whitespace or case is refused.
"""

from __future__ import annotations

from editcore.agents.matching import Work, first_squeezed
from editcore.agents.rule import AgentRule, Source, in_turn
from editcore.agents.runner import not_found, replaced, several, unchanged
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


def _first(text: str, old: str) -> tuple[str, int, int] | None:
    """The first step that finds something in a text, and its first place."""
    for step, find in (("exact", old), ("trimmed", trim(old))):
        if (at := text.find(find)) >= 0:
            return step, at, at + len(find)
    if (at := text.lower().find(old.lower())) >= 0:
        return "letters", at, min(at + len(old), len(text))
    span = first_squeezed(text, old, with_blanks_above=False)
    return None if span is None else ("squeezed", *span)


def _places(text: str, old: str, most: int) -> list[tuple[str, int, int]]:
    """The places, each looked for below the one before by all steps; not more than `most`."""
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


def _blanks(line: str) -> str:
    return line[: len(line) - len(line.lstrip(WHITESPACE))]


def _re_indented(new: str, own: str, its: str) -> str:
    """The new text with the indentation of the file's line for the search text's; its first line stands behind that."""
    first, *others = new.split("\n")
    moved = [its + line.removeprefix(own) if trim(line) and line.startswith(own) else line for line in others]
    return "\n".join([first.removeprefix(own) if trim(first) else first, *moved])


def continue_dev(text: str, edit: Edit) -> EditResult:
    """Continue: exact, stripped, in any case, without any whitespace; several places are an error; re-indents."""
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
    own = _blanks(next(line for line in old.split("\n") if trim(line)))
    out, done = [], 0
    for step, start, end in found:
        # The line feed that a place begins with counts as the end of the line above, but at the top of a file.
        line = text[text.rfind("\n", 0, max(start, 1)) + 1 :].partition("\n")[0]
        its = own if step == "exact" else _blanks(line)
        out += [text[done:start], new if its == own else _re_indented(new, own, its)]
        done = end
    return Applied("".join(out) + text[done:], (), found[0][0])


_SEARCH = "continuedev/continue core/edit/searchAndReplace"
_SOURCE = Source("2026-03-24", f"{_SEARCH}/performReplace.ts", "9c08e591")
_FORMER = Source("2025-12-04", f"{_SEARCH}/findSearchMatch.ts", "079ad170")
CONTINUE = (
    AgentRule("continue", "Continue since 2026-03-24", "run", "unique", in_turn(continue_dev), source=_SOURCE),
    AgentRule("continue_2025", "Continue 2025", "read", "first", in_turn(continue_2025), source=_FORMER),
)
