"""What the rules for stale edits share: their type, the merge of parts into the current text, and their refusals."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, takewhile

from editcore.quoting import shown
from editcore.stale.alignment import Alignment, Change, is_ended
from editcore.stale.edited import Part
from editcore.text.endings import LineFeedView, first_is_crlf, with_crlf
from editcore.text.lines import BOM
from editcore.types import Applied, EditResult, Landing, Match, Reason, Rejected

Decide = Callable[[str], EditResult]
"""A text -> the result of the edit on it; match offsets are in that text."""
StaleRule = Callable[[str, str, Decide], EditResult]
"""(text as the model saw it, current text, the edit) -> the result for the current text."""

_MOST_SHOWN = 40
"""Lines of both versions that a refusal shows."""
NOTE = "the file was changed since it was read; the edit is merged with these changes"


def merged(live: str, alignment: Alignment, changes: Sequence[Change], mine: Applied) -> Applied:
    """The current text after changes of its lines, in order.

    The last line has a line feed as the edit has it, if the edit changes that; else as the current text has it.
    """
    (was, now), wanted = alignment.ends, is_ended(mine.content or "")
    mark, text = BOM if live.startswith(BOM) else "", live.removeprefix(BOM)
    view = LineFeedView(text if now else text + with_crlf("\n", first_is_crlf(text)))
    starts = list(accumulate(map(len, alignment.new), initial=0))
    spans = [Match(starts[first], starts[last], mine.replacer or "stale") for first, last, _ in changes]
    written = view.replaced_each(zip(spans, ("".join(lines) for _, _, lines in changes), strict=True))
    if not (now if wanted == was else wanted):
        written = written.removesuffix("\n").removesuffix("\r")
    end = len(live)
    found = [
        replace(one, start=one.start + len(mark), end=min(one.end + len(mark), end)) for one in view.matches(spans)
    ]
    return of_now(mine, mark + written, tuple(found))


def put_at(part: Part, first: int) -> Change:
    """The part as a change of the current lines, from line `first` on."""
    return first, first + part.last - part.first, [*part.new]


def of_now(mine: Applied, content: str, matches: tuple[Match, ...] = ()) -> Applied:
    """The result for the seen text, as a result for the current text, with a note that the edit was merged."""
    return replace(mine, content=content, matches=matches, notes=(*mine.notes, NOTE))


def has_changed() -> Rejected:
    """The refusal of an edit whose file was changed since it was read."""
    return Rejected(
        Reason.STALE_READ, "the file was changed since it was read: read it again, then send the edit again."
    )


def refused(alignment: Alignment, parts: Sequence[Part]) -> Rejected:
    """The refusal of an edit: its first lines that were changed, as they are now and as the edit would have them.

    If none of its lines was changed, their place is not certain.
    """
    for part in parts:
        first, last = alignment.between(part.first, part.last)
        read, now, mine = alignment.old[part.first : part.last], alignment.new[first:last], [*part.new]
        if now in (read, mine):
            continue
        above = _n_alike(read, now, mine)
        read, now, mine = (lines[above:] for lines in (read, now, mine))
        below = _n_alike(read[::-1], now[::-1], mine[::-1])
        read, now, mine = (lines[: len(lines) - below] for lines in (read, now, mine))
        where = _where(part.first + above, len(read), "as you read it")
        return Rejected(
            Reason.STALE_READ,
            f"the file was changed since you read it: {where} {'is' if len(read) == 1 else 'are'} "
            f"{_where(first + above, len(now), 'now')}. Write the edit for the file as it is now:\n"
            f"{both_versions(now, mine)}",
        )
    return not_told_apart(alignment, parts)


def not_told_apart(alignment: Alignment, parts: Sequence[Part]) -> Rejected:
    """The refusal of an edit whose lines may be in several places, or may not be those that were seen."""
    part = next((one for one in parts if alignment.place_of(one.first, one.last).at is None), parts[0])
    n_places = alignment.place_of(part.first, part.last).n_places
    where = _where(part.first, part.last - part.first, "as you read it")
    found = f"may be in any of {n_places} places now" if n_places > 1 else "may have been moved, or removed and copied"
    return Rejected(
        Reason.AMBIGUOUS,
        f"the file was changed since you read it, and {where} {found}: read it again, and send the edit for what it "
        "shows then.",
    )


def _n_alike(*texts: Sequence[str]) -> int:
    """The number of first lines that all texts have."""
    return sum(1 for _ in takewhile(lambda lines: len({*lines}) == 1, zip(*texts, strict=False)))


def both_versions(now: Sequence[str], mine: Sequence[str]) -> str:
    """The lines that the file has now and the lines that the edit would write there, each below its name.

    First and last lines that both have are left out.
    """
    above = _n_alike(now, mine)
    below = _n_alike(now[above:][::-1], mine[above:][::-1])
    now, mine = (lines[above : len(lines) - below] for lines in (now, mine))
    return "\n".join([*_shown("now in the file", now), *_shown("your edit", mine)])


def _where(first: int, n_lines: int, when: str) -> str:
    if n_lines == 0:
        return f"the place above line {first + 1} {when}"
    return f"line {first + 1} {when}" if n_lines == 1 else f"lines {first + 1} to {first + n_lines} {when}"


def _shown(name: str, lines: Sequence[str]) -> list[str]:
    """Lines of a version below its name, each with a sign in front."""
    most = _MOST_SHOWN // 2
    shown = [f"|{line.removesuffix(chr(10))}" for line in lines[: most if len(lines) <= most else most - 1]]
    more = [f"... and {len(lines) - len(shown)} more lines"] if len(lines) > len(shown) else []
    return [f"{name}:", *shown, *more] if lines else [f"{name}: no lines"]


def of_another_text(mine: Rejected, now: EditResult) -> EditResult:
    """The result for an edit that does not fit the text that was seen: the current text's result, if that is meant.

    A refusal of the seen text as ambiguous or without effect says nothing about the current text.
    """
    if isinstance(now, Rejected) or mine.reason is Reason.NO_MATCH:
        return now
    return replace(mine, candidates=())


DecideFiles = Callable[[Mapping[str, str]], EditResult]
"""Path -> text of all files -> the result of the edit on them, in `Applied.files`."""


def placed_in_files(
    seen: Mapping[str, str],
    live: Mapping[str, str],
    decide: DecideFiles,
    rule: StaleRule,
    *,
    has_numbers: bool = False,
) -> EditResult:
    """The result of an edit of several files; each file is placed by `rule`, and all of them are written or none.

    `live` maps each path to the current text, `seen` to the text that was seen, for files where it differs. A file
    that was changed since is neither deleted nor moved. A file that was added since is not overwritten. With
    `has_numbers`, an edit that fits several places of the seen text says more than its lines: the current text decides.
    """
    known = {**live, **seen}
    mine = decide(known)
    if isinstance(mine, Rejected):
        on_live = decide(live)
        return on_live if has_numbers and mine.reason is Reason.AMBIGUOUS else of_another_text(mine, on_live)
    if mine.files is None:
        return decide(live)
    after = dict(live)
    notes = list(mine.notes)
    for path in sorted({*known, *mine.files}):
        was, now, wanted = known.get(path), live.get(path), mine.files.get(path)
        if wanted == was:
            continue
        if was == now:
            _put(after, path, wanted)
        elif was is None or now is None or wanted is None:
            return Rejected(Reason.STALE_READ, f"{shown(path)}: {has_changed().message}")
        else:
            result = rule(was, now, _of_one(path, known, decide))
            if isinstance(result, Rejected):
                return replace(result, message=f"{shown(path)}: {result.message}", candidates=())
            _put(after, path, result.content)
            notes += [note for note in result.notes if note not in notes]
    return replace(mine, files=after, notes=tuple(notes), landings=())


def _of_one(path: str, known: Mapping[str, str], decide: DecideFiles) -> Callable[[str], EditResult]:
    """The edit's result as a function of the text of one file, `path`; all other files are as they were seen."""

    def decide_one(text: str) -> EditResult:
        result = decide({**known, path: text})
        if isinstance(result, Rejected):
            return result
        quoted = [one for one in result.landings if one.path == path and one.n_lines]
        return Applied((result.files or {}).get(path), _spans(text, quoted), notes=result.notes)

    return decide_one


def _spans(text: str, landings: Sequence[Landing]) -> tuple[Match, ...]:
    """The spans of a text that hunks or blocks quote."""
    starts = [0, *(one.end() for one in re.finditer("\n", text)), len(text)]
    lines = [(one.line - 1, one.line - 1 + one.n_lines) for one in landings]
    return tuple([Match(starts[a], starts[min(b, len(starts) - 1)], "patch") for a, b in lines if a < len(starts)])


def _put(files: dict[str, str], path: str, text: str | None) -> None:
    if text is None:
        files.pop(path, None)
    else:
        files[path] = text
