"""Refusals of hunks that have no place, or several: what was found, where, and what to do. All lines are 0-based."""

from __future__ import annotations

from collections.abc import Sequence

from editcore.diagnosis import block_at, did_you_mean_lines, nearest
from editcore.errors import PatchError
from editcore.text.document import Document
from editcore.text.line_index import MOST_LOOKED_FOR, LineIndex
from editcore.text.whitespace import trim
from editcore.types import MAX_CANDIDATES, FilePatch, Hunk, Match, Reason

MAX_PLACES = 5000
"""A hunk that matches in more places than this is ambiguous, whatever the hints say."""
_LEAST_ALIKE = 0.6
"""Lines less similar to the hunk's (0 to 1) are not suggested."""


def may_be_cut_off(body: Sequence[str], starts: tuple[int, int] | None) -> str:
    """The message for a hunk that may lack its end: what to send if it does, and what if it does not.

    `starts`: the line numbers of its header; None without them. With the right counts, the hunk counts as whole.
    """
    n_old, n_new = (sum(one[0] != mark for one in body) for mark in "+-")
    old, new = starts or ("LINE", "LINE")
    return (
        "the patch may have been cut off within the hunk: send it again whole; if it is whole, with the header "
        f"'@@ -{old},{n_old} +{new},{n_new} @@'."
    )


