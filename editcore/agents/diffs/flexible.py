"""aider's flexible search and replace: a text as it is, without blank lines at its ends, by changes of indentation."""

from __future__ import annotations

from functools import cache

from editcore.agents.diffs.relative_indent import absolute, mark_for, relative
from editcore.agents.matching import Work


class Content:
    """A text in which search texts are replaced wherever they stand. Read: aider 0.86.2, search_replace.py."""

    def __init__(self, text: str, work: Work) -> None:
        self.text = text
        self._work = work
        self._relative = cache(relative)
        """(text, mark) -> text; remembers the whole text, which every search asks for again."""

    def replaced(self, search: str, new: str) -> str | None:
        """The text with every place of a search text replaced; None, or an empty one, if there is none."""
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
