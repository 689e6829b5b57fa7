"""Properties of patches that would be misread in silence: other files, cut texts, markers, equal places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from posixpath import normpath

from corpora.sample import Sample
from editcore.quoting import quoted
from editcore.types import Applied, EditResult, File, Rejected
from harness.fuzz.properties.property import Apply, Property, files_after
from harness.strategies.strategy import by_path

_HEADER = re.compile(r"^[> \t]*(---|\+\+\+|rename from|rename to|diff --git) (.*[^ \t\r\n])", re.MULTILINE)
_HEADERS = re.compile(r"^(?:[> \t]*--- .*\n[> \t]*\+\+\+ [^\s]|diff --git )", re.MULTILINE)
"""What is certainly a header: `+++ a` alone is also how a hunk adds the line `++ a`."""
_NOTE = re.compile(r" \(|\d\d:\d\d")
"""What may follow a name: a revision or a time."""
_ROOTED = re.compile(r"/|~/|[A-Za-z]:/")
_NUMBERS = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def diff_names_its_files(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A diff changes only files that its headers name: by a whole path, or by one from the root that ends in theirs."""
    patch = sample.patch or ""
    if isinstance(result, Rejected) or "\\" in patch or '"' in patch or not _HEADERS.search(patch):
        return None
    before, after = by_path(sample.before), files_after(sample, result)
    names = {normpath(one) for name in _names(patch) for one in (name, name.strip("`'"))}
    for path in before.keys() | after.keys():
        if not names or before.get(path) == after.get(path):
            continue
        exact = {normpath(prefix + path) for prefix in ("", "a/", "b/", "c/", "i/", "o/", "w/")}
        ends = (name for name in names if _ROOTED.match(name) and name.endswith(f"/{normpath(path)}"))
        if not names & exact and not any(ends):
            return f"changes {quoted(path, limit=60)}, which no header names"
    return None


def _names(patch: str) -> Iterator[str]:
    for found in _HEADER.finditer(patch):
        yield found[2].split("\t")[0]
        if found[1] == "diff --git" or _NOTE.search(found[2]):
            blanks = [n for n, character in enumerate(found[2]) if character == " "]
            yield from (part for n in blanks for part in (found[2][:n], found[2][n + 1 :]))


def cut_patch_refused(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """A patch that is cut off in the context above the changes of its last hunk is refused."""
    lines = (sample.patch or "").split("\n")
    start = next((n for n in range(len(lines) - 1, -1, -1) if lines[n].startswith("@@")), None)
    if isinstance(result, Rejected) or start is None:
        return None
    end = start + 1
    while end < len(lines) and lines[end].startswith(" ") and lines[end].strip():
        end += 1
    n_context = end - start - 1
    if not n_context or end == len(lines) or lines[end][:1] not in ("+", "-"):
        return None
    numbers = _NUMBERS.match(lines[start])
    if numbers and max(int(numbers[1] or 1), int(numbers[2] or 1)) <= n_context:
        return None
    other = apply(replace(sample, patch="\n".join(lines[:end]) + "\n"))
    return None if isinstance(other, Rejected) else "applied without the changes of its last hunk"


def backslash_is_no_marker(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    r"""A line such as `\end{document}` below the last change of a diff is not passed over."""
    patch, line = sample.patch or "", "\\end{document}"
    last = patch.rstrip("\n").rpartition("\n")[2]
    if isinstance(result, Rejected) or last[:1] not in ("+", "-") or last.startswith(("--", "+++ ")):
        return None
    if not patch.endswith("\n") or "@@" not in patch or any(line in file.content for file in sample.before):
        return None
    if "```" in patch or "~~~" in patch:
        return None  # What stands below a code fence is prose.
    other = apply(replace(sample, patch=f"{patch}{line}\n"))
    if isinstance(other, Rejected) or files_after(sample, other) != files_after(sample, result):
        return None
    return "applied without a line that begins with a backslash"


def equal_but_for_line_endings_refused(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """A hunk without hints is refused if its lines are in the file twice, once with carriage returns."""
    patch = sample.patch or ""
    if isinstance(result, Rejected) or len(sample.before) != 1 or not _is_bare_hunk(patch):
        return None
    (file,) = sample.before
    if not file.content.endswith("\n") or "\r" in file.content + patch or "\ufeff" in file.content + patch:
        return None
    if set(files_after(sample, result)) != {file.path} or not _is_whole(result):
        return None
    twins = file.content.replace("\n", "\r\n") + file.content
    other = apply(replace(sample, before=(File(file.path, twins),)))
    return None if isinstance(other, Rejected) else "takes one of two places that are equal but for carriage returns"


def _is_bare_hunk(patch: str) -> bool:
    """Whether a patch has one hunk, and neither numbers nor an anchor nor a mark of the end of the file."""
    heads = [line for line in patch.split("\n") if line.startswith("@@")]
    return len(heads) == 1 and not heads[0].strip("@ ") and "End of File" not in patch and "\\" not in patch


def _is_whole(result: Applied) -> bool:
    """Whether the one hunk was placed by its lines."""
    return len(result.landings) == 1 and result.landings[0].equality != "anchor"


_DIFF, _ENVELOPE = frozenset({"unified_diff"}), frozenset({"begin_patch"})
_MATCHED = ("unified_diff/offset", "unified_diff/fuzz", "unified_diff/tolerant")
_UNIQUE = ("begin_patch/strict", "begin_patch/lenient", "unified_diff/tolerant")

_MISREAD = (
    Property(diff_names_its_files, _DIFF, _MATCHED),
    Property(cut_patch_refused, _DIFF | _ENVELOPE, ("unified_diff/*", "begin_patch/*"), applies_again=True),
    Property(backslash_is_no_marker, _DIFF, ("unified_diff/tolerant",), applies_again=True),
    Property(equal_but_for_line_endings_refused, _DIFF | _ENVELOPE, _UNIQUE, applies_again=True),
)
