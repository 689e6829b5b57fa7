"""`glob` finds files by path, `grep` finds lines by a regular expression; in linear time whatever the pattern (RE2)."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from typing import Annotated, Any

from msgspec import Meta

from editcore.errors import ToolError, WorkspaceError
from editcore.host.cancellation import Cancellation
from editcore.host.host import Host, ResolvedPath
from editcore.host.registry import BuiltIn
from editcore.host.shell.listing import compiled_glob, file_or_directory, files_below
from editcore.host.tool import Context, PermissionRequest, Result
from editcore.host.truncation import cut_line
from editcore.quoting import shown
from editcore.text.encodings import decode
from editcore.text.lines import joined
from editcore.types import Reason, Rejected

_MAX_FILES = 100


@dataclass(frozen=True, slots=True)
class GlobParameters:
    pattern: Annotated[
        str,
        Meta(
            description="A glob for paths in the directory: src/**/*.py, *.{ts,tsx}, test_[a-f]?.go. Without a "
            "slash it matches file names at any depth.",
            min_length=1,
        ),
    ]
    path: Annotated[str, Meta(description="The directory to search; the project's root if empty.")] = ""


def _run(host: Host, context: Context, params: GlobParameters) -> Result:
    wanted = compiled_glob(params.pattern)
    directory = host.directory(context, params.path)
    context.ask(PermissionRequest("glob", (params.pattern,), ("*",), {"path": directory.name}))
    found = [one.name for one in files_below(directory, context.cancellation) if wanted.fullmatch(one.below)]
    lines = found[:_MAX_FILES] or ["No files found."]
    if len(found) > _MAX_FILES:
        lines.append(
            f"(The {_MAX_FILES} newest of {len(found):,} files. Use a narrower pattern or path for the others.)"
        )
    return Result(params.pattern, "\n".join(lines), {"n_files": len(found), "n_shown": len(found[:_MAX_FILES])})


GLOB = BuiltIn(
    "glob", "Finds files by a glob for their paths, newest first, up to 100. Skips files that .gitignore excludes.",
    GlobParameters, _run, effect="reads", packages=("pathspec", "re2"), files=lambda params: (params.path,),
)  # fmt: skip


_MAX_MATCHES = 100
_MAX_NAMES = 5
_NOT_IN_RE2 = re.compile(r"\(\?<?[=!]|\\[1-9]|\(\?P=")
"""Look-around and back-references, which RE2 does not have."""
_EACH_LINE = "(?m)"


@dataclass(frozen=True, slots=True)
class GrepParameters:
    pattern: Annotated[
        str,
        Meta(
            description="A regular expression (RE2: no look-around, no back-references), matched within one line.",
            min_length=1,
        ),
    ]
    path: Annotated[str, Meta(description="The directory or file to search; the project's root if empty.")] = ""
    include: Annotated[str | None, Meta(description="A glob for the files to search: *.py, *.{ts,tsx}.")] = None


def _run_grep(host: Host, context: Context, params: GrepParameters) -> Result:
    wanted = _compiled(params.pattern)
    included = compiled_glob(params.include) if params.include else None
    target, is_directory = file_or_directory(host, context, params.path)
    shows = {"path": target.name, "include": params.include}
    context.ask(PermissionRequest("grep", (params.pattern,), ("*",), shows))
    too_large: list[str] = []
    listed_as = shown(target.name, limit=None)
    cancellation = context.cancellation
    texts = (
        _texts(target, included, too_large, cancellation)
        if is_directory
        else iter([(listed_as, target.path, _text(target))])
    )
    all_found = (((name, path, text), *one) for name, path, text in texts for one in _matching(wanted, text))
    found = list(islice(all_found, _MAX_MATCHES + 1))
    cancellation.check()
    lines, last = [], None
    for (name, _, _), number, line in found[:_MAX_MATCHES]:
        if name != last:
            lines.append(f"{name}:")
        lines.append(f"  Line {number}: {cut_line(line)}")
        last = name
    _record_shown(host, context, target, found[:_MAX_MATCHES])
    if not found:
        lines.append("No matches.")
    if len(found) > _MAX_MATCHES:
        lines.append(f"(The first {_MAX_MATCHES} matches; there are more. Use a narrower pattern, path or include.)")
    if too_large:
        more = ", ..." if len(too_large) > _MAX_NAMES else ""
        lines.append(f"(Not searched because too large: {', '.join(too_large[:_MAX_NAMES])}{more})")
    metadata = {"n_matches": min(len(found), _MAX_MATCHES), "is_complete": len(found) <= _MAX_MATCHES and not too_large}
    return Result(params.pattern, "\n".join(lines), metadata)


def _record_shown(
    host: Host, context: Context, target: ResolvedPath, found: Iterable[tuple[tuple[str, str, bytes], int, str]]
) -> None:
    """Record the lines that the answer shows, of files that the session has read."""
    for (_, path, data), rows in groupby(found, key=itemgetter(0)):
        read = decode(data)
        if not isinstance(read, Rejected):
            lines = joined((number, number) for _, number, _ in rows)
            host.ledger.record_shown(context.session_id, f"{target.workspace.root}/{path}", read.text, lines)


def _compiled(pattern: str) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.never_nl = True
    try:
        return re2.compile(_EACH_LINE + pattern, options)
    except UnicodeEncodeError:
        why = "it contains a lone surrogate"
    except re2.error as error:
        why = error.args[0].decode("utf-8", "replace").replace(_EACH_LINE, "", 1)
    hint = "; RE2 has no look-around and no back-references: do without" if _NOT_IN_RE2.search(pattern) else ""
    raise ToolError(f"{shown(pattern)} is no valid regular expression ({shown(why)}){hint}.", reason=Reason.MALFORMED)


def _texts(
    target: ResolvedPath, included: Any | None, too_large: list[str], cancellation: Cancellation
) -> Iterator[tuple[str, str, bytes]]:
    """Name, path in the workspace and text of each file, newest first, without binary and unreadable files."""
    for one in files_below(target, cancellation):
        cancellation.check()
        if included is not None and not included.fullmatch(one.below):
            continue
        try:
            text = target.workspace.read_bytes(one.path)
        except WorkspaceError as error:
            if error.reason is Reason.TOO_LARGE:
                too_large.append(one.name)
            continue
        if b"\0" not in text:
            yield one.name, one.path, text


def _text(target: ResolvedPath) -> bytes:
    """The bytes of one file. Raises ToolError if it is binary, and WorkspaceError if it can't be read."""
    text = target.workspace.read_bytes(target.path)
    if b"\0" in text:
        raise ToolError(f"{shown(target.name)} is binary: give a text file.", reason=Reason.NOT_ALLOWED)
    return text


def _matching(wanted: Any, text: bytes) -> Iterator[tuple[int, str]]:
    """Number and text of each matching line. Bytes that are not UTF-8 match nothing, and are shown as U+FFFD."""
    if not text:
        return
    text = text.removeprefix(BOM_UTF8).replace(b"\r\n", b"\n").removesuffix(b"\n")
    at, number = 0, 1
    # Going from match to match is much faster than line by line.
    while at <= len(text) and (found := wanted.search(text, at)):
        start = text.rfind(b"\n", 0, found.start()) + 1
        end = text.find(b"\n", found.start())
        end = len(text) if end < 0 else end
        number += text.count(b"\n", at, start)
        yield number, text[start:end].decode("utf-8", "replace")
        at, number = end + 1, number + 1


GREP = BuiltIn(
    "grep",
    "Finds lines that match a regular expression, in one file or in all files of a directory and its subdirectories, "
    "newest files first, up to 100 lines. Skips binary files and files that .gitignore excludes.",
    GrepParameters,
    _run_grep,
    effect="reads",
    packages=("pathspec", "re2"),
    files=lambda params: (params.path,),
)
