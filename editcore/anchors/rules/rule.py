"""The type of a rule for anchored edits, the parts that rules share, and the simplest rule, `strict`.

A rule decides whether the anchors of a call fit the file, makes the edits, and may correct the new lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace

from editcore.anchors.calls import Anchor, Call, Change, Registers, check_lines, resolved, written
from editcore.anchors.corrections import Correction
from editcore.anchors.views import ended_lines, exhash_hash, h2_hash, h4_tag, prefix, shown_lines, tags
from editcore.errors import PatchError
from editcore.stale import DEFAULT
from editcore.stale.trail import Trail
from editcore.text.endings import first_is_crlf, with_crlf
from editcore.text.lines import BOM
from editcore.types import Applied, EditResult, Reason, Rejected

_CONTEXT = 2
"""Lines that a refusal shows above and below a line."""


@dataclass(frozen=True, slots=True)
class Given:
    """A call for one file, and the file."""

    call: Call
    format: str
    """`hashline_h2`, `hashline_h4` or `exhash`."""
    live: str
    """The current text of the file."""
    seen: str | None = None
    """The text that was shown to the model; None if it is the current text, or unknown."""
    shown: tuple[tuple[int, int], ...] | None = None
    """First and last lines of the parts that were shown; None if the whole text was."""
    trail: Trail | None = None
    """The way from the text that was shown to the current one, if the model's own edits since are known."""
    stale: str = DEFAULT
    """The rule of `editcore.stale` that places edits of `recommended` in a text that has changed."""
    registers: Registers = field(default_factory=dict)
    """Lines that the call has cut out of other files so far. The rule adds the lines that it cuts out of this file."""
    without: frozenset[str] = frozenset()
    """Names of corrections to leave out."""


Rule = Callable[[Given], EditResult]
"""Raises only PatchError, which `apply_anchored` turns into a refusal."""


def plain_lines(text: str) -> list[str]:
    """The lines as the programs split them: LF, CRLF and CR end a line, and the phantom line counts."""
    return text.removeprefix(BOM).replace("\r\n", "\n").replace("\r", "\n").split("\n")


def rewritten(live: str, lines: Sequence[str], name: str) -> EditResult:
    """The result with these lines as the programs write them: all with the ending of the file's first line."""
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
    """The change after the corrections, except those in `without`."""
    for name, correct in corrections.items():
        if name not in without:
            change = correct(change, lines)
    return change


def anchors_of(call: Call) -> Iterator[Anchor]:
    """The anchors of a call, in order."""
    for edit in call.edits:
        yield from (anchor for anchor in (edit.first, edit.last) if anchor is not None)


def mismatch(wrong: Iterable[int], lines: Sequence[str], name: str, row: Callable[[int], str]) -> Rejected:
    """The refusal of anchors whose lines have changed. Its message shows the lines as they are now."""
    marked = {n for n in wrong if 1 <= n <= len(lines)}
    are = "line has" if len(marked) == 1 else "lines have"
    head = (
        f"{len(marked)} {are} changed since last read. Use the updated {name} references shown below "
        "(>>> marks changed lines)."
    )
    return Rejected(Reason.STALE_READ, "\n".join([head, "", *rows_around(marked, len(lines), row, ">>> ", "    ...")]))


def rows_around(marked: Set[int], n_lines: int, row: Callable[[int], str], mark: str, gap: str) -> Iterator[str]:
    """The `marked` 1-based lines behind `mark`, and the lines around them indented; `gap` stands for lines between."""
    previous = 0
    for n in sorted({n for at in marked for n in range(max(at - _CONTEXT, 1), min(at + _CONTEXT, n_lines) + 1)}):
        if previous and n > previous + 1:
            yield gap
        yield f"{mark if n in marked else ' ' * len(mark)}{row(n)}"
        previous = n


def each_once(changes: Sequence[Change]) -> list[Change]:
    """The changes without duplicates."""
    found = {(one.kind, one.first, one.last, one.new, one.is_range, one.is_anchored): one for one in reversed(changes)}
    return sorted(found.values(), key=lambda one: one.at)


def overlap(changes: Iterable[Change], *, is_twice: bool = False) -> tuple[Change, Change] | None:
    """Two changes that replace the same line, or an insertion within the lines of another change; None without any.

    With `is_twice`, two insertions at one place count too.
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
    """The start and the end of a change as offsets between lines; equal for an insertion."""
    if change.kind == "replace":
        return change.first - 1, change.last
    at = change.first - (change.kind == "before")
    return at, at


def refused(error: PatchError) -> Rejected:
    """The refusal with the reason and the message of an error."""
    return Rejected(error.reason, error.message, error.candidates)


def strict(given: Given) -> EditResult:
    """Takes nothing but exact anchors on the text of now.

    Each anchor must have the hash of its line, or the call the hash of the text. No line is moved, stripped or dropped,
    no deviation from the grammar is accepted, and edits that share a line are refused. Other lines keep their endings.
    """
    if given.call.forgiven:
        raise PatchError(f"the call is not by the grammar: {', '.join(given.call.forgiven)}.")
    check_anchors(given, given.live)
    return apart(given.live, changes_in(given, given.live), "strict")


def check_anchors(given: Given, text: str) -> None:
    """Raise PatchError if an anchor of the call has not the hash of its line in `text`."""
    call = given.call
    if given.format == "hashline_h4":
        if call.tag not in tags(text):
            raise PatchError(
                f"the call is for #{call.tag}, and the file is #{h4_tag(text)} now: read it again.",
                reason=Reason.STALE_READ,
            )
        return
    lines = shown_lines(text, given.format)
    for anchor in anchors_of(call):
        if not 1 <= anchor.line <= len(lines):
            raise PatchError(
                f"there is no line {anchor.line}: the file has {len(ended_lines(text))}.", reason=Reason.STALE_READ
            )
        line = lines[anchor.line - 1]
        found = exhash_hash(line) if given.format == "exhash" else h2_hash(line, anchor.line)
        if found != anchor.hash:
            now = prefix(lines, given.format, anchor.line).strip(" |:")
            raise PatchError(
                f"line {anchor.line} is {now} now, not {anchor.hash}: read the file again.", reason=Reason.STALE_READ
            )


def changes_in(given: Given, text: str) -> list[Change]:
    """The changes of the call in a text. Raises PatchError if two share a line."""
    lines = ended_lines(text)
    edits = resolved(given.call, lines, given.registers)
    changes = [_above_phantom(one, len(lines), is_shown=given.format == "hashline_h2") for one in edits]
    check_lines(changes, len(lines))
    met = overlap(changes, is_twice=True)
    if met is not None:
        raise PatchError(
            f"edits {met[0].at + 1} and {met[1].at + 1} are of the same lines: make one edit of them.",
            reason=Reason.AMBIGUOUS,
        )
    return changes


def _above_phantom(change: Change, n_lines: int, *, is_shown: bool) -> Change:
    """The change without the phantom line: as its end it means the last line, and before it is after the last line."""
    if is_shown and change.kind == "replace" and 0 < change.first <= n_lines == change.last - 1:
        return replace(change, last=n_lines)
    if change.kind == "before" and change.first == n_lines + 1:
        return Change("after", n_lines, n_lines, change.new, change.at, is_anchored=n_lines > 0)
    return change


def apart(text: str, changes: Sequence[Change], name: str) -> EditResult:
    """The result with the changes made in `text`; a refusal if they change nothing."""
    result = written(text, changes, name)
    return no_change() if result.content == text else result
