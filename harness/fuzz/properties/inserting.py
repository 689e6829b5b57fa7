"""Properties of insertions and of edits of line ranges."""

from __future__ import annotations

from corpora.sample import Sample
from editcore.text.lines import n_lines
from editcore.types import EditResult, Rejected
from harness.fuzz.properties.property import Apply, Property, text_after


def _without_ends(text: str) -> list[str]:
    """The lines without byte order marks and without carriage returns, which depend on the file."""
    return text.replace("\r", "").replace("\ufeff", "").removesuffix("\n").split("\n")


def _is_odd(text: str) -> bool:
    """True if a text has a lone CR or a byte order mark, which a file may treat as its own."""
    return "\ufeff" in text[1:] or "\r" in text.replace("\r\n", "")


def number_means_a_line(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A line number out of range is refused; a number in range is not."""
    last_line = n_lines(sample.before[0].content)
    line, end_line = sample.line or 0, sample.end_line
    inside = -1 <= line <= last_line if end_line is None else 1 <= line <= end_line <= last_line
    if isinstance(result, Rejected):
        return f"refused, although there is a line {line}" if inside and sample.patch else None
    return None if inside else f"applied, although there is no line {line}"


def text_stands_below(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """The inserted lines are directly below the given line, and the other lines are unchanged."""
    content, new = sample.before[0].content, sample.patch or ""
    if isinstance(result, Rejected) or not content.strip("\ufeff") or _is_odd(content) or _is_odd(f" {new}"):
        return None
    if not (content.endswith("\n") or _without_ends(new)[-1]):
        return None
    before, after, added = _without_ends(content), _without_ends(text_after(sample, result)), _without_ends(new)
    line = len(before) if sample.line == -1 else sample.line or 0
    return None if after == [*before[:line], *added, *before[line:]] else f"the text is not below line {line}"


def final_newline_kept(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A text that ends in a line feed still does after the insertion."""
    content, added = sample.before[0].content, sample.patch or ""
    if isinstance(result, Rejected) or not content.strip("\ufeff"):
        return None
    after = text_after(sample, result)
    if after.endswith("\r") and not content.endswith("\r") and "\r" not in added and "\r\r" not in content:
        return "half of a line ending is left at the end"
    if not _without_ends(after)[-1] or (added and not _without_ends(added)[-1]):
        return None  # A blank last line is the line feed.
    return None if after.endswith("\n") == content.endswith("\n") else "the final line feed changed"


def text_stands_between(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """Split at line feeds, the result is the lines above, the lines of the new text, and the lines below."""
    lines, line = sample.before[0].content.split("\n"), sample.line or 0
    if isinstance(result, Rejected):
        return f"refused, although there is a line {line}" if 0 <= line <= len(lines) else None
    wanted = [*lines[:line], *(sample.patch or "").split("\n"), *lines[line:]]
    return None if text_after(sample, result).split("\n") == wanted else f"the text is not below line {line}"


def range_is_replaced(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """The lines of the range are the lines of the new text, and the other lines are unchanged."""
    content, new = sample.before[0].content, sample.patch or ""
    if isinstance(result, Rejected) or _is_odd(content) or _is_odd(f" {new}"):
        return None
    first, last = sample.line or 0, sample.end_line or 0
    before, after = _without_ends(content), _without_ends(text_after(sample, result))
    wanted = [*before[: first - 1], *(_without_ends(new) if new else []), *before[last:]]
    return None if (wanted or [""]) == after else f"lines {first} to {last} are not exactly what was replaced"


_INSERT, _RANGE = frozenset({"insert"}), frozenset({"line_range"})
_ANY = ("insert/line", "line_range/*", "tool/*", "cmd/*")

PROPERTIES = (
    Property(number_means_a_line, _INSERT | _RANGE, _ANY),
    Property(text_stands_below, _INSERT, _ANY),
    Property(final_newline_kept, _INSERT | _RANGE, _ANY),
    Property(text_stands_between, _INSERT, ("insert/split",)),
    Property(range_is_replaced, _RANGE, _ANY),
)
