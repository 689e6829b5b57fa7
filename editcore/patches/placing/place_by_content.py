"""Placing hunks by their lines and hints, wherever these match in a file. Raises PatchError."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from editcore.document import WHITESPACE, trim
from editcore.errors import PatchError
from editcore.patches.placing.anchors import Anchors
from editcore.patches.placing.place_by_number import place_by_number
from editcore.patches.placing.policy import MARKER_IGNORED, Placed, Policy, changes
from editcore.patches.placing.seek import Seeker
from editcore.types import MAX_CANDIDATES, FilePatch, Hunk, Match, Reason

_MAX_PLACES = 5000
"""A hunk that matches in more places than this is ambiguous, whatever the hints say."""


def place(lines: Sequence[str], has_last_newline: bool, section: FilePatch, policy: Policy) -> list[Placed]:
    """Place the hunks of an update so that no two overlap."""
    if policy.by_number:
        return place_by_number(lines, has_last_newline, section, policy)
    seeker = Seeker(lines)
    anchors = Anchors(seeker)
    placed: list[Placed] = []
    taken = _TakenLines()
    for hunk in section.hunks:
        search = _HunkSearch(seeker, anchors, section, hunk, policy, placed[-1] if placed else None, taken.end)
        if policy.passes_context and not changes(hunk):
            search.check_matches()
            continue
        found = search.placed()
        if hunk.source_no_newline and (has_last_newline or found.line + found.n_old < len(lines)):
            found = _unmarked(found, section)
        placed.append(found)
        taken.take(found, len(placed))
        _check_order(placed, policy)
    return placed


def _unmarked(found: Placed, section: FilePatch) -> Placed:
    """The landing of a hunk whose marker of a missing final line feed is wrong. Raises PatchError if it matters."""
    if not found.hunk.target_no_newline or found.hunk.lines[-1][0] != " ":
        raise PatchError(
            f"the hunk says that {section.path} has no line feed at its end, but it has.",
            line=found.hunk.patch_line,
            reason=Reason.NO_MATCH,
        )
    # Below context, both sides end as the file does.
    hunk = replace(found.hunk, source_no_newline=False, target_no_newline=False)
    return replace(found, hunk=hunk, notes=(*found.notes, MARKER_IGNORED))


class _TakenLines:
    """The lines of a file that hunks were placed on, looked up in constant time."""

    def __init__(self) -> None:
        self.end = 0
        """One past the last line taken."""
        self._lines: dict[int, int] = {}
        """Line -> number of the hunk placed on it."""
        self._gaps: dict[int, int] = {}
        """Line -> number of a hunk that only adds lines, above this one."""

    def take(self, found: Placed, number: int) -> None:
        """Reserve the lines of a hunk. Raises PatchError if another hunk has one of them."""
        lines = range(found.line, found.line + found.n_old)
        others = [self._lines[line] for line in lines if line in self._lines]
        others += [self._gaps[line] for line in lines[1:] if line in self._gaps]
        if lines:
            self._lines.update(dict.fromkeys(lines, number))
        else:
            above, below = self._lines.get(found.line - 1), self._lines.get(found.line)
            others += [above] if above is not None and above == below else []
            self._gaps.setdefault(found.line, number)
        if others:
            raise PatchError(
                f"the hunk overlaps hunk {min(others)}, which changes the same lines: join the two.",
                line=found.hunk.patch_line,
                reason=Reason.AMBIGUOUS,
            )
        self.end = max(self.end, lines.stop)


def _check_order(placed: Sequence[Placed], policy: Policy) -> None:
    found = placed[-1]
    if policy.in_order and len(placed) > 1 and found.line < placed[-2].line:
        raise PatchError(
            f"the hunk stands at line {found.line + 1}, above the one before it: put the hunks in the file's order.",
            line=found.hunk.patch_line,
        )


class _HunkSearch:
    """The search for the place of one hunk, by its lines and hints."""

    def __init__(
        self,
        seeker: Seeker,
        anchors: Anchors,
        section: FilePatch,
        hunk: Hunk,
        policy: Policy,
        last: Placed | None,
        cursor: int,
    ) -> None:
        self.seeker, self.anchors, self.lines = seeker, anchors, seeker.lines
        self.section, self.hunk, self.policy = section, hunk, policy
        self.cursor = cursor
        self.shift = last.line + 1 - last.hunk.source_start if last and last.hunk.source_start else 0

    def placed(self) -> Placed:
        hunk = self.hunk
        if not hunk.old:
            return Placed(hunk, self._insertion_line(), 0, "anchor")
        for tier, variant, notes in self._variants():
            old = variant.old
            places = self.seeker.first_places(old, tier, _MAX_PLACES + 1)
            if not places:
                continue
            if tier == "exact" and self.seeker.mixes_line_endings:
                # A reader of the file does not see which of two places has carriage returns.
                places = self.seeker.first_places(old, "line_endings", _MAX_PLACES + 1)
            line, more = self._choose(places, len(old))
            if tier == "exact" and not self.seeker.matches_at(old, tier, line):
                tier = "line_endings"
            self._check_not_applied(variant, line, tier)
            found = Placed(hunk, line, len(old), tier, notes=(*notes, *more))
            return self._reindented(found, old) if tier in ("trimmed", "folded") else found
        raise self._not_found()

    def check_matches(self) -> None:
        """Raise PatchError if the hunk's lines match nowhere."""
        if not any(any(True for _ in self.seeker.places(one.old, tier)) for tier, one, _ in self._variants()):
            raise self._not_found()

    def _variants(self) -> Iterator[tuple[str, Hunk, tuple[str, ...]]]:
        """Each tier with the hunk; before whitespace is ignored, also the hunk with lost leading spaces restored."""
        for tier in self.policy.tiers:
            if tier == "trimmed":
                whole = _with_restored_spaces(self.hunk)
                if whole != self.hunk:
                    yield "right_trimmed", whole, ("context lines lacked their leading space",)
            yield tier, self.hunk, ()

    def _choose(self, places: Sequence[int], n_old: int) -> tuple[int, tuple[str, ...]]:
        """The one place that is meant, by the first hint that leaves only one. Raises PatchError if none does."""
        if len(places) == 1:
            return places[0], ()
        if self.hunk.end_of_file and places[-1] == len(self.lines) - n_old:
            return places[-1], ("placed at the end of the file",)
        if len(places) > _MAX_PLACES and not self.policy.first_wins:
            raise self._ambiguous(places)
        within = self.anchors.places_within(self.hunk.anchors, places, n_old)
        if len(within) == 1:
            return within[0], ("placed by its @@ line",)
        places = within or places
        below = bisect_left(places, self.cursor)
        if self.policy.ordered and self.cursor and below == len(places) - 1:
            return places[below], ("placed by the order of the hunks",)
        near = self._nearest(places)
        if near is not None:
            return near, ("placed by its line number",)
        if self.policy.first_wins:
            return places[below if below < len(places) else 0], ("the first of several places",)
        raise self._ambiguous(places)

    def _nearest(self, places: Sequence[int]) -> int | None:
        """The place that is clearly nearer to the stated line than every other one; None if there is none."""
        if not self.policy.numbers or not self.hunk.source_start:
            return None
        stated = self.hunk.source_start - 1 + self.shift
        n = bisect_left(places, stated)
        first, second = sorted(places[max(n - 2, 0) : n + 2], key=lambda place: abs(place - stated))[:2]
        near, far = abs(first - stated), abs(second - stated)
        return first if (near == 0 and far >= 3) or far >= 5 * max(near, 2) else None

    def _insertion_line(self) -> int:
        """The line above which a hunk without context or removed lines goes."""
        if not self.lines or self.hunk.end_of_file:
            return len(self.lines)
        anchors = self.anchors.lines(self.hunk.anchors)
        if len(anchors) == 1:
            return anchors[0] + 1
        if len(anchors) > 1:
            raise self._ambiguous(anchors)
        raise PatchError(
            "the hunk only adds lines and does not say where: give a line of context above them.",
            line=self.hunk.patch_line,
            reason=Reason.AMBIGUOUS,
        )

    def _check_not_applied(self, hunk: Hunk, line: int, tier: str) -> None:
        new = hunk.new
        if len(new) > len(hunk.old) and self.seeker.matches_at(new, tier, line):
            raise self._applied_already(line)

    def _applied_already(self, line: int) -> PatchError:
        return PatchError(
            f"the change stands in {self.section.path} already, at line {line + 1}.",
            line=self.hunk.patch_line,
            reason=Reason.IDENTICAL,
        )

    def _reindented(self, found: Placed, old: Sequence[str]) -> Placed:
        """The place with the difference in indentation of file and patch. Raises PatchError if it is not uniform."""
        pairs = {
            (_indent(theirs), _indent(ours))
            for theirs, ours in zip(self.lines[found.line :], old, strict=False)
            if trim(ours)
        }
        more = {theirs.removesuffix(ours) if theirs.endswith(ours) else None for theirs, ours in pairs}
        less = {ours.removesuffix(theirs) if ours.endswith(theirs) else None for theirs, ours in pairs}
        if len(more) == 1 and None not in more:
            added = more.pop() or ""
            return replace(found, added_indent=added, notes=(*found.notes, "re-indented")) if added else found
        if len(less) == 1 and None not in less:
            return replace(found, removed_indent=less.pop() or "", notes=(*found.notes, "re-indented"))
        if all(line[0] != "+" or not trim(line[1:]) for line in self.hunk.lines):
            return found
        raise PatchError(
            f"the lines stand at line {found.line + 1} of {self.section.path}, but indented in several other ways: "
            "copy the indentation of the file.",
            line=self.hunk.patch_line,
            reason=Reason.NO_MATCH,
            candidates=(self._match(found.line),),
        )

    def _ambiguous(self, places: Sequence[int]) -> PatchError:
        shown = ", ".join(str(line + 1) for line in places[:MAX_CANDIDATES])
        more = ", ..." if len(places) > MAX_CANDIDATES else ""
        many = f"{len(places)}" if len(places) <= _MAX_PLACES else f"more than {_MAX_PLACES}"
        return PatchError(
            f"the hunk fits {self.section.path} in {many} places (lines {shown}{more}): "
            "add context lines that make it unique.",
            line=self.hunk.patch_line,
            reason=Reason.AMBIGUOUS,
            candidates=tuple(self._match(line) for line in places[:MAX_CANDIDATES]),
        )

    def _not_found(self) -> PatchError:
        """The refusal of a hunk that matches nowhere; it names the first differing line at the closest place."""
        hunk, new = self.hunk, self.hunk.new
        if new and new != hunk.old:
            applied = list(islice(self.seeker.places(new, "right_trimmed"), 2))
            if len(applied) == 1 and (len(new) > 1 or len(hunk.old) <= 1):
                return self._applied_already(applied[0])
        line, n_same = self._closest()
        if n_same == 0:
            return self._first_line_not_found()
        wanted = hunk.old[n_same]
        there = self.lines[line + n_same] if line + n_same < len(self.lines) else None
        has = "the file ends" if there is None else f"the file has {there!r}"
        return PatchError(
            f"the hunk's first {n_same} line(s) stand at line {line + 1} of {self.section.path}, "
            f"but then {has} where the hunk has {wanted!r}: copy the lines exactly.",
            line=hunk.patch_line,
            reason=Reason.NO_MATCH,
            candidates=(self._match(line),),
        )

    def _first_line_not_found(self) -> PatchError:
        first, *others = self.hunk.old
        text = f"the hunk's first line, {first!r}, stands nowhere in {self.section.path}"
        for other in others:
            at = next(self.seeker.places([other], self.policy.tiers[-1]), None) if trim(other) else None
            if at is not None:
                text += f", but {other!r} at line {at + 1}"
                break
        return PatchError(
            f"{text}: read the file again and copy the lines exactly.",
            line=self.hunk.patch_line,
            reason=Reason.NO_MATCH,
            candidates=() if not others or at is None else (self._match(at),),
        )

    def _closest(self) -> tuple[int, int]:
        """The place where most of the hunk's first lines match in a row, and their number, by bisection."""
        old = self.hunk.old
        low, high, line = 0, len(old) - 1, 0
        while low < high:
            middle = (low + high + 1) // 2
            at = next(self.seeker.places(old[:middle], self.policy.tiers[-1]), None)
            if at is None:
                high = middle - 1
            else:
                low, line = middle, at
        return line, low

    def _match(self, line: int) -> Match:
        """A place as offsets in the file text."""
        start = _n_characters(self.lines[:line])
        n_old = max(sum(text[0] != "+" for text in self.hunk.lines), 1)
        end = start + _n_characters(self.lines[line : line + n_old]) - 1
        return Match(start, max(end, start), "hunk")


def _n_characters(lines: Sequence[str]) -> int:
    """The characters of lines, with a line feed after each."""
    return sum(map(len, lines)) + len(lines)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(WHITESPACE))]


def _with_restored_spaces(hunk: Hunk) -> Hunk:
    """The hunk if its context lines had lost the space in front, so that the apparent mark is indentation."""
    lines = tuple(" " + line if line[:2] == "  " else line for line in hunk.lines)
    return replace(hunk, lines=lines)
