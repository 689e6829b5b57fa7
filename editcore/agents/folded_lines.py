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
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from editcore.agents.habits import GB18030, REPLACED, STRICT
from editcore.agents.matching import PUNCTUATION, Work, apart, places, span, window_starts
from editcore.agents.rule import AgentRule, Declared, Source, in_turn
from editcore.agents.runner import not_found, nothing_sought, replaced, replaced_everywhere, several, unchanged
from editcore.errors import PatchError
from editcore.patches.codex import apply_sections
from editcore.text.document import Document
from editcore.text.endings import first_is_crlf, line_feeds, with_crlf
from editcore.text.keys import normal_form
from editcore.text.lines import BOM
from editcore.text.whitespace import WHITESPACE
from editcore.types import Applied, Edit, EditResult, FilePatch, Hunk, Reason, Rejected

# Codex's four steps of equal lines, for an edit given as a pair of texts.
#
# Evidence: run (`begin_patch/codex`, whose placing this is, beside Codex 0.169.0). The pair is written as the one hunk
# of an envelope without an anchor: lines that both texts have are context.
#
#     equal · without whitespace at the right · at both ends · with dashes, quotes and spaces folded
#
# Policy: first. Each step is tried over the whole file before the next. Context lines stay as the file has them; added
# lines are not re-indented; the file ends in a line feed afterwards. Line endings: that of the file's first line for
# added lines.
#
# Known false positive: an ambiguous search text replaces its first place.

_PATH = "file"


def hunk_lines(old: str, new: str, work: Work) -> tuple[str, ...]:
    """The lines of a hunk that turns one text into the other, each with its mark in front."""
    olds, news = (one.removesuffix("\n").split("\n") if one else [] for one in (old, new))
    work.spend(len(olds) * len(news) + len(old) + len(new))
    lines: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, olds, news, autojunk=False).get_opcodes():
        if kind == "equal":
            lines += (f" {line}" for line in olds[a:b])
        else:
            lines += (f"-{line}" for line in olds[a:b])
            lines += (f"+{line}" for line in news[c:d])
    return tuple(lines)


def codex(text: str, edit: Edit) -> EditResult:
    """Codex's steps on a pair of texts: equal, right-trimmed, trimmed, folded lines; the first place."""
    old, new = (one.replace("\r\n", "\n") for one in (edit.old_string, edit.new_string))
    if not old:
        raise nothing_sought()
    if old == new:
        raise unchanged()
    hunk = Hunk(hunk_lines(old, new, Work("the diff of old_string and new_string")), 1)
    result = apply_sections({_PATH: text}, [FilePatch("update", _PATH, 1, hunks=(hunk,))])
    if isinstance(result, Rejected):
        return Rejected(result.reason, result.message, result.candidates)
    return Applied((result.files or {})[_PATH], (), result.landings[0].equality)


CODEX_PATCHES = "openai/codex codex-rs/apply-patch"
CODEX_ON_BYTES = Declared(STRICT, Source(None, f"{CODEX_PATCHES}/src/lib.rs (read_to_string)", "04f399d4"))
CODEX = (
    AgentRule(
        "codex",
        "Codex 0.169.0",
        "run",
        "first",
        in_turn(codex),
        source=Source(None, CODEX_PATCHES, "0.169.0"),
        on_bytes=CODEX_ON_BYTES,
    ),
)


# Goose's str_replace, with the tolerance that it has for characters that models cannot copy.
#
# Evidence: documented. The rule:
#
#     exact    counted without overlap
#     folded   |a  |“b”|  quotes, dashes and no-break spaces as ASCII; then whole lines without spaces at their ends
#
# Policy: unique. Nothing is re-indented; line endings are the file's where the texts of the edit have none.
#
# Known failure: indentation that differs is refused, which is most of what exact match misses.


def goose(text: str, edit: Edit) -> EditResult:
    """Goose: exact and unique, else unique with look-alike characters folded and whitespace at line ends ignored."""
    old, new = edit.old_string, edit.new_string
    if not old:
        raise nothing_sought()
    if old == new:
        raise unchanged()
    for step, table in (("exact", {}), ("folded", PUNCTUATION)):
        whole, find = (text.translate(table), old.translate(table)) if table else (text, old)
        found = [(at, at + len(find)) for at in places(whole, find)]
        if len(found) > 1:
            raise several(text, found, step)
        if found:
            return replaced(text, *found[0], new, step)
    document, lines = Document(text), old.removesuffix("\n").split("\n")
    starts = list(window_starts(map(_folded, document.lines), [_folded(line) for line in lines]))
    spans = [span(document, at, len(lines)) for at in starts]
    if not spans:
        raise not_found()
    if len(spans) > 1:
        raise several(text, spans, "line_ends")
    return replaced(text, *spans[0], new.removesuffix("\n") if old.endswith("\n") else new, "line_ends")


