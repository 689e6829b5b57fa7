"""OpenCode's edit tool at four times, three of them the cascades that stand in `editcore.cascade`.

Evidence: run (1.18.34 and five earlier versions beside these rules, see `tests/conformance.py`).

    opencode_0_5    six replacers, thresholds 0.0 and 0.3                 0.5.29
    opencode_1_0    nine replacers, the same thresholds: `reference`      1.0.0 to 1.15
    opencode_1_17   thresholds 0.65, window and size guard; the edit's line endings become the file's
    opencode_exact  the second edit tool in 1.18: one exact place, counted without overlap

Policy: unique by text, not by place, as `editcore.cascade` explains; the exact one counts places. Nothing is
re-indented.

Known failure of `opencode_exact`: `$&` and its like in a new text are expanded as JavaScript's `replace` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from editcore.agents.habits import REPLACED
from editcore.agents.matching import PUNCTUATION, Work, anchored_block, apart, places, span, window_starts
from editcore.agents.rule import AgentRule, Declared, OneEdit, Source, in_turn
from editcore.agents.runner import not_found, nothing_sought, replaced_everywhere, several, unchanged
from editcore.cascade import OPENCODE_1_17, REFERENCE, Cascade
from editcore.errors import PatchError
from editcore.replacers import REPLACERS
from editcore.replacers.size_guard import SizeGuard
from editcore.text.document import Document
from editcore.text.whitespace import WHITESPACE, trim
from editcore.types import Applied, Edit, EditResult, Reason

_FIRST_SIX = Cascade("opencode_0_5", REFERENCE.replacers[:6], summary="The first six replacers, without guards.")
_PATTERN = re.compile(r"\$[$&`']")


def opencode_0_5(text: str, edit: Edit) -> EditResult:
    """OpenCode 0.5: the first six replacers, without guards."""
    return _FIRST_SIX.apply(Document(text), edit)


def opencode_1_0(text: str, edit: Edit) -> EditResult:
    """OpenCode 1.0: the nine replacers, without guards; the cascade `reference`."""
    return REFERENCE.apply(Document(text), edit)


def opencode_1_17(text: str, edit: Edit) -> EditResult:
    """OpenCode 1.17: the cascade `opencode_1_17`, the edit's line endings made those of the file."""
    return OPENCODE_1_17.apply(Document(text), with_endings(text, edit))


def opencode_exact(text: str, edit: Edit) -> EditResult:
    """OpenCode's second edit tool: exact and unique, counted without overlap; `$&` in a new text is expanded."""
    edit = with_endings(text, edit)
    old, new = edit.old_string, edit.new_string
    if not old:
        raise nothing_sought()
    found = places(text, old)
    if not found:
        raise not_found()
    if len(found) > 1 and not edit.replace_all:
        raise several(text, [(at, at + len(old)) for at in found], "exact")
    out, done = [], 0
    for at in found:
        out += [text[done:at], expanded(new, text, at, at + len(old))]
        done = at + len(old)
    return Applied("".join(out) + text[done:], (), "exact")


def with_endings(text: str, edit: Edit) -> Edit:
    """The edit with CRLF in its texts if the file has one, else with LF."""
    ending = "\r\n" if "\r\n" in text else "\n"
    old, new = (one.replace("\r\n", "\n").replace("\n", ending) for one in (edit.old_string, edit.new_string))
    return replace(edit, old_string=old, new_string=new)


def expanded(new: str, text: str, start: int, end: int) -> str:
    """The new text with JavaScript's replacement patterns expanded: `$$`, `$&`, and the text before and after."""
    meanings = {"$$": "$", "$&": text[start:end], "$`": text[:start], "$'": text[end:]}
    return _PATTERN.sub(lambda found: meanings[found[0]], new)


_FIRST_TOOL = "anomalyco/opencode packages/opencode/src/tool/edit.ts"
_SECOND_TOOL = "anomalyco/opencode packages/core/src/tool/edit.ts"
_DECODER = Source(None, f"{_SECOND_TOOL} (TextDecoder, not fatal)", "1b57c71e")


def _opencode(rule: OneEdit, version: str) -> AgentRule:
    source = Source(None, _FIRST_TOOL, version)
    on_bytes = Declared(REPLACED, Source(None, f"{_FIRST_TOOL} (text() of a Bun file)", None))
    return AgentRule(
        rule.__name__, f"OpenCode {version}", "run", "unique", in_turn(rule), source=source, on_bytes=on_bytes
    )


OPENCODE = (
    _opencode(opencode_0_5, "0.5.29"),
    _opencode(opencode_1_0, "1.0.0"),
    _opencode(opencode_1_17, "1.17.0"),
    AgentRule(
        "opencode_exact",
        "OpenCode 1.18.34, second tool",
        "run",
        "unique",
        in_turn(opencode_exact),
        source=Source(None, _SECOND_TOOL, "1.18.34"),
        on_bytes=Declared(REPLACED, _DECODER),
    ),
)


