"""Whether a path, as a model wrote it, stays inside of whatever it is relative to."""

from __future__ import annotations

from posixpath import normpath


def normal_path(path: str) -> str | None:
    """The path in its normal form: POSIX, relative; None where it is none, is absolute, or leads up."""
    slashes = path.replace("\\", "/")
    clean = normpath(slashes) if path else "."
    absolute = clean.startswith("/") or ":/" in (slashes[1:3], clean[1:3]) or clean.split("/")[0] == "~"
    return None if clean == "." or absolute or ".." in slashes.split("/") or "\0" in path else clean