def _folded(line: str) -> str:
    return line.translate(PUNCTUATION).rstrip()


_ON_BYTES = Declared(STRICT, Source(None, "block/goose crates/goose-mcp/src/developer/edit.rs", "cc96ae08"))
GOOSE = (AgentRule("goose", "Goose 2026", "documented", "unique", in_turn(goose), on_bytes=_ON_BYTES),)


# pi's edit tool: pi-coding-agent 0.73.1.
#
# Evidence: run (`applyEditsToNormalizedContent`) and read (`edit-diff.ts`). The rule, on text with LF and without a BOM:
#
#     exact    indexOf
#     fuzzy    |a  |“b”|  both in NFKC, lines without whitespace at their ends, dashes, quotes and spaces as ASCII
#
# Policy: unique, counted in the folded text even if the exact text is found. All edits are placed in the text as it
# was, and may not overlap. Line endings: those of the file's first line, throughout.
#
# Known failure: one fuzzy place rewrites the whole file in its folded form: quotes, dashes and line ends everywhere.


def folded(text: str) -> str:
    """The text as pi compares it."""
    lines = normal_form(text, "NFKC").split("\n")
    return "\n".join([line.rstrip(WHITESPACE) for line in lines]).translate(PUNCTUATION)


def _line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _placed(text: str, old: str) -> tuple[int, int]:
    at, length = text.find(old), len(old)
    whole, find = folded(text), folded(old)
    if at < 0:
        at, length = whole.find(find), len(find)
    if at < 0:
        raise not_found()
    if (whole.count(find) if find else len(whole) - 1) > 1:
        raise several(text, [(at, at + length)], "fuzzy")
    return at, at + length


def pi(text: str, edits: Sequence[Edit]) -> EditResult:
    """pi: exact, else folded; unique either way; a folded place rewrites the whole file folded."""
    bom, plain = (BOM, text[1:]) if text.startswith(BOM) else ("", text)
    crlf = first_is_crlf(plain)
    plain = _line_feeds(plain)
    pairs = [(_line_feeds(edit.old_string), _line_feeds(edit.new_string)) for edit in edits]
    if not all(old for old, _ in pairs):
        raise nothing_sought()
    is_folded = any(old not in plain for old, _ in pairs)
    base = folded(plain) if is_folded else plain
    placed = sorted((*_placed(base, old), new) for old, new in pairs)
    for one, other in pairwise(placed):
        if one[1] > other[0]:
            raise PatchError("two of the edits overlap: join them in one.", reason=Reason.AMBIGUOUS)
    out, done = [], 0
    for start, end, new in placed:
        out += [base[done:start], new]
        done = end
    content = "".join(out) + base[done:]
    if content == base:
        raise unchanged()
    return Applied(bom + with_crlf(content, crlf), (), "fuzzy" if is_folded else "exact")


_TOOLS = "badlogic/pi-mono packages/coding-agent/src/core/tools"
PI = (
    AgentRule(
        "pi",
        "pi-coding-agent 0.73.1",
        "run",
        "unique",
        pi,
        source=Source(None, f"{_TOOLS}/edit-diff.ts", "0.73.1"),
        on_bytes=Declared(REPLACED, Source("2026-03-15", f"{_TOOLS}/edit.ts (toString of the buffer)", "83378aad")),
    ),
)


# tau's file_edit.
#
# Evidence: run (its matching, compiled, on 6,000 drawn calls). An exact place, counted without overlap; if there is none,
# the first of these with one place:
#
#     trim_end   lines without whitespace at their ends
#     trim_both  lines without whitespace at both ends
#     unicode    as `trim_end`, curly quotes, dashes, the ellipsis and some spaces as ASCII
#
# Policy: unique; a step with several places is passed over. There is no way to ask for every place. The place is looked
# for in the text as each step compares it, and the whole lines that it touches are replaced. Line endings stay.
#
# Known failures: a search text that begins or ends within a line takes the rest of the line with it; in a file with CRLF,
# each line above the place moves it by one byte, and where that is within a character the program stops.

