"""Edits that a session made by shell commands, as samples of the format `shell`.

    sed -i 's/total = 1/total = 2/' a.py     a.py is known, and the command's text says what it does to it

The command is worked out from its text, as `editcore.shell.simulation` does, on the texts that the session knows.
Nothing is run. A command that edits nothing, or a file without a known text, is no sample. Labels (`label_source`):

- `rerun`, to apply: each part of the command changes one place, or says itself that several are meant; it ended with
  exit code 0; GNU sed and BSD sed do the same.
- `rerun`, to refuse: all its parts match nothing, it ended with exit code 0, and nothing else can have changed the
  files since they were seen.
- `tool_result`: the log has the diff of all files that the command changed, and the texts agree with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from posixpath import join, relpath

from corpora.importers.rebuilding import paths, recorded_diff
from corpora.importers.rebuilding.results import Source, Texts
from corpora.importers.rebuilding.session_state import SessionState
from corpora.importers.session import Attempt, Ran
from corpora.sample import Label
from editcore.errors import Unmeasured, UsageError
from editcore.shell.careful import dialects_differ
from editcore.shell.programs import Load, Place, Simulation
from editcore.shell.simulation import simulate

_MAY_EDIT = re.compile(r"\b(?:sed|perl|python[0-9.]*|node|ruby|tee|mv|cp|ed|awk)\b|>")
_LONGEST = 20_000
_LONGEST_TAG = 180


@dataclass(frozen=True, slots=True)
class ShellEdit:
    """The edit of a command."""

    attempt: Attempt
    before: Texts
    source: Source
    after: Texts | None = None
    """None if it is not known."""
    label: Label = "unlabelled"
    label_source: str | None = None
    tags: tuple[str, ...] = ()


def shell_edit(ran: Ran, session: SessionState) -> ShellEdit | None:
    """The edit of a command that ran; None for a command that edits no file with a known text."""
    # In a session without a folder, only paths from the root of the disk are known.
    root = (session.opened.cwd or "").rstrip("/") or "/"
    if not root.startswith("/") or len(ran.command) > _LONGEST:
        return None
    if not _MAY_EDIT.search(ran.command):
        return _by_diffs(ran, session, root)
    folder = relpath(paths.absolute(ran.folder, root), root) if ran.folder else ""
    place = Place("" if folder == "." or folder.startswith("..") else folder, root)
    sources: dict[str, Source] = {}

    def text_of(path: str) -> str | None:
        name = join(root, path)
        text, source = session.known(name)
        if paths.sample_path(name, session.opened.cwd) != path:
            raise Unmeasured(f"{path} has another name in the sample")
        if text is None and name not in session.certain:
            raise Unmeasured(f"{path} has no known text")
        sources[path] = source
        return text

    def is_folder(path: str) -> bool:
        return "." not in path.rpartition("/")[2]

    try:
        found = simulate({}, ran.command, place=place, load=Load(text_of, is_folder))
    except (Unmeasured, UsageError):
        return _by_diffs(ran, session, root)
    changed = {path for path in {**found.before, **found.files} if found.files.get(path) != found.before.get(path)}
    named = changed | {part.path for part in found.parts}
    before = {path: text for path, text in found.before.items() if path in named}
    if not named or not before:
        return None
    after = {path: text for path, text in found.files.items() if path in named}
    label, source = _label(ran, found, changed, dialects_differ(before, ran.command, place), session, root)
    is_known = found.ends_with is None and found.status is not False and not found.failures
    is_known &= ran.diffs is None or source == "tool_result"
    return ShellEdit(
        _attempt(ran), _absolute(before, root),
        "git" if "git" in (sources.get(path) for path in before) else "replayed",
        _absolute(after, root) if is_known and ran.exit == 0 else None, label, source, _tags(ran, place),
    )  # fmt: skip


def _label(
    ran: Ran, found: Simulation, changed: set[str], differs: bool, session: SessionState, root: str
) -> tuple[Label, str | None]:
    """The label of a command that was worked out, and its source."""
    if ran.exit != 0 or found.failures or found.ends_with or found.status is False:
        return "unlabelled", None
    if not changed:
        is_certain = session.undisturbed or session.certain.issuperset(join(root, path) for path in found.before)
        return ("refuse", "rerun") if found.parts and not differs and is_certain else ("unlabelled", None)
    one_each = all(part.n_places == 1 or (part.is_many and part.n_places) for part in found.parts)
    is_emptied = any(found.before.get(path, "").strip() and not found.files.get(path, " ").strip() for path in changed)
    if ran.diffs is not None:
        agree = _agree(ran, found, changed, session, root)
        return ("apply", "tool_result") if agree and one_each and not is_emptied else ("unlabelled", None)
    return ("apply", "rerun") if one_each and not is_emptied and not differs else ("unlabelled", None)


def _agree(ran: Ran, found: Simulation, changed: set[str], session: SessionState, root: str) -> bool:
    """True if the command changed just the files that have a recorded diff, and as the diff says."""
    diffs = {session.absolute(diff.path): diff for diff in ran.diffs or ()}
    names = {join(root, path): path for path in changed}
    return diffs.keys() == names.keys() and all(
        recorded_diff.agrees(diffs[name], found.before.get(path, ""), found.files.get(path, ""))
        for name, path in names.items()
    )


def _by_diffs(ran: Ran, session: SessionState, root: str) -> ShellEdit | None:
    """The edit of a command that cannot be worked out, by the diffs that the log has of all files that it changed."""
    if not ran.diffs or ran.exit != 0:
        return None
    before: Texts = {}
    after: Texts = {}
    for diff in ran.diffs:
        name = session.absolute(diff.path)
        text, _ = session.known(name)
        as_it_is = replace(diff, tabs_shown_as="\t") if text and "\t" not in text else diff
        made = None if text is None else recorded_diff.apply_recorded(as_it_is, text)
        if text is None or made is None:
            return None
        before[name] = text
        if not recorded_diff.removes_file(diff):
            after[name] = made
    return ShellEdit(_attempt(ran), before, "replayed", after, "apply", "tool_result", _tags(ran, Place("", root)))


def _attempt(ran: Ran) -> Attempt:
    # A command that matched nothing, and said nothing, was recorded as a success.
    outcome = "applied" if ran.exit == 0 else "unknown"
    return Attempt(ran.key, "shell", patch=ran.command, model=ran.model, time=ran.time, outcome=outcome)


def _tags(ran: Ran, place: Place) -> tuple[str, ...]:
    """Where the command ran, and what it was meant to do."""
    meant = " ".join(ran.meant.split())
    found = [f"cwd:{place.cwd}"] if place.cwd else []
    if place.root == "/" or place.root in ran.command:
        found.append(f"root:{place.root}")
    if meant and meant.isprintable():
        found.append(f"meant:{meant[:_LONGEST_TAG]}")
    return tuple(one for one in found if len(one) <= _LONGEST_TAG + len("meant:"))


def _absolute(texts: Texts, root: str) -> Texts:
    return {join(root, path): text for path, text in texts.items()}
