"""`edit_lines`: edits lines by the anchors that `read` shows, in the format that the host has chosen.

    read        [shop.py#3AE6]          the shown text is kept, with the shown lines: a call is read against that text,
                1:total = 0             and its tag only tells which text it was
                2:price = 0
    edit_lines  [shop.py#3AE6]          applied by the rule `anchors/recommended`: between the shown and the current
                PUT 2.=2:               text, by the same rule as all tools
                +price = 1
    answer      [shop.py#9C04]          the anchors of the changed lines, and of the lines around them
                1:total = 0
                2:price = 1

A call that names lines which were not shown is refused and shows them. The same call then succeeds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, islice
from typing import Annotated, Any, Literal

from msgspec import Meta

from editcore.anchors.apply import apply_anchored, named_by
from editcore.anchors.calls import Call
from editcore.anchors.rules import READINGS
from editcore.anchors.views import ended_lines, shown_lines
from editcore.errors import PatchError, ToolError
from editcore.host.as_seen import MERGED
from editcore.host.changed_file import edit_result, file_not_found
from editcore.host.host import Host, ResolvedPath
from editcore.host.registry import BuiltIn
from editcore.host.tool import Context, Result
from editcore.host.tools.edit import FilePath
from editcore.host.tools.read import headed, listed
from editcore.host.workspace import Proposal
from editcore.host.workspace.ledger import Sighting
from editcore.quoting import shown
from editcore.stale.trail import Trail
from editcore.text.diff import changed_ranges
from editcore.text.lines import Stretches, joined, lines_in, moved_stretches, put_in
from editcore.types import EditResult, Reason, Rejected

_AROUND = 2
"""Lines above and below a change whose anchors are shown."""
_MOST_LINES, _MOST_CHARACTERS = 40, 20_000
"""Lines and characters that one answer shows of a file."""


@dataclass(frozen=True, slots=True)
class Patch:
    """The parameters in format H4."""

    patch: Annotated[
        str,
        Meta(
            description="A section per file: the line [PATH#TAG] as read shows it, then hunks. `PUT 5.=7:` puts the "
            "rows below it, each with + in front, in place of lines 5 to 7; `PUT <5:` puts them above line 5, "
            "`PUT >5:` below it, `PUT <1:` at the start and `PUT >$:` at the end of the file; `CUT 5.=7` deletes. "
            "`REM` deletes the file, `MV NEW/PATH` moves it.",
            min_length=1,
        ),
    ]


_Anchor = Annotated[str, Meta(description="NUMBER#HASH of a line, as read shows it.")]


@dataclass(frozen=True, slots=True)
class LineEdit:
    """One edit in format H2."""

    op: Annotated[
        Literal["replace", "append", "prepend"],
        Meta(
            description="replace: lines in place of those from pos to end, or of pos alone. append, prepend: below and "
            "above pos, without pos at the end and the start of the file."
        ),
    ]
    lines: Annotated[
        list[str] | str | None, Meta(description="The new lines, whole and without anchors; null to delete.")
    ]
    pos: _Anchor | None = None
    end: _Anchor | None = None


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters in format H2."""

    filePath: FilePath
    edits: Annotated[list[LineEdit], Meta(description="Made together; all anchors are those that were shown.")]
    delete: Annotated[bool, Meta(description="Delete the file; edits must be empty.")] = False
    rename: Annotated[str | None, Meta(description="The path to move the file to.")] = None


def raw_call(params: Patch | Parameters) -> str:
    """The call as text in its format."""
    return params.patch if isinstance(params, Patch) else json.dumps(asdict(params), ensure_ascii=False)


def format_of(params: Patch | Parameters) -> Literal["hashline_h2", "hashline_h4"]:
    return "hashline_h4" if isinstance(params, Patch) else "hashline_h2"


def _read(params: Patch | Parameters) -> list[Call]:
    """The sections of the call. Raises PatchError."""
    return READINGS[format_of(params)](raw_call(params))


def _run(host: Host, context: Context, params: Patch | Parameters) -> Result:
    try:
        calls = _read(params)
    except PatchError as error:
        raise ToolError(error.message, reason=error.reason) from None
    edit = _Edit(host, context, raw_call(params), calls)
    paths = [file.path for file in edit.files.values()]
    outcome = edit.first.workspace.change(EDIT_LINES.id, asdict(params), paths, edit.decide, moved=edit.moves)
    try:
        if isinstance(outcome.result, Rejected) and outcome.result.reason is Reason.UNREAD:
            edit.show_unshown()
        result = edit_result(host, context, edit.first, outcome, around=None)
    except ToolError as error:
        error.metadata = {**error.metadata, **edit.seen()}
        if error.reason is Reason.STALE_READ and "\n" in error.message:  # It shows both versions, without anchors.
            error.message += "\nRead the file again first: an edit of these lines needs their anchors."
        raise
    output = "\n".join([result.output, *edit.fresh_anchors(outcome.proposal)])
    return replace(result, output=output, metadata={**result.metadata, **edit.seen()})


