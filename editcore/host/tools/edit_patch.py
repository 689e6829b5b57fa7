"""`edit_patch`: applies a Begin/End Patch envelope to the files of a workspace."""

from __future__ import annotations

import json
import os
import posixpath
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Annotated

from msgspec import Meta

from editcore.errors import PatchError, ToolError, WorkspaceError
from editcore.host.as_seen import MERGED, Numbers, decided_in_files, shows_both
from editcore.host.changed_file import already_done, changed_metadata, is_made, note_shown, overlaps_of, seen_by
from editcore.host.host import Host, ResolvedPath
from editcore.host.news import news
from editcore.host.registry import BuiltIn
from editcore.host.tool import Context, Result
from editcore.host.where_applied import where_applied
from editcore.host.workspace import ChangeResult, Workspace
from editcore.host.workspace.boundary import clean_path
from editcore.patches.begin_patch import apply_begin_patch, bare_path
from editcore.patches.hunk_numbers import Numbered, with_context
from editcore.patches.reading.lenient import parse_lenient
from editcore.quoting import for_json, normal_path, shown
from editcore.types import Applied, EditResult, FilePatch, Reason, Rejected

_TOOL = "edit.patch"
_MOST_NAMED = 5
"""Paths that a refusal names."""
_Positive = Annotated[int, Meta(ge=1)]


Patched = Callable[[Mapping[str, str], str], EditResult]
"""Applies a patch to any texts."""
Place = Callable[[Mapping[str, str], Mapping[str, str], Patched], EditResult]
"""(path -> current text, path in the patch -> path, function that applies a patch) -> the result for the files."""


@dataclass(frozen=True, slots=True)
class Parameters:
    patch: Annotated[str, Meta(description="The patch, from *** Begin Patch to *** End Patch.", min_length=1)]
    workspace_root: Annotated[
        str | None,
        Meta(description="The directory that the patch's paths are relative to; by default the project's root."),
    ] = None
    dry_run: Annotated[bool, Meta(description="Only report what the patch would do.")] = False
    allow_delete: Annotated[bool, Meta(description="Whether the patch may delete files.")] = False
    allow_move: Annotated[bool, Meta(description="Whether the patch may move files.")] = True
    max_files: Annotated[
        _Positive | None, Meta(description="The most files that the patch may name; by default the project's limit.")
    ] = None
    max_bytes: Annotated[
        _Positive | None,
        Meta(description="The most bytes of all changed files together; by default the project's limit."),
    ] = None


def edit_patch(
    patch: str,
    *,
    workspace: Workspace | None = None,
    workspace_root: str | os.PathLike[str] | None = None,
    dry_run: bool = False,
    allow_delete: bool = False,
    allow_move: bool = True,
    max_files: int | None = None,
    max_bytes: int | None = None,
) -> dict[str, object]:
    """Apply a patch. Returns `{"ok": True, "summary": "A x, M y, D z, R w"}` or `{"ok": False, "error": "one line"}`.

    Where changed files are not UTF-8, another key, `encodings`, has what they are in by path.

    The summary counts the files added, modified, deleted and renamed; a file that was renamed and modified counts as
    both. `error` is one line; where it is about texts, these are a third key, `detail`. All sections are decided before
    any file is written; if one is refused, or the disk fails, nothing is written. A dry run decides exactly as a real
    run does. Never raises.

    The envelope is read in the mode `lenient`: an `@@` line is a hint, needed only where the lines of a hunk occur in
    several places; a Move without hunks is a rename; an Add of an existing file is refused; a second section of a file
    applies to the result of the first; a Move of a file onto itself is an update. An added file ends with a line feed;
    an updated one ends as before.

    Paths are relative to `workspace_root`: the workspace's root, which is the default, or a directory in it. Without a
    workspace it is a workspace of its own, by default the current directory. `max_files` and `max_bytes` lower the
    limits of the workspace. In a mode that writes nothing the answer is a refusal with a third key, `findings`: the
    summary, the paths and a diff of what would have been done.
    """
    try:
        here = workspace or Workspace(workspace_root or os.getcwd())
        below = None if workspace_root is None else str(workspace_root) if workspace else here.root
        sent = Parameters(patch, below, dry_run, allow_delete, allow_move, max_files, max_bytes)
        return _answer(_apply(here, sent, lambda files, _, patched: patched(files, patch)))
    except (WorkspaceError, OSError, TypeError, ValueError) as error:
        return _failed(error)


