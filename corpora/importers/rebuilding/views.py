"""What a model saw of the files of a session: the texts that its next edit is written against.

    Read a.py   |a = 1     the model's view     the file of now, after a formatter     seen: |a = 1
                |b=2                                                 |a = 1                  |b=2
                                                                     |b = 2

A view begins with a read or a write, and the model's own edits carry it along. Of other changes the model knows only
if it was shown them: where a changed line is in the output of a command since then, what the model knew is not certain,
and nothing is said.
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
"""Characters of texts that are kept; beyond it, what was seen longest ago is forgotten."""
_MOST_PRINTED = 1 << 20
"""Characters of outputs that are kept to look for changed lines in."""
_MOST_LOOKED_FOR = 50
"""Changed lines that are looked for in outputs."""
_FEWEST = 4
"""Letters and digits of a line that is known again in an output."""
_MOST_WINDOWS = 100


@dataclass(frozen=True, slots=True)
class _View:
    """What the model knows of a file."""

    text: str | None = None
    """The whole text as it was then; None if only what `windows` has is known of it."""
    lines: Stretches | None = None
    """The lines of `text` that were shown; None for all."""
    windows: tuple[tuple[int, tuple[str, ...]], ...] = ()
    """First line and lines of the stretches that were shown of a text that is not known."""
    since: int = 0
    """The number of outputs before it."""

    @property
    def size(self) -> int:
        return len(self.text or "") + sum(len(line) for _, lines in self.windows for line in lines)


class Seen(NamedTuple):
    """What a model saw of the files that an edit is for."""

    files: Texts | None = None
    """Those that are known, if one of them differs from what the edit met."""
    lines: Mapping[str, Stretches] = {}
    """Of these files, those that were shown in part, and which lines."""
    same: bool = False
    """What was shown of every file is what the edit met."""


def told(texts: Texts, before: Texts) -> Seen:
    """What the log says itself that the model saw of the files that an edit met."""
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
        """The number of the last output that is not kept or not known."""

    def of_now(self, wanted: Iterable[str]) -> Views:
        """A copy of what is known of some files, which further events do not change."""
        copy = Views()
        copy._views = {path: self._views[path] for path in wanted if path in self._views}
        copy._n_printed, copy._lost = self._n_printed, self._lost
        copy._printed = deque(self._printed)
        return copy

    # What the model was shown.

    def read(self, path: str, read: Read, text: str | None) -> None:
        """Take in a read; `text` is the whole text of the file then, if it is known."""
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
        """Take in that the model wrote a whole file, or removed it."""
        if content is None:
            self.forget(path)
        else:
            self._keep(path, _View(content))

    def printed(self, output: str | None) -> None:
        """Take in a command and its output, which may show lines of any file; None where that is not known."""
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
        """Take in the model's own edit: what it knows of a file has this change now, and no other."""
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
        """Take in that it is not known any more what the model knows of a file."""
        if gone := self._views.pop(path, None):
            self._n_held -= gone.size

    def clear(self) -> None:
        """Take in that the model knows no file."""
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
        """What was seen of the files that an edit met; nothing is said of a file where it is not certain."""
        known = {path: view for path in before if (view := self._known(path, before[path]))}
        if all(_is_same(view.text or "", before[path]) for path, view in known.items()):
            return Seen(same=bool(before) and len(known) == len(before))
        lines = {path: view.lines for path, view in known.items() if view.lines is not None}
        return Seen({path: view.text or "" for path, view in known.items()}, lines)

    def _known(self, path: str, text: str) -> _View | None:
        """The view of a file whose text is known, if the model cannot know better."""
        view = self._resolved(path, text)
        if view is None or view.text is None:
            return None
        return view if _is_same(view.text, text) or not self._may_know(view, text) else None

    def _resolved(self, path: str, text: str) -> _View | None:
        """The view of a file; one of stretches alone is a view of the text in which all of them stand."""
        view = self._views.get(path)
        if view is None or view.text is not None:
            return view
        if not view.windows or not all(_stands(text, first, lines) for first, lines in view.windows):
            return None
        return replace(view, text=text, lines=joined((at, at + len(lines) - 1) for at, lines in view.windows))

    def _may_know(self, view: _View, text: str) -> bool:
        """Whether an output since then has, or may have, a line by which the texts differ."""
        if self._lost > view.since:
            return True
        outputs = [output for number, output in self._printed if number > view.since]
        differing = set((view.text or "").splitlines()) ^ set(text.splitlines()) if outputs else ()
        telling = [line.strip() for line in differing if sum(map(str.isalnum, line)) >= _FEWEST]
        return any(line in output for line in sorted(telling)[:_MOST_LOOKED_FOR] for output in outputs)


def _stands(text: str, first: int, lines: tuple[str, ...]) -> bool:
    """Whether a text has these lines there."""
    return tuple(line.removesuffix("\r") for line in text.split("\n")[first - 1 : first - 1 + len(lines)]) == tuple(
        line.removesuffix("\r") for line in lines
    )


def _is_same(one: str, other: str) -> bool:
    """Whether two texts are equal but for line endings, of which nothing is shown."""
    return one == other or line_feeds(one).removesuffix("\n") == line_feeds(other).removesuffix("\n")


def agrees_with_merge(attempt: Attempt, seen: Seen, before: Texts, after: Texts) -> bool | None:
    """Whether a result is that of the edit in the text that was seen, merged with what was changed since.

    None where that is not known: the edit does not fit what was seen exactly, or the changes meet. True of an edit of a
    file that was not changed.
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
