"""Paths that lead out of the files, or are written as another system or another program would."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch_lines import END, PatchText, both_mutators, envelope_mutator, join_lines
from editcore.types import File

_ROOTS = ("/workspace", "/home/dev/project", "/repo", "/testbed", "/Users/dev/src/app")
_OUTSIDE = ("/etc/cron.d/backup", "/root/.ssh/authorized_keys", "/tmp/planted.sh", "/usr/local/bin/planted")
_LINES = ("planted = True", "print(planted)")


def _with_paths(patch: PatchText, write: Callable[[str], str]) -> str:
    """The text in which every header of a file has another path, which in a diff stands behind a/ and b/."""
    others: dict[int, str | None] = {}
    for index in patch.indexes("file"):
        path, text = patch.file(index).path, patch.lines[index].text
        if patch.format == "begin_patch":
            others[index] = f"*** Update File: {write(path)}"
        else:
            others[index] = f"{text[:6]}{write(path)}"
    return patch.text_with(others)


def _with_unprefixed_paths(patch: PatchText, write: Callable[[str], str]) -> str:
    """The text in which every header of a file has another path, with no a/ and b/ before it."""
    if patch.format == "begin_patch":
        return _with_paths(patch, write)
    heads = patch.indexes("file")
    return patch.text_with({n: patch.lines[n].text[:4] + write(patch.file(n).path) for n in heads})


def parent_path(patch: PatchText, severity: int, _random: Random) -> Damaged | None:
    """The paths lead upwards."""
    return patch.refused(_with_paths(patch, lambda path: "../" * severity + path), "outside")


def parent_path_back(patch: PatchText, severity: int, _random: Random) -> Damaged | None:
    """The paths lead upwards, and down to the file again."""
    return patch.damaged(_with_paths(patch, lambda path: "lib/" * severity + "../" * severity + path))


def absolute_path(patch: PatchText, _severity: int, random: Random) -> Damaged | None:
    """The paths start at the root of the system, and end in the file's."""
    root = random.choice(_ROOTS)
    return patch.damaged(_with_unprefixed_paths(patch, lambda path: f"{root}/{path}"))


def drive_path(patch: PatchText, _severity: int, random: Random) -> Damaged | None:
    """The paths start at a drive, with backslashes."""
    drive = random.choice(("C:\\project\\", "D:\\src\\", "c:\\Users\\dev\\app\\"))
    return patch.damaged(_with_unprefixed_paths(patch, lambda path: drive + path.replace("/", "\\")))


def backslash_path(patch: PatchText, _severity: int, _random: Random) -> Damaged | None:
    """Backslashes divide the paths."""
    return patch.damaged(_with_paths(patch, lambda path: path.replace("/", "\\")))


def dotted_path(patch: PatchText, severity: int, _random: Random) -> Damaged | None:
    """The paths start with a dot and a slash."""
    return patch.damaged(_with_paths(patch, lambda path: "./" * severity + path))


def nul_in_path(patch: PatchText, _severity: int, random: Random) -> Damaged | None:
    """A NUL stands in the paths, at their end or within."""
    at_end = random.random() < 0.5
    return patch.refused(
        _with_paths(patch, lambda path: path + "\0" if at_end else path[:-2] + "\0" + path[-2:]), "nul"
    )


def quoted_path(patch: PatchText, _severity: int, random: Random) -> Damaged | None:
    """The paths stand in quotes or back-ticks."""
    quote = random.choice("`'\"")
    return patch.damaged(_with_paths(patch, lambda path: quote + path + quote))


def padded_path(patch: PatchText, severity: int, _random: Random) -> Damaged | None:
    """Blanks stand before and after the paths."""
    return patch.damaged(_with_paths(patch, lambda path: " " * severity + path + " " * severity))


def path_missing(patch: PatchText, severity: int, _random: Random) -> Damaged | None:
    """The headers of files end before the path, or have blanks for it."""
    return patch.refused(_with_paths(patch, lambda _: " " * (severity - 1)), "malformed")


def added_outside(patch: PatchText, _severity: int, random: Random) -> Damaged | None:
    """The patch also adds a file at an absolute path."""
    return patch.refused(with_added(patch, random.choice(_OUTSIDE)), "outside")


