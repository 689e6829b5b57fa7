"""What oh-my-pi 13 corrects in the new lines of H2; one function each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from editcore.anchors.change import Change
from editcore.anchors.corrections import PLUS, Correction
from editcore.anchors.hashes import LETTERS
from editcore.text.whitespace import WHITESPACE, trim

_PREFIX = re.compile(rf"\s*(?:>>>|>>)?\s*(?:\+?\s*(?:[0-9]+\s*#\s*|#\s*)|\+)\s*[{LETTERS}]{{2}}:")
_ADDED = re.compile(rf"\s*(?:>>>|>>)?\s*\+\s*(?:[0-9]+\s*#\s*|#\s*)?[{LETTERS}]{{2}}:")
_ESCAPED_TABS = re.compile(r"\A(?:\\t)+")


def strip_prefixes(change: Change, _: Sequence[str]) -> Change:
    """Strips `N#HH:` from all new lines if all have it, else `+HH:` where it is, else one `+` if half have that."""
    said = [line for line in change.new if line]
    if not said:
        return change
    if all(map(_PREFIX.match, said)):
        return replace(change, new=tuple([_PREFIX.sub("", line, count=1) for line in change.new]))
    if any(map(_ADDED.match, said)):
        new = [_PREFIX.sub("", line, count=1) if _ADDED.match(line) else line for line in change.new]
        return replace(change, new=tuple(new))
    if 2 * sum(PLUS.match(line) is not None for line in said) >= len(said):
        return replace(change, new=tuple([line[1:] if PLUS.match(line) else line for line in change.new]))
    return change


def escaped_tabs(change: Change, _: Sequence[str]) -> Change:
    """Turns each `\\t` at the start of a new line into a tab, if none of the new lines has a tab."""
    if any("\t" in line for line in change.new):
        return change
    return replace(change, new=tuple([_ESCAPED_TABS.sub(lambda tabs: "\t" * (len(tabs[0]) // 2), line)
                                      for line in change.new]))  # fmt: skip


def range_end(change: Change, lines: Sequence[str]) -> Change:
    """Drops the last new line if it is the line below the range, and the range does not end in such a line."""
    if not change.is_range or change.kind != "replace" or not change.new or change.last >= len(lines):
        return change
    is_echo = _is_echo(change.new[-1], lines[change.last], lines[change.last - 1])
    return replace(change, new=change.new[:-1]) if is_echo else change


def range_start(change: Change, lines: Sequence[str]) -> Change:
    """Drops the first new line if it is the line above the range, and the range does not begin with such a line."""
    if not change.is_range or change.kind != "replace" or not change.new or not 1 < change.first <= len(lines):
        return change
    is_echo = _is_echo(change.new[0], lines[change.first - 2], lines[change.first - 1])
    return replace(change, new=change.new[1:]) if is_echo else change


def _is_echo(new: str, outside: str, within: str) -> bool:
    """Whether a new line is that outside of the range, but for whitespace at its end; of one character, a closer."""
    new, outside, within = (line.rstrip(WHITESPACE) for line in (new, outside, within))
    if not new or new != outside or new == within:
        return False
    said = trim(new)
    return len(said) > 1 or said in ("}", ")")


CORRECTIONS_OF_LINES: dict[str, Correction] = {
    "strip_prefixes": strip_prefixes,
    "escaped_tabs": escaped_tabs,
}
"""Those before it looks for edits that are another one again."""
CORRECTIONS_OF_RANGES: dict[str, Correction] = {"range_end": range_end, "range_start": range_start}
"""Those after it, which 13.15 took out."""
