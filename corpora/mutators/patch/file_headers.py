"""File headers that are missing, decorated or have other names; paths that lead outside or are written otherwise."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from corpora.mutators.clean_edit import CleanPatch, Damaged, text_of
from corpora.mutators.mutator import Mutator, named
from corpora.mutators.patch_lines import (
    END,
    Damage,
    PatchText,
    both_mutators,
    diff_mutators,
    envelope_mutators,
    rewritten,
)
from editcore.types import File

# File headers of diffs that are missing, decorated, or name the file differently.


def _names(
    name: str, summary: str, *pairs: tuple[str | None, str | None], of: Callable[[PatchText], bool] = lambda _: True
) -> Damage:
    """A damage that writes a pair of `---` and `+++` lines; {path} is the path, and None removes a line."""
    old, new = zip(*pairs, strict=True)
    return rewritten(name, summary, {"---": old, "+++": new}, of=of)


def _is_plain(patch: PatchText) -> bool:
    """True if no path needs quotes, or a tab after it."""
    return not any(set(file.path).intersection(' "\t\\') for file in patch.clean.before)


def directories_before_names(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The paths start with directories that are not there, so that no file has their name; degree is their number."""
    above = "/".join(random.sample(("checkout", "project", "repos", "main_repo", "tree"), degree))
    other = _with_paths(patch, lambda path: f"{above}/{path}")
    return patch.refused(other, "unknown_file") if _is_plain(patch) else None


def _is_of_one_file(patch: PatchText) -> bool:
    return patch.n_files == 1


def _is_of_several_files(patch: PatchText) -> bool:
    return patch.n_files > 1


def _changes_lines(patch: PatchText) -> bool:
    return all({" ", "+"} <= {patch.lines[index].kind for index in hunk} for hunk in patch.hunks)


