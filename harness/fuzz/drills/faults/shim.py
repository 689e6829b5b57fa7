"""A shim over file-system calls that makes the n-th call fail, or kills the process at it.

Calls of this process and of its forks are counted together, in shared memory. Only calls on files below one folder
count: imports and pipes do not. While the shim is installed, Python's files make `os` calls too (`_pyio`). pyarrow
works in C++, so its methods fail as a whole.
"""

from __future__ import annotations

import builtins
import errno
import fcntl
import io
import mmap
import os
import signal
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from typing import Any

ERRORS = ("ENOSPC", "EIO", "EACCES", "EINTR")
SHORT, KILL, KILL_ALL = "short", "SIGKILL", "SIGKILL of all"
KINDS = (*ERRORS, SHORT, KILL, KILL_ALL)
"""Every way in which a call can fail."""

# fmt: off
_OS = (
    "access", "chmod", "chown", "close", "copy_file_range", "fchmod", "fchown", "fdatasync", "fstat", "fstatvfs",
    "fsync", "ftruncate", "getxattr", "link", "listdir", "listxattr", "lstat", "mkdir", "open", "pread", "pwrite",
    "read", "readlink", "remove", "rename", "replace", "rmdir", "scandir", "sendfile", "setxattr", "stat", "symlink",
    "truncate", "unlink", "utime", "write",
)
# fmt: on
_ARROW = (*(("ParquetWriter", method) for method in ("__init__", "write_table", "close")), ("ParquetFile", "__init__"))
_IN_PIECES = ("os.read", "os.write")
"""The calls that may transfer fewer bytes than requested."""
_MAX_CALLS = 100_000
"""The number of calls whose names are recorded."""
_WORKER = 0x80
"""Added to the index of a call's name if a forked process makes the call."""


@dataclass(frozen=True, slots=True)
class Fault:
    kind: str
    n: int
    """1-based index of the call; 0: never."""


class Shim:
    """Counts calls, and makes one fail. It cannot be removed: install it in a process that ends soon."""

    def __init__(self, folder: str, fault: Fault) -> None:
        self._folder, self._fault = os.path.realpath(folder), fault
        self._shared = mmap.mmap(-1, 4 + _MAX_CALLS)  # The number of calls, and a byte for the name of each.
        self._readlink = os.readlink  # The original, to resolve descriptors.

    @property
    def n_calls(self) -> int:
        found: int = struct.unpack_from("I", self._shared)[0]
        return found

    def name(self, n: int) -> str:
        """The name of the n-th call, such as `os.open`."""
        return _NAMES[self._shared[3 + n] & ~_WORKER]

    def can_fail(self, n: int, kind: str) -> bool:
        """True if the n-th call can fail in that way."""
        if kind == KILL_ALL:
            return bool(self._shared[3 + n] & _WORKER)  # Without forked processes it is the same as SIGKILL.
        return kind != SHORT or self.name(n) in _IN_PIECES

    def install(self) -> None:
        """Count calls from now on, in this process and in its forks."""
        self._first = os.getpid()
        for name in _OS:
            if hasattr(os, name):
                setattr(os, name, self._wrapped(f"os.{name}", getattr(os, name)))
        fcntl.flock = self._wrapped("fcntl.flock", fcntl.flock)
        io.open = builtins.open = import_module("_pyio").open
        arrow: Any = sys.modules.get("pyarrow.parquet")
        for kind, method in _ARROW if arrow else ():
            owner = getattr(arrow, kind)
            setattr(owner, method, self._wrapped(f"{kind}.{method}", getattr(owner, method)))

    def _wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        number, always = _NAMES.index(name), not name.startswith(("os.", "fcntl."))

        @wraps(real)
        def call(*arguments: Any, **options: Any) -> Any:
            if not always and not self._concerns((*arguments, *options.values())):
                return real(*arguments, **options)
            n = self.n_calls + 1
            struct.pack_into("I", self._shared, 0, n)
            self._shared[3 + n] = number | (0 if os.getpid() == self._first else _WORKER)
            if n != self._fault.n:
                return real(*arguments, **options)
            return _failing(self._fault.kind, name, real, arguments, options)

        return call

    def _concerns(self, arguments: tuple[Any, ...]) -> bool:
        """True if an argument is a path or an open file in the folder."""
        for one in arguments:
            path = one
            if isinstance(one, int) and not isinstance(one, bool):
                path = ""
                with suppress(OSError):  # Not a descriptor: a number of bytes, or flags.
                    path = self._readlink(f"/proc/self/fd/{one}")
            if isinstance(path, str | bytes | os.PathLike) and os.fsdecode(path).startswith(self._folder):
                return True
        return False


_NAMES = [*(f"os.{name}" for name in _OS), "fcntl.flock", *(f"{kind}.{method}" for kind, method in _ARROW)]


def _failing(
    kind: str, name: str, real: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    if kind == KILL:
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == KILL_ALL:
        os.killpg(0, signal.SIGKILL)
    if kind == SHORT:
        if name == "os.write":
            arguments = (arguments[0], bytes(arguments[1])[: max(1, len(arguments[1]) // 2)])
        elif name == "os.read":
            arguments = (arguments[0], max(1, arguments[1] // 2))
        return real(*arguments, **options)
    if name == "os.access":
        return False  # It has no other way to fail.
    if name == "os.close":
        real(*arguments, **options)  # The descriptor is closed in any case.
    code = getattr(errno, kind)
    raise OSError(code, os.strerror(code))