def added_above(patch: PatchText, severity: int, _random: Random) -> Damaged | None:
    """The patch also adds a file above all files."""
    return patch.refused(with_added(patch, "../" * severity + "planted.py"), "outside")


def added_in_git(patch: PatchText, _severity: int, random: Random) -> Damaged | None:
    """The patch also adds a file that git would run, which text alone does not forbid."""
    path = random.choice((".git/hooks/pre-commit", ".GIT/hooks/post-checkout", ".git/config"))
    added = File(path, join_lines(_LINES))
    return patch.damaged(with_added(patch, path), CleanPatch(patch.clean.before, (*patch.clean.target, added)))


def with_added(patch: PatchText, path: str, lines: tuple[str, ...] = _LINES) -> str:
    """The text with a section at its end that adds a file."""
    added = ["+" + line for line in lines]
    if patch.format == "begin_patch":
        return patch.text_with({len(patch.lines) - 1: "\n".join([f"*** Add File: {path}", *added, END])})
    new = path if path.startswith("/") else f"b/{path}"
    return patch.text + join_lines(["--- /dev/null", f"+++ {new}", f"@@ -0,0 +1,{len(lines)} @@", *added])


def moved_outside(patch: PatchText, severity: int, _random: Random) -> Damaged | None:
    """The last file is moved upwards, or out of all files."""
    path = patch.file(patch.indexes("file")[-1]).path
    return patch.refused(with_move(patch, "../" * severity + path), "outside")


def with_move(patch: PatchText, to: str) -> str:
    """The text in which the last file is moved as well."""
    heads = patch.indexes("file")
    path = patch.file(heads[-1]).path
    if patch.format == "begin_patch":
        return patch.text_with({heads[-1]: f"*** Update File: {path}\n*** Move to: {to}"})
    names = f"diff --git a/{path} b/{to}\nrename from {path}\nrename to {to}\n--- a/{path}"
    return patch.text_with({heads[-2]: names, heads[-1]: f"+++ b/{to}"})


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *both_mutators("parent_path", "The paths lead upwards; severity is how far.", parent_path, truth="refuse"),
    *both_mutators(
        "parent_path_back",
        "The paths lead down, up and to the file; severity is how far.",
        parent_path_back,
        truth="tolerate",
    ),
    *both_mutators(
        "absolute_path",
        "The paths are absolute, and end in the file's.",
        absolute_path,
        truth="tolerate",
        absorbers=("tolerant", None),
        severities=(1,),
    ),
    *both_mutators(
        "drive_path", "The paths start at a drive, with backslashes.", drive_path, truth="tolerate", severities=(1,)
    ),
    *both_mutators(
        "backslash_path",
        "Backslashes divide the paths.",
        backslash_path,
        truth="tolerate",
        absorbers=("strict", "lenient"),
        severities=(1,),
    ),
    *both_mutators(
        "dotted_path",
        "The paths start with a dot and a slash; severity is how often.",
        dotted_path,
        absorbers=("tolerant", "codex"),
    ),
    *both_mutators("nul_in_path", "A NUL stands in the paths.", nul_in_path, truth="refuse", severities=(1,)),
    envelope_mutator(
        "quoted_path",
        "The paths stand in quotes or back-ticks.",
        quoted_path,
        truth="tolerate",
        absorber="lenient",
        severities=(1,),
    ),
    envelope_mutator(
        "padded_path",
        "Blanks stand before and after the paths; severity is their number.",
        padded_path,
        truth="tolerate",
        absorber="lenient",
    ),
    envelope_mutator(
        "path_missing",
        "Blanks stand for the paths; severity is one more than their number.",
        path_missing,
        truth="refuse",
    ),
    *both_mutators(
        "added_outside", "A file is added at an absolute path.", added_outside, truth="refuse", severities=(1,)
    ),
    *both_mutators("added_above", "A file is added above all files; severity is how far.", added_above, truth="refuse"),
    *both_mutators(
        "added_in_git",
        "A file is added that git would run.",
        added_in_git,
        truth="hazard",
        absorbers=("strict", "strict"),
        severities=(1,),
    ),
    *both_mutators(
        "moved_outside", "A file is moved above all files; severity is how far.", moved_outside, truth="refuse"
    ),
)