def _apply(workspace: Workspace, params: Parameters, place: Place) -> ChangeResult:
    """Apply a patch. `place` chooses the texts that it is applied to. Raises WorkspaceError if the disk fails."""
    patch = params.patch
    top = _top(workspace, params.workspace_root)
    sections = () if isinstance(top, Rejected) else _on_disk(workspace, top, _sections(patch))
    names = {} if isinstance(top, Rejected) else _names(workspace, top, sections)

    def decide(files: Mapping[str, str]) -> EditResult:
        if not isinstance(patch, str):
            return Rejected(Reason.MALFORMED, "patch must be a string: a Begin/End Patch envelope.")
        if isinstance(top, Rejected):
            return top
        refused = _not_allowed(sections, params, len(names)) or _twice(names)
        return refused or place(files, names, lambda known, patch: _applied(known, names, patch, params))

    moved = {names[new]: names[old] for new, old in _moved(sections).items()}
    paths = set(names.values())
    return workspace.change(_TOOL, asdict(params), paths, decide, moved=moved, dry_run=params.dry_run)


def _names(workspace: Workspace, top: str, sections: Sequence[FilePatch]) -> dict[str, str]:
    """Path in the patch, normalised -> path from the workspace's root. A path that leads out stays as it is.

    Links are followed for files whose text changes. A file that is moved or deleted is the link itself, never its
    target.
    """
    found: dict[str, str] = {}
    for section in sections:
        for path in filter(None, (section.path, section.move_to)):
            clean = normal_path(path)
            if clean is None:
                found[path] = path
                continue
            whole = posixpath.join(top, clean)
            above, name = posixpath.split(whole)
            itself = posixpath.join(workspace.followed(above) if above else "", name)
            updates = section.action != "delete" and section.move_to is None
            found[clean] = workspace.followed(whole) if updates and found.get(clean) != itself else itself
    return found


def _twice(names: Mapping[str, str]) -> Rejected | None:
    """The refusal of a patch in which two paths are one file."""
    first: dict[str, str] = {}
    for name, path in names.items():
        if first.setdefault(path, name) != name:
            return Rejected(
                Reason.NOT_ALLOWED,
                f"{shown(first[path])} and {shown(name)} are the same file, by a link: use {shown(path)} for both.",
            )
    return None


def _applied(files: Mapping[str, str], names: Mapping[str, str], patch: str, params: Parameters) -> EditResult:
    """The result of the patch. Keys of `files` are paths from the workspace's root."""
    named = {name: files[path] for name, path in names.items() if path in files}
    result = apply_begin_patch(named, patch, allow_delete=params.allow_delete, allow_move=params.allow_move)
    if isinstance(result, Rejected):
        return result
    after = {names[name]: text for name, text in (result.files or {}).items()}
    n_bytes = sum(len(text.encode("utf-8", "surrogatepass")) for path, text in after.items() if files.get(path) != text)
    if params.max_bytes is not None and n_bytes > params.max_bytes:
        return Rejected(
            Reason.TOO_LARGE,
            f"The changed files would have {n_bytes:,} bytes; max_bytes is {params.max_bytes:,}: raise it.",
        )
    landings = tuple(replace(one, path=names.get(normal_path(one.path) or "", one.path)) for one in result.landings)
    return replace(result, files=after, landings=landings)


def _not_allowed(sections: Sequence[FilePatch], params: Parameters, n_files: int) -> Rejected | None:
    """The refusal of deletions, moves and too many files that the parameters do not allow."""
    deleted = [one.path for one in sections if one.action == "delete"]
    moved = [one.path for one in sections if one.move_to and normal_path(one.move_to) != normal_path(one.path)]
    for paths, allowed, name, done in (
        (deleted, params.allow_delete, "allow_delete", "deletes"),
        (moved, params.allow_move, "allow_move", "moves"),
    ):
        if paths and not allowed:
            named = ", ".join(map(shown, paths[:_MOST_NAMED])) + (", ..." if len(paths) > _MOST_NAMED else "")
            return Rejected(
                Reason.NOT_ALLOWED,
                f"The patch {done} {named}, which is not allowed: nothing was written. Where that is meant, send it "
                f"with {name} true; else leave these sections out.",
            )
    if params.max_files is not None and n_files > params.max_files:
        return Rejected(
            Reason.TOO_LARGE,
            f"The patch names {n_files} files; max_files is {params.max_files}: raise it, or send the patch in parts.",
        )
    return None


