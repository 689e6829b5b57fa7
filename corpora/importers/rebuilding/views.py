"""A model's view of the files of a session: the texts that its next edit is written against.

    Read a.py   |a = 1     the model's view     the current file, after a formatter     seen: |a = 1
                |b=2                                                 |a = 1                    |b=2
                                                                     |b = 2

A view begins with a read or a write, and the model's own edits update it. The model knows other changes only if an
output showed them. If a changed line occurs in a later output of a command, the model's view is not certain, and the
sample has no `seen`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from corpora.importers.rebuilding.results import Texts, apply_exactly
from corpora.importers.session import Attempt, Read
from editcore.text.diff import changed_ranges
from editcore.text.endings import line_feeds
from editcore.text.lines import Stretches, joined, moved_stretches, put_in
from editcore.text.three_way import beside

_MOST_CHARACTERS = 64 << 20
"""The number of characters of texts that are kept. The texts seen longest ago are forgotten first."""
_MOST_PRINTED = 1 << 20
"""The number of characters of outputs that are kept and searched for changed lines."""
_MOST_LOOKED_FOR = 50
"""The number of changed lines that are searched for in outputs."""
_FEWEST = 4
"""The number of letters and digits from which a line can be recognized in an output."""
_MOST_WINDOWS = 100


@dataclass(frozen=True, slots=True)
class _View:
    """The model's knowledge of a file."""

    text: str | None = None
    """The whole text at the time of the view; None if only `windows` is known of it."""
    lines: Stretches | None = None
    """The lines of `text` that were shown; None for all."""
    windows: tuple[tuple[int, tuple[str, ...]], ...] = ()
    """The first line and the lines of each stretch that was shown of an unknown text."""
    since: int = 0
    """The number of outputs before the view."""

    @property
    def size(self) -> int:
        return len(self.text or "") + sum(len(line) for _, lines in self.windows for line in lines)


class Seen(NamedTuple):
    """The model's view of the files that an edit is for."""

    files: Texts | None = None
    """The known files, if one of them differs from the text that the edit met."""
    lines: Mapping[str, Stretches] = {}
    """The lines that were shown of those files that were shown in part."""
    same: bool = False
    """True if the shown text of every file is the text that the edit met."""


def told(texts: Texts, before: Texts) -> Seen:
    """The view of the files `before`, if the log itself has the texts that the model saw."""
    if before and all(path in texts and _is_same(texts[path], text) for path, text in before.items()):
        return Seen(same=True)
    return Seen(texts or None)