_ASCII = str.maketrans(
    dict.fromkeys("\u2018\u2019", "'")
    | dict.fromkeys("\u201c\u201d", '"')
    | {"\u2013": "-", "\u2014": "--", "\u2026": "..."}
    | dict.fromkeys("\xa0\u2002\u2003\u2009", " ")
)


def _lines(text: str) -> list[str]:
    """The lines as Rust's `lines` gives them: no empty one at the end, no carriage return before a line feed."""
    *lines, last = text.split("\n")
    return [line.removesuffix("\r") for line in lines] + ([last] if last else [])


def _ends_trimmed(text: str) -> str:
    return "\n".join([line.rstrip() for line in _lines(text)])


def _trimmed(text: str) -> str:
    return "\n".join([line.strip() for line in _lines(text)])


def _folded_tau(text: str) -> str:
    return _ends_trimmed(text).translate(_ASCII)


_STEPS: dict[str, Callable[[str], str]] = {"trim_end": _ends_trimmed, "trim_both": _trimmed, "unicode": _folded_tau}


def tau(text: str, edit: Edit) -> EditResult:
    """tau: exact, then whole lines without whitespace at their ends, at both ends, as ASCII; each must find one."""
    old = edit.old_string
    if not old:
        raise nothing_sought()
    exact = places(text, old)
    if len(exact) == 1:
        return replaced(text, exact[0], exact[0] + len(old), edit.new_string, "exact")
    if exact:
        raise several(text, [(at, at + len(old)) for at in exact], "exact")
    lines = _lines(text)
    for step, changed in _STEPS.items():
        whole, find = changed(text), changed(old)
        found = places(whole, find) if find else []
        if len(found) != 1:
            continue
        first = whole.count("\n", 0, found[0])
        last = first + find.count("\n") + 1
        if last <= len(lines):
            start, end = _span(text, lines, first, last)
            return replaced(text, start, end, edit.new_string, step)
    raise not_found()


def _span(text: str, lines: list[str], first: int, last: int) -> tuple[int, int]:
    """Where the program takes these lines to be: as if each line above ended in one byte. Raises PatchError."""
    raw = text.encode("utf-8", "surrogatepass")
    start = sum(len(line.encode("utf-8", "surrogatepass")) + 1 for line in lines[:first])
    end = start + len("\n".join(lines[first:last]).encode("utf-8", "surrogatepass"))
    try:
        return tuple(len(raw[:at].decode("utf-8", "surrogatepass")) for at in (start, end))  # type: ignore[return-value]
    except UnicodeDecodeError:
        raise PatchError(
            "The place begins or ends within a character, at which the program stops.", reason=Reason.NOT_ALLOWED
        ) from None


_SOURCE = Source("2026-04-25", "nwyin/tau coding-agent/src/tools/file_edit.rs", "5010f880")
_ON_BYTES_TAU = Declared(STRICT, _SOURCE)
TAU = (AgentRule("tau", "tau 2026", "run", "unique", in_turn(tau), source=_SOURCE, on_bytes=_ON_BYTES_TAU),)


# DeepSeek-Reasonix's edit_file.
#
# Evidence: read. The exact text, its line ends made CRLF if the file has it so; if there is none, windows of whole lines,
# in the first of these that finds any:
#
#     ends      lines without blanks, tabs and carriage returns at their ends
#     tabs      that, each tab as four blanks
#     numbers   both again, without `12→` before every line of the search text, if every line has it
#
# Policy: unique, counted without overlap, or every place if that is asked for. A place found by windows gets the new text
# with the line endings of the file; nothing is re-indented.
#
# Known failure: a search text in blanks puts blanks into a file of tabs.

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
            starts = apart(window_starts(map(compared, lines), list(map(compared, read))), len(wanted))
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


_SOURCE_REASONIX = Source("2026-08", "esengine/DeepSeek-Reasonix internal/tool/builtin/encoding_helpers.go", "1aa4ab6c")
_ON_BYTES_REASONIX = Declared(
    GB18030, Source(None, "esengine/DeepSeek-Reasonix internal/fileutil/encoding/encoding.go", "9864c141")
)
REASONIX = (
    AgentRule(
        "reasonix",
        "DeepSeek-Reasonix 2026",
        "read",
        "unique",
        in_turn(reasonix),
        source=_SOURCE_REASONIX,
        on_bytes=_ON_BYTES_REASONIX,
    ),
)
