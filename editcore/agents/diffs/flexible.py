"""aider's flexible search and replace, and lines by the change of their indentation, which it uses.

A search text is looked for as it is, without blank lines at its ends, by changes of indentation, and by both.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from editcore.agents.matching import Work
from editcore.errors import PatchError
from editcore.text.whitespace import indent_width
from editcore.types import Reason

# Each line becomes two: the change of its indentation, and the line without it.
#
#     |    a          |    \n|a        four spaces more than the line above (there is none)
#     |        b      |    \n|b        four spaces more
#     |    c          |←←←←\n|c        a mark for each character less
#
# Two blocks that differ in indentation throughout then differ in their first line only. Read: aider 0.86.2,
# aider/coders/search_replace.py, RelativeIndenter.

_MARK = "←"


def mark_for(texts: Iterable[str]) -> str:
    """A character that none of the texts contains."""
    texts = list(texts)
    if not any(_MARK in text for text in texts):
        return _MARK
    used = set().union(*texts)
    return next(chr(n) for n in range(0x10FFFF, 0x10000, -1) if chr(n) not in used)


def relative(text: str, mark: str) -> str:
    """The text by changes of indentation; `mark` stands for a character less."""
    out: list[str] = []
    above = ""
    for line in text.splitlines(keepends=True):
        content = line.rstrip("\n\r")
        size = indent_width(content, None)
        more = size - len(above)
        out += (line[size - more : size] if more > 0 else mark * -more, "\n", line[size:])
        above = line[:size]
    return "".join(out)


def absolute(text: str, mark: str) -> str | None:
    """The text whose `relative` form is given; None if a line has more marks than the line above has indentation.

    Raises PatchError for a text whose lines are no pairs: the program fails at it.
    """
    lines = text.splitlines(keepends=True)
    if len(lines) % 2:
        raise PatchError("list index out of range", reason=Reason.MALFORMED)
    out: list[str] = []
    indent = ""
    for change, content in zip(lines[::2], lines[1::2], strict=True):
        change = change.rstrip("\r\n")
        indent = indent[: -len(change)] if change.startswith(mark) else indent + change
        out.append(indent + content if content.rstrip("\r\n") else content)
    found = "".join(out)
    return None if mark in found else found


class Content:
    """A text, all places of search texts replaced in it. Read: aider 0.86.2, search_replace.py."""

    def __init__(self, text: str, work: Work) -> None:
        self.text = text
        self._work = work
        self._relative = cache(relative)
        """(text, mark) -> text. It remembers the relative form of the whole text, which every search needs."""

    def replaced(self, search: str, new: str) -> str | None:
        """The text with every place of `search` replaced; None or "" if there is no place."""
        for is_relative in (False, True):
            for is_stripped in (False, True):
                texts = [one.strip("\n") + "\n" if is_stripped else one for one in (search, new, self.text)]
                found = self._by_indentation(texts) if is_relative else self._plain(texts)
                if found:
                    return found
        return None

    def _plain(self, texts: list[str]) -> str | None:
        search, new, text = texts
        self._work.spend(100 + len(text) // 20)
        return text.replace(search, new) if search in text else None

    def _by_indentation(self, texts: list[str]) -> str | None:
        mark = mark_for(texts)
        self._work.spend(len(texts[0]) + len(texts[1]))
        found = self._plain([relative(texts[0], mark), relative(texts[1], mark), self._relative(texts[2], mark)])
        return absolute(found, mark) if found else found