class Views:
    """The files of a session as the model knows them; paths are absolute."""

    def __init__(self) -> None:
        self._views: dict[str, _View] = {}
        self._n_held = 0
        self._n_printed = 0
        self._printed: deque[tuple[int, str]] = deque()
        self._n_kept = 0
        self._lost = 0
        """The ordinal of the last output that is not kept or not known."""

    def of_now(self, wanted: Iterable[str]) -> Views:
        """A copy of the views of some files, which further events do not change."""
        copy = Views()
        copy._views = {path: self._views[path] for path in wanted if path in self._views}
        copy._n_printed, copy._lost = self._n_printed, self._lost
        copy._printed = deque(self._printed)
        return copy

    # What the model was shown.

    def read(self, path: str, read: Read, text: str | None) -> None:
        """Process a read. `text` is the whole text of the file at that time, if it is known."""
        known = self._views.get(path)
        if read.whole:
            self._keep(path, _View(read.content))
            return
        shown = tuple(read.content.removesuffix("\n").split("\n"))
        stretch = (read.first_line, read.first_line + len(shown) - 1)
        if text is not None and _stands(text, read.first_line, shown):
            if known is None or known.text != text:
                self._keep(path, _View(text, (stretch,)))
            elif known.lines is not None:
                self._keep(path, _View(text, joined([*known.lines, stretch])))
            return
        windows = known.windows if known else ()
        others = [one for one in windows if one[0] > stretch[1] or one[0] + len(one[1]) <= stretch[0]]
        self._keep(path, _View(windows=(*others, (read.first_line, shown))[-_MOST_WINDOWS:]))

    def wrote(self, path: str, content: str | None) -> None:
        """Process a whole file that the model wrote, or removed (None)."""
        if content is None:
            self.forget(path)
        else:
            self._keep(path, _View(content))

    def printed(self, output: str | None) -> None:
        """Process the output of a command, which may show lines of any file. None if the output is not known."""
        self._n_printed += 1
        if output is None or len(output) > _MOST_PRINTED:
            self._lost = self._n_printed
            return
        self._printed.append((self._n_printed, output))
        self._n_kept += len(output)
        while self._n_kept > _MOST_PRINTED:
            self._lost, dropped = self._printed.popleft()
            self._n_kept -= len(dropped)

    def edited(self, attempt: Attempt, before: Texts, after: Texts | None, named: Iterable[str]) -> None:
        """Process the model's own edit. The model's view of a file gains this change, and no other."""
        removed = before.keys() - (after or {}).keys()
        for path in dict.fromkeys([*named, *(after or {})]):
            new = (after or {}).get(path)
            if new is None or (path not in before and removed):
                self.forget(path)
            elif path not in before:
                self._keep(path, _View(new))
            elif (old := self._resolved(path, before[path])) is None or old.text is None:
                self.forget(path)
            else:
                self._edit(path, attempt, old, before[path], new)

    def _edit(self, path: str, attempt: Attempt, known: _View, before: str, after: str) -> None:
        assert known.text is not None
        if known.text == before:
            text: str | None = after
        else:
            text = apply_exactly(attempt, known.text).text
            text = beside(before, after, known.text) if text is None else text
        if text is None:
            self.forget(path)
        else:
            changes = changed_ranges(known.text, text) if known.lines else []
            lines = known.lines and joined([*moved_stretches(known.lines, changes), *put_in(changes)])
            self._keep(path, replace(known, text=text, lines=lines), shown=False)

    def forget(self, path: str) -> None:
        """Drop the view of a file."""
        if gone := self._views.pop(path, None):
            self._n_held -= gone.size

    def clear(self) -> None:
        self._views.clear()
        self._n_held = 0

    def _keep(self, path: str, view: _View, *, shown: bool = True) -> None:
        self.forget(path)
        view = replace(view, since=self._n_printed) if shown else view
        self._views[path] = view
        self._n_held += view.size
        while self._n_held > _MOST_CHARACTERS and len(self._views) > 1:
            self.forget(next(iter(self._views)))

    # What an edit was written against.

    def seen(self, before: Texts) -> Seen:
        """The model's view of the files that an edit met, without the files whose view is not certain."""
        known = {path: view for path in before if (view := self._known(path, before[path]))}
        if all(_is_same(view.text or "", before[path]) for path, view in known.items()):
            return Seen(same=bool(before) and len(known) == len(before))
        lines = {path: view.lines for path, view in known.items() if view.lines is not None}
        return Seen({path: view.text or "" for path, view in known.items()}, lines)

    def _known(self, path: str, text: str) -> _View | None:
        """The view of a file whose text is known. None if the model may have seen a later text."""
        view = self._resolved(path, text)
        if view is None or view.text is None:
            return None
        return view if _is_same(view.text, text) or not self._may_know(view, text) else None

    def _resolved(self, path: str, text: str) -> _View | None:
        """The view of a file. A view of windows alone becomes a view of the text, if the text has all windows."""
        view = self._views.get(path)
        if view is None or view.text is not None:
            return view
        if not view.windows or not all(_stands(text, first, lines) for first, lines in view.windows):
            return None
        return replace(view, text=text, lines=joined((at, at + len(lines) - 1) for at, lines in view.windows))

    def _may_know(self, view: _View, text: str) -> bool:
        """True if a later output has, or may have, a line by which the texts differ."""
        if self._lost > view.since:
            return True
        outputs = [output for number, output in self._printed if number > view.since]
        differing = set((view.text or "").splitlines()) ^ set(text.splitlines()) if outputs else ()
        telling = [line.strip() for line in differing if sum(map(str.isalnum, line)) >= _FEWEST]
        return any(line in output for line in sorted(telling)[:_MOST_LOOKED_FOR] for output in outputs)


def _stands(text: str, first: int, lines: tuple[str, ...]) -> bool:
    """True if a text has these lines at the 1-based line `first`."""
    return tuple(line.removesuffix("\r") for line in text.split("\n")[first - 1 : first - 1 + len(lines)]) == tuple(
        line.removesuffix("\r") for line in lines
    )


def _is_same(one: str, other: str) -> bool:
    """True if two texts are equal except for line endings, which are not shown."""
    return one == other or line_feeds(one).removesuffix("\n") == line_feeds(other).removesuffix("\n")


def agrees_with_merge(attempt: Attempt, seen: Seen, before: Texts, after: Texts) -> bool | None:
    """True if `after` is the merge of the edit of the seen text and of the changes since.

    None if that is not known: the edit does not fit the seen text exactly, or the changes conflict. True if the file
    was not changed since.
    """
    if seen.files is None:
        return True
    if len(before) != 1 or before.keys() != after.keys():
        return None
    ((path, now),) = before.items()
    was = seen.files.get(path)
    made = None if was is None else apply_exactly(attempt, was).text
    if was is None or made is None:
        return None
    merged = beside(*map(line_feeds, (was, made, now)))
    return None if merged is None else merged == line_feeds(after[path])
