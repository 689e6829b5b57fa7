"""Headers of files in diffs that are missing, decorated, or name the file in another way."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.patch_lines import Written, of_diff

_INVENTED = ("original", "old_version", "previous", "unknown")


def _headed(patch: Written, write: Callable[[str], tuple[str | None, str | None]]) -> Damaged | None:
    """The patch with another `---` and `+++` line, made from the path; None takes one away."""
    others: dict[int, str | None] = {}
    heads = patch.of("file")
    for old, new in zip(heads[::2], heads[1::2], strict=True):
        others[old], others[new] = write(patch.file(old).path)
    return patch.said(patch.exchanged(others))


def _plain(patch: Written) -> bool:
    """No path needs quotes, or a tab after it."""
    return not any(set(file.path).intersection(' "\t\\') for file in patch.clean.before)


def headers_of_files_missing(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """There is one file, and it is not named."""
    return _headed(patch, lambda _: (None, None)) if len(patch.clean.before) == 1 else None


def only_old_header(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """There is one file, and no `+++` line."""
    return _headed(patch, lambda path: (f"--- a/{path}", None)) if patch.n_files == 1 else None


def only_new_header(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """There is one file, and no `---` line."""
    return _headed(patch, lambda path: (None, f"+++ b/{path}")) if patch.n_files == 1 else None


def only_old_headers(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """There are several files, and no `+++` lines."""
    return _headed(patch, lambda path: (f"--- a/{path}", None)) if patch.n_files > 1 else None


def only_new_headers(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """There are several files, and no `---` lines."""
    return _headed(patch, lambda path: (None, f"+++ b/{path}")) if patch.n_files > 1 else None


def only_git_header(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """A `diff --git` line is all that names a file."""
    return _headed(patch, lambda path: (f"diff --git a/{path} b/{path}", None)) if _plain(patch) else None


def git_headers(patch: Written, _severity: int, random: Random) -> Damaged | None:
    """Before the names stand `diff --git` and an `index` line, which may be anything."""
    index = random.choice(("1234567..89abcde 100644", "abc123..def456 100644", "0000000..1111111", "xxxxxxx..yyyyyyy"))

    def heads(path: str) -> tuple[str, str]:
        return f"diff --git a/{path} b/{path}\nindex {index}\n--- a/{path}", f"+++ b/{path}"

    return _headed(patch, heads) if _plain(patch) else None


def mode_lines(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """Git's lines for a change of mode stand before the names."""

    def heads(path: str) -> tuple[str, str]:
        mode = "old mode 100644\nnew mode 100755"
        return f"diff --git a/{path} b/{path}\n{mode}\n--- a/{path}", f"+++ b/{path}"

    return _headed(patch, heads) if _plain(patch) else None


def timestamps(patch: Written, _severity: int, random: Random) -> Damaged | None:
    """A tab and a date follow the names."""
    date = random.choice(("2024-01-15 10:30:00.000000000 +0000", "2024-01-15 10:30:00", "Mon Jan 15 10:30:00 2024"))
    return _headed(patch, lambda path: (f"--- a/{path}\t{date}", f"+++ b/{path}\t{date}"))


