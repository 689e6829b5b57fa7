"""An edit of several files, each placed by a rule between what was seen of it and what it is now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from editcore.quoting import shown
from editcore.stale.rule import StaleRule
from editcore.stale.rules import has_changed
from editcore.types import Applied, EditResult, Reason, Rejected

DecideFiles = Callable[[Mapping[str, str]], EditResult]
"""Path -> text of all files -> the result of the edit on them, in `Applied.files`."""


def placed_in_files(
    seen: Mapping[str, str], live: Mapping[str, str], decide: DecideFiles, rule: StaleRule
) -> EditResult:
    """The result for the files of now (path -> text), all of it or nothing; `seen` has those that were seen otherwise.

    A file that was changed since is neither deleted nor moved, and one that was added since is not written over.
    """
    known = {**live, **seen}
    mine = decide(known)
    if isinstance(mine, Rejected) or mine.files is None:
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
    """What the edit makes of one text of a file, the others being as they were seen."""

    def decide_one(text: str) -> EditResult:
        result = decide({**known, path: text})
        if isinstance(result, Rejected):
            return result
        return Applied((result.files or {}).get(path), notes=result.notes)

    return decide_one


def _put(files: dict[str, str], path: str, text: str | None) -> None:
    if text is None:
        files.pop(path, None)
    else:
        files[path] = text
