"""A glob -> what matches paths in linear time, however many stars it has."""

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
    """A regular expression whose `fullmatch` takes a relative POSIX path. Raises ToolError.

    `*` and `?` stop at a slash, `**` as a part of its own does not; `[...]`, `[!...]`, `{a,b}`, and a backslash in
    front of what is meant as it stands. As to git, a pattern without a slash means a name at any depth.
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
            f"{shown(pattern)} is no glob: look at its brackets and braces, and put a backslash in front of those "
            "that are meant as they stand.",
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