# OpenCode 2's edit tool since 2026-07-28, after `opencode_exact`.
#
# Evidence: documented (the account of the change; its source was not found). An exact place; if there is none:
#
#     folded     lines with typographic quotes, dashes and spaces as ASCII, without whitespace at their ends
#     shifted    that, and every line that is not blank further or less indented by the same blanks; two lines or more
#
# Policy: unique, or every place if that is asked for; places do not overlap. Both steps take whole lines, of which the
# first and the last may be cut where the search text is within them exactly as compared. The new text is indented by what
# the place is. Line endings: those of the edit are made the file's.
#
# Known failure: none recorded; what is within a line and folded differently in length is missed here.

_Span = tuple[int, int]


def opencode_2(text: str, edit: Edit) -> EditResult:
    """OpenCode 2: exact, then quotes, dashes and line ends folded, then a shifted indentation; one place each."""
    if edit.old_string == edit.new_string:
        raise unchanged()
    if not edit.old_string:
        raise nothing_sought()
    edit = with_endings(text, edit)
    old, new = edit.old_string, edit.new_string
    step, found = "exact", [(at, at + len(old)) for at in places(text, old)]
    if not found:
        step, found, new = _tolerated(text, old, new)
    if len(found) > 1 and not edit.replace_all:
        raise several(text, found, step)
    return replaced_everywhere(text, found, new, step)


def _tolerated(text: str, old: str, new: str) -> tuple[str, list[_Span], str]:
    """The step that finds something, its places, and the new text for them. Raises PatchError."""
    wanted = [_folded(line) for line in old.split("\n")]
    if any(wanted):
        document = Document(text)
        lines = [_folded(line) for line in document.lines]
        if found := _spans(document, lines, wanted):
            return "folded", found, new
        if len(wanted) > 1 and (
            found := _spans(document, [trim(line) for line in lines], [trim(one) for one in wanted])
        ):
            shifts = {_shift(lines, document.text.count("\n", 0, start), wanted) for start, _ in found}
            shift = shifts.pop()
            if not shifts and shift is not None:
                return "shifted", found, "\n".join([_shifted(line, *shift) for line in new.split("\n")])
    raise not_found()


def _folded(line: str) -> str:
    return line.translate(PUNCTUATION).rstrip(WHITESPACE)


def _spans(document: Document, lines: Sequence[str], wanted: Sequence[str]) -> list[_Span]:
    """The places of the wanted lines; a line feed at the end of the search text belongs to the place."""
    is_ended = wanted[-1] == "" and len(wanted) > 1
    block = wanted[:-1] if is_ended else wanted
    found = []
    for first in apart(window_starts(lines, list(block)), len(block)):
        start, end = span(document, first, len(block))
        end += is_ended and end < len(document.text)
        if not is_ended and document.text[:end].endswith("\r"):
            end -= 1
        found.append((start, end))
    return found


def _shift(lines: Sequence[str], first: int, wanted: Sequence[str]) -> tuple[str, str] | None:
    """(indentation to remove, to add) that makes the wanted lines those of the place; None if not one for all."""
    pairs = [(line, own) for line, own in zip(lines[first:], wanted, strict=False) if own.strip()]
    line, own = pairs[0]
    its, mine = (one[: len(one) - len(one.lstrip())] for one in (line, own))
    add, remove = its.removesuffix(mine), mine.removesuffix(its)
    add, remove = (add, "") if its.endswith(mine) else ("", remove) if mine.endswith(its) else (its, mine)
    return (remove, add) if all(_shifted(own, remove, add) == line for line, own in pairs) else None


def _shifted(line: str, remove: str, add: str) -> str:
    return add + line.removeprefix(remove) if line.strip() else line


_SOURCE = Source("2026-07-28", "anomalyco/opencode packages/core/src/tool/edit.ts, pull request 39258", None)
OPENCODE_FORGIVING = (
    AgentRule("opencode_2", "OpenCode 2 since 2026-07-28", "documented", "unique", in_turn(opencode_2), source=_SOURCE),
)


# The edit tool of forks of OpenCode 2: seven of the nine replacers, each with guards (`edit-match.ts`).
#
# Evidence: read. The exact text, counted without overlap; if there is none, in this order:
#
#     line_trimmed · block_anchor · whitespace_normalized · indentation_flexible · escape_normalized ·
#     trimmed_boundary · context_aware
#
# Policy: candidates of one replacer that begin at two offsets are ambiguous, as is one that stands several times; nothing
# further is tried then. `block_anchor` needs a similarity of 0.65 and blocks within a quarter of the lines; two blank
# lines are alike. A size guard refuses candidates much larger than the search text. The edit's line endings are made
# those of the file. Nothing is re-indented.
#
# Known failure: the guards leave what one replacer takes alone: a block between two anchors with a wrong line in it.

