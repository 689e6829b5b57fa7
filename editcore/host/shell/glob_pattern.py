"""Globs, translated to RE2: they match in linear time, whatever the pattern."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from editcore.errors import ToolError
from editcore.quoting import shown
from editcore.types import Reason

_PART = re.compile(
    r"""(?P<directories> (?<![^/{,]) \*\*/ )
      | (?P<all> (?<![^/{,]) \*\* (?![^},]) )
      | (?P<stars> \*+ )
      | (?P<one> \? )
      | \[ (?P<negated> [!^]? ) (?P<members> \]? [^\]]* ) \]
      | \\ (?P<escaped> . )
      | (?P<brace> [{},] )
      | (?P<other> . )""",
    re.VERBOSE | re.DOTALL,
)
_FIXED = {"directories": r"(?:[^/]+/)*", "all": r".+", "stars": r"[^/]*", "one": r"[^/]"}


def compiled_glob(pattern: str) -> Any:
    """The glob as a regular expression, whose `fullmatch` takes a relative POSIX path. Raises ToolError.

    `*` and `?` do not match a slash; `**` as a whole component does. `[...]`, `[!...]` and `{a,b}` work; a backslash
    escapes. A pattern without a slash matches a name at any depth, as in .gitignore.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    anywhere = "" if "/" in pattern else "**/"
    try:
        translated = _translated(anywhere + pattern.removeprefix("./").removeprefix("/"), re2.escape)
        return re2.compile(f"(?s){translated}", options)
    except (re2.error, UnicodeEncodeError) as error:
        raise ToolError(
            f"{shown(pattern)} is not a valid glob: check its brackets and braces, and put a backslash before those "
            "that are meant literally.",
            reason=Reason.MALFORMED,
        ) from error


def _translated(pattern: str, escape: Callable[[str], str]) -> str:
    out, depth = [], 0
    for found in _PART.finditer(pattern):
        kind, text = found.lastgroup or "", found[0]
        if kind == "brace" and (text == "{" or depth):
            depth += {"{": 1, "}": -1, ",": 0}[text]
            out.append({"{": "(?:", "}": ")", ",": "|"}[text])
        elif kind == "members":
            members = "".join(char if char == "-" else escape(char) for char in found["members"])
            out.append(f"[^/{members}]" if found["negated"] else f"[{members}]")
        else:
            out.append(_FIXED.get(kind) or escape(found["escaped"] or text))
    return "".join(out)