class _Edit:
    """One call: its files, and the shown texts that it is written against."""

    def __init__(self, host: Host, context: Context, patch: str, calls: Sequence[Call]) -> None:
        self.host, self.context, self.patch, self.calls = host, context, patch, calls
        self.format = host.anchors or ""
        named = dict.fromkeys(path for one in calls for path in (one.path, one.moved_to) if path)
        self.files = {path: host.file(context, path) for path in named}
        """Path as the call writes it -> file."""
        self.first: ResolvedPath = next(iter(self.files.values()))
        self.moves = {
            self.files[one.moved_to].path: self.files[one.path].path for one in calls if one.path and one.moved_to
        }
        """New path -> old path."""
        self.read: dict[str, Sighting] = {}
        """Path as the call writes it -> the shown text that the call is written against."""
        if len({(one.workspace.root, one.path) for one in self.files.values()}) != len(self.files):
            raise ToolError("Two paths of the call are the same file: name it once.", reason=Reason.MALFORMED)
        if len({one.workspace.root for one in self.files.values()}) != 1:
            raise ToolError("The files lie in several directories: send a call for each.", reason=Reason.NOT_ALLOWED)

    def decide(self, texts: Mapping[str, str]) -> EditResult:
        """The result for the current texts. Keys are paths in the workspace."""
        live = {path: texts[file.path] for path, file in self.files.items() if file.path in texts}
        found = {one.path: self._sighting(one, self.files[one.path]) for one in self.calls if one.path in live}
        self.read = {path: one for path, one in found.items() if one is not None}
        for path in (one.path or "" for one in self.calls):
            if path not in live and not self._creates(path):
                return file_not_found(self.files[path])
            file = self.files[path]
            unread = self.host.ledger.unread(self.context.session_id, file.absolute, name=file.name)
            if path in live and (unread or path not in self.read):
                return unread or Rejected(
                    Reason.UNREAD, f"{shown(file.name)} was shown too long ago: read it again, then edit it."
                )
        result = self._placed(live)
        if isinstance(result, Rejected):
            return result
        after = result.files if result.files is not None else dict.fromkeys(live, result.content or "")
        return replace(result, files={self.files[path].path: text for path, text in after.items()})

    def _placed(self, live: Mapping[str, str]) -> EditResult:
        texts = {path: one.text for path, one in self.read.items()}
        lines = {path: joined([*one.lines, *one.named]) for path, one in self.read.items() if one.lines is not None}
        trails = {path: trail for path, text in live.items() if (trail := self._trail(path, text)) is not None}
        return apply_anchored(
            live, self.patch, self.format, seen=texts, shown=lines, trails=trails, stale=self.host.stale
        )

    def _trail(self, path: str, live: str) -> Trail | None:
        """The way from the text that the call is written against to the current one; None if they are equal."""
        one = self.read.get(path)
        if one is None or one.text == live or self.host.stale in ("gate", "match_live"):
            return None
        file = self.files[path]
        trail = self.host.ledger.trail(self.context.session_id, file.absolute, one, live)
        for line in next((named_by(call, one.text, self.format) for call in self.calls if call.path == path), ()) or ():
            if (now := trail.lines(line, line)) is not None and now[0] != line:
                file.shifts[file.path, line] = now[0], trail.is_own
        return trail

    def _creates(self, path: str) -> bool:
        """True if the call only adds lines to the file: such a call may create it."""
        [call] = [one for one in self.calls if one.path == path]
        return call.tag is None and bool(call.edits) and all(one.first is None for one in call.edits)

    def _sighting(self, call: Call, file: ResolvedPath) -> Sighting | None:
        """The shown text that a call is written against: the last one that its anchors fit and whose lines were shown.

        If none showed all of its lines, the last one that its anchors fit, else the last one.
        """
        found = self.host.ledger.sightings(self.context.session_id, file.absolute)
        fitting = [(one, named) for one in found if (named := named_by(call, one.text, self.format)) is not None]
        anchored = next((pair for pair in fitting if {*pair[1]} <= _shown_in(pair[0], pair[0].named)), None)
        if anchored is None:
            return next((one for one, _ in fitting), next(iter(found), None))
        # The same lines may have been shown under the same numbers since, in an answer without anchors.
        texts = _lines_at(*anchored)
        return next(
            one for one, named in fitting
            if {*named} <= _shown_in(one, one.lines or (), one.named) and _lines_at(one, named) == texts
        )  # fmt: skip

    def seen(self) -> dict[str, Any]:
        """Metadata: path in the workspace -> the text that the call is written against."""
        return {"seen": {self.files[path].path: one.text for path, one in self.read.items()}}

    def show_unshown(self) -> None:
        """Raise ToolError with the lines of the call that were not shown. They count as shown from then on."""
        parts, n_all = list[str](), 0
        for call in self.calls:
            path, one = call.path or "", self.read.get(call.path or "")
            if one is None:
                continue
            named = named_by(call, one.text, self.format) or ()
            unshown = {*named} - _shown_in(one, one.lines or (), one.named)
            n_all += len(unshown)
            parts += self._shown(path, one.text, joined((n, n) for n in unshown), ())
        if parts:
            what = "1 line that this edit names was" if n_all == 1 else f"{n_all} lines that this edit names were"
            raise ToolError(
                "\n".join([f"{what} not shown to you; nothing was changed. Send it again if it is right:", *parts]),
                reason=Reason.UNREAD,
            )

    def fresh_anchors(self, proposal: Proposal) -> Iterator[str]:
        """The changed lines of each file and the lines around them, with their anchors. All count as shown
        afterwards.
        """
        for path, file in self.files.items():
            after = proposal.after.get(file.path)
            if after is not None:
                before = proposal.before.get(self.moves.get(file.path, file.path), "")
                mine, n_lines = list(put_in(changed_ranges(before, after))), len(ended_lines(after))
                near = joined((max(first - _AROUND, 1), min(last + _AROUND, n_lines)) for first, last in mine)
                yield from self._shown(path, after, near, self._known(path, after, mine))

    def _shown(self, path: str, text: str, stretches: Stretches, known: Stretches) -> list[str]:
        """As many of these lines of a text as there is room for, as `read` shows them. Records that they were shown.

        `known` are other lines of the text that the session knows.
        """
        numbers = list(lines_in(stretches))
        rows, now, room = list[str](), list[int](), _MOST_CHARACTERS
        for n, row in zip(numbers, islice(listed(text, numbers, self.format), _MOST_LINES), strict=False):
            room -= len(row)
            if room < 0 and now:
                break
            rows += ["...", row] if now and now[-1] != n - 1 else [row]
            now.append(n)
        if not now:
            return []
        lines = joined((n, n) for n in now)
        named = joined([*lines, *known])
        self.host.ledger.record_shown(self.context.session_id, self.files[path].absolute, text, lines, named=named)
        n_more = len(numbers) - len(now)
        more = [f"... and {n_more} more: read the file from line {numbers[len(now)]}"] if n_more else []
        return [*headed(text, self.files[path].name, self.format), *rows, *more]

    def _known(self, path: str, text: str, mine: Iterable[tuple[int, int]]) -> Stretches:
        """The lines that the session knows of the text after the edit, in a format whose tag names the whole text."""
        if self.format != "hashline_h4":
            return ()
        known = list(mine)
        for one in self.host.ledger.sightings(self.context.session_id, self.files[path].absolute):
            lines = ((1, len(ended_lines(one.text))),) if one.lines is None else joined([*one.lines, *one.named])
            known += moved_stretches(lines, changed_ranges(one.text, text))
        return tuple(known)


