"""Lines of a file as the tools show them: numbered, or with the anchors of the host's format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from editcore.anchors.views import header, prefix, split_lines
from editcore.host.truncation import cut_line


def listed(text: str, numbers: Iterable[int], anchors: str | None) -> Iterator[str]:
    """The 1-based lines of those numbers."""
    lines = split_lines(text)
    for n in numbers:
        line = cut_line(lines[n - 1].removesuffix("\r"))
        yield f"{n}: {line}" if anchors is None else f"{prefix(lines, anchors, n)}{line}"


def headed(text: str, name: str, anchors: str | None) -> list[str]:
    """What stands above the lines of a file: the line that names its text, where the format has one."""
    return [] if anchors is None else header(text, anchors, name)
