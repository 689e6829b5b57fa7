"""`try`: apply one edit or patch by any strategy and explain the result, without writing a file."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path, PurePath

import click

from corpora.regular_file import content
from corpora.sample import LARGEST_TEXTS, Format, Sample, validated
from editcore.cascade import Cascade
from editcore.errors import Unmeasured, UsageError
from editcore.formats import EDIT_FORMATS, FORMATS
from editcore.quoting import first_line, printable
from editcore.text.diff import unified_diff
from editcore.text.document import Document
from editcore.text.encodings import Decoded, decode, faithful
from editcore.types import Applied, Edit, EditResult, Evidence, File, Rejected
from harness.commands.options import JSON, TIMEOUT
from harness.run.latency import Stopwatch, TimedOut
from harness.strategies.registry import strategy
from harness.strategies.rule_strategies import cascade_of
from harness.strategies.strategy import Strategy, by_path
from harness.terminal import print_json, print_lines, tell

# Explanation of one result: the offer of each part of the strategy, the deciding part, the reason, and the diff.

_SHOWN = 3
"""Number of candidates shown for each replacer."""
_COUNTED = 1000


@dataclass(frozen=True, slots=True)
class Offer:
    """Candidates of one replacer, or result of one tier, for a search text."""

    replacer: str
    n_candidates: int
    """Number of candidates; `_COUNTED` means at least so many."""
    places: tuple[str, ...]
    """Lines of the first candidates, in words; for a tier that refuses, the reason."""


def offers(cascade: Cascade, document: Document, edit: Edit, path: str) -> Iterator[Offer]:
    """The offer of each replacer or tier of the cascade, in order, even of those after the deciding one."""
    for name, replacer in cascade.rungs:
        candidates = list(islice(replacer(document, edit.old_string), _COUNTED)) if edit.old_string else []
        yield Offer(name, len(candidates), tuple(_place(document, text) for text in dict.fromkeys(candidates))[:_SHOWN])
    for name, tier in cascade.steps:
        result = Cascade(name, tiers=(tier,)).apply(document, edit, path=path)
        if isinstance(result, Applied):
            lines = (f"line {document.line_of(match.start)}" for match in result.matches)
            yield Offer(name, len(result.matches), tuple(dict.fromkeys(lines))[:_SHOWN])
        else:
            yield Offer(name, 0, (f"refuses ({result.reason})",))


def _place(document: Document, candidate: str) -> str:
    n = document.text.count(candidate)
    if n == 0:
        return "a text that is not in the file"
    line = document.line_of(document.text.find(candidate))
    n_lines = candidate.count("\n") + 1
    where = f"line {line}" if n_lines == 1 else f"lines {line}-{line + n_lines - 1}"
    return where if n == 1 else f"{where} and {n - 1} more place{'s' if n > 2 else ''}"


def offer_lines(found: list[Offer], result: EditResult) -> Iterator[str]:
    """A line for each offer; an arrow marks the deciding one."""
    width = max((len(offer.replacer) for offer in found), default=0)
    for offer in found:
        mark = "->" if isinstance(result, Applied) and offer.replacer == result.replacer else "  "
        count = f"{offer.n_candidates}+" if offer.n_candidates == _COUNTED else str(offer.n_candidates)
        yield f"{mark} {offer.replacer:<{width}}  {count:>5}  {'; '.join(offer.places)}".rstrip()


def result_lines(sample: Sample, result: EditResult) -> Iterator[str]:
    """Result of a strategy on a sample in words: place, reason, repairs, and the diff of each file."""
    if isinstance(result, Rejected):
        yield from _rejected(result)
        return
    by = f" by {result.replacer}" if result.replacer else ""
    yield f"applied{by}{_where(sample, result)}"
    for landing in result.landings:
        notes = f" ({'; '.join(landing.notes)})" if landing.notes else ""
        yield f"  hunk {landing.hunk} of {landing.path} at line {landing.line}: {landing.equality}{notes}"
    yield from (f"  read: {note}" for note in result.notes)
    if result.evidence and sample.before:
        yield from _evidence(Document(sample.before[0].content), result.evidence)
    yield ""
    yield from diff_lines(sample, result)


def _where(sample: Sample, result: Applied) -> str:
    if not result.matches or sample.format not in EDIT_FORMATS or len(sample.edits or ()) > 1 or not sample.before:
        return ""
    first = Document(sample.before[0].content).line_of(result.matches[0].start)
    n = len(result.matches)
    return f" at line {first}" if n == 1 else f" at {n} places, the first at line {first}"


def _evidence(document: Document, evidence: Evidence) -> Iterator[str]:
    yield f"  confidence {evidence.confidence:.3f}, margin to the next best place {evidence.margin:.2f}"
    if evidence.runner_up:
        yield f"  next best: line {document.line_of(evidence.runner_up.start)}"
    yield from (f"  {repair}" for repair in evidence.repaired)
    for kept in evidence.kept:
        yield f"  line {kept.line} stays {kept.text!r}, which the edit writes as {kept.written!r}"


def _rejected(result: Rejected) -> Iterator[str]:
    yield f"rejected ({result.reason}): {result.message}"
    if found := result.contradiction:
        yield f"  line {found.line} is {found.text!r}, and not {found.wanted!r}"
    for number, edit in enumerate(result.advice, 1):
        yield f"  would be applied ({number}): --old {edit.old_string!r} --new {edit.new_string!r}"


def diff_lines(sample: Sample, result: Applied) -> Iterator[str]:
    """Lines of a unified diff from the sample's files to the files of the result."""
    before = by_path(sample.before)
    # An operation on one text gives `content`; any other gives `files`, with every file.
    after = dict(result.files) if result.files is not None else dict.fromkeys(before, result.content or "")
    for path in dict.fromkeys([*before, *after]):
        old, new = before.get(path), after.get(path)
        if old != new or (old is None) != (new is None):
            # splitlines() would drop carriage returns, which may be the only difference.
            yield from unified_diff(old or "", new or "", path=path).split("\n")[:-1]
            if new is None:
                yield f"{path} is deleted"