def _shown_in(one: Sighting, *stretches: Stretches) -> set[int]:
    """The lines of the stretches; all lines of a text that was shown whole."""
    return {*lines_in(((1, len(ended_lines(one.text)) + 1),) if one.lines is None else chain(*stretches))}


def _lines_at(one: Sighting, numbers: Iterable[int]) -> list[tuple[int, str]]:
    lines = shown_lines(one.text, "")
    return [(n, lines[n - 1]) for n in numbers if n <= len(lines)]


def _files(params: Patch | Parameters) -> list[str]:
    try:
        return [path for one in _read(params) for path in (one.path, one.moved_to) if path]
    except PatchError:
        return []  # The call will be refused.


_DESCRIPTION = (
    "Edits lines by the anchors that read shows. {anchors} All edits of a call are made together, or none; each line "
    f"is named by the text that you were shown. Give the new lines whole, and none that stays. {MERGED}"
)
_OF_H2 = _DESCRIPTION.format(anchors="An anchor is NUMBER#HASH; the answer has those of the changed lines.")
_OF_H4 = _DESCRIPTION.format(
    anchors="They are line numbers below a header [PATH#TAG]; the answer has the new header and numbers."
)


EDIT_LINES: BuiltIn[Any] = BuiltIn(
    "edit_lines",
    _OF_H4,
    Patch,
    _run,
    lambda host: host.anchors is not None,
    files=_files,
    parameters_for=lambda host: Parameters if host.anchors == "hashline_h2" else Patch,
    description_for=lambda host: _OF_H2 if host.anchors == "hashline_h2" else _OF_H4,
)
