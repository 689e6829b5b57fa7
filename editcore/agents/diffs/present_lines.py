"""Which lines of a hunk's old side aider takes to be in the file: those that its diff with the file leaves equal.

    old side |a|b|c|       file |a|c|d|       hunk | a       what models forget to mark as added
                                                   |-b

The diff is that of diff-match-patch on lines as characters, after both of its cleanups, which drop what is equal but
short beside the rest of the file: so that this finds something only in a file that is hardly longer than the hunk.
"""

from __future__ import annotations

import re

from editcore.agents.diffs.cleanups import efficient, semantic
from editcore.agents.diffs.line_diff import difference
from editcore.agents.matching import Work

_LINE = re.compile(r"[^\n]*+\n|[^\n]++\Z")


def present(old: str, content: str, work: Work) -> list[str]:
    """The lines of the old side, each with a space in front if it is in the file, else with a minus sign."""
    known: dict[str, int] = {}
    one, two = (
        "".join([chr(known.setdefault(line, len(known) + 1)) for line in _LINE.findall(text)])
        for text in (old, content)
    )
    lines = ["", *known]
    found: list[str] = []
    for mark, symbols in efficient(semantic(difference(one, two, work))):
        if mark <= 0:
            text = "".join([lines[ord(symbol)] for symbol in symbols])
            found += [("-" if mark else " ") + line for line in text.splitlines(keepends=True)]
    return found
