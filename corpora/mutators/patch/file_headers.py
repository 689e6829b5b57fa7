"""File headers that are missing or decorated, and paths that lead outside or are written otherwise."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from corpora.mutators.clean_edit import CleanPatch, text_of
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch_lines import END, PatchText, both_mutators, diff_mutators, envelope_mutators
from editcore.types import File

# File headers of diffs that are missing, decorated, or name the file differently.

_INVENTED = ("original", "old_version", "previous", "unknown")


def _with_file_headers(patch: PatchText, write: Callable[[str], tuple[str | None, str | None]]) -> Damaged | None:
    """The patch with other `---` and `+++` lines, made from the path; None removes a line."""
    others: dict[int, str | None] = {}
    heads = patch.indexes("file")
    for old, new in zip(heads[::2], heads[1::2], strict=True):
        others[old], others[new] = write(patch.file(old).path)
    return patch.with_lines(others)


def _needs_no_quotes(patch: PatchText) -> bool:
    """Whether no path needs quotes or a tab after it."""
    return not any(set(file.path).intersection(' "\t\\') for file in patch.clean.before)


def _with_plain_names(patch: PatchText, write: Callable[[str], tuple[str | None, str | None]]) -> Damaged | None:
    """The same; None where a path needs quotes."""
    return _with_file_headers(patch, write) if _needs_no_quotes(patch) else None


def headers_of_files_missing(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The diff changes one file and does not name it."""
    return _with_file_headers(patch, lambda _: (None, None)) if len(patch.clean.before) == 1 else None


