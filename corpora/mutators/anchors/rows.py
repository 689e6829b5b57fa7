"""New lines with marks that are no part of them: of a view, or of a diff; and signs that the grammar does not have."""

from __future__ import annotations

from random import Random

from corpora.mutators.anchors.anchored_edit import IN_JSON, AnchoredEdit, mutators
from corpora.mutators.mutator import Damaged
from corpora.sample import Format
from editcore.anchors.views import anchor_of, show


def pasted_prefixes(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The new lines have numbers and hashes in front of them, as the view shows lines."""
    after = edit.after(edit.lines)
    shown = show(after, edit.format, first=edit.first, last=edit.first + len(edit.new) - 1).split("\n")
    return edit.written(edit.call(edit.replacing(edit.first, edit.last, shown[edit.format == "hashline_h4" :])))


def plus_prefixes(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """Each new line has a + in front of it, as in a diff."""
    return edit.written(edit.call(edit.replacing(edit.first, edit.last, [f"+{line}" for line in edit.new])))


def minus_rows(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The body has the old lines too, with a - in front of them."""
    old = [f"-{line}" for line in edit.lines[edit.first - 1 : edit.last]]
    header, hunk, *body = edit.call().split("\n")
    return edit.written("\n".join([header, hunk, *old, *body]))


def bare_rows(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The rows of the body have no + in front of them."""
    header, hunk, *body = edit.call().split("\n")
    if any(line.startswith(("+", "-", "PUT", "CUT", "[")) for line in edit.new):
        return None
    return edit.written("\n".join([header, hunk, *(row.removeprefix("+") for row in body)]))


def range_sign(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """The range is written with another sign."""
    sign = random.choice(("-", "..", " - ", "...", "="))
    return edit.written(edit.call().replace(f"{edit.first}.={edit.last}:", f"{edit.first}{sign}{edit.last}:", 1))


def anchor_with_text(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The anchors have the text of their lines behind them, as the view shows it."""
    call = edit.call()
    for n in {edit.first, edit.last}:
        anchor, line = anchor_of(edit.format, [*edit.lines, ""], n), edit.lines[n - 1]
        if '"' in line or "\\" in line or not line.isprintable():
            return None
        call = call.replace(f'"{anchor}"', f'"{anchor}|{line}"', 1)
    return edit.written(call)


_TEXT: tuple[Format, ...] = ("hashline_h4",)

MUTATORS = (
    *mutators(pasted_prefixes, "tolerate"),
    *mutators(plus_prefixes, "tolerate", formats=IN_JSON),
    *mutators(minus_rows, "tolerate", formats=_TEXT),
    *mutators(bare_rows, "tolerate", formats=_TEXT),
    *mutators(range_sign, "tolerate", formats=_TEXT),
    *mutators(anchor_with_text, "tolerate", formats=("hashline_h2",)),
)