def _top(workspace: Workspace, given: str | None) -> str | Rejected:
    """The path from the workspace's root to `given`, the directory of the patch's paths; empty for the root.

    A refusal if `given` is no directory of the workspace. If it is replaced by a link afterwards, the boundary of the
    workspace refuses the files in it.
    """
    if given is None:
        return ""
    try:
        there = os.path.realpath(os.path.join(workspace.root, given))
        is_inside = os.path.isdir(there) and os.path.commonpath([there, workspace.root]) == workspace.root
    except (OSError, ValueError):
        is_inside = False
    if not is_inside:
        return Rejected(
            Reason.OUTSIDE_WORKSPACE,
            f"workspace_root {shown(given)} is neither the root of this workspace nor a directory in it: leave it out, "
            "and give paths relative to the root.",
        )
    return "" if there == workspace.root else posixpath.relpath(there, workspace.root)


def _answer(change: ChangeResult) -> dict[str, object]:
    result, summary = change.result, _summary(change)
    if not isinstance(result, Rejected):
        encodings = {one.path: one.encoding for one in change.changes if one.encoding is not None}
        return {"ok": True, "summary": summary, **({"encodings": encodings} if encodings else {})}
    answer = _failed(result.message)
    if result.proposed is not None:
        paths = [one.path for one in change.changes]
        answer["findings"] = {"summary": summary, "changed_paths": paths, "diff": change.proposal.diff}
    return answer


def _failed(error: object) -> dict[str, object]:
    """The answer for an error: the first line of its message, and the other lines as `detail`."""
    first, _, more = str(error).partition("\n")
    return {"ok": False, "error": for_json(first)} | ({"detail": more} if more else {})


def _sections(patch: str) -> Sequence[FilePatch]:
    """The sections of the patch; none if it can't be read. Applying it then reports the error."""
    try:
        return parse_lenient(patch)[0] if isinstance(patch, str) else ()
    except PatchError:
        return ()


def _on_disk(workspace: Workspace, top: str, sections: Sequence[FilePatch]) -> Sequence[FilePatch]:
    """The sections with the paths of files as they are on the disk: `apply_begin_patch` reads the same ones."""

    def is_there(path: str) -> bool:
        return os.path.lexists(os.path.join(workspace.root, top, path))

    return [
        replace(one, path=bare)
        if one.action != "add"
        and (bare := bare_path(one.path)) != one.path
        and is_there(bare)
        and not is_there(one.path)
        else one
        for one in sections
    ]


def _moved(sections: Sequence[FilePatch]) -> dict[str, str]:
    """New path -> old path of each file that the patch moves."""
    origins: dict[str, str | None] = {}
    for section in sections:
        try:
            path = clean_path(section.path)
            target = path if section.move_to is None else clean_path(section.move_to)
        except WorkspaceError:
            return {}  # The change will be refused.
        origin = origins.pop(path, path)
        if section.action == "add":
            origins[path] = None
        elif section.action == "update":
            origins[target] = origin
    return {path: origin for path, origin in origins.items() if origin is not None and origin != path}


def _summary(change: ChangeResult) -> str:
    kinds: Counter[str] = Counter(one.kind for one in change.changes)
    before, after = change.proposal.before, change.proposal.after
    moved = [one for one in change.changes if one.kind == "R"]
    kinds["M"] += sum(before.get(one.moved_from or "") != after.get(one.path) for one in moved)
    return ", ".join(f"{kind} {kinds[kind]}" for kind in "AMDR")


def _run(host: Host, context: Context, params: Parameters) -> Result:
    root = host.directory(context, "")
    place = partial(_placed, host, context, root, params.patch)
    return _result(host, context, root, _apply(root.workspace, params, place))


def _placed(
    host: Host, context: Context, root: ResolvedPath, patch: str,
    files: Mapping[str, str], names: Mapping[str, str], patched: Patched,
) -> EditResult:  # fmt: skip
    """The patch, placed between the texts that the session knows and the current ones."""

    asked = list[Numbers]()

    def numbers(path: str | None) -> Numbers | None:
        name = names.get(normal_path(path or "") or "", "")
        if name not in files:
            return None
        absolute = f"{root.workspace.root}/{name}"
        file = replace(root, path=name, absolute=absolute, name=host.name_of(absolute))
        asked.append(Numbers(host, context, file, files[name]))
        return asked[-1]

    one = with_context(patch, numbers)
    if isinstance(one, Numbered) and one.is_placed:
        return patched(files, one.patch)
    text = one.patch if isinstance(one, Numbered) else patch
    result = decided_in_files(host, context, root, files, lambda known: patched(known, text))
    if isinstance(one, Numbered) or shows_both(result):
        return result
    last = asked[-1]
    if len(files) == 1:
        result = last.or_as_shown(one, patch, partial(_in_one, patched, last.file.path))
        if isinstance(result, Applied):
            return replace(result, files={last.file.path: result.content or ""})
        one = result
    note_shown(host, context, last.file, last.text, one)
    return one


