"""A glob -> what matches paths in linear time, however many stars it has."""

from __future__ import annotations

import re
from typing import Any

import re2

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
_OPTIONS = re2.Options()
_OPTIONS.log_errors = False


def compiled_glob(pattern: str) -> Any:
    """A regular expression whose `fullmatch` takes a relative POSIX path. Raises ToolError.

    `*` and `?` stop at a slash, `**` as a part of its own does not; `[...]`, `[!...]`, `{a,b}`, and a backslash in
    front of what is meant as it stands. As to git, a pattern without a slash means a name at any depth.
    """
    anywhere = "" if "/" in pattern else "**/"
    try:
        return re2.compile(f"(?s){_translated(anywhere + pattern.removeprefix('./').removeprefix('/'))}", _OPTIONS)
    except (re2.error, UnicodeEncodeError) as error:
        raise ToolError(
            f"{shown(pattern)} is no glob: look at its brackets and braces, and put a backslash in front of those "
            "that are meant as they stand.",
            reason=Reason.MALFORMED,
        ) from error


def _translated(pattern: str) -> str:
    out, depth = [], 0
    for found in _PART.finditer(pattern):
        kind, text = found.lastgroup or "", found[0]
        if kind == "brace" and (text == "{" or depth):
            depth += {"{": 1, "}": -1, ",": 0}[text]
            out.append({"{": "(?:", "}": ")", ",": "|"}[text])
        elif kind == "members":
            members = "".join(char if char == "-" else re2.escape(char) for char in found["members"])
            out.append(f"[^/{members}]" if found["negated"] else f"[{members}]")
        else:
            out.append(_FIXED.get(kind) or re2.escape(found["escaped"] or text))
    return "".join(out)
