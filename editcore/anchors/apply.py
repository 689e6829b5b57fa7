"""`apply_anchored`: the one way from a call in an anchored format to the files that it leaves.

Reader of the format -> calls, one per file -> the rule for each file -> all results, or the first refusal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from editcore.anchors.calls import Call, NoSuchAnchor, named_lines
from editcore.anchors.rules import ANCHOR_RULES, PATH_RECOVERY, Given
from editcore.anchors.rules.rule import changes_in, check_anchors, no_change, refused
from editcore.anchors.views import tags
from editcore.errors import PatchError, UsageError, did_you_mean
from editcore.quoting import normal_path
from editcore.quoting import shown as shown_path
from editcore.stale import DEFAULT as AS_SEEN
from editcore.stale.trail import Trail
from editcore.types import Applied, EditResult, Reason, Rejected

DEFAULT = "recommended"
Shown = Mapping[str, tuple[tuple[int, int], ...]]
"""Path -> first and last lines of the parts that were shown, for files that were not shown whole."""


def apply_anchored(
    files: Mapping[str, str], patch: str, format: str, *, rule: str = DEFAULT, seen: Mapping[str, str] | None = None,
    shown: Shown | None = None, trails: Mapping[str, Trail] | None = None, without: Iterable[str] = (),
    stale: str = AS_SEEN,
) -> EditResult:  # fmt: skip
    """Apply a call in an anchored format to files (path -> text), all of it or nothing. Never raises for the call.

    `format` is a name of `ANCHORED_FORMATS`. `seen` has the texts that were shown to the model, for files that may have
    changed since, `shown` which lines of them, and `trails` the ways from them to the current texts. `without` names
    corrections of the rule to leave out. `stale` is the rule by which `recommended` places an edit of a text that has
    changed, where no trail tells the place. The result has `content` if one file was
    edited in place, else `files`. Raises UsageError for a rule, format or correction that does not exist.
    """
    chosen = ANCHOR_RULES.get(rule)
    if chosen is None:
        tip = f"Choose from: {', '.join(ANCHOR_RULES)}."
        raise UsageError(f"There is no rule {rule!r} for anchored edits", f"{did_you_mean(rule, ANCHOR_RULES)}{tip}")
    for name in without:
        if name not in chosen.corrections:
            tip = f"Choose from: {', '.join(chosen.corrections) or 'none'}."
            raise UsageError(f"The rule {rule} has no correction {name!r}", tip)
    if format not in chosen.readings:
        raise UsageError(f"The rule {rule} takes no {format!a}", f"It takes {', '.join(chosen.readings)}.")
    try:
        calls = chosen.readings[format](patch)
        how = Given(Call(), format, "", stale=stale, without=frozenset(without))
        return _all_or_nothing(_Files(files, seen or {}, shown or {}, trails or {}), calls, rule, how)
    except NoSuchAnchor as error:
        told = chosen.meant(error.hash, next(iter(files.values()))) if chosen.meant and len(files) == 1 else ""
        return replace(refused(error), message=f"{error.message}{told}")
    except PatchError as error:
        return refused(error)


def named_by(call: Call, text: str, format: str) -> list[int] | None:
    """The lines of a text that a call replaces or inserts next to, ascending; None if its anchors do not fit."""
    given = Given(call, format, text)
    try:
        if any(edit.first is not None for edit in call.edits):
            check_anchors(given, text)
        return sorted({*named_lines(changes_in(given, text))})
    except PatchError:
        return None


class _Files:
    """The files that a call may be for."""

    def __init__(
        self, live: Mapping[str, str], seen: Mapping[str, str], shown: Shown, trails: Mapping[str, Trail]
    ) -> None:
        self.live, self.seen, self.shown, self.trails = live, seen, shown, trails

    def path_of(self, call: Call, *, finds: bool = False) -> str:
        """The path of the file that a call is for. Raises PatchError.

        With `finds`, a path that no file has stands for the only file that was shown with its name and its tag.
        """
        if call.path is None:
            if len(self.live) != 1:
                raise PatchError(f"the call names no file, and there are {len(self.live)}.", reason=Reason.NOT_FOUND)
            return next(iter(self.live))
        if not call.path:
            raise PatchError("the call's path is empty: give the path of a file.", reason=Reason.NOT_FOUND)
        for path in (call.path, normal_path(call.path)):
            if path is not None and path in self.live:
                return path
        if call.tag is None and call.edits and _creates(call):
            return call.path
        alike = self._alike(call)
        if finds and alike is not None:
            return alike
        meant = "" if alike is None else f" Did you mean {shown_path(alike)}, which was shown with that name and tag?"
        raise PatchError(f"there is no file {shown_path(call.path)}.{meant}", reason=Reason.NOT_FOUND)

    def _alike(self, call: Call) -> str | None:
        """The path of the only file that was shown with the file name and the tag of a call."""
        if call.path is None or call.tag is None:
            return None
        name = PurePosixPath(call.path).name
        named = (path for path in self.live if PurePosixPath(path).name == name)
        found = [path for path in named if call.tag in tags(self.seen.get(path, self.live[path]))]
        return found[0] if len(found) == 1 else None


def _creates(call: Call) -> bool:
    """True if a call can create its file: it only inserts, and names no line that must be there."""
    # `$` of exhash is line 0 here: a later command may insert below the lines that the call itself has inserted.
    return call.edits[0].first is None and all(
        edit.kind != "replace" and (edit.first is None or not edit.first.line) for edit in call.edits
    )


def _all_or_nothing(files: _Files, calls: list[Call], rule: str, how: Given) -> EditResult:
    """The result for all files. `how` has the settings that are the same for each."""
    after, notes = dict(files.live), list[str]()
    finds = PATH_RECOVERY in ANCHOR_RULES[rule].corrections and PATH_RECOVERY not in how.without
    paths = [files.path_of(call, finds=finds) for call in calls]
    if len({*paths}) != len(paths):
        raise PatchError("two sections are for the same file: put all hunks of a file into one.")
    result: EditResult = no_change()
    for path, call in zip(paths, calls, strict=True):
        live, seen, shown = files.live.get(path, ""), files.seen.get(path), files.shown.get(path)
        given = replace(how, call=call, live=live, seen=seen, shown=shown, trail=files.trails.get(path))
        if call.is_deleted or not call.edits:
            _check_bound(given)
        else:
            result = ANCHOR_RULES[rule].apply(given)
            if isinstance(result, Rejected):
                return result if len(calls) == 1 else replace(result, message=f"{shown_path(path)}: {result.message}")
            if call.forgiven:
                result = replace(result, notes=(*result.notes, f"read leniently: {', '.join(call.forgiven)}"))
            after[path] = result.content or ""
            notes += result.notes
            if call.path not in (None, path, normal_path(path)) and path in files.live:
                notes.append(f"there is no file {shown_path(call.path or '')}; {shown_path(path)} has its name and tag")
        _move(after, path, call)
    in_place = len(calls) == 1 and after.keys() == files.live.keys() and len(after) == 1
    if in_place or (isinstance(result, Rejected) and after == files.live):
        return result
    return Applied(files=after, notes=tuple(dict.fromkeys(notes)))


def _check_bound(given: Given) -> None:
    """Raise PatchError if a call that only deletes or moves a file was written against another text."""
    if given.call.tag not in (None, *tags(given.live)) or given.seen not in (None, given.live):
        raise PatchError("the file was changed since it was read: read it again.", reason=Reason.STALE_READ)


def _move(after: dict[str, str], path: str, call: Call) -> None:
    """Delete the file, or give it its new path. Raises PatchError if a file with that path exists."""
    if call.is_deleted:
        del after[path]
    elif call.moved_to is not None and call.moved_to != path:
        if call.moved_to in after:
            raise PatchError(f"there is a file {shown_path(call.moved_to)} already.", reason=Reason.NOT_ALLOWED)
        after[call.moved_to] = after.pop(path)
