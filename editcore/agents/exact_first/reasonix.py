"""DeepSeek-Reasonix's edit_file.

Evidence: read. The exact text, its line ends made CRLF if the file has it so; if there is none, windows of whole lines,
in the first of these that finds any:

    ends      lines without blanks, tabs and carriage returns at their ends
    tabs      that, each tab as four blanks
    numbers   both again, without `12→` before every line of the search text, if every line has it

Policy: unique, counted without overlap, or every place if that is asked for. A place found by windows gets the new text
with the line endings of the file; nothing is re-indented.

Known failure: a search text in blanks puts blanks into a file of tabs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from editcore.agents.habits import GB18030
from editcore.agents.matching.results import not_found, nothing_sought, replaced_everywhere, several
from editcore.agents.matching.windows import places
from editcore.agents.rule import AgentRule, Declared, Source, in_turn
from editcore.text.document import Document
from editcore.text.endings import line_feeds, with_crlf
from editcore.text.line_index import apart, block_starts
from editcore.types import Edit, EditResult

_NUMBER = re.compile("[ \t]*+[0-9]++\u2192")


def _ends(line: str) -> str:
    return line.rstrip(" \t\r")


def _tabs(line: str) -> str:
    return _ends(line).replace("\t", "    ")


_COMPARED: dict[str, Callable[[str], str]] = {"ends": _ends, "tabs": _tabs}


def _windows(document: Document, old: str) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Each step with the spans of its windows, which do not overlap; a line feed at the end must be there, too."""
    wanted, is_ended = old.removesuffix("\n").split("\n"), old.endswith("\n")
    lines = document.lines if is_ended or not document.text.endswith("\n") else document.lines[:-1]
    readings = {"": wanted}
    if all(_NUMBER.match(line) for line in wanted):
        readings["numbers_"] = [_NUMBER.sub("", line, count=1) for line in wanted]
    for reading, read in readings.items():
        for step, compared in _COMPARED.items():
            starts = apart(block_starts(map(compared, lines), list(map(compared, read))), len(wanted))
            spans = []
            for first in starts:
                last = first + len(wanted)
                if is_ended and last == len(document.lines):
                    continue
                end = document.starts[last] if is_ended else document.starts[last] - 1
                if not is_ended and document.text[end - 1 : end + 1] == "\r\n":
                    end -= 1
                spans.append((document.starts[first], end))
            yield reading + step, spans


def reasonix(text: str, edit: Edit) -> EditResult:
    """DeepSeek-Reasonix: exact, then lines without line ends, tabs as blanks, copied line numbers; one place each."""
    old, new = edit.old_string, edit.new_string
    if not old:
        raise nothing_sought()
    if old not in text and "\r\n" in text and (crlf := with_crlf(line_feeds(old), True)) in text:
        old, new = crlf, with_crlf(line_feeds(new), True)
    step, found = "exact", [(at, at + len(old)) for at in places(text, old)]
    if not found:
        new = with_crlf(line_feeds(new), True) if "\r\n" in text else new
        step, found = next((one for one in _windows(Document(text), old) if one[1]), ("", []))
    if not found:
        raise not_found()
    if len(found) > 1 and not edit.replace_all:
        raise several(text, found, step)
    return replaced_everywhere(text, found, new, step)


_SOURCE = Source("2026-08", "esengine/DeepSeek-Reasonix internal/tool/builtin/encoding_helpers.go", "1aa4ab6c")
_ON_BYTES = Declared(
    GB18030, Source(None, "esengine/DeepSeek-Reasonix internal/fileutil/encoding/encoding.go", "9864c141")
)
REASONIX = (
    AgentRule(
        "reasonix",
        "DeepSeek-Reasonix 2026",
        "read",
        "unique",
        in_turn(reasonix),
        source=_SOURCE,
        on_bytes=_ON_BYTES,
    ),
)