_MARKER = re.compile(
    r"^[ \t>`'\"\[,]*+(?:(?P<envelope>[*_]{2,6} ?(?:Begin (?:of )?Patch|(?:Update|Add|Delete) File:))"
    r"|(?P<blocks><{5,} ?(?:SEARCH|ORIGINAL)\b|-{5,} ?SEARCH\b)|(?P<diff>diff --git |--- |@@))",
    re.IGNORECASE | re.MULTILINE,
)
"""The first line of a patch that only one format has."""
_FORMATS: dict[str, Format] = {"envelope": "begin_patch", "blocks": "search_replace", "diff": "unified_diff"}
_COMMAND = re.compile(r"\s*(?:cd|sed|perl|python3?|cat|echo|printf|tee|awk|cp|mv|for \w+ in)\s[^\n]*")
"""The first line of a shell command that edits files."""
_ONE_WORD = re.compile(r"@\S{1,200}")


@click.command("try")
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--old", metavar="TEXT", help="Text to replace; @FILE reads it from a file.")
@click.option("--new", metavar="TEXT", help="Text to put there; @FILE reads it from a file.")
@click.option("--patch", metavar="TEXT", help="Instead: a patch in any format; @FILE is a file, - standard input.")
@click.option("--line", "lines", metavar="N[-M]", help="Instead of --old: put --new below line N, or in place of N-M.")
@click.option(
    "-s", "--strategy", "--cascade", "specs", multiple=True, metavar="NAME",
    help="Any strategy, a cascade by its last name, or A+B. Default: cascade/recommended, or its like for patches.",
)  # fmt: skip
@click.option(
    "--seen", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
    help="The only FILE as the model saw it, where it was changed since: the edit is merged with these changes.",
)  # fmt: skip
@click.option("--all", "replace_all", is_flag=True, help="Replace every occurrence.")
@TIMEOUT
@JSON
def try_(
    files: Sequence[Path], old: str | None, new: str | None, patch: str | None, lines: str | None,
    specs: Sequence[str], seen: Path | None, replace_all: bool, timeout: float, as_json: bool,
) -> None:  # fmt: skip
    """Try one edit or patch and explain its result; nothing is written.

    A patch finds its FILEs by the paths as they are given. The result is shown with its diff; for a cascade, also the
    offer of every replacer or tier, and which one decides. Exit code 1 if the edit is refused.
    """
    sample = _sample(files, old, new, patch, lines, replace_all)
    if seen is not None:
        sample = _as_seen(sample, _text_of(seen))
    if len(specs) > 1:
        raise UsageError(f"{len(specs)} strategies are named", "Try one at a time; `editgauge run` compares several.")
    default = _careful(sample) if seen is None else "stale/recommended"
    chosen = _strategy(specs[0] if specs else default, sample)
    result = _result(chosen, sample, timeout)
    found = []
    cascade = cascade_of(chosen.name)
    if cascade and sample.edits and len(sample.edits) == 1:
        found = list(offers(cascade, Document(sample.before[0].content), sample.edits[0], sample.before[0].path))
    applied = isinstance(result, Applied)
    if as_json:
        print_json(
            {
                "schema_version": 1,
                "strategy": chosen.name,
                "status": "applied" if applied else "rejected",
                **asdict(result),
                "offers": [asdict(offer) for offer in found],
            }
        )
    else:
        click.echo(printable(f"{chosen.name} on {', '.join(file.path for file in sample.before)}"))
        print_lines(("", *offer_lines(found, result), *([""] if found else []), *result_lines(sample, result)))
    sys.exit(0 if applied else 1)


