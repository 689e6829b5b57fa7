"""Recorded diffs as evidence: compared with texts at their line numbers only, never placed by searching."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from corpora.diff_hunks import DiffHunk, diff_hunks
from corpora.importers.session import RecordedDiff

_REMOVED = re.compile(r"(?:(?!@@).*\n)*\+\+\+ /dev/null\b")


def removes_file(diff: RecordedDiff) -> bool:
    """True if a recorded diff removes the file."""
    return bool(_REMOVED.match(diff.text))


def apply_recorded(diff: RecordedDiff, before: str, *, written_lines: Sequence[str] = ()) -> str | None:
    """The text after a recorded diff, applied at its line numbers. None if the diff does not fit there exactly.

    `written_lines` are the lines that the model wrote. They restore indentation that was cut off the diff.
    """
    if not diff.numbers_hold or diff.tabs_shown_as != "\t":
        return None
    hunks = diff_hunks(diff.text)
    ends_open = before != "" and not before.endswith("\n")
    lines = before.removesuffix("\n").split("\n") if before else []
    if hunks and diff.dedented:
        hunks = _with_indentation(hunks, lines, written_lines)
    if hunks is None:
        return None
    out: list[str] = []
    at = 0
    for hunk in hunks:
        if hunk.source_index < at or lines[hunk.source_index : hunk.source_index + len(hunk.old)] != hunk.old:
            return None
        out += lines[at : hunk.source_index]
        if hunk.new and hunk.target_index != len(out):
            return None
        out += hunk.new
        at = hunk.source_index + len(hunk.old)
        if at < len(lines):
            if hunk.source_no_newline or hunk.target_no_newline:
                return None
        elif hunk.source_no_newline != ends_open:
            return None
        else:
            ends_open = hunk.target_no_newline
    out += lines[at:]
    return "\n".join(out) + ("" if ends_open or not out else "\n")


def agrees(diff: RecordedDiff, before: str, after: str) -> bool:
    """True if a recorded diff describes the change from `before` to `after`; False if it cannot be read."""
    hunks = diff_hunks(diff.text)
    if hunks is None:
        return False
    old, new = _displayed_lines(before, diff.tabs_shown_as), _displayed_lines(after, diff.tabs_shown_as)
    if not diff.numbers_hold:
        # If the numbers are wrong, only the counts of added and removed lines are compared.
        old_lines, new_lines = (
            [line for hunk in hunks for line in hunk.old],
            [line for hunk in hunks for line in hunk.new],
        )
        return _difference(old_lines, new_lines) == _difference(old, new)
    cut = _cut_width(hunks, old, new) if diff.dedented else 0
    at_old = at_new = 0
    for hunk in hunks:
        end_old, end_new = hunk.source_index + len(hunk.old), hunk.target_index + len(hunk.new)
        if [line[cut:] for line in old[hunk.source_index : end_old]] != _without_cr(hunk.old):
            return False
        if [line[cut:] for line in new[hunk.target_index : end_new]] != _without_cr(hunk.new):
            return False
        if old[at_old : hunk.source_index] != new[at_new : hunk.target_index]:
            return False
        at_old, at_new = end_old, end_new
    # Final line feeds do not count here.
    return "\n".join(old[at_old:]).rstrip("\n") == "\n".join(new[at_new:]).rstrip("\n")


def _with_indentation(hunks: list[DiffHunk], lines: list[str], written_lines: Sequence[str]) -> list[DiffHunk] | None:
    """The hunks with the indentation that was cut off all their lines; None if it is not certain."""
    pairs = [
        (line, shown)
        for hunk in hunks
        for line, shown in zip(lines[hunk.source_index : hunk.source_index + len(hunk.old)], hunk.old, strict=False)
    ]
    prefixes = {line[: len(line) - len(shown)] for line, shown in pairs if shown.strip()}
    added = [line[1:] for hunk in hunks for line in hunk.lines if line[0] == "+"]
    written = set(written_lines)
    if not prefixes and all(line in written for line in added):
        prefixes = {""}
    if len(prefixes) != 1 or (prefix := prefixes.pop()).strip():
        return None
    has_blanks = any(line and line.isspace() for line in (*written, *(line for line, _ in pairs)))
    if prefix and has_blanks and not all(map(str.strip, added)):
        return None
    if prefix and any(_indented_otherwise(prefix + line, written) for line in added):
        return None
    return [_with_prefix(hunk, lines, prefix) for hunk in hunks]


def _indented_otherwise(line: str, written: set[str]) -> bool:
    """True if the model wrote the line with other indentation. The model may have written the end of the line only."""
    alike = [own for own in written if own.strip() and own.strip() == line.strip()]
    return bool(alike) and not any(line.endswith(own) for own in alike)


def _with_prefix(hunk: DiffHunk, lines: list[str], prefix: str) -> DiffHunk:
    """The hunk with its indentation. Old lines are taken from the file if they fit; empty new lines stay empty."""
    found: list[str] = []
    at = hunk.source_index
    for line in hunk.lines:
        mark, shown = line[0], line[1:]
        if mark == "+":
            found.append(f"+{prefix}{shown}" if shown else "+")
            continue
        own = lines[at] if at < len(lines) else ""
        is_own = own[len(prefix) :] == shown and not own[: len(prefix)].strip()
        found.append(mark + (own if is_own else prefix + shown))
        at += 1
    return replace(hunk, lines=tuple(found))


def _cut_width(hunks: list[DiffHunk], old: list[str], new: list[str]) -> int:
    """The number of characters that were cut off each line: the indentation of the least indented line."""
    sides = [
        *(line for hunk in hunks for line in old[hunk.source_index : hunk.source_index + len(hunk.old)]),
        *(line for hunk in hunks for line in new[hunk.target_index : hunk.target_index + len(hunk.new)]),
    ]
    return min((len(line) - len(line.lstrip()) for line in sides if line.strip()), default=0)


def _difference(old: Iterable[str], new: Iterable[str]) -> dict[str, int]:
    """The change in the number of each line, without empty lines."""
    change = Counter(new)
    change.subtract(Counter(old))
    return {line: n for line, n in change.items() if n and line}


def _displayed_lines(text: str, tab: str) -> list[str]:
    """The lines of a text with their indentation as the agent shows it."""
    lines = _without_cr(text.split("\n"))
    if tab == "\t":
        return lines
    return [tab * (len(line) - len(line.lstrip("\t"))) + line.lstrip("\t") for line in lines]


def _without_cr(lines: Sequence[str]) -> list[str]:
    return [line.removesuffix("\r") for line in lines]
