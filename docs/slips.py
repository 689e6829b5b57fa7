"""The same intended changes in eight formats under the same slips: samples by which formats can be compared in pairs.

    change  lines of a file that become others
    slip    what goes wrong with it, on the model's side or in the file: it means the same in every format
    format  how the call is written; a slip that some format cannot have (no line numbers, no text around the arguments)
            has no sample there

The right answer is known from the change and the slip alone. A change has a slip only if all formats that can have it
can write it, so that every row of a table is of the same changes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from types import MappingProxyType
from typing import Any

from corpora.generation.mutate import seeded
from corpora.generation.sources import ambiguity, clean_edit_from_sample
from corpora.mutators.clean_edit import CleanEdit, lines_changed
from corpora.mutators.spans import indentation
from corpora.mutators.words import invented_statement
from corpora.sample import SEEN_SAME, Format, Provenance, Sample, text_hash, validated
from editcore.anchors.calls import Change
from editcore.anchors.views import anchor_of, changes_between, shown_lines, write_call
from editcore.formats import ANCHORED_FORMATS
from editcore.types import Edit, File

_CONTEXT = 3
"""Lines of a patch above and below those that change."""
Lines = tuple[str, ...]


@dataclass(frozen=True)
class Written:
    """A change as it is written."""

    path: str
    lines: Lines
    """Of the file that the model has in mind, which ends in a line feed."""
    first: int
    """1-based."""
    last: int
    new: Lines
    quoted: Callable[[str], str] = str
    """How it writes a line that it quotes."""
    by: int = 0
    """What it miscounts its lines by."""
    n_lost: int = 0
    """Lines at the end of the new ones, with which all that follows is lost."""

    @property
    def said(self) -> Lines:
        """The new lines that are written."""
        return tuple(map(self.quoted, self.new[: len(self.new) - self.n_lost]))

    def around(self) -> tuple[Lines, Lines, Lines]:
        """The lines of a patch: above, old, below, as they are quoted."""
        start, end = self.first - 1, self.last
        parts = self.lines[max(start - _CONTEXT, 0) : start], self.lines[start:end], self.lines[end : end + _CONTEXT]
        above, old, below = (tuple(map(self.quoted, part)) for part in parts)
        return above, old, () if self.n_lost else below


def _pair(one: Written) -> dict[str, Any] | None:
    return {"edits": (Edit("\n".join(one.around()[1]), "\n".join(one.said)),)} if not one.n_lost else None


def _block(one: Written) -> dict[str, Any]:
    rows = [one.path, "<<<<<<< SEARCH", *one.around()[1], "=======", *one.said]
    return {"patch": "\n".join([*rows, *([] if one.n_lost else [">>>>>>> REPLACE"])]) + "\n"}


def _rows(one: Written) -> list[str]:
    above, old, below = one.around()
    marked = ((" ", above), ("-", old), ("+", one.said), (" ", below))
    return [f"{sign}{line}" for sign, lines in marked for line in lines]


def _diff(one: Written) -> dict[str, Any]:
    above, old, below = replace(one, n_lost=0).around()
    start = one.first - len(above) + one.by
    n = len(above) + len(below)
    at = f"@@ -{start},{n + len(old)} +{start},{n + len(one.new)} @@"
    return {"patch": "\n".join([f"--- a/{one.path}", f"+++ b/{one.path}", at, *_rows(one)]) + "\n"}


def _envelope(one: Written) -> dict[str, Any]:
    rows = ["*** Begin Patch", f"*** Update File: {one.path}", "@@", *_rows(one)]
    return {"patch": "\n".join([*rows, *([] if one.n_lost else ["*** End Patch"])]) + "\n"}


def _range(one: Written) -> dict[str, Any] | None:
    text = "".join([f"{line}\n" for line in one.said])
    return {"patch": text, "line": one.first + one.by, "end_line": one.last + one.by} if not one.n_lost else None


def _anchored(format: Format) -> Callable[[Written], dict[str, Any] | None]:
    def write(one: Written) -> dict[str, Any] | None:
        text = "".join([f"{line}\n" for line in one.lines])
        shift = one.by if format == "hashline_h4" else 0
        change = Change("replace", one.first + shift, one.last + shift, one.said)
        call = write_call(format, text, [change], path=one.path)
        if shift == one.by == 0:
            return {"patch": call[:-4] if one.n_lost and format != "hashline_h4" else call}
        lines = shown_lines(text, format)
        for n in {one.first, one.last} if not shift else ():
            anchor = anchor_of(format, lines, n)
            slipped = f"{n + one.by}{anchor.removeprefix(str(n))}"
            if slipped == anchor_of(format, lines, n + one.by):
                return None  # Another line has this hash, and the call is of that.
            call = re.sub(rf'(?<=[",]){re.escape(anchor)}(?=[",])', f"\0{slipped}", call, count=1)
        return {"patch": call.replace("\0", "")}

    return write


_WRITERS: Mapping[Format, Callable[[Written], dict[str, Any] | None]] = MappingProxyType(
    {
        "str_replace": _pair,
        "search_replace": _block,
        "unified_diff": _diff,
        "begin_patch": _envelope,
        **{format: _anchored(format) for format in ANCHORED_FORMATS},
        "line_range": _range,
    }
)
FORMATS = tuple(_WRITERS)
"""In the order of the tables."""
_WITH_NUMBERS = ("unified_diff", *ANCHORED_FORMATS, "line_range")
_WITH_AN_END = ("search_replace", "unified_diff", "begin_patch", *ANCHORED_FORMATS)


@dataclass(frozen=True)
class Slip:
    """What goes wrong with a change."""

    written: Written
    now: Lines | None = None
    """The file, where it is another than the model has in mind."""
    target: Lines | None = None
    """The right result; None: nothing may be written."""


def _after(one: Written, lines: Lines, *, by: int = 0) -> Lines:
    return (*lines[: one.first - 1 + by], *one.new, *lines[one.last + by :])


def as_meant(one: Written, _: Random) -> Slip:
    """Nothing goes wrong."""
    return Slip(one, target=_after(one, one.lines))


def added_above(one: Written, random: Random) -> Slip:
    """Since the file was read, three lines were added at its top."""
    now = (*(invented_statement(one.path, random) for _ in range(3)), *one.lines)
    return Slip(one, now, _after(one, now, by=3))


def copied_above(one: Written, random: Random) -> Slip:
    """Since the file was read, a copy of the lines was added at its top."""
    copy = (*one.lines[one.first - 1 : one.last], invented_statement(one.path, random))
    now = (*copy, *one.lines)
    return Slip(one, now, _after(one, now, by=len(copy)))


def changed_within(one: Written, random: Random) -> Slip | None:
    """Since the file was read, one of the lines that are to become others was changed."""
    texts = ("\n".join(lines) + "\n" for lines in (one.lines[one.first - 1 : one.last], one.new))
    replaced = [n for change in changes_between(*texts) if change.kind == "replace" for n in _numbers(change)]
    mine = [n for n in replaced if one.lines[one.first + n - 2].strip()]
    if not mine:
        return None
    at = one.first + random.choice(mine) - 2
    return Slip(one, (*one.lines[:at], invented_statement(one.path, random), *one.lines[at + 1 :]))


def _numbers(change: Change) -> range:
    return range(change.first, change.last + 1)


def made_since(one: Written, _: Random) -> Slip | None:
    """Since the file was read, the same change was made."""
    return Slip(one, _after(one, one.lines))


def stands_twice(one: Written, random: Random) -> Slip:
    """The file has a copy of the lines at its end, which the model does not mean."""
    copy = (invented_statement(one.path, random), *one.lines[one.first - 1 : one.last])
    both = replace(one, lines=(*one.lines, *copy))
    return Slip(both, target=_after(both, both.lines))


def miscounted(one: Written, random: Random) -> Slip | None:
    """The numbers are one too low or too high, and all else is right."""
    by = random.choice((-1, 1))
    if one.first + by < 1 or one.last + by > len(one.lines):
        return None
    return Slip(replace(one, by=by), target=_after(one, one.lines))


def echoed(one: Written, _: Random) -> Slip | None:
    """The new lines begin with the line above their place, once more."""
    above = one.lines[one.first - 2]
    if not above.strip() or one.new[0] == above:
        return None
    return Slip(replace(one, new=(above, *one.new)), target=_after(one, one.lines))


def flush_left(one: Written, _: Random) -> Slip | None:
    """All lines are written without the indentation that they have in common."""
    lines = [line for line in (*one.lines[one.first - 1 : one.last], *one.new) if line.strip()]
    common = min(map(indentation, lines), key=len)
    if not common or not all(line.startswith(common) for line in lines):
        return None

    def quoted(line: str) -> str:
        return line.removeprefix(common) if line.startswith(common) else line.lstrip()

    return Slip(replace(one, quoted=quoted), target=_after(one, one.lines))


def tabs_for_spaces(one: Written, _: Random) -> Slip | None:
    """Each four spaces of indentation are written as a tab; where the file has tabs, the other way round."""

    def quoted(line: str) -> str:
        white = indentation(line)
        other = white.replace("\t", "    ") if "\t" in white else white.replace("    ", "\t")
        return other + line[len(white) :]

    lines = one.lines[one.first - 1 : one.last]
    if all(quoted(line) == line for line in lines) or all(quoted(line) == line for line in one.new):
        return None
    return Slip(replace(one, quoted=quoted), target=_after(one, one.lines))


def cut_off(one: Written, _: Random) -> Slip | None:
    """The call ends in the midst of the new lines, as at a limit of tokens."""
    n_lost = len(one.new) // 2
    return Slip(replace(one, n_lost=n_lost)) if n_lost else None


_Make = Callable[[Written, Random], Slip | None]
SLIPS: Mapping[_Make, Sequence[Format]] = MappingProxyType(
    {
        as_meant: FORMATS,
        added_above: FORMATS,
        copied_above: FORMATS,
        changed_within: FORMATS,
        made_since: FORMATS,
        stands_twice: FORMATS,
        miscounted: _WITH_NUMBERS,
        echoed: FORMATS,
        flush_left: FORMATS,
        tabs_for_spaces: FORMATS,
        cut_off: _WITH_AN_END,
    }
)
"""Slip -> the formats that can have it."""


def slipped(samples: Iterable[Sample], *, n: int) -> Iterator[Sample]:
    """At most n changes of some correct samples, each under every slip in all formats that can have it."""
    found: dict[str, Written] = {}
    for sample in samples:
        clean = clean_edit_from_sample(sample) if sample.label == "apply" else None
        one = None if clean is None or ambiguity(clean) else _written(clean)
        if one is not None:
            found.setdefault(f"{text_hash(repr((one.path, one.lines, one.first, one.new))):016x}", one)
    for key in sorted(found)[:n]:
        for make, formats in SLIPS.items():
            slip = make(found[key], seeded(f"{key}/{make.__name__}"))
            fields = [] if slip is None else [_WRITERS[format](slip.written) for format in formats]
            for format, written in zip(formats, fields, strict=False):
                if slip is not None and written is not None and None not in fields:
                    yield _sample(key, make.__name__, format, slip, written)


def _written(clean: CleanEdit) -> Written | None:
    """The change of an edit of whole lines that has lines above and below it; None for any other."""
    changed = lines_changed(clean)
    return None if changed is None else Written(clean.path, *changed)


def _sample(key: str, name: str, format: Format, slip: Slip, written: dict[str, Any]) -> Sample:
    path = slip.written.path
    seen, now, target = (
        None if lines is None else (File(path, "".join([f"{line}\n" for line in lines])),)
        for lines in (slip.written.lines, slip.now, slip.target)
    )
    return validated(
        Sample(
            f"{name}:{key}:{format}", format, now or seen or (), "refuse" if target is None else "apply",
            target=target, label_source="constructed", seen=None if now is None else seen,
            tags=(SEEN_SAME,) if now is None else (), provenance=Provenance(parent_id=key, mutator=name), **written,
        )
    )  # fmt: skip


def call_text(sample: Sample) -> str:
    """What a model writes for the sample's edit: the arguments of a tool as JSON, or the text of a patch."""
    path = sample.before[0].path
    if sample.edits and sample.patch is None:
        edit = sample.edits[0]
        return json.dumps(
            {"path": path, "old_string": edit.old_string, "new_string": edit.new_string}, ensure_ascii=False
        )
    if sample.format == "line_range":
        lines = {"path": path, "line": sample.line, "end_line": sample.end_line, "text": sample.patch}
        return json.dumps(lines, ensure_ascii=False)
    return sample.patch or ""
