"""What a rule for anchored edits is, and what the rules share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field

from editcore.anchors.call import Anchor, Call
from editcore.anchors.change import Change, Registers
from editcore.anchors.corrections import Correction
from editcore.errors import PatchError
from editcore.stale import DEFAULT
from editcore.text.endings import first_is_crlf, with_crlf
from editcore.text.lines import BOM
from editcore.types import Applied, EditResult, Reason, Rejected

_CONTEXT = 2
"""Lines that a refusal shows above and below a line."""


@dataclass(frozen=True, slots=True)
class Given:
    """A call for one file, and what is known of the file."""

    call: Call
    format: str
    """`hashline_h2`, `hashline_h4` or `exhash`."""
    live: str
    """The text of now."""
    seen: str | None = None
    """The text whose anchors were shown; None where it is not known to be another than that of now."""
    shown: tuple[tuple[int, int], ...] | None = None
    """The first and last lines that were shown; None where all were."""
    stale: str = DEFAULT
    """The rule of `editcore.stale` that `recommended` asks where the text was changed since it was seen."""
    registers: Registers = field(default_factory=dict)
    """What the hunks for other files before it have taken out; it takes what this one does."""
    without: frozenset[str] = frozenset()
    """Names of corrections that are not made."""


Rule = Callable[[Given], EditResult]
"""Never raises anything but PatchError, which the caller turns into a refusal."""


def plain_lines(text: str) -> list[str]:
    """The lines as the programs split them: any line ending is a line feed, and the phantom line is one."""
    return text.removeprefix(BOM).replace("\r\n", "\n").replace("\r", "\n").split("\n")


def rewritten(live: str, lines: Sequence[str], name: str) -> EditResult:
    """The lines as the programs write them: with the line ending of the first line everywhere, if they are others."""
    mark = BOM if live.startswith(BOM) else ""
    content = mark + with_crlf("\n".join(lines), first_is_crlf(live))
    if content == live or list(lines) == plain_lines(live):
        return no_change()
    return Applied(content, replacer=name)


def no_change() -> Rejected:
    """The refusal of a call that changes nothing."""
    return Rejected(Reason.IDENTICAL, "No changes made. The edits produced identical content.")


def corrected(
    change: Change, lines: Sequence[str], corrections: dict[str, Correction], without: frozenset[str]
) -> Change:
    """The change after all corrections but some."""
    for name, correct in corrections.items():
        if name not in without:
            change = correct(change, lines)
    return change


def anchors_of(call: Call) -> Iterator[Anchor]:
    """The anchors of a call, in order."""
    for edit in call.edits:
        yield from (anchor for anchor in (edit.first, edit.last) if anchor is not None)


def mismatch(wrong: Iterable[int], lines: Sequence[str], name: str, row: Callable[[int], str]) -> Rejected:
    """The refusal of anchors whose lines have changed: those lines as they are now, and what is around them."""
    marked = {n for n in wrong if 1 <= n <= len(lines)}
    are = "line has" if len(marked) == 1 else "lines have"
    head = (
        f"{len(marked)} {are} changed since last read. Use the updated {name} references shown below "
        "(>>> marks changed lines)."
    )
    return Rejected(Reason.STALE_READ, "\n".join([head, "", *rows_around(marked, len(lines), row, ">>> ", "    ...")]))


def rows_around(marked: Set[int], n_lines: int, row: Callable[[int], str], mark: str, gap: str) -> Iterator[str]:
    """Some 1-based lines behind a mark, and those around them behind blanks, with a row for each gap between them."""
    previous = 0
    for n in sorted({n for at in marked for n in range(max(at - _CONTEXT, 1), min(at + _CONTEXT, n_lines) + 1)}):
        if previous and n > previous + 1:
            yield gap
        yield f"{mark if n in marked else ' ' * len(mark)}{row(n)}"
        previous = n


def each_once(changes: Sequence[Change]) -> list[Change]:
    """The changes without those that are another one again."""
    found = {(one.kind, one.first, one.last, one.new, one.is_range, one.is_anchored): one for one in reversed(changes)}
    return sorted(found.values(), key=lambda one: one.at)


def overlap(changes: Iterable[Change], *, is_twice: bool = False) -> tuple[Change, Change] | None:
    """Two changes that meet: both replace a line, or one puts lines between two that the other replaces.

    With `is_twice`, also two that put lines at one place.
    """
    upper: Change | None = None
    for lower in sorted(changes, key=_span):
        if upper is not None:
            (first, last), (start, end) = _span(upper), _span(lower)
            if start < last or (is_twice and (first, last) == (start, end)):
                return upper, lower
        upper = lower if upper is None or _span(lower)[1] >= _span(upper)[1] else upper
    return None


def _span(change: Change) -> tuple[int, int]:
    """The lines of a change as offsets between lines; those of an insertion are the same."""
    if change.kind == "replace":
        return change.first - 1, change.last
    at = change.first - (change.kind == "before")
    return at, at


def refused(error: PatchError) -> Rejected:
    """The refusal that an error is."""
    return Rejected(error.reason, error.message, error.candidates)