def _in_one(patched: Patched, path: str, text: str, patch: str) -> EditResult:
    """The result of a patch that does no more than change one file."""
    result = patched({path: text}, patch)
    if isinstance(result, Rejected):
        return result
    after = result.files or {}
    if set(after) != {path}:
        return Rejected(Reason.NOT_ALLOWED, "The patch moves the file.")
    return replace(result, content=after[path])


def _result(host: Host, context: Context, root: ResolvedPath, change: ChangeResult) -> Result:
    """The answer to the model as JSON, with the errors that the changed files have now, if any."""
    answer, result = _answer(change), change.result
    if isinstance(result, Rejected) and is_made(result):
        answer = {"ok": True, "summary": _summary(change), "detail": for_json(already_done(result))}
        metadata = {**answer, "reason": str(result.reason), "changed_paths": []}
        return Result(EDIT_PATCH.id, json.dumps(answer, ensure_ascii=False), metadata)
    if isinstance(result, Rejected):
        answer |= overlaps_of(root)
        metadata = {**answer, "reason": str(result.reason), "changed_paths": [], **seen_by(root)}
        return Result(EDIT_PATCH.id, json.dumps(answer, ensure_ascii=False), metadata, is_error=True)
    if where := list(_where(host, context, root, change, result)):
        answer["detail"] = "\n".join(where)
    changed = [path for one in change.changes for path in (one.moved_from, one.path) if path]
    metadata = changed_metadata(host, change.proposal, result)
    metadata |= {**answer, "changed_paths": list(dict.fromkeys(changed)), "dry_run": not change.is_written}
    metadata |= seen_by(root)
    if metadata["diagnostics"]:
        answer["diagnostics"] = metadata["diagnostics"]
    return Result(_summary(change), json.dumps(answer, ensure_ascii=False), metadata)


def _where(
    host: Host, context: Context, root: ResolvedPath, change: ChangeResult, result: Applied
) -> Iterator[str]:  # fmt: skip
    """The changed lines of each file, shown in full if a hunk was not found exactly, and what others changed in it."""
    session = context.session_id
    for one in change.changes:
        old = change.proposal.before.get(one.moved_from or one.path)
        new = change.proposal.after.get(one.path)
        if old is None or new is None or old == new:
            continue
        mine = tuple(landing for landing in result.landings if landing.path in (one.path, one.moved_from))
        where, told = where_applied(old, new, replace(result, landings=mine), what=shown(one.path))
        yield from where
        if change.is_written:
            absolute = os.path.join(root.workspace.root, one.path)
            host.ledger.record_shown(session, absolute, new, told)
            file = replace(root, path=one.path, absolute=absolute, name=host.name_of(absolute))
            yield from news(host, session, file, new)


def _refused(tool: str, error: ToolError | WorkspaceError) -> Result:
    answer = _failed(error.message)
    reason = {} if error.reason is None else {"reason": str(error.reason)}
    metadata = {**answer, **reason, **getattr(error, "metadata", {}), "changed_paths": []}
    return Result(tool, json.dumps(answer, ensure_ascii=False), metadata, is_error=True)


def _files(params: Parameters) -> list[str]:
    named = [path for one in _sections(params.patch) for path in (one.path, one.move_to) if path]
    return [posixpath.join(params.workspace_root or "", path) for path in named]


EDIT_PATCH = BuiltIn(
    "edit_patch",
    "Applies a patch in the Begin/End Patch format to the files of the project: all of it or nothing. Its sections "
    "begin with *** Add File: PATH, *** Update File: PATH or *** Delete File: PATH; *** Move to: PATH below an update "
    "moves its file. Files are deleted only with allow_delete. Returns "
    '{"ok": true, "summary": "A x, M y, D z, R w"}, the numbers of files added, modified, deleted and renamed, and as '
    'detail which lines of them are others now, or {"ok": false, "error": "..."}. '
    f"{MERGED}",
    Parameters,
    _run,
    refused=_refused,
    files=_files,
    entry=("summary", "error", "changed_paths", "dry_run"),
)
