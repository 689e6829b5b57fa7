r"""Edits as a service of one process: a request per line on stdin, its answer per line on stdout, until stdin ends.

    python -m editcore.server
    -> {"id":"1","format":"str_replace","before":[{"path":"a.py","content":"x = 1\n"}],
        "edits":[{"old_string":"x = 1","new_string":"x = 2"}]}
    <- {"id":"1","status":"applied","after":[{"path":"a.py","content":"x = 2\n"}],"replacer":"exact"}

For agents in other languages that call instead of porting. Requests and answers are as in the protocol for
strategies (docs/protocol.md of editgauge), with the roles exchanged: this program answers. A request has the careful
rule of its format. For `str_replace` and `search_replace` it may name another `cascade`; `recommended@1` never
changes. `tiers` are the only tiers of it that are asked. `seen` has the files as the model last saw them, if they may
differ.

A line that is no request is answered too: it is refused as malformed, with its `id` if it has one, and with
`"fault":"caller"`, which a refusal of the model's edit does not have. A number in `line` or `end_line` is one of the
text in `seen`, if that is given. Nothing is written to disk, and nothing but stdin is read.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from editcore.cascade import named_cascade
from editcore.errors import UsageError, did_you_mean
from editcore.formats import FORMATS, Written
from editcore.quoting import normal_path
from editcore.types import Edit, EditResult, Reason, Rejected

LONGEST_LINE = 64 << 20
"""Bytes of a request."""
_FIELDS = ("id", "format", "before", "edits", "patch", "line", "end_line", "seen", "cascade", "tiers")
Files = Mapping[str, str]


class _NoRequest(Exception):
    """A line that is no request; the message says why."""


def main() -> None:
    """Answer until stdin ends, or the reader of the answers has closed the pipe."""
    parser = argparse.ArgumentParser("editcore.server", description="Apply edits: a JSON request per line on stdin.")
    parser.add_argument("--cascade", default="recommended", help="for requests that name none (default: %(default)s)")
    cascade = parser.parse_args().cascade
    try:
        named_cascade(cascade)
    except UsageError as error:
        parser.error(str(error))
    try:
        for answer in answers(sys.stdin.buffer, cascade):
            sys.stdout.buffer.write(answer)
            sys.stdout.buffer.flush()
    except (BrokenPipeError, KeyboardInterrupt):
        sys.stderr.close()


def answers(lines: BinaryIO, cascade: str = "recommended") -> Iterator[bytes]:
    """The answer to each line. A line that is too long is answered, and read to its end."""
    while line := lines.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = lines.readline(LONGEST_LINE)
            yield _line("", _refused(f"the request is longer than {LONGEST_LINE} bytes."), is_caller=True)
        elif line.strip():
            yield answer(line, cascade)


def answer(line: bytes, cascade: str = "recommended") -> bytes:
    """The answer to a request, as a line of ASCII."""
    number = ""
    try:
        try:
            asked = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _NoRequest(f"the request is not JSON: {error!s:.200}.") from None
        if not isinstance(asked, dict):
            raise _NoRequest("the request must be an object.")
        number = asked["id"] if isinstance(asked.get("id"), str) else ""
        _check_fields(asked, _FIELDS, "a request")
        before = _files(asked, "before")
        result = _applied(asked, before, cascade)
    except (_NoRequest, UsageError) as error:
        return _line(number, _refused(str(error)), is_caller=True)
    if isinstance(result, Rejected):
        return _line(number, result)
    return _line(number, result, before)


def _refused(message: str) -> Rejected:
    return Rejected(Reason.MALFORMED, message)


def _check_fields(fields: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    for name in fields:
        if name not in known:
            raise _NoRequest(f"{what} has no field {name!a:.40}. {did_you_mean(name, known)}It has {', '.join(known)}.")


def _line(number: str, result: EditResult, before: Files | None = None, *, is_caller: bool = False) -> bytes:
    found: dict[str, Any] = {"id": number}
    if isinstance(result, Rejected):
        found |= {"status": "rejected", "reason": str(result.reason), "message": result.message}
        found |= {"fault": "caller"} if is_caller else {}
    else:
        after = result.files
        if after is None:
            [path] = before or {"": ""}
            after = {path: result.content or ""}
        files = [{"path": path, "content": content} for path, content in after.items()]
        found |= {"status": "applied", "after": files}
        found |= {} if result.replacer is None else {"replacer": result.replacer}
        found |= {"notes": list(result.notes)} if result.notes else {}
    return json.dumps(found, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def _applied(asked: Mapping[str, Any], before: Files, cascade: str) -> EditResult:
    format = _text(asked, "format")
    if format not in FORMATS:
        raise _NoRequest(f"there is no format {format!a:.40}; choose from: {', '.join(FORMATS)}.")
    chosen, seen = FORMATS[format], _seen(asked, before)
    named = named_cascade(_text(asked, "cascade") if asked.get("cascade") is not None else cascade)
    if asked.get("tiers") is not None:
        named = replace(named, name="+".join(_tiers(asked)), tiers=_tiers(asked), summary="", version="")
    fields = ("edits",) if chosen.has_edits and asked.get("patch") is None else chosen.fields
    reads: dict[str, Any] = {"edits": lambda: _edits_in(asked), "patch": lambda: _text(asked, "patch")}
    values: dict[str, Any] = {name: reads[name]() if name in reads else _number(asked, name) for name in fields}
    edit = Written(**values)
    if len(before) != 1 and (edit.edits or not chosen.several_files) and not chosen.view:
        raise _NoRequest("this format edits one file: send it in `before`.")
    try:
        return chosen.apply(before, edit, seen, named)
    except ModuleNotFoundError as error:  # xxhash is imported when the first line is hashed.
        raise _NoRequest(f"{format} needs {error.name}: pip install 'editgauge-editcore[anchors]'.") from None


def _seen(asked: Mapping[str, Any], before: Files) -> Files | None:
    """The files as the model saw them, under the paths that `before` gives them: `./a` and `a` are one file."""
    if asked.get("seen") is None:
        return None
    spelled = {normal_path(path) or path: path for path in before}
    files = _files(asked, "seen")
    found = {spelled.get(normal_path(path) or path, path): text for path, text in files.items()}
    if len(found) < len(files):
        raise _NoRequest("`seen` has a file twice, under two spellings of its path.")
    return found


def _tiers(asked: Mapping[str, Any]) -> tuple[str, ...]:
    given = asked["tiers"]
    if not isinstance(given, list) or not given or not all(isinstance(one, str) for one in given):
        raise _NoRequest("`tiers` must be a list with the name of a tier.")
    return tuple(given)


def _edits_in(asked: Mapping[str, Any]) -> tuple[Edit, ...]:
    given = asked.get("edits")
    if not isinstance(given, list) or not given:
        raise _NoRequest("`edits` must be a list with an edit.")
    return tuple(map(_edit, given))


def _edit(fields: object) -> Edit:
    if not isinstance(fields, dict):
        raise _NoRequest("an edit must be an object.")
    _check_fields(fields, ("old_string", "new_string", "replace_all", "occurrence"), "an edit")
    occurrence, all_of_them = fields.get("occurrence"), fields.get("replace_all", False)
    if not isinstance(all_of_them, bool) or not (occurrence is None or type(occurrence) is int):
        raise _NoRequest("`replace_all` must be true or false, and `occurrence` a whole number.")
    return Edit(_text(fields, "old_string"), _text(fields, "new_string"), all_of_them, occurrence)


def _files(asked: Mapping[str, Any], name: str) -> dict[str, str]:
    files = asked.get(name)
    if not isinstance(files, list) or not all(isinstance(one, dict) for one in files):
        raise _NoRequest(f"`{name}` must be a list of files.")
    for one in files:
        _check_fields(one, ("path", "content", "raw", "encoding"), "a file")
    found = {_text(one, "path"): _text(one, "content") for one in files}
    if len(found) < len(files):
        raise _NoRequest(f"`{name}` has a path twice.")
    return found


def _text(fields: Mapping[str, Any], name: str) -> str:
    if not isinstance(fields.get(name), str):
        raise _NoRequest(f"`{name}` must be a text.")
    return str(fields[name])


def _number(fields: Mapping[str, Any], name: str) -> int:
    if type(fields.get(name)) is not int:
        raise _NoRequest(f"`{name}` must be a whole number.")
    return int(fields[name])


if __name__ == "__main__":
    main()
