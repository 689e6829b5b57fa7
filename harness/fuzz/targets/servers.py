"""Servers of the Model Context Protocol as strategies: a drawn edit is a call of their tool, on files in a folder.

    mcp:NAME=COMMAND              a tool for pairs, such as edit; {folder} in the command is the folder
    mcp:NAME[begin_patch]=...     a tool for patches; unified_diff likewise

The tool and its parameters are found by their names in the server's list.
"""

from __future__ import annotations

import atexit
import re
import shutil
import tempfile
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

from corpora.sample import Sample
from editcore.errors import UsageError
from editcore.quoting import first_line
from editcore.text.document import Document
from editcore.types import Applied, Edit, EditResult, Reason, Rejected
from harness.fuzz.mcp_client import Connection, connected, edit_call, filled, read_call
from harness.processes import nothing_left_behind
from harness.strategies.strategy import Strategy, by_path, files_on_disk, write_files

_SPEC = re.compile(
    r"mcp:(?P<name>[\w-]{1,100})(?:\[(?P<format>str_replace|begin_patch|unified_diff)\])?=(?P<command>.+)", re.DOTALL
)


def server_strategy(spec: str) -> Strategy:
    """A server as a strategy. It is started when it is first asked. Raises UsageError for a malformed spec."""
    parts = _SPEC.fullmatch(spec)
    if parts is None:
        raise UsageError(
            f"{spec!r} is not mcp:NAME[FORMAT]=COMMAND", "The format is str_replace, begin_patch or unified_diff."
        )
    format: Any = parts["format"] or "str_replace"
    server = _Server(parts["command"], format)
    return Strategy(
        f"mcp/{parts['name']}", frozenset([format]), server.apply, f"The server {parts['command']}", "?", "mcp",
        reads="edits" if format == "str_replace" else "patch", start=server.started, written=spec,
    )  # fmt: skip


class _Server:
    def __init__(self, command: str, format: str) -> None:
        self._command, self._format = command, format
        self.started = cache(self._start)

    def _start(self) -> tuple[Connection, Path, tuple[str, dict[str, Any]]]:
        open_until_the_end = ExitStack()
        atexit.register(open_until_the_end.close)
        folder = Path(tempfile.mkdtemp(prefix="editgauge-fuzz-"))
        open_until_the_end.callback(shutil.rmtree, folder, ignore_errors=True)
        open_until_the_end.enter_context(nothing_left_behind())
        server = open_until_the_end.enter_context(connected(self._command, folder, needed_by="a server"))
        call = edit_call(server.tools, self._format)
        if call is None:
            names = ", ".join([tool.name for tool in server.tools][:30])
            raise UsageError(f"The server has no tool for {self._format}", f"Its tools are {names}.")
        return server, folder, call

    def apply(self, sample: Sample, _: Document | None = None) -> EditResult:
        """The files after the call; a refusal if the call failed, or if no file differs."""
        server, folder, (tool, arguments) = self.started()
        for path in folder.iterdir():
            path.unlink() if path.is_file() else shutil.rmtree(path)
        write_files(folder, sample)
        show = read_call(server.tools)
        for file in sample.before if show is not None else ():
            assert show is not None
            server.call(show[0], filled(show[1], {"path": str(folder / file.path), "name": file.path}))
        edit = sample.edits[0] if sample.edits else Edit("", "")
        name = sample.before[0].path if sample.before else ""
        words = {"path": str(folder / name), "name": name, "patch": sample.patch or ""}
        is_made, text = server.call(tool, filled(arguments, {**words, "old": edit.old_string, "new": edit.new_string}))
        after = files_on_disk(folder, sample)
        if after == by_path(sample.before):
            return Rejected(Reason.NO_MATCH, first_line(text)[:300] or "no file differs")
        return Applied(files=after) if is_made else Rejected(Reason.NO_MATCH, first_line(text)[:300], files=after)