_ORDER = (
    "line_trimmed", "block_anchor", "whitespace_normalized", "indentation_flexible", "escape_normalized",
    "trimmed_boundary", "context_aware",
)  # fmt: skip
_GUARD = SizeGuard()


def opencode_guarded(text: str, edit: Edit) -> EditResult:
    """Forks of OpenCode 2: exact, then seven guarded replacers; two places are ambiguous, and nothing more is tried."""
    if edit.old_string == edit.new_string:
        raise unchanged()
    if not edit.old_string:
        raise nothing_sought()
    edit = with_endings(text, edit)
    step, found = "exact", edit.old_string
    if found not in text:
        step, found = _candidate(text, edit.old_string, replace_all=edit.replace_all)
    spans = [(at, at + len(found)) for at in places(text, found)]
    if len(spans) > 1 and not edit.replace_all:
        raise several(text, spans, step)
    return replaced_everywhere(text, spans, edit.new_string, step)


def _candidate(text: str, find: str, *, replace_all: bool) -> tuple[str, str]:
    """The first replacer that finds something, and what it finds. Raises PatchError."""
    document, work = Document(text), Work("opencode_guarded")
    for name in _ORDER:
        by_offset: dict[int, str] = {}
        for one in _standing(_candidates(name, document, find, work), text, work):
            by_offset[text.find(one)] = one
            if len(by_offset) > 1 and not replace_all:
                raise several(text, [(at, at + len(found)) for at, found in by_offset.items()], name)
        if not by_offset:
            continue
        found = next(iter(by_offset.values()))
        if _GUARD.refuses(found, find):
            raise PatchError(
                "old_string would replace a much larger block: read it again and give it whole.",
                reason=Reason.DISPROPORTIONATE,
            )
        return name, found
    raise not_found()


def _candidates(name: str, document: Document, find: str, work: Work) -> Iterable[str]:
    if name != "block_anchor":
        return REPLACERS[name](document, find)
    block = anchored_block(document, find, work, single=0.65, several=0.65, window=0.25)
    return () if block is None else (block,)


def _standing(candidates: Iterable[str], text: str, work: Work) -> Iterator[str]:
    """The candidates that stand in the text, each once."""
    seen: set[str] = set()
    for one in candidates:
        if one and one not in seen:
            seen.add(one)
            work.spend(10 + len(text) // 64)
            if one in text:
                yield one


_SOURCE_GUARDED = Source("2026-09", "kvnloo/opencode packages/core/src/tool/edit-match.ts", "7f1c5947")
_ON_BYTES = Declared(
    REPLACED, Source(None, "kvnloo/opencode packages/core/src/tool/edit.ts (TextDecoder, not fatal)", "b75eaa0c")
)
OPENCODE_GUARDED = (
    AgentRule(
        "opencode_guarded",
        "forks of OpenCode 2",
        "read",
        "unique",
        in_turn(opencode_guarded),
        source=_SOURCE_GUARDED,
        on_bytes=_ON_BYTES,
    ),
)


# MiMo-Code's edit tool, which had OpenCode's nine replacers and now asks for them by a variable.
#
# Evidence: read.
#
#     exact      if there is none, the closest block is shown in the refusal, and never edited
#
# Policy: unique, counted without overlap, or every place if that is asked for. The edit's line endings are made those of
# the file: CRLF if it has one.
#
# Known failures: an empty search text overwrites the file; a byte order mark is lost; with every place, `$&` and its like
# in a new text are expanded as JavaScript's `replaceAll` does.


def mimo(text: str, edit: Edit) -> EditResult:
    """MiMo-Code: exact and unique; of the nine replacers only the hints of refusals are left."""
    if edit.old_string == edit.new_string:
        raise unchanged()
    if not edit.old_string:
        return Applied(edit.new_string, (), "whole_file")
    text = text.removeprefix("\ufeff")
    edit = with_endings(text, edit)
    old, new = edit.old_string, edit.new_string
    found = [(at, at + len(old)) for at in places(text, old)]
    if not found:
        raise not_found()
    if len(found) > 1 and not edit.replace_all:
        raise several(text, found, "exact")
    if not edit.replace_all:
        return replaced_everywhere(text, found, new, "exact")
    out, done = [], 0
    for start, end in found:
        out += [text[done:start], expanded(new, text, start, end)]
        done = end
    return Applied("".join(out) + text[done:], (), "exact")


_SOURCE_MIMO = Source("2026-09", "XiaomiMiMo/MiMo-Code packages/opencode/src/tool/edit.ts", "63167b5a")
_FILES = Source(None, "XiaomiMiMo/MiMo-Code packages/shared/src/filesystem.ts (Effect's TextDecoder)", "634591ba")
_ON_BYTES_MIMO = Declared(REPLACED, _FILES)
MIMO = (
    AgentRule("mimo", "MiMo-Code 2026", "read", "unique", in_turn(mimo), source=_SOURCE_MIMO, on_bytes=_ON_BYTES_MIMO),
)
