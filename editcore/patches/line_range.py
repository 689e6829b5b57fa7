"""Line-range edits: lines replaced by their numbers."""

from __future__ import annotations

from editcore.types import Applied, EditResult, Match, Reason, Rejected, leaves_text


@leaves_text
def replace_lines(text: str, line: int, end_line: int, content: str) -> EditResult:
    """Replace lines `line` to `end_line` (1-based, inclusive) by the lines of `content`. Never raises.

    An empty content deletes them. A line feed at the end of the content ends its last line and adds no blank one. The
    new lines get the line ending of the first line replaced, or of the line above it. Whether the text ends in a line
    feed does not change.
    """
    lines = text.split("\n")
    n_lines = len(lines) - (not lines[-1])
    if not 1 <= line <= end_line <= n_lines:
        return Rejected(
            Reason.NOT_FOUND,
            f"There are no lines {line} to {end_line}: the file has {n_lines}; give a first and a last one within it.",
        )
    # A last line without an ending does not show which one the file uses: the line above does.
    ended = lines[line - 1] if line < len(lines) or line == 1 else lines[line - 2]
    end = "\r" if ended.endswith("\r") else ""
    new = content.removesuffix("\n").split("\n") if content else []
    new = [piece.removesuffix("\r") + end for piece in new]
    start = sum(map(len, lines[: line - 1])) + line - 1
    stop = start + sum(map(len, lines[line - 1 : end_line])) + end_line - line + 1
    kept = [*lines[: line - 1], *new, *lines[end_line:]]
    if end_line == len(lines) and kept and not lines[-1].endswith("\r"):
        kept[-1] = kept[-1].removesuffix("\r")  # Half of a CRLF, as the last line has no ending now.
    # A blank last line consists of its line feed.
    after = "\n".join(kept) + ("\n" if end_line == len(lines) and kept and not kept[-1] else "")
    return Applied(after, (Match(start, min(stop, len(text)), "lines"),), "lines")
