"""Paths that lead outside, or are written as another system or another program would."""

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
    """The text with other paths in all file headers; in a diff, after a/ and b/."""
    others: dict[int, str | None] = {}
    for index in patch.indexes("file"):
        path, text = patch.file(index).path, patch.lines[index].text
        if patch.format == "begin_patch":
            others[index] = f"*** Update File: {write(path)}"
        else:
            others[index] = f"{text[:6]}{write(path)}"
    return patch.text_with(others)


def _with_unprefixed_paths(patch: PatchText, write: Callable[[str], str]) -> str:
    """The text with other paths in all file headers, without a/ and b/."""
    if patch.format == "begin_patch":
        return _with_paths(patch, write)
    heads = patch.indexes("file")
    return patch.text_with({n: patch.lines[n].text[:4] + write(patch.file(n).path) for n in heads})


def parent_path(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """The paths lead upwards; degree is the number of levels."""
    return patch.refused(_with_paths(patch, lambda path: "../" * degree + path), "outside")


def parent_path_back(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """The paths lead down, up and to the file; degree is the number of levels."""
    return patch.damaged(_with_paths(patch, lambda path: "lib/" * degree + "../" * degree + path))


def absolute_path(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The paths are absolute and end in the file's path."""
    root = random.choice(_ROOTS)
    return patch.damaged(_with_unprefixed_paths(patch, lambda path: f"{root}/{path}"))


def drive_path(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The paths start with a drive and have backslashes."""
    drive = random.choice(("C:\\project\\", "D:\\src\\", "c:\\Users\\dev\\app\\"))
    return patch.damaged(_with_unprefixed_paths(patch, lambda path: drive + path.replace("/", "\\")))


def backslash_path(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The paths have backslashes instead of slashes."""
    return patch.damaged(_with_paths(patch, lambda path: path.replace("/", "\\")))


def dotted_path(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """The paths start with ./; degree is the number of repetitions."""
    return patch.damaged(_with_paths(patch, lambda path: "./" * degree + path))


def nul_in_path(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The paths contain a NUL character."""
    at_end = random.random() < 0.5
    return patch.refused(
        _with_paths(patch, lambda path: path + "\0" if at_end else path[:-2] + "\0" + path[-2:]), "nul"
    )


def quoted_path(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The paths are in quotes or backticks."""
    quote = random.choice("`'\"")
    return patch.damaged(_with_paths(patch, lambda path: quote + path + quote))


def padded_path(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """Spaces are before and after the paths; degree is their number."""
    return patch.damaged(_with_paths(patch, lambda path: " " * degree + path + " " * degree))


def path_missing(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """The file headers have no path, or spaces instead; degree is one more than their number."""
    return patch.refused(_with_paths(patch, lambda _: " " * (degree - 1)), "malformed")


def added_outside(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The patch also adds a file at an absolute path."""
    return patch.refused(with_added(patch, random.choice(_OUTSIDE)), "outside")


def added_above(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """The patch also adds a file above all files; degree is the number of levels."""
    return patch.refused(with_added(patch, "../" * degree + "planted.py"), "outside")


def added_in_git(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The patch also adds a file that git would run; nothing in the text forbids it."""
    path = random.choice((".git/hooks/pre-commit", ".GIT/hooks/post-checkout", ".git/config"))
    added = File(path, join_lines(_LINES))
    return patch.damaged(with_added(patch, path), clean=CleanPatch(patch.clean.before, (*patch.clean.target, added)))


def with_added(patch: PatchText, path: str) -> str:
    """The text with a section at its end that adds a file."""
    added = ["+" + line for line in _LINES]
    if patch.format == "begin_patch":
        return patch.text_with({len(patch.lines) - 1: "\n".join([f"*** Add File: {path}", *added, END])})
    new = path if path.startswith("/") else f"b/{path}"
    return patch.text + join_lines(["--- /dev/null", f"+++ {new}", f"@@ -0,0 +1,{len(_LINES)} @@", *added])


def moved_outside(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
    """The last file is moved above all files; degree is the number of levels."""
    path = patch.file(patch.indexes("file")[-1]).path
    return patch.refused(with_move(patch, "../" * degree + path), "outside")


def with_move(patch: PatchText, to: str) -> str:
    """The text in which the last file is also moved."""
    heads = patch.indexes("file")
    path = patch.file(heads[-1]).path
    if patch.format == "begin_patch":
        return patch.text_with({heads[-1]: f"*** Update File: {path}\n*** Move to: {to}"})
    names = f"diff --git a/{path} b/{to}\nrename from {path}\nrename to {to}\n--- a/{path}"
    return patch.text_with({heads[-2]: names, heads[-1]: f"+++ b/{to}"})


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *both_mutators(parent_path, truth="refuse"),
    *both_mutators(parent_path_back, truth="tolerate"),
    *both_mutators(absolute_path, truth="tolerate", absorbers=("tolerant", None), degrees=(1,)),
    *both_mutators(drive_path, truth="tolerate", degrees=(1,)),
    *both_mutators(backslash_path, truth="tolerate", absorbers=("strict", "lenient"), degrees=(1,)),
    *both_mutators(dotted_path, absorbers=("tolerant", "codex")),
    *both_mutators(nul_in_path, truth="refuse", degrees=(1,)),
    envelope_mutator(quoted_path, truth="tolerate", absorber="lenient", degrees=(1,)),
    envelope_mutator(padded_path, truth="tolerate", absorber="lenient"),
    envelope_mutator(path_missing, truth="refuse"),
    *both_mutators(added_outside, truth="refuse", degrees=(1,)),
    *both_mutators(added_above, truth="refuse"),
    *both_mutators(added_in_git, truth="hazard", absorbers=("strict", "strict"), degrees=(1,)),
    *both_mutators(moved_outside, truth="refuse"),
)
