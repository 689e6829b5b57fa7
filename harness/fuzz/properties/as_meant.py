"""The property of inputs that were drawn with their answer: what is left is what was meant."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping

from corpora.sample import Sample, right_answers
from editcore.formats import EDIT_FORMATS, FORMATS
from editcore.quoting import quoted
from editcore.types import EditResult, Rejected
from harness.fuzz.properties.meant import is_accepted
from harness.fuzz.properties.property import Apply, Property
from harness.strategies.strategy import by_path, files_after


def as_meant(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A drawn edit leaves the files that were meant, or is refused where that is right, and then nothing is written."""
    if sample.label == "unlabelled":
        return None
    before, row = by_path(sample.before), sample.provenance.mutator
    if isinstance(result, Rejected):
        if result.files is not None and dict(result.files) != before:
            return "half done: refused, with some of it written"
        if sample.label == "refuse" or row:
            return None
        return f"refused: it is well formed and has one place: {quoted(result.message, limit=80)}"
    after = files_after(sample, result)
    if sample.label == "refuse":
        return f"applied where it had to be refused ({(row or '').replace('_', ' ')}): {_difference(before, after)}"
    rights = [by_path(files) for files in right_answers(sample)]
    if after in rights:
        return None
    from corpora.mutators import MUTATORS  # Half a second, which the first inputs do not need.

    # The rows of the catalogue leave it open how a space of a changed line is written; a pair that is merged, too.
    is_open = row in MUTATORS or (row is not None and sample.format in EDIT_FORMATS)
    if is_open and is_accepted(sample, result):
        return None
    return _difference(rights[0], after, before)


# What differs, in the words of a person: the kind, a colon, the rest


def _difference(right: Mapping[str, str], given: Mapping[str, str], before: Mapping[str, str] | None = None) -> str:
    """The kind of the first difference between the right files and those that are given, and its place."""
    for path in (*right, *given):
        if right.get(path) != given.get(path):
            name = quoted(path, limit=60)
            if path not in given:
                return f"file lost: there is no {name}"
            if path not in right:
                return f"file made: there is a file {name}"
            if before is not None and given[path] == before.get(path):
                return f"not done: {name} is as it was{_still_there(right[path], given[path])}"
            return _text_difference(name, right[path], given[path], (before or {}).get(path, ""))
    return "nothing changed"


_ALIKE: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("line endings", lambda text: text.replace("\r", "")),
    ("byte order mark", lambda text: text.replace("\ufeff", "")),
    ("final line feed", lambda text: text.removesuffix("\n").removesuffix("\r")),
    ("decomposed letters", lambda text: unicodedata.normalize("NFC", text)),
    ("trailing whitespace", lambda text: "\n".join([line.rstrip() for line in text.split("\n")])),
    ("indentation", lambda text: "\n".join([line.strip() for line in text.split("\n")])),
    ("whitespace", lambda text: "".join(text.split())),
)
"""Kind of a difference -> a function that makes texts with only that difference equal."""


def _text_difference(name: str, right: str, given: str, before: str) -> str:
    kind = next((kind for kind, same in _ALIKE if same(right) == same(given)), None)
    if kind is not None:
        pairs = zip(right.split("\n"), given.split("\n"), strict=False)
        one, other = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
        if one == other:
            return f"{kind}: {name} is right but for its {kind}: {quoted(given, limit=60)}"
        which = "a line that stays" if one in before.split("\n") else "a new line"
        return f"{kind}: {which} of {name} is {quoted(other, limit=40)} instead of {quoted(one, limit=40)}"
    more, less = _more_and_less(right, given)
    wanted, found = right.split("\n"), given.split("\n")
    if not more and not less:
        at = next(n for n, pair in enumerate(zip(wanted, found, strict=True)) if pair[0] != pair[1])
        line, there = quoted(found[at], limit=40), wanted.index(found[at]) + 1
        return f"order: {line} is line {at + 1} of {name} instead of line {there}"
    repeated = next((line for line in more if line.strip() and (line in wanted or more.count(line) > 1)), None)
    if repeated is not None:
        n, meant = found.count(repeated), wanted.count(repeated)
        return f"written again: {name} has {quoted(repeated, limit=40)} at {n} places instead of {meant}"
    if not less:
        return f"lines too many: {name} has {quoted(more[0], limit=40)}"
    if not more:
        which = ", its last line" if less[-1] == right.rstrip("\n").rpartition("\n")[2] else ""
        return f"lines lost: {name} has no {quoted(less[-1 if which else 0], limit=40)}{which}"
    return f"other text: {name} has {quoted(more[0], limit=40)} instead of {quoted(less[0], limit=40)}"


def _more_and_less(right: str, given: str) -> tuple[list[str], list[str]]:
    """The lines that a text has and the right one has not, and the other way round."""
    wanted, found = Counter(right.split("\n")), Counter(given.split("\n"))
    return list((found - wanted).elements()), list((wanted - found).elements())


def _still_there(right: str, given: str) -> str:
    more, less = _more_and_less(right, given)
    still = f", and still has {quoted(more[0], limit=40)}" if more else ""
    return f"{still}, and has no {quoted(less[0], limit=40)}" if less else still


PROPERTIES = (
    Property(
        as_meant, frozenset(FORMATS),
        ("begin_patch/strict", "begin_patch/lenient", "unified_diff/strict", "unified_diff/tolerant",
         "search_replace/recommended", "search_replace/exact", "cascade/recommended", "cascade/exact",
         "insert/line", "line_range/*", "anchors/strict", "anchors/recommended",
         "tool/edit", "tool/multi_edit", "tool/edit_patch", "tool/insert_at", "cmd/*", "peer/*", "parse/*", "mcp/*"),
        takes_lists=True, has_kinds=True,
    ),
)  # fmt: skip
