"""Files as the read tools of anchored formats show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from editcore.anchors.hashes import exhash_hash, gptme_tag, h2_hash, h4_tag
from editcore.errors import UsageError, did_you_mean
from editcore.text.endings import line_feeds
from editcore.text.lines import BOM

_Prefix = Callable[[Sequence[str], int], str]
"""(all lines, a 1-based number) -> what is shown in front of the line."""


def split_lines(text: str) -> list[str]:
    """The lines without the text's byte order mark and the carriage returns of its CRLFs.

    A line feed at the end of the text leaves a last line that is empty, the phantom line.
    """
    return line_feeds(text.removeprefix(BOM)).split("\n")


def ended_lines(text: str) -> list[str]:
    """The same without the phantom line; none for an empty text."""
    lines = split_lines(text)
    return lines if lines[-1] else lines[:-1]


def shown_lines(text: str, view: str) -> list[str]:
    """The same as a view shows them: exhash's has the mark in the first line."""
    lines = split_lines(text)
    return [BOM + lines[0], *lines[1:]] if view == "exhash" and text.startswith(BOM) else lines


def _h2(lines: Sequence[str], n: int) -> str:
    return f"{n}#{h2_hash(lines[n - 1], n)}|"


def _h2_oh_my_pi(lines: Sequence[str], n: int) -> str:
    return f"{n}#{h2_hash(lines[n - 1], n)}:"


def _h4(_: Sequence[str], n: int) -> str:
    return f"{n}:"


def _h4_gptme(_: Sequence[str], n: int) -> str:
    return f"{n:4}\t"


def _exhash(lines: Sequence[str], n: int) -> str:
    return f"{n:{len(str(len(lines) - (not lines[-1])))}}|{exhash_hash(lines[n - 1])}|"


_PREFIXES: Mapping[str, _Prefix] = MappingProxyType(
    {
        "hashline_h2": _h2,
        "hashline_h2_oh_my_pi": _h2_oh_my_pi,
        "hashline_h4": _h4,
        "hashline_h4_gptme": _h4_gptme,
        "exhash": _exhash,
    }
)
VIEWS = tuple(_PREFIXES)
"""The names of the views."""
_TAGS: Mapping[str, Callable[[str], str]] = MappingProxyType({"hashline_h4": h4_tag, "hashline_h4_gptme": gptme_tag})
_WITH_PHANTOM = ("hashline_h2", "hashline_h2_oh_my_pi")


def show(text: str, view: str, *, path: str = "file", first: int = 1, last: int | None = None) -> str:
    """The lines `first` to `last` of a file as the read tool of an anchored format shows them.

    Lines are 1-based and inclusive; `last` is the last line, if nothing is said. Only H4 shows the path. Raises
    UsageError for a view that does not exist.
    """
    if view not in _PREFIXES:
        raise UsageError(f"There is no view {view!r}", f"{did_you_mean(view, VIEWS)}Choose from: {', '.join(VIEWS)}.")
    lines = shown_lines(text, view)
    n_lines = len(lines) - (view not in _WITH_PHANTOM and not lines[-1])
    numbers = range(max(first, 1), min(n_lines if last is None else last, n_lines) + 1)
    return "\n".join([*header(text, view, path), *(f"{prefix(lines, view, n)}{lines[n - 1]}" for n in numbers)])


def header(text: str, view: str, path: str) -> list[str]:
    """The line that a view begins with; none in those that name no text."""
    return [f"[{path}#{_TAGS[view](text)}]"] if view in _TAGS else []


def prefix(lines: Sequence[str], view: str, n: int) -> str:
    """What a view shows in front of the 1-based line `n`. `lines` are `shown_lines` of the text."""
    return _PREFIXES[view](lines, n)
