"""Properties of patches in every reading."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from posixpath import normpath

from corpora.sample import Sample
from editcore.formats import FORMATS
from editcore.quoting import quoted
from editcore.text.lines import BOM
from editcore.types import Applied, EditResult, File, Rejected
from harness.fuzz.properties.property import Apply, Property
from harness.strategies.strategy import by_path, files_after

_PATCHES = ("begin_patch/*", "unified_diff/*", "search_replace/*", "tool/*", "cmd/*", "peer/*")
_UNHEARD = re.compile(r"[\W_]+")
_OF_TREES = ("begin_patch/*", "unified_diff/*", "tool/edit_patch", "cmd/*", "peer/*")
"""All strategies but the tool that edits one file."""
_OURS = ("begin_patch/*", "unified_diff/*", "tool/*", "cmd/*", "peer/*")


def refusal_changes_nothing(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A refused patch changes no file."""
    if isinstance(result, Applied) or result.files is None or dict(result.files) == by_path(sample.before):
        return None
    return "refused, with some of it done"


def change_is_made(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """An applied patch changes something."""
    if isinstance(result, Rejected) or files_after(sample, result) != by_path(sample.before):
        return None
    # Modes are not part of a file's text.
    return None if " mode 100" in (sample.patch or "") else "applied, and no file differs"


def paths_stay_inside(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """No file is created outside the tree: absolute, upwards or without a name."""
    if isinstance(result, Rejected):
        return None
    for path in files_after(sample, result).keys() - by_path(sample.before).keys():
        parts = path.split("/")
        if parts[0] in ("", "~") or ".." in parts or "" in parts or "\0" in path:
            return f"makes {quoted(path, limit=60)}"
    return None


def unnamed_files_stay(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A file that the patch does not name is unchanged."""
    if isinstance(result, Rejected) or len(sample.before) < 2:
        return None
    after, patch = files_after(sample, result), sample.patch or ""
    for file in sample.before:
        name = file.path.rpartition("/")[2]
        if name and name not in patch and "\\" not in patch and after.get(file.path) != file.content:
            return f"changes {quoted(file.path, limit=60)}, which the patch does not name"
    return None


def only_named_lines_go(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """Every line that is removed or added is in the patch."""
    if isinstance(result, Rejected):
        return None
    after, before = files_after(sample, result), by_path(sample.before)
    if after.keys() != before.keys() or _deletes(sample.patch or "") or "\\" in (sample.patch or ""):
        return None  # Whole files and escapes are checked by other properties.
    old, new = _lines(before), _lines(after)
    gone, come = _bares(old - new), _bares(new - old)
    if gone == come:
        return None
    patch_lines = _patch_lines(sample.patch or "")
    for line in gone - come:
        if not _is_in_patch(line, patch_lines):
            return f"loses {quoted(line, limit=60)}, which is not in the patch"
    for line in come - gone:
        if not _is_in_patch(line, patch_lines):
            return f"gains {quoted(line, limit=60)}, which is not in the patch"
    return None


def _lines(files: dict[str, str]) -> Counter[str]:
    return Counter([line for text in files.values() for line in text.split("\n")])


def _bares(lines: Counter[str]) -> Counter[str]:
    return Counter([_bare(line) for line in lines.elements()])


def _bare(line: str) -> str:
    """A line as the most tolerant reading compares it: without whitespace, quotes and their look-alikes."""
    return _UNHEARD.sub("", line)


def _deletes(patch: str) -> bool:
    """True if the patch may delete a file and create another of the same name."""
    lower = patch.lower()
    return "delete" in lower or "dev/null" in lower


def _patch_lines(patch: str) -> frozenset[str]:
    lines = patch.replace("\r", "\n").split("\n")
    # HTML entities may stand for their characters.
    return frozenset([_bare(one) for line in lines for one in ((line, unescape(line)) if "&" in line else (line,))])


def _is_in_patch(line: str, patch_lines: frozenset[str]) -> bool:
    return not line or line in patch_lines or any(line in one for one in patch_lines)


def output_bounded(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """The files do not grow by more than the length of the patch."""
    if isinstance(result, Rejected):
        return None
    patch = sample.patch or ""
    # A CRLF file gets two characters for each line feed of the patch, and a re-indented hunk more, also for tabs.
    longest = max([len(line) for file in sample.before for line in file.content.split("\n")], default=0)
    room = len(patch) + (patch.count("\n") + patch.count("\t") + 2) * (1 + longest)
    n_before = sum([len(file.content) for file in sample.before])
    n_after = sum(map(len, files_after(sample, result).values()))
    return None if n_after <= n_before + room else f"{n_before} characters grow to {n_after} by a patch of {len(patch)}"


def line_endings_kept(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A file with only CRLF line endings, or with none, stays so."""
    if isinstance(result, Rejected) or not _ends_alike(sample.patch or "") or _deletes(sample.patch or ""):
        return None
    after = files_after(sample, result)
    for file in sample.before:
        text = after.get(file.path)
        if text is None or text == file.content:
            continue
        n_lines, n_crlf = file.content.count("\n"), file.content.count("\r\n")
        if n_lines > 1 and n_crlf == n_lines and file.content.count("\r") == n_crlf:
            if text.replace("\r\n", "").count("\n"):
                return f"{quoted(file.path, limit=60)} had CRLF line endings, and has lone line feeds now"
        elif "\r" not in file.content and n_lines > 1 and "\r" in text:
            return f"{quoted(file.path, limit=60)} has carriage returns now"
    return None


def _ends_alike(patch: str) -> bool:
    """True if every carriage return of the patch belongs to a line ending of the patch, not to a line of the file."""
    n_returns = patch.count("\r")
    return n_returns == 0 or n_returns == patch.count("\r\n") == patch.count("\n")


def bom_kept(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A byte order mark stays at the start of its file and is not duplicated, unless the edit has one."""
    written = "".join([sample.patch or "", *[edit.old_string for edit in sample.edits or ()]])
    if isinstance(result, Rejected) or _deletes(sample.patch or "") or BOM in written:
        return None
    is_added = any(BOM in edit.new_string for edit in sample.edits or ())
    after = files_after(sample, result)
    for file in sample.before:
        text = after.get(file.path)
        if not text and sample.edits is None:
            continue  # A patch may take the whole text.
        if text is not None and file.content[:1] == BOM and text[:1] != BOM:
            return f"the byte order mark of {quoted(file.path, limit=60)} is gone"
        if text and not is_added and text.count(BOM) > file.content.count(BOM):
            return f"{quoted(file.path, limit=60)} has one more byte order mark"
    return None


def refusal_is_one_line(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A refusal gives its reason in one line of bounded length."""
    del sample
    if isinstance(result, Applied):
        return None
    if not result.message:
        return "refused without a word"
    if len(result.message.splitlines()) > 1:
        return "refused in several lines"
    return None if len(result.message) < 1_500 else f"refused in {len(result.message)} characters"


# Relations


def deterministic(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """The same sample has the same result, also after another one."""
    if apply(sample) != result:
        return "the second result for the same sample differs"
    apply(replace(sample, before=tuple([replace(file, content=f"{file.content[::-1]}") for file in sample.before])))
    return None if apply(sample) == result else "the result differs after another sample"


def unrelated_file(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """An additional file that the patch does not name changes nothing."""
    patch, name = sample.patch or "", "unrelated.stranger"
    if name in patch or not _names_its_files(sample):
        return None
    other = apply(replace(sample, before=(*sample.before, File(name, "stranger\n"))))
    if isinstance(result, Rejected):
        return None if isinstance(other, Rejected) else "applied with an unrelated file, refused without it"
    if isinstance(other, Rejected):
        return f"refused with an unrelated file: {other.message}"
    if {**files_after(sample, result), name: "stranger\n"} == files_after(sample, other):
        return None
    return "makes another change with an unrelated file"


def _names_its_files(sample: Sample) -> bool:
    """True if the patch names every file above its first hunk. A patch without a name may mean the only file."""
    patch = sample.patch or ""
    if "*** Begin Patch" in patch:
        return True
    above = patch.partition("@@")[0]
    has_both = all(re.search(rf"^[> \t]*{re.escape(mark)} ", above, re.MULTILINE) for mark in ("---", "+++"))
    return has_both and all(file.path in above for file in sample.before)


def order_of_files(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """The order of the files in the tree does not matter."""
    if len(sample.before) < 2:
        return None
    other = apply(replace(sample, before=sample.before[::-1]))
    if isinstance(result, Rejected) or isinstance(other, Rejected):
        same = isinstance(result, Rejected) and isinstance(other, Rejected) and result.reason == other.reason
    else:
        same = files_after(sample, result) == files_after(sample, other)
    return None if same else "the order of the files changes the result"


_FORMATS = frozenset({"begin_patch", "unified_diff"})
_ALL = frozenset({*_FORMATS, "search_replace"})


# Patches that could be misread silently: other files, cut texts, markers, equal places

_HEADER = re.compile(r"^[> \t]*(---|\+\+\+|rename from|rename to|diff --git) (.*[^ \t\r\n])", re.MULTILINE)
_HEADERS = re.compile(r"^(?:[> \t]*--- .*\n[> \t]*\+\+\+ [^\s]|diff --git )", re.MULTILINE)
"""Certain headers. `+++ a` alone is none: a hunk adds the line `++ a` that way."""
_NOTE = re.compile(r" \(|\d\d:\d\d")
"""Notes after a name: a revision or a time."""
_ROOTED = re.compile(r"/|~/|[A-Za-z]:/")
_NUMBERS = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def diff_names_its_files(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A diff changes only files that its headers name, by a whole path or by the end of one."""
    patch = sample.patch or ""
    if isinstance(result, Rejected) or "\\" in patch or '"' in patch or not _HEADERS.search(patch):
        return None
    before, after = by_path(sample.before), files_after(sample, result)
    names = {normpath(one) for name in _names(patch) for one in (name, name.strip("`'"))}
    for path in before.keys() | after.keys():
        if not names or before.get(path) == after.get(path):
            continue
        deep = path.count("/") + 1
        ends = (name for name in names if name.endswith(f"/{normpath(path)}"))
        if normpath(path) not in names and not any(
            _ROOTED.match(name) or (name.count("/") == deep and name not in before) for name in ends
        ):
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
    r"""A line such as `\end{document}` below the last change of a diff is not ignored."""
    patch, line = sample.patch or "", "\\end{document}"
    last = patch.rstrip("\n").rpartition("\n")[2]
    if isinstance(result, Rejected) or last[:1] not in ("+", "-") or last.startswith(("--", "+++ ")):
        return None
    if (
        not patch.endswith("\n")
        or patch.endswith("\n\n")
        or "@@" not in patch
        or any(line in file.content for file in sample.before)
    ):
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
    """True if a patch has one hunk without numbers, anchor and mark of the end of the file."""
    heads = [line for line in patch.split("\n") if line.startswith("@@")]
    return len(heads) == 1 and not heads[0].strip("@ ") and "End of File" not in patch and "\\" not in patch


def _is_whole(result: Applied) -> bool:
    """True if the one hunk was placed by its lines alone."""
    return len(result.landings) == 1 and result.landings[0].equality != "anchor" and not result.landings[0].notes


_DIFF, _ENVELOPE = frozenset({"unified_diff"}), frozenset({"begin_patch"})
_MATCHED = ("unified_diff/offset", "unified_diff/fuzz", "unified_diff/tolerant")
_UNIQUE = ("begin_patch/strict", "begin_patch/lenient", "unified_diff/tolerant")

PROPERTIES = (
    Property(refusal_changes_nothing, _ALL, _PATCHES),
    Property(change_is_made, _ALL, _PATCHES),
    Property(paths_stay_inside, _ALL, _PATCHES),
    Property(unnamed_files_stay, _FORMATS, _PATCHES),
    Property(only_named_lines_go, _FORMATS, _OURS),
    Property(output_bounded, _FORMATS, _OURS),
    Property(line_endings_kept, _FORMATS, _OURS),
    Property(bom_kept, _FORMATS, _OURS),
    Property(refusal_is_one_line, frozenset({*_ALL, "str_replace", "insert", "line_range"}), ("*",), takes_lists=True),
    Property(deterministic, frozenset(FORMATS), ("*",), applies_again=True, takes_lists=True),
    Property(unrelated_file, _FORMATS, _OF_TREES, applies_again=True),
    Property(order_of_files, _FORMATS, _OURS, applies_again=True),
    Property(diff_names_its_files, _DIFF, _MATCHED),
    Property(cut_patch_refused, _DIFF | _ENVELOPE, ("unified_diff/*", "begin_patch/*"), applies_again=True),
    Property(backslash_is_no_marker, _DIFF, ("unified_diff/tolerant",), applies_again=True),
    Property(equal_but_for_line_endings_refused, _DIFF | _ENVELOPE, _UNIQUE, applies_again=True),
)