class Refusals:
    def __init__(self, seeker: LineIndex, section: FilePatch, hunk: Hunk, last_equality: str) -> None:
        self.seeker, self.lines = seeker, seeker.lines
        self.section, self.hunk = section, hunk
        self.last_equality = last_equality
        """The least strict equality by which the hunk was looked for."""

    def _refusal(self, message: str, reason: Reason, places: Sequence[int] = ()) -> PatchError:
        shown = tuple(self._match(line) for line in places[:MAX_CANDIDATES])
        return PatchError(message, line=self.hunk.patch_line, reason=reason, candidates=shown)

    def ambiguous(self, places: Sequence[int]) -> PatchError:
        many = f"{len(places)}" if len(places) <= MAX_PLACES else f"more than {MAX_PLACES}"
        more = ", ..." if len(places) > MAX_CANDIDATES else ""
        return self._refusal(
            f"the hunk fits {self.section.path} in {many} places (lines {_numbers(places)}{more}): "
            "add context lines that make it unique.",
            Reason.AMBIGUOUS,
            places,
        )

    def read_twice(self, places: Sequence[int]) -> PatchError:
        """The refusal of a hunk whose lines without marks have two readings that match, at these 0-based lines."""
        return self._refusal(
            f"the hunk can be read in two ways that both fit {self.section.path} (lines {_numbers(places)}): "
            "begin every line of it with a space, + or -, empty ones too.",
            Reason.AMBIGUOUS,
            places,
        )

    def contradictory(self, by_anchor: Sequence[int], by_order: Sequence[int]) -> PatchError:
        """The refusal of a hunk whose `@@` line names other places than the order of the hunks leaves."""
        return self._refusal(
            f"the hunk fits {self.section.path} at line {by_anchor[0] + 1} by its @@ line, but at line "
            f"{by_order[0] + 1} by the order of the hunks: put the hunks in the file's order.",
            Reason.AMBIGUOUS,
            (by_anchor[0], by_order[0]),
        )

    def without_place(self) -> PatchError:
        return self._refusal(
            "the hunk only adds lines and does not say where: give a line of context above them.", Reason.AMBIGUOUS
        )

    def cut_off(self) -> PatchError:
        """The refusal of a hunk at its stated line that has fewer added lines than its counts say."""
        hunk = self.hunk
        starts = None if hunk.source_start is None else (hunk.source_start, hunk.target_start or hunk.source_start)
        return self._refusal(may_be_cut_off(hunk.lines, starts), Reason.MALFORMED)

    def applied_already(self, line: int) -> PatchError:
        return self._refusal(f"the change stands in {self.section.path} already, at line {line + 1}.", Reason.IDENTICAL)

    def indented_unevenly(self, line: int) -> PatchError:
        return self._refusal(
            f"the lines stand at line {line + 1} of {self.section.path}, but indented in several other ways: "
            "copy the indentation of the file.",
            Reason.NO_MATCH,
            (line,),
        )

    def indented_alone(self, line: int) -> PatchError:
        return self._refusal(
            f"the hunk's context stands at line {line + 1} of {self.section.path}, but indented otherwise, and other "
            "hunks are indented as the file is: copy the indentation of the file.",
            Reason.NO_MATCH,
            (line,),
        )

    def not_found(self) -> PatchError:
        """The refusal of a hunk that matches nowhere. It names the first differing line at the closest place."""
        hunk, new = self.hunk, self.hunk.new
        if new and new != hunk.old:
            applied = self.seeker.first_places(new, "right_trimmed", 2)
            if len(applied) == 1 and (len(new) > 1 or len(hunk.old) <= 1):
                return self.applied_already(applied[0])
        line, n_same = self._closest()
        if n_same == 0:
            return self._first_line_not_found()
        wanted = hunk.old[n_same]
        there = self.lines[line + n_same] if line + n_same < len(self.lines) else None
        has = "the file ends" if there is None else f"the file has {there!r}"
        return self._refusal(
            f"the hunk's first {n_same} line(s) stand at line {line + 1} of {self.section.path}, "
            f"but then {has} where the hunk has {wanted!r}: copy the lines exactly.",
            Reason.NO_MATCH,
            (line,),
        )

    def _first_line_not_found(self) -> PatchError:
        first, *others = self.hunk.old
        text, at = f"the hunk's first line, {first!r}, stands nowhere in {self.section.path}", None
        for n, other in enumerate(others):
            if n == MOST_LOOKED_FOR:
                self.seeker.row(self.last_equality)  # One pass over the file, where each look at its text is one.
            at = next(iter(self.seeker.first_places([other], self.last_equality, 1)), None) if trim(other) else None
            if at is not None:
                text += f", but {other!r} at line {at + 1}"
                break
        meant = self._did_you_mean()
        tip = f". {meant} Read the file again and copy the" if meant else ": read the file again and copy the"
        return self._refusal(f"{text}{tip} lines exactly.", Reason.NO_MATCH, () if at is None else (at,))

    def _did_you_mean(self) -> str:
        """A tip with the lines most similar to the hunk's, below its `@@` lines if the file has them; else ""."""
        top = 0
        for anchor in self.hunk.anchors:
            found = next((n for n in range(top, len(self.lines)) if trim(self.lines[n]) == trim(anchor)), None)
            top = top if found is None else found + 1
        document = Document("\n".join(self.lines[top:]))
        near = nearest(document, "\n".join(self.hunk.old))
        if near is None:
            return ""
        block = block_at(document, near.index - near.wanted, self.hunk.old)
        return did_you_mean_lines(document, block, above=top) if block.similarity >= _LEAST_ALIKE else ""

    def _closest(self) -> tuple[int, int]:
        """(line, number of lines) of the longest match of the hunk's first lines, found by bisection."""
        old, seeker, equality = self.hunk.old, self.seeker, self.last_equality
        first = old[: min(len(old) - 1, MOST_LOOKED_FOR)]
        high = next((n for n, line in enumerate(first) if not seeker.may_have(line, equality)), len(old) - 1)
        exact = seeker.first_places(old[:high], "exact", 1) if high else ()
        if exact:
            return exact[0], high
        low, line = 0, 0
        while low < high:
            middle = (low + high + 1) // 2
            at = next(iter(seeker.first_places(old[:middle], equality, 1)), None)
            if at is None:
                high = middle - 1
            else:
                low, line = middle, at
        return line, low

    def _match(self, line: int) -> Match:
        """The span of the hunk's old lines at a 0-based line, as offsets in the file text."""
        start = _n_characters(self.lines[:line])
        n_old = max(sum(text[0] != "+" for text in self.hunk.lines), 1)
        end = start + _n_characters(self.lines[line : line + n_old]) - 1
        return Match(start, max(end, start), "hunk")


def _n_characters(lines: Sequence[str]) -> int:
    return sum(map(len, lines)) + len(lines)


def _numbers(places: Sequence[int]) -> str:
    return ", ".join(str(line + 1) for line in places[:MAX_CANDIDATES])