def names_null(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """Both names are /dev/null."""
    heads = patch.indexes("file")
    nulls = {index: ("+++" if number % 2 else "---") + " /dev/null" for number, index in enumerate(heads)}
    return patch.refused(patch.text_with(nulls), "malformed")


# Paths that lead outside, or are written as by another system or program.

_GIT = "diff --git a/{path} b/{path}"
_INDEXES = ("1234567..89abcde 100644", "abc123..def456 100644", "0000000..1111111", "xxxxxxx..yyyyyyy")
_DATES = ("2024-01-15 10:30:00.000000000 +0000", "2024-01-15 10:30:00", "Mon Jan 15 10:30:00 2024")
_PREFIXES = (("i", "w"), ("old", "new"), ("c", "i"), ("original", "modified"), ("a", "a"), ("b", "b"))
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


def _paths(name: str, summary: str, write: Callable[[str, int], str]) -> Damage:
    """A damage that writes the paths in all file headers otherwise, by the degree."""

    def damage(patch: PatchText, degree: int, _random: Random) -> Damaged | None:
        return patch.damaged(_with_paths(patch, lambda path: write(path, degree)))

    return named(name, summary, damage)


def absolute_path(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The paths are absolute and end in the file's path."""
    root = random.choice(_ROOTS)
    return patch.damaged(_with_unprefixed_paths(patch, lambda path: f"{root}/{path}"))


def drive_path(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The paths start with a drive and have backslashes."""
    drive = random.choice(("C:\\project\\", "D:\\src\\", "c:\\Users\\dev\\app\\"))
    return patch.damaged(_with_unprefixed_paths(patch, lambda path: drive + path.replace("/", "\\")))


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


def added_in_git(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The patch also adds a file that git would run; nothing in the text forbids it."""
    path = random.choice((".git/hooks/pre-commit", ".GIT/hooks/post-checkout", ".git/config"))
    added = File(path, text_of(_LINES))
    return patch.damaged(with_added(patch, path), clean=CleanPatch(patch.clean.before, (*patch.clean.target, added)))


def with_added(patch: PatchText, path: str) -> str:
    """The text with a section at the end that adds a file."""
    added = ["+" + line for line in _LINES]
    if patch.format == "begin_patch":
        return patch.text_with({len(patch.lines) - 1: "\n".join([f"*** Add File: {path}", *added, END])})
    new = path if path.startswith("/") else f"b/{path}"
    return patch.text + text_of(["--- /dev/null", f"+++ {new}", f"@@ -0,0 +1,{len(_LINES)} @@", *added])


def with_move(patch: PatchText, to: str) -> str:
    """The text that also moves the last file to the path `to`."""
    heads = patch.indexes("file")
    path = patch.file(heads[-1]).path
    if patch.format == "begin_patch":
        return patch.text_with({heads[-1]: f"*** Update File: {path}\n*** Move to: {to}"})
    names = f"diff --git a/{path} b/{to}\nrename from {path}\nrename to {to}\n--- a/{path}"
    return patch.text_with({heads[-2]: names, heads[-1]: f"+++ b/{to}"})


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *diff_mutators(
        _names("headers_of_files_missing", "The diff changes one file and does not name it.",
               (None, None), of=lambda patch: len(patch.clean.before) == 1),
        _names("only_old_header", "The diff of one file has no +++ line.", ("--- a/{path}", None), of=_is_of_one_file),
        _names("only_new_header", "The diff of one file has no --- line.", (None, "+++ b/{path}"), of=_is_of_one_file),
        _names("only_git_header", "Only a diff --git line names each file.", (_GIT, None), of=_is_plain),
        absorber="tolerant",
    ),
    *diff_mutators(
        _names("git_headers", "A diff --git line and an arbitrary index line are before the names.",
               *((f"{_GIT}\nindex {index}\n--- a/{{path}}", "+++ b/{path}") for index in _INDEXES), of=_is_plain),
        _names("mode_lines", "The lines of git for a change of mode are before the names.",
               (f"{_GIT}\nold mode 100644\nnew mode 100755\n--- a/{{path}}", "+++ b/{path}"), of=_is_plain),
        _names("timestamps", "A tab and a date follow the names.",
               *((f"--- a/{{path}}\t{date}", f"+++ b/{{path}}\t{date}") for date in _DATES)),
        _names("spaced_timestamps", "Spaces and a date follow the names.",
               (f"--- a/{{path}}  {_DATES[0]}", f"+++ b/{{path}}  {_DATES[0]}")),
        _names("tab_after_names", "A tab follows the names.", ("--- a/{path}\t", "+++ b/{path}\t")),
        _names("names_swapped", "The names of the old and the new side are swapped.", ("--- b/{path}", "+++ a/{path}")),
        absorber="strict",
    ),
    *diff_mutators(
        _names("prefixes_missing", "The names have no a/ and b/.", ("--- {path}", "+++ {path}"), of=_is_plain),
        _names("prefix_on_one_side", "One of the two names has no prefix.",
               ("--- {path}", "+++ b/{path}"), ("--- a/{path}", "+++ {path}"), of=_is_plain),
        absorber="tolerant",
    ),
    *diff_mutators(
        _names("other_prefixes", "The names have other prefixes than a/ and b/.",
               *((f"--- {old}/{{path}}", f"+++ {new}/{{path}}") for old, new in _PREFIXES), of=_is_plain),
        _names("names_in_quotes", "The names are in quotes that they do not need.",
               ('--- "a/{path}"', '+++ "b/{path}"'), of=_is_plain),
        absorber="strict",
    ),
    *diff_mutators(
        rewritten("headers_before_each_hunk", "The two names are repeated before each hunk of a file.",
                  {"later @@": "--- a/{path}\n+++ b/{path}\n{text}"}, of=_is_plain),
        absorber="tolerant",
    ),
    *diff_mutators(
        _names("only_old_headers", "The diff of several files has no +++ lines.",
               ("--- a/{path}", None), of=_is_of_several_files),
        _names("only_new_headers", "The diff of several files has no --- lines.",
               (None, "+++ b/{path}"), of=_is_of_several_files),
        truth="tolerate",
    ),
    *diff_mutators(
        _names("header_lines_swapped", "In the diff of one file, the +++ line is before the --- line.",
               ("+++ b/{path}", "--- a/{path}"), of=_is_of_one_file),
        _names("names_in_backticks", "The names are in backticks.", ("--- `a/{path}`", "+++ `b/{path}`"), of=_is_plain),
        _names(
            "old_name_invented", "The old name is that of no file, and no line says that the file was renamed.",
            *((f"--- a/{name}", "+++ b/{path}") for name in ("original", "old_version", "previous", "unknown")),
            of=_is_plain,
        ),
        truth="tolerate", absorber="tolerant",
    ),
    *diff_mutators(
        _names("old_name_null", "The old name is /dev/null, though existing lines change.",
               ("--- /dev/null", "+++ b/{path}"), of=_changes_lines),
        _names("new_name_null", "The new name is /dev/null, though lines are left and added.",
               ("--- a/{path}", "+++ /dev/null"), of=_changes_lines),
        truth="tolerate",
    ),
    *diff_mutators(directories_before_names, names_null, truth="refuse"),
    *both_mutators(
        named("parent_path", "The paths lead upwards; degree is the number of levels.",
              lambda patch, degree, _: patch.refused(
                  _with_paths(patch, lambda path: "../" * degree + path), "outside")),
        truth="refuse",
    ),
    *both_mutators(
        _paths("parent_path_back", "The paths lead down, up again and to the file; degree is the number of levels.",
               lambda path, degree: "lib/" * degree + "../" * degree + path),
        truth="tolerate",
    ),
    *both_mutators(absolute_path, truth="tolerate", absorbers=("tolerant", None)),
    *both_mutators(drive_path, truth="tolerate"),
    *both_mutators(
        named("backslash_path", "The paths have backslashes instead of slashes.",
              lambda patch, *_: patch.damaged(_with_paths(patch, lambda path: path.replace("/", "\\")))),
        truth="tolerate", absorbers=("strict", "lenient"),
    ),
    *both_mutators(
        _paths("dotted_path", "The paths start with ./; degree is the number of repetitions.",
               lambda path, degree: "./" * degree + path),
        absorbers=("tolerant", "codex"),
    ),
    *both_mutators(nul_in_path, truth="refuse"),
    *envelope_mutators(
        quoted_path,
        _paths("padded_path", "Spaces are before and after the paths; degree is their number.",
               lambda path, degree: " " * degree + path + " " * degree),
        truth="tolerate", absorber="lenient",
    ),
    *envelope_mutators(
        named("path_missing", "The file headers have no path, or spaces instead; degree is one more than their number.",
              lambda patch, degree, _: patch.refused(
                  _with_paths(patch, lambda _: " " * (degree - 1)), "malformed")),
        truth="refuse",
    ),
    *both_mutators(
        named("added_outside", "The patch also adds a file at an absolute path.",
              lambda patch, _degree, random: patch.refused(with_added(patch, random.choice(_OUTSIDE)), "outside")),
        named("added_above", "The patch also adds a file above all files; degree is the number of levels.",
              lambda patch, degree, _: patch.refused(with_added(patch, "../" * degree + "planted.py"), "outside")),
        truth="refuse",
    ),
    *both_mutators(added_in_git, truth="hazard", absorbers=("strict", "strict")),
    *both_mutators(
        named("moved_outside", "The last file is moved above all files; degree is the number of levels.",
              lambda patch, degree, _: patch.refused(
                  with_move(patch, "../" * degree + patch.file(patch.indexes("file")[-1]).path), "outside")),
        truth="refuse",
    ),
)  # fmt: skip
