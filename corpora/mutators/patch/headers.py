"""File headers of diffs that are missing, decorated, or name the file differently."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch_lines import PatchText, diff_mutator

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


MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    diff_mutator(headers_of_files_missing, absorber="tolerant", degrees=(1,)),
    diff_mutator(only_old_header, absorber="tolerant", degrees=(1,)),
    diff_mutator(only_new_header, absorber="tolerant", degrees=(1,)),
    diff_mutator(only_git_header, absorber="tolerant", degrees=(1,)),
    diff_mutator(git_headers, absorber="strict", degrees=(1,)),
    diff_mutator(mode_lines, absorber="strict", degrees=(1,)),
    diff_mutator(timestamps, absorber="strict", degrees=(1,)),
    diff_mutator(spaced_timestamps, absorber="strict", degrees=(1,)),
    diff_mutator(tab_after_names, absorber="strict", degrees=(1,)),
    diff_mutator(names_swapped, absorber="strict", degrees=(1,)),
    diff_mutator(prefixes_missing, absorber="tolerant", degrees=(1,)),
    diff_mutator(prefix_on_one_side, absorber="tolerant", degrees=(1,)),
    diff_mutator(other_prefixes, absorber="strict", degrees=(1,)),
    diff_mutator(names_in_quotes, absorber="strict", degrees=(1,)),
    diff_mutator(headers_before_each_hunk, absorber="tolerant", degrees=(1,)),
    diff_mutator(only_old_headers, truth="tolerate", degrees=(1,)),
    diff_mutator(only_new_headers, truth="tolerate", degrees=(1,)),
    diff_mutator(header_lines_swapped, truth="tolerate", absorber="tolerant", degrees=(1,)),
    diff_mutator(names_in_backticks, truth="tolerate", absorber="tolerant", degrees=(1,)),
    diff_mutator(old_name_invented, truth="tolerate", absorber="tolerant", degrees=(1,)),
    diff_mutator(old_name_null, truth="tolerate", degrees=(1,)),
    diff_mutator(new_name_null, truth="tolerate", degrees=(1,)),
    diff_mutator(directories_before_names, truth="refuse"),
    diff_mutator(names_null, truth="refuse", degrees=(1,)),
)