def only_old_header(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The diff of one file has no +++ line."""
    return _with_file_headers(patch, lambda path: (f"--- a/{path}", None)) if patch.n_files == 1 else None


def only_new_header(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The diff of one file has no --- line."""
    return _with_file_headers(patch, lambda path: (None, f"+++ b/{path}")) if patch.n_files == 1 else None


def only_old_headers(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The diff of several files has no +++ lines."""
    return _with_file_headers(patch, lambda path: (f"--- a/{path}", None)) if patch.n_files > 1 else None


def only_new_headers(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The diff of several files has no --- lines."""
    return _with_file_headers(patch, lambda path: (None, f"+++ b/{path}")) if patch.n_files > 1 else None


def only_git_header(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """Only a diff --git line names each file."""
    return _with_plain_names(patch, lambda path: (f"diff --git a/{path} b/{path}", None))


def git_headers(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A diff --git line and an arbitrary index line are before the names."""
    index = random.choice(("1234567..89abcde 100644", "abc123..def456 100644", "0000000..1111111", "xxxxxxx..yyyyyyy"))

    def heads(path: str) -> tuple[str, str]:
        return f"diff --git a/{path} b/{path}\nindex {index}\n--- a/{path}", f"+++ b/{path}"

    return _with_plain_names(patch, heads)


def mode_lines(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The lines of git for a change of mode are before the names."""

    def heads(path: str) -> tuple[str, str]:
        mode = "old mode 100644\nnew mode 100755"
        return f"diff --git a/{path} b/{path}\n{mode}\n--- a/{path}", f"+++ b/{path}"

    return _with_plain_names(patch, heads)


def timestamps(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """A tab and a date follow the names."""
    date = random.choice(("2024-01-15 10:30:00.000000000 +0000", "2024-01-15 10:30:00", "Mon Jan 15 10:30:00 2024"))
    return _with_file_headers(patch, lambda path: (f"--- a/{path}\t{date}", f"+++ b/{path}\t{date}"))


def spaced_timestamps(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """Spaces and a date follow the names."""
    date = "2024-01-15 10:30:00.000000000 +0000"
    return _with_file_headers(patch, lambda path: (f"--- a/{path}  {date}", f"+++ b/{path}  {date}"))


def tab_after_names(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """A tab follows the names."""
    return _with_file_headers(patch, lambda path: (f"--- a/{path}\t", f"+++ b/{path}\t"))


def names_swapped(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The names of the old and the new side are swapped."""
    return _with_file_headers(patch, lambda path: (f"--- b/{path}", f"+++ a/{path}"))


def header_lines_swapped(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """In the diff of one file, the +++ line is before the --- line."""
    return _with_file_headers(patch, lambda path: (f"+++ b/{path}", f"--- a/{path}")) if patch.n_files == 1 else None


def prefixes_missing(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The names have no a/ and b/."""
    return _with_plain_names(patch, lambda path: (f"--- {path}", f"+++ {path}"))


def prefix_on_one_side(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """One of the two names has no prefix."""
    bare = random.random() < 0.5
    return _with_plain_names(
        patch, lambda path: (f"--- {path}", f"+++ b/{path}") if bare else (f"--- a/{path}", f"+++ {path}")
    )


def other_prefixes(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The names have other prefixes than a/ and b/."""
    old, new = random.choice((("i", "w"), ("old", "new"), ("c", "i"), ("original", "modified"), ("a", "a"), ("b", "b")))
    return _with_plain_names(patch, lambda path: (f"--- {old}/{path}", f"+++ {new}/{path}"))


def directories_before_names(patch: PatchText, degree: int, random: Random) -> Damaged | None:
    """The paths start with directories that are not there, so that no file has their name; degree is their number."""
    above = "/".join(random.sample(("checkout", "project", "repos", "main_repo", "tree"), degree))
    other = _with_plain_names(patch, lambda path: (f"--- a/{above}/{path}", f"+++ b/{above}/{path}"))
    return patch.refused(other.patch or "", "unknown_file") if other else None


def names_in_quotes(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The names are in quotes that they do not need."""
    return _with_plain_names(patch, lambda path: (f'--- "a/{path}"', f'+++ "b/{path}"'))


def names_in_backticks(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The names are in backticks."""
    return _with_plain_names(patch, lambda path: (f"--- `a/{path}`", f"+++ `b/{path}`"))


def old_name_invented(patch: PatchText, _degree: int, random: Random) -> Damaged | None:
    """The old name is that of no file, and no line says that the file was renamed."""
    name = random.choice(_INVENTED)
    return _with_plain_names(patch, lambda path: (f"--- a/{name}", f"+++ b/{path}"))


def old_name_null(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The old name is /dev/null, though existing lines change."""
    return _with_file_headers(patch, lambda path: ("--- /dev/null", f"+++ b/{path}")) if _changes_lines(patch) else None


def new_name_null(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The new name is /dev/null, though lines are left and added."""
    return _with_file_headers(patch, lambda path: (f"--- a/{path}", "+++ /dev/null")) if _changes_lines(patch) else None


def _changes_lines(patch: PatchText) -> bool:
    return all({" ", "+"} <= {patch.lines[index].kind for index in hunk} for hunk in patch.hunks)


def names_null(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """Both names are /dev/null."""
    heads = patch.indexes("file")
    nulls = {index: ("+++" if number % 2 else "---") + " /dev/null" for number, index in enumerate(heads)}
    return patch.refused(patch.text_with(nulls), "malformed")


def headers_before_each_hunk(patch: PatchText, _degree: int, _random: Random) -> Damaged | None:
    """The two names are repeated before each hunk of a file."""
    others: dict[int, str | None] = {}
    for hunk in patch.hunks:
        header = patch.lines[hunk[0]]
        if patch.lines[hunk[0] - 1].kind != "file":
            path = patch.file(hunk[0]).path
            others[hunk[0]] = f"--- a/{path}\n+++ b/{path}\n{header.text}"
    return patch.with_lines(others) if _needs_no_quotes(patch) else None


# Paths that lead outside, or are written as another system or another program would.

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
    added = File(path, text_of(_LINES))
    return patch.damaged(with_added(patch, path), clean=CleanPatch(patch.clean.before, (*patch.clean.target, added)))


def with_added(patch: PatchText, path: str) -> str:
    """The text with a section at its end that adds a file."""
    added = ["+" + line for line in _LINES]
    if patch.format == "begin_patch":
        return patch.text_with({len(patch.lines) - 1: "\n".join([f"*** Add File: {path}", *added, END])})
    new = path if path.startswith("/") else f"b/{path}"
    return patch.text + text_of(["--- /dev/null", f"+++ {new}", f"@@ -0,0 +1,{len(_LINES)} @@", *added])


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
    *diff_mutators(headers_of_files_missing, only_old_header, only_new_header, only_git_header, absorber="tolerant"),
    *diff_mutators(
        git_headers, mode_lines, timestamps, spaced_timestamps, tab_after_names, names_swapped,
        absorber="strict",
    ),
    *diff_mutators(prefixes_missing, prefix_on_one_side, absorber="tolerant"),
    *diff_mutators(other_prefixes, names_in_quotes, absorber="strict"),
    *diff_mutators(headers_before_each_hunk, absorber="tolerant"),
    *diff_mutators(only_old_headers, only_new_headers, truth="tolerate"),
    *diff_mutators(header_lines_swapped, names_in_backticks, old_name_invented, truth="tolerate", absorber="tolerant"),
    *diff_mutators(old_name_null, new_name_null, truth="tolerate"),
    *diff_mutators(directories_before_names, names_null, truth="refuse"),
    *both_mutators(parent_path, truth="refuse"),
    *both_mutators(parent_path_back, truth="tolerate"),
    *both_mutators(absolute_path, truth="tolerate", absorbers=("tolerant", None)),
    *both_mutators(drive_path, truth="tolerate"),
    *both_mutators(backslash_path, truth="tolerate", absorbers=("strict", "lenient")),
    *both_mutators(dotted_path, absorbers=("tolerant", "codex")),
    *both_mutators(nul_in_path, truth="refuse"),
    *envelope_mutators(quoted_path, padded_path, truth="tolerate", absorber="lenient"),
    *envelope_mutators(path_missing, truth="refuse"),
    *both_mutators(added_outside, added_above, truth="refuse"),
    *both_mutators(added_in_git, truth="hazard", absorbers=("strict", "strict")),
    *both_mutators(moved_outside, truth="refuse"),
)  # fmt: skip
