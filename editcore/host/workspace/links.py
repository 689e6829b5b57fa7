"""Symbolic links: the path that one stands for, and what is said of one that is refused.

Nothing here decides whether a path may be opened. Whatever the links are by then, opening goes through none
(`editcore.host.workspace.boundary`): a path is resolved first, and the result is opened as if a user had given it.
"""

from __future__ import annotations

import os
from errno import ELOOP

from editcore.quoting import shown

_MOST_LINKS = 40
"""Links that are followed for one path, as Linux does."""


def followed(root: str, path: str) -> str:
    """The clean path that a clean path stands for, relative to the root: every link in it stays inside the root.

    The path as it is where a link leads out of the root, even if another one leads back, in a circle, or to the root.
    A link may stand for a file that does not exist.
    """
    there: list[str] = []
    rest = path.split("/")[::-1]
    n_links = 0
    while rest:
        name = rest.pop()
        if name == ".." and not there:
            return path
        if name == "..":
            there.pop()
        elif name not in ("", "."):
            target = _target("/".join((root, *there, name)))
            if target is None:
                there.append(name)
                continue
            n_links += 1
            if target.startswith("/"):
                there.clear()
                target = target.removeprefix(root.rstrip("/") + "/")
            if n_links > _MOST_LINKS or target.startswith("/"):
                return path
            rest += target.split("/")[::-1]
    return "/".join(there) or path


def _target(path: str) -> str | None:
    """The text of a link; None for what is no link, or can't be read."""
    try:
        return os.readlink(path)
    except (OSError, ValueError):
        return None


def refusal(root: str, path: str, link: str) -> str:
    """The message for a clean path that is not opened because `link`, the path or a directory above it, is a link."""
    there = _real(os.path.join(root, path))
    is_link = f"{shown(path)} is a symbolic link that"
    what = is_link if link == path else f"{shown(path)} is below the symbolic link {shown(link)}, and"
    if there is None:
        return f"{what} leads in a circle: give the path of a file."
    inside = there.removeprefix(root.rstrip("/") + "/")
    if inside != there:
        return f"{what} stands for {shown(inside)}: give that path."
    return f"{what} stands for {shown(there)}, outside of the workspace: give that path, if it is the one you mean."


def _real(path: str) -> str | None:
    """The path with all links resolved; None where they lead in a circle."""
    try:
        return os.path.realpath(path, strict=True)
    except OSError as error:
        if error.errno == ELOOP:
            return None
    try:
        return os.path.realpath(path)
    except OSError:
        return path  # A link was exchanged for something else meanwhile.
