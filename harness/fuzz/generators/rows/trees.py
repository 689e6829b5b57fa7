"""Rows of files and of several sections."""

from __future__ import annotations

from dataclasses import replace

from harness.fuzz.generators.changes import NAMES, Change, Hunk, Section, updated
from harness.fuzz.generators.rows.row import BLOCKS, DIFF, ENVELOPE, PATCHES, Effect, Row


def _free_name(change: Change) -> str:
    taken = change.before()
    return change.rng.choice([name for name in (*NAMES, "f2.py", "g3.txt") if name not in taken])


def _add_section(change: Change, section: Section) -> None:
    at = change.rng.randint(0, len(change.sections))
    change.sections.insert(at, section)


def _new_file(change: Change, path: str) -> Section:
    is_empty = change.format == "begin_patch" and change.rng.random() < 0.1
    return Section(path, "add", [] if is_empty else [change.lines.new(), *change.lines.some(3)])


def _other_file(change: Change, path: str) -> Section:
    return Section(path, lines=[change.lines.new(), *change.lines.some(2)])


def file_added(change: Change) -> Effect:
    _add_section(change, _new_file(change, _free_name(change)))
    return "made"


_FOLDERS = ("a/a.py", "b/f.py", "src/deep/er/f2.py", "a/b/g3.txt", ".hidden/x-1.y.z")


def file_in_a_folder(change: Change) -> Effect:
    change.main.path = change.rng.choice(_FOLDERS)
    is_plain = change.main.path[:2] not in ("a/", "b/")  # Git writes the names of a move without its own `a/` and `b/`.
    if change.format in PATCHES and is_plain and change.rng.random() < 0.5:
        change.main.move_to = f"{change.main.path}.new/{_free_name(change)}"
    return "made"


def file_deleted(change: Change) -> Effect:
    _add_section(change, replace(_other_file(change, _free_name(change)), action="delete"))
    return "made"


def file_moved(change: Change) -> Effect:
    change.main.move_to = _free_name(change)
    return "made"


def file_moved_alone(change: Change) -> Effect:
    change.main.move_to, change.main.hunks = _free_name(change), []
    return "or_refused"


def file_moved_onto_itself(change: Change) -> Effect:
    change.main.move_to = change.main.path
    return "or_refused"


def added_file_is_there(change: Change) -> Effect:
    path = _free_name(change)
    change.others.append(_other_file(change, path))
    _add_section(change, _new_file(change, path))
    return "refused"


def moved_onto_another_file(change: Change) -> Effect:
    path = _free_name(change)
    change.others.append(_other_file(change, path))
    change.main.move_to = path
    return "refused"


def file_is_missing(change: Change) -> Effect:
    section = updated(_free_name(change), change.lines, 1, is_even=change.format == "unified_diff")
    if change.format in PATCHES and change.rng.random() < 0.5:
        section = replace(_other_file(change, section.path), action="delete")
    elif change.format in PATCHES and change.rng.random() < 0.3:
        section.move_to = f"new.{section.path}"
    section.is_there = False
    _add_section(change, section)
    return "refused"


def deleted_file_has_more_lines(change: Change) -> Effect:
    section = replace(_other_file(change, _free_name(change)), action="delete")
    change.others.append(replace(section, action="update", lines=[*section.lines, change.lines.new()]))
    section.is_there = False
    _add_section(change, section)
    return "refused"


_OUTSIDE = ("../x.py", "/x.py", "d/../../x.py", "~/x.py", "../../../x.py")


def path_leads_out(change: Change) -> Effect:
    path = change.rng.choice(_OUTSIDE)
    if change.rng.random() < 0.5:
        change.main.move_to = path
    else:
        _add_section(change, _new_file(change, path))
    return "refused"


def named_file_is_another(change: Change) -> Effect:
    del change.sections[1:]
    change.named = change.rng.choice(("other.py", "lib/other.py", f"lib/{change.main.path}"))
    return "refused"


def bystanders(change: Change) -> Effect:
    """Files that the patch does not name, some with the same text or a name that ends alike."""
    path = change.rng.choice((_free_name(change), f"d/{change.main.path}"))
    change.others.append(
        replace(change.main, path=path, hunks=[]) if change.rng.random() < 0.5 else _other_file(change, path)
    )
    return "made"


def text_is_cut(change: Change) -> Effect | None:
    """The text ends above the changes of its last hunk."""
    hunks = change.sections[-1].hunks
    if not hunks or hunks[-1].rows[0][0] != " ":
        return None
    change.is_cut = True
    return "refused"


def section_fails(change: Change) -> Effect:
    section = _other_file(change, _free_name(change))
    section.hunks = [Hunk(0, [f"-{change.lines.new()}", f"+{change.lines.new()}"])]
    _add_section(change, section)
    return "refused"


ROWS = (
    Row(file_added, "the first or last line of a new file is lost", PATCHES),
    Row(file_in_a_folder, "the first folder of a path is cut off, or folders are", (*PATCHES, *BLOCKS)),
    Row(file_deleted, "a deleted file is emptied only", PATCHES),
    Row(file_moved, "a file that is moved loses its edits, or stays too", PATCHES),
    Row(file_moved_alone, "a file that is moved without edits is emptied", PATCHES),
    Row(file_moved_onto_itself, "a file that is moved onto itself is deleted", ENVELOPE),
    Row(added_file_is_there, "a new file overwrites another one", PATCHES),
    Row(moved_onto_another_file, "a file that is moved overwrites another one", PATCHES),
    Row(file_is_missing, "a section for a missing file is passed over", (*PATCHES, *BLOCKS)),
    Row(deleted_file_has_more_lines, "a file that has other lines is deleted", DIFF),
    Row(path_leads_out, "paths outside of the tree are written", PATCHES),
    Row(named_file_is_another, "a block below another file's name changes the only file", BLOCKS),
    Row(bystanders, "files that are not named are changed", (*PATCHES, *BLOCKS)),
    Row(text_is_cut, "a text that was cut is made as far as it goes", PATCHES),
    Row(section_fails, "what comes before a failure is written", (*PATCHES, *BLOCKS)),
)