def spaced_timestamps(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """Blanks and a date follow the names."""
    date = "2024-01-15 10:30:00.000000000 +0000"
    return _headed(patch, lambda path: (f"--- a/{path}  {date}", f"+++ b/{path}  {date}"))


def tab_after_names(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """A tab follows the names."""
    return _headed(patch, lambda path: (f"--- a/{path}\t", f"+++ b/{path}\t"))


def names_swapped(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """The names of the old and the new side have changed places."""
    return _headed(patch, lambda path: (f"--- b/{path}", f"+++ a/{path}"))


def header_lines_swapped(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """There is one file, and its `+++` line stands before the `---` line."""
    return _headed(patch, lambda path: (f"+++ b/{path}", f"--- a/{path}")) if patch.n_files == 1 else None


def prefixes_missing(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """The names have no a/ and b/."""
    return _headed(patch, lambda path: (f"--- {path}", f"+++ {path}")) if _plain(patch) else None


def prefix_on_one_side(patch: Written, _severity: int, random: Random) -> Damaged | None:
    """One of the names has no prefix."""
    bare = random.random() < 0.5
    if not _plain(patch):
        return None
    return _headed(patch, lambda path: (f"--- {path}", f"+++ b/{path}") if bare else (f"--- a/{path}", f"+++ {path}"))


def other_prefixes(patch: Written, _severity: int, random: Random) -> Damaged | None:
    """The names have other one-directory prefixes than a/ and b/."""
    old, new = random.choice((("i", "w"), ("old", "new"), ("c", "i"), ("original", "modified"), ("a", "a"), ("b", "b")))
    return _headed(patch, lambda path: (f"--- {old}/{path}", f"+++ {new}/{path}")) if _plain(patch) else None


def directories_before(patch: Written, severity: int, random: Random) -> Damaged | None:
    """Between the prefix and the path stand directories that are none of the path."""
    above = "/".join(random.sample(("checkout", "project", "repos", "main_repo", "tree"), severity))
    return _headed(patch, lambda path: (f"--- a/{above}/{path}", f"+++ b/{above}/{path}")) if _plain(patch) else None


def names_in_quotes(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """The names stand in double quotes, which none of them needs."""
    return _headed(patch, lambda path: (f'--- "a/{path}"', f'+++ "b/{path}"')) if _plain(patch) else None


def names_in_backticks(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """The names stand in back-ticks."""
    return _headed(patch, lambda path: (f"--- `a/{path}`", f"+++ `b/{path}`")) if _plain(patch) else None


def old_name_invented(patch: Written, _severity: int, random: Random) -> Damaged | None:
    """The old name is that of no file, and no line says that the file was renamed."""
    name = random.choice(_INVENTED)
    return _headed(patch, lambda path: (f"--- a/{name}", f"+++ b/{path}")) if _plain(patch) else None


def old_name_null(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """The old name is /dev/null, though hunks change lines that are there."""
    return _headed(patch, lambda path: ("--- /dev/null", f"+++ b/{path}")) if _changes_lines(patch) else None


def new_name_null(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """The new name is /dev/null, though hunks leave and add lines."""
    return _headed(patch, lambda path: (f"--- a/{path}", "+++ /dev/null")) if _changes_lines(patch) else None


def _changes_lines(patch: Written) -> bool:
    return all({" ", "+"} <= {patch.lines[index].kind for index in hunk} for hunk in patch.hunks)


def names_null(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """Both names are /dev/null."""
    heads = patch.of("file")
    nulls = {index: ("+++" if number % 2 else "---") + " /dev/null" for number, index in enumerate(heads)}
    return patch.refused(patch.exchanged(nulls), "malformed")


def headers_before_each_hunk(patch: Written, _severity: int, _random: Random) -> Damaged | None:
    """The two names are said again before each further hunk of a file."""
    others: dict[int, str | None] = {}
    for hunk in patch.hunks:
        header = patch.lines[hunk[0]]
        if patch.lines[hunk[0] - 1].kind != "file":
            path = patch.file(hunk[0]).path
            others[hunk[0]] = f"--- a/{path}\n+++ b/{path}\n{header.text}"
    return patch.said(patch.exchanged(others)) if _plain(patch) else None


_NAMES = (
    ("headers_of_files_missing", "The one file is not named.", headers_of_files_missing, "tolerant"),
    ("only_old_header", "The one file has no +++ line.", only_old_header, "tolerant"),
    ("only_new_header", "The one file has no --- line.", only_new_header, "tolerant"),
    ("only_git_header", "A diff --git line is all that names a file.", only_git_header, "tolerant"),
    ("git_headers", "Before the names stand git's lines, with an index that may be anything.", git_headers, "strict"),
    ("mode_lines", "Before the names stand git's lines for a change of mode.", mode_lines, "strict"),
    ("timestamps", "A tab and a date follow the names.", timestamps, "strict"),
    ("spaced_timestamps", "Blanks and a date follow the names.", spaced_timestamps, "strict"),
    ("tab_after_names", "A tab follows the names.", tab_after_names, "strict"),
    ("names_swapped", "The names of the old and the new side have changed places.", names_swapped, "strict"),
    ("prefixes_missing", "The names have no a/ and b/.", prefixes_missing, "tolerant"),
    ("prefix_on_one_side", "One of the two names has no prefix.", prefix_on_one_side, "tolerant"),
    ("other_prefixes", "The names have other prefixes than a/ and b/.", other_prefixes, "strict"),
    ("names_in_quotes", "The names stand in quotes that they do not need.", names_in_quotes, "strict"),
    ("headers_before_each_hunk", "The names stand before each hunk of a file.", headers_before_each_hunk, "tolerant"),
)
_TOLERATED = (
    ("only_old_headers", "Several files have no +++ lines.", only_old_headers, None),
    ("only_new_headers", "Several files have no --- lines.", only_new_headers, None),
    ("header_lines_swapped", "The +++ line stands before the --- line.", header_lines_swapped, "tolerant"),
    ("names_in_backticks", "The names stand in back-ticks.", names_in_backticks, "tolerant"),
    ("old_name_invented", "The old name is that of no file.", old_name_invented, "tolerant"),
    ("old_name_null", "The old name is /dev/null, though lines that are there change.", old_name_null, None),
    ("new_name_null", "The new name is /dev/null, though lines are left and added.", new_name_null, None),
)

MUTATORS: tuple[Mutator[CleanPatch], ...] = (
    *(of_diff(name, summary, damage, absorber=absorber, severities=(1,)) for name, summary, damage, absorber in _NAMES),
    *(
        of_diff(name, summary, damage, truth="tolerate", absorber=absorber, severities=(1,))
        for name, summary, damage, absorber in _TOLERATED
    ),
    of_diff(
        "directories_before_names",
        "Directories stand before the path that are none of it; severity is their number.",
        directories_before,
        truth="tolerate",
        absorber="tolerant",
    ),
    of_diff("names_null", "Both names are /dev/null.", names_null, truth="refuse", severities=(1,)),
)
