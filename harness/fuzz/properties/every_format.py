"""Properties of every format: what is written where, what a refusal says, and whether answers vary."""

from __future__ import annotations

from dataclasses import replace

from corpora.sample import Sample
from editcore.formats import FORMATS
from editcore.quoting import quoted
from editcore.types import Applied, EditResult, Rejected
from harness.fuzz.properties.property import Apply, Property, text_after
from harness.strategies.strategy import by_path, files_after


def refusal_changes_nothing(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A refused patch changes no file."""
    if isinstance(result, Applied) or result.files is None or dict(result.files) == by_path(sample.before):
        return None
    return "refused, with some of it done"


def paths_stay_inside(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """No file is created outside the tree: absolute, upwards or without a name."""
    if isinstance(result, Rejected):
        return None
    for path in files_after(sample, result).keys() - by_path(sample.before).keys():
        parts = path.split("/")
        if parts[0] in ("", "~") or ".." in parts or "" in parts or "\0" in path:
            return f"makes {quoted(path, limit=60)}"
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


def deterministic(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """The same sample has the same result, also after another one."""
    if apply(sample) != result:
        return "the second result for the same sample differs"
    apply(replace(sample, before=tuple([replace(file, content=f"{file.content[::-1]}") for file in sample.before])))
    return None if apply(sample) == result else "the result differs after another sample"


def text_stands_between(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """Split at line feeds, the result is the lines above, the lines of the new text, and the lines below."""
    lines, line = sample.before[0].content.split("\n"), sample.line or 0
    if isinstance(result, Rejected):
        return f"refused, although there is a line {line}" if 0 <= line <= len(lines) else None
    wanted = [*lines[:line], *(sample.patch or "").split("\n"), *lines[line:]]
    return None if text_after(sample, result).split("\n") == wanted else f"the text is not below line {line}"


_PATCHES = frozenset({"begin_patch", "unified_diff", "search_replace"})
_READ_PATCHES = ("begin_patch/*", "unified_diff/*", "search_replace/*", "tool/*", "cmd/*", "peer/*")

PROPERTIES = (
    Property(refusal_changes_nothing, _PATCHES, _READ_PATCHES),
    Property(paths_stay_inside, _PATCHES, _READ_PATCHES),
    Property(refusal_is_one_line, _PATCHES | {"str_replace", "insert", "line_range"}, ("*",), takes_lists=True),
    Property(text_stands_between, frozenset({"insert"}), ("insert/split",)),
    Property(deterministic, frozenset(FORMATS), ("*",), applies_again=True, takes_lists=True),
)
