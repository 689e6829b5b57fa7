"""Paths as models write them: whether they stay inside the directory that they are relative to."""

from __future__ import annotations

from posixpath import normpath


def normal_path(path: str) -> str | None:
    """The normal form of a path: POSIX, relative. None if it is empty, absolute, or contains `..` or NUL."""
    slashes = path.replace("\\", "/")
    clean = normpath(slashes) if path else "."
    absolute = clean.startswith("/") or ":/" in (slashes[1:3], clean[1:3]) or clean.split("/")[0] == "~"
    return None if clean == "." or absolute or ".." in slashes.split("/") or "\0" in path else clean