def _sample(
    files: Sequence[Path], old: str | None, new: str | None, patch: str | None, lines: str | None, replace_all: bool
) -> Sample:
    """Make an unlabelled sample of the options. Raises UsageError for no edit, and for two edits at once."""
    given = [name for name, text in (("--old", old), ("--patch", patch), ("--line", lines)) if text is not None]
    if len(given) != 1:
        wrong = f"{' and '.join(given)} exclude each other" if given else "There is no edit"
        raise UsageError(wrong, "Give --old and --new, or --patch, or --line and --new.")
    if (new is None) != (patch is not None):
        wrong = "--new does not go with --patch" if patch is not None else f"{given[0]} needs --new"
        raise UsageError(wrong, "Give --old and --new, or --patch, or --line and --new.")
    if replace_all and old is None:
        raise UsageError(f"--all does not go with {given[0]}", "Leave it out: it is for --old and --new.")
    before = tuple(map(_file, files))
    if patch is None and len(before) > 1:
        raise UsageError(f"{given[0]} is an edit of one file, and {len(before)} are named", "Name one FILE.")
    try:
        if old is not None:
            edit = Edit(_argument(old), _argument(new or ""), replace_all)
            return validated(Sample("try", "str_replace", before, "unlabelled", edits=(edit,)))
        if lines is not None:
            first, last = _line_numbers(lines)
            form: Format = "line_range" if last else "insert"
            text = _argument(new or "")
            return validated(Sample("try", form, before, "unlabelled", patch=text, line=first, end_line=last))
        text = _patch(patch or "")
        return validated(Sample("try", _format_of(text), before, "unlabelled", patch=text))
    except ValueError as error:
        raise UsageError(
            f"The edit cannot be tried: {error}", "See corpora/README.md for what a sample may have."
        ) from None


def _as_seen(sample: Sample, seen: str) -> Sample:
    """Add the text that was seen of the sample's only file. Raises UsageError where it has several files."""
    if len(sample.before) != 1:
        raise UsageError(f"--seen is one file, and {len(sample.before)} are named", "Name one FILE.")
    return replace(sample, seen=(File(sample.before[0].path, seen),))


def _line_numbers(text: str) -> tuple[int, int | None]:
    first, dash, last = text.partition("-")
    if all(part.isascii() and part.isdigit() and len(part) < 10 for part in ([first, last] if dash else [first])):
        return int(first), int(last) if dash else None
    raise UsageError(f"{text!r} is not a line, or two with a hyphen between", "Write --line 12, or --line 12-15.")


def _format_of(patch: str) -> Format:
    """Format of a patch, recognized by its marker lines, or by the fields of a call in JSON."""
    if re.match(r"\s*\[[^\n]*#[0-9A-Fa-f]{4,8}\]", patch):
        return "hashline_h4"
    if re.match(r'\s*\{\s*"', patch):
        return "exhash" if '"cmds"' in patch else "hashline_h2"
    if _COMMAND.match(patch):
        return "shell"
    first = _MARKER.search(patch) or _MARKER.search(patch.replace("\\n", "\n"))
    return "unified_diff" if first is None else _FORMATS[first.lastgroup or ""]


