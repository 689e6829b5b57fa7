"""Readers of patches of other projects: what they read of a drawn patch, applied, gives the files that were meant.

    parse:NAME[FORMAT]=MODULE:FUNCTION    a function in Python: the text of a patch -> its sections
    parse:NAME[FORMAT]=COMMAND            a program: a request of docs/protocol.md -> {"id": "...", "sections": [...]}

    --- a/f                               [{"path": "f", "hunks": [{"source_start": 3, "lines": [" a", "-b", "+c"]}]}]
    +++ b/f
    @@ -3,2 +3,2 @@
     a
    -b
    +c

The sections are written out as a plain patch, which our strict reading applies to the files. So the answer of the drawn
patch is the answer of its reader too: a line that is read wrongly does not fit, or leaves another text.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, Literal

import msgspec

from corpora.sample import Sample
from editcore.errors import UsageError
from editcore.patches.begin_patch import apply_begin_patch
from editcore.patches.unified_diff import apply_unified_diff
from editcore.quoting import quoted
from editcore.text.document import Document
from editcore.types import EditResult, FilePatch, Hunk, Reason, Rejected
from harness.fuzz.generators.writing import diff_lines, rendered_lines
from harness.strategies.command_spec import parts_of, version_of
from harness.strategies.external import SPEC, Command
from harness.strategies.protocol import CommandError, RejectedAnswer, wrong_shape
from harness.strategies.strategy import Strategy, by_path, example_sample

_FUNCTION = re.compile(r"parse:([\w-]{1,100})\[(begin_patch|unified_diff)\]=([\w.]+):(\w+)")
_FORMATS = ("begin_patch", "unified_diff")


class ReadHunk(msgspec.Struct, frozen=True):
    lines: tuple[str, ...]
    r"""Each behind a space, `-` or `+`; `\ No newline at end of file` may be among them."""
    source_start: int = 1
    """Of a diff: the number of its first old line."""
    anchors: tuple[str, ...] = ()
    """Of a Begin/End Patch: the texts behind `@@`."""
    is_last: bool = False
    """True below `*** End of File`."""


class ReadSection(msgspec.Struct, frozen=True):
    path: str
    action: Literal["update", "add", "delete"] = "update"
    move_to: str | None = None
    hunks: tuple[ReadHunk, ...] = ()


class ReadAnswer(msgspec.Struct, frozen=True):
    id: str
    sections: tuple[ReadSection, ...]


Read = Callable[[Sample], "Sequence[ReadSection] | Rejected"]


def reader_strategy(spec: str) -> Strategy:
    """The reader as a strategy: our strict reading applies what it read. Raises UsageError for a malformed spec."""
    if found := _FUNCTION.fullmatch(spec):
        name, format, module, function = found.groups()
        read = partial(_called, _function(module, function))
        return _strategy(name, format, read, f"The reader {module}.{function}", spec)
    name, formats, _, words = parts_of(SPEC + spec.removeprefix("parse:"))
    if len(formats) != 1 or formats[0] not in _FORMATS:
        raise UsageError(
            f"{spec!r} does not name the format that it reads",
            f"Write parse:{name}[unified_diff]=... or [begin_patch].",
        )
    command = Command(f"parse/{name}", words, read=_answered)
    one = _strategy(name, formats[0], command.apply, f"The reader {' '.join(words)}", spec)
    example = partial(command.start, example_sample(formats[0]))
    return replace(one, version=version_of(words), start=example, cpu_ns=command.cpu_ns)


def _strategy(name: str, format: Any, read: Callable[[Sample], Any], summary: str, spec: str) -> Strategy:
    def apply(sample: Sample, _: Document | None) -> EditResult:
        sections = read(sample)
        return sections if isinstance(sections, Rejected) else applied(sections, sample)

    return Strategy(f"parse/{name}", frozenset([format]), apply, summary, "?", "parse", reads="patch", written=spec)


def _function(module: str, name: str) -> Callable[[str], object]:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Callable[[str], object] = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"{module}:{name} cannot be imported: {error}", "Run editgauge in its folder.") from None
    return found


def _called(function: Callable[[str], object], sample: Sample) -> Sequence[ReadSection] | Rejected:
    """What a function reads. An exception of its own, or a ValueError, is a refusal; another one is a crash."""
    try:
        sections = function(sample.patch or "")
    except Exception as error:
        if type(error).__module__ == "builtins" and not isinstance(error, ValueError):
            raise
        return Rejected(Reason.MALFORMED, " ".join(f"{type(error).__name__}: {error}".split())[:200])
    try:
        return msgspec.convert(sections, tuple[ReadSection, ...])
    except msgspec.ValidationError as error:
        raise wrong_shape(error) from None


def _answered(line: bytes, number: str, *, sample: Sample) -> Any:
    """The sections in an answer line. Raises CommandError if the line is no answer to the request `number`."""
    del sample
    try:
        answer = msgspec.json.decode(line, type=msgspec.Raw)
        is_refused = b'"rejected"' in bytes(answer) and b'"sections"' not in bytes(answer)
        read: Any = msgspec.json.decode(line, type=RejectedAnswer if is_refused else ReadAnswer)
    except msgspec.ValidationError as error:
        raise wrong_shape(error) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise CommandError("the answer is not JSON", "Write one JSON object a line to stdout.") from None
    if read.id != number:
        raise CommandError("the answer has another `id` than its request", "Send the id back as it came.")
    return Rejected(read.reason, read.message or "refused") if is_refused else read.sections


# What was read, written out and applied


def applied(sections: Sequence[ReadSection], sample: Sample) -> EditResult:
    """The files after the sections, or why these do not fit."""
    files = by_path(sample.before)
    is_envelope = sample.format == "begin_patch"
    lines = (
        rendered_lines([*map(_section, sections)]) if is_envelope else [line for one in sections for line in _diff(one)]
    )
    text = "".join([f"{line}\n" for line in lines])
    by_diff = partial(apply_unified_diff, strictness="strict")
    result = apply_begin_patch(files, text, reading="strict") if is_envelope else by_diff(files, text)
    if isinstance(result, Rejected):
        read = {line for one in sections for hunk in one.hunks for line in hunk.lines}
        lines = [line for line in (sample.patch or "").split("\n") if line[:1] in (" ", "+", "-")]
        lost = next((line for line in lines if line not in read and line[:4] not in ("--- ", "+++ ")), None)
        why = result.message if lost is None else f"no hunk that was read has the line {quoted(lost, limit=60)}"
        return replace(result, message=f"what was read does not fit: {why}")
    return result


def _section(one: ReadSection) -> FilePatch:
    hunks = tuple([Hunk(hunk.lines, 0, hunk.anchors, end_of_file=hunk.is_last) for hunk in one.hunks])
    return FilePatch(one.action, one.path, 0, one.move_to, hunks)


def _diff(one: ReadSection) -> Iterator[str]:
    hunks = [(hunk.source_start - any(line[:1] in (" ", "-") for line in hunk.lines), None, hunk.lines)
             for hunk in one.hunks]  # fmt: skip
    return diff_lines(one.action, one.path, one.move_to, hunks)