def _careful(sample: Sample) -> str:
    """The strategy to try if none is named."""
    return FORMATS[sample.format].careful


def _strategy(spec: str, sample: Sample) -> Strategy:
    """The named strategy. Raises UsageError if there is none, or it takes other formats than the sample's."""
    found = strategy(spec if "/" in spec or ":" in spec else f"cascade/{spec}")
    if found.bytes_by == "unknown" and sample.has_bytes:
        raise UsageError(
            f"What {found.name} does with files that are not UTF-8 is not modelled",
            f"Leave out -s for {_careful(sample)}, or see docs/study.md for the agents of which it is.",
        )
    if not found.takes(sample):
        takes = ", ".join(sorted(found.formats))
        raise UsageError(
            f"{found.name} takes {takes}, and this is {sample.format}",
            f"Leave out -s for {_careful(sample)}, or see `editgauge ls strategies`.",
        )
    return found


def _result(chosen: Strategy, sample: Sample, timeout_s: float) -> EditResult:
    """The result of one call. Raises UsageError if the strategy crashed, or ran out of time."""
    with Stopwatch() as stopwatch:
        call = stopwatch.call(chosen, sample, None, timeout_s=timeout_s)
    if isinstance(call.value, TimedOut):
        raise UsageError(f"{chosen.name} did not return within {timeout_s:g} s", "Give it more time with --timeout.")
    if isinstance(call.value, UsageError):
        raise call.value
    if isinstance(call.value, Unmeasured):
        raise UsageError(
            f"{chosen.name} does not know what the command does: {call.value}",
            "Such a call is counted as unmeasured. Try a command whose text says it all.",
        )
    if not isinstance(call.value, Applied | Rejected):
        what = f"{type(call.value).__name__}: {first_line(call.value)}" if call.raised else type(call.value).__name__
        raise UsageError(f"{chosen.name} crashed: {what}", "Such a call is counted as crashed, and is no answer.")
    return call.value


def _name(path: Path) -> str:
    """The path as a patch would name it: relative paths below this folder as given, others by their last part."""
    pure = PurePath(os.path.normpath(path))
    return path.name if pure.is_absolute() or ".." in pure.parts else pure.as_posix()


def _patch(text: str) -> str:
    """The patch of `--patch`. Raises UsageError for a file name without its @, and for a missing file."""
    if text == "-":
        from corpora.sample import LARGEST_TEXTS

        data = sys.stdin.buffer.read(LARGEST_TEXTS + 1)
        if len(data) > LARGEST_TEXTS:
            raise UsageError(f"Standard input gives more than {LARGEST_TEXTS >> 20} MB", "Give a smaller patch.")
        return _decoded(data, "What standard input gives")
    if "\n" not in text and os.path.isfile(text):
        raise UsageError(f"--patch {text} is the name of a file", f"Write --patch @{text} to read the patch from it.")
    if "\n" not in text and text.startswith("@") and not text.startswith("@@") and not os.path.isfile(text[1:]):
        raise UsageError(
            f"There is no file {text[1:]!r}", "Check the path after the @; a patch itself has several lines."
        )
    return _argument(text)


def _file(path: Path) -> File:
    """A file of the edit, in any encoding."""
    data = _bytes_of(path)
    read = decode(data)
    if isinstance(read, Decoded) and read.is_plain:
        return File(_name(path), data.decode())
    encoding = read.encoding if isinstance(read, Decoded) else None
    return File(_name(path), faithful(data, encoding), data, encoding)


def _text_of(path: Path) -> str:
    return _decoded(_bytes_of(path), str(path))


def _bytes_of(path: Path) -> bytes:
    try:
        return content(path, LARGEST_TEXTS)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}", "Check the path.") from None


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name} is not UTF-8: byte {error.start} is {data[error.start]:#04x}", "Convert it to UTF-8 first."
        ) from None


def _argument(text: str) -> str:
    """The text of an argument, or of the file in `@FILE`. Decorators begin with @ too: a note says which is meant."""
    if not text.startswith("@"):
        return text
    if os.path.isfile(text[1:]):
        return _text_of(Path(text[1:]))
    if _ONE_WORD.fullmatch(text):
        tell(f"note: {text} is taken as the text itself: there is no such file")
    return text
