"""The one way from an edit to the text that is written.

    text as it is on the disk  +  edit  +  cascade   ->   the text to write, or a refusal

Every door calls `apply_edit`: the library's `replace`, the tools that take a search text and a new text, documents,
replay, strategies. A door may check more before the call, and word the result in its own way. No door has a second
way of placing or writing an edit. In particular, no door pastes the new text over the `matches` of a result: they say
where an edit was made, not what was written there. A tier merges the new text with the lines of the file:

    file        |    total = 0  # all      search text  |total = 0  # all      new text  |total = 1  # all
    written     |    total = 1  # all      a paste over the match would leave            |total = 1  # all

The rules of every door:

- A byte order mark is not part of the text. The file's mark stays; a mark that a model copied is dropped.
- Replaced lines keep their line endings, since a model sees none. Tiers do that themselves; for replacers it is done
  here.
- A cascade that rebuilds a program to the letter (`Cascade.literal`) gets the text as it is: it may take a byte order
  mark for whitespace, and mix line endings, as that program does.
- `editcore.text.encodings` reads and writes the bytes. Bytes outside the changed lines stay.
- A refused edit is refused for the same reason, with the same candidates.

Invariant: for any text, edit and cascade, all doors give the same bytes, or refuse for the same reason. The fuzz
target `doors` draws inputs and compares the doors.

What does not work: a layer for line endings around a cascade, which pastes the new text over the matches of its
result. The tools had one. It was right for replacers, whose rule is a paste. For `recommended` it threw the merge
away: 82 of 3,098 recorded edits were written wrong, and the cascade alone was wrong on one of them.

To add a door: call `apply_edit`, put its refusal into the words of the door, and name the door in `PAIR_TOOLS` of
`harness.strategies.tool_strategies`, which `doors` compares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from dataclasses import replace as with_fields
from typing import TypedDict, Unpack, overload

from editcore.cascade import Cascade, named_cascade
from editcore.text.document import Document
from editcore.text.endings import LineFeedView, line_feeds
from editcore.text.lines import BOM
from editcore.tiers.confidence import held_back
from editcore.types import (
    Applied,
    AppliedBytes,
    BytesResult,
    Edit,
    EditResult,
    Evidence,
    Match,
    Rejected,
    TextResult,
    leaves_text,
)


@leaves_text
def apply_edit(
    text: str | Document, edit: Edit, cascade: str | Cascade = "recommended", *, whole_lines: bool = False,
    path: str | None = None, seen: str | None = None, stale: str = "recommended",
) -> EditResult:  # fmt: skip
    """Apply one edit to a text as it is on the disk. Never raises for anything that a model or a file says.

    A `Document` saves building its tables again where several cascades are tried on one text. `whole_lines`: search
    text and new text are whole lines by their format. `path`: the name of the file, if known; it tells which lines
    are comments. `seen`: the text as the model last saw it, where that differs; `stale` names the rule that then
    places the edit (see `editcore.stale`). Raises UsageError for the name of an unknown cascade or rule.
    """
    cascade = named_cascade(cascade)
    if seen is not None:
        from editcore.stale import stale_rule  # Most edits are of files that have not changed.

        live = text if isinstance(text, str) else text.text

        def decide(one: str) -> EditResult:
            return apply_edit(one, edit, cascade, whole_lines=whole_lines, path=path)

        return stale_rule(stale)(seen, live, decide)
    if cascade.literal and not cascade.tiers:
        document = Document(text) if isinstance(text, str) else text
        return cascade.apply(document, edit, whole_lines=whole_lines, path=path)
    if edit.old_string.startswith(BOM):
        edit = with_fields(edit, old_string=edit.old_string.lstrip(BOM), new_string=edit.new_string.lstrip(BOM))
    document = Document(text) if isinstance(text, str) else text
    if not document.text.startswith(BOM):
        result = _applied(document, edit, cascade, whole_lines, path)
    else:
        below = document.text.lstrip(BOM)
        mark = document.text[: len(document.text) - len(below)]
        result = _moved(_applied(Document(below), edit, cascade, whole_lines, path), mark)
    if edit.replace_all and isinstance(result, Applied):
        return with_fields(result, is_everywhere=True)
    return result


def _applied(document: Document, edit: Edit, cascade: Cascade, whole_lines: bool, path: str | None) -> EditResult:
    """The result for a text without a byte order mark."""
    if cascade.tiers or not ("\r" in document.text or "\r" in edit.old_string + edit.new_string):
        return cascade.apply(document, edit, whole_lines=whole_lines, path=path)
    # A replacer pastes: its result is the new text over its matches, here with the endings of the lines there. What
    # stands there with LF, and elsewhere with CRLF, stands there twice.
    view = LineFeedView(document.text)
    plain = with_fields(edit, old_string=line_feeds(edit.old_string), new_string=line_feeds(edit.new_string))
    result = cascade.apply(Document(view.text), plain, whole_lines=whole_lines, path=path)
    if isinstance(result, Rejected):
        return with_fields(result, candidates=view.matches(result.candidates))
    content = view.replaced(result.matches, plain.new_string)
    return with_fields(result, content=content, matches=view.matches(result.matches))


class _Options(TypedDict, total=False):
    replace_all: bool
    occurrence: int | None
    cascade: str | Cascade
    wrong_cost: float | None
    path: str | None
    seen: str | None


@overload
def replace(content: str, old_string: str, new_string: str, **options: Unpack[_Options]) -> TextResult: ...


@overload
def replace(content: bytes, old_string: str, new_string: str, **options: Unpack[_Options]) -> BytesResult: ...


def replace(
    content: str | bytes, old_string: str, new_string: str, *, replace_all: bool = False, occurrence: int | None = None,
    cascade: str | Cascade = "recommended", wrong_cost: float | None = None, path: str | None = None,
    seen: str | None = None,
) -> EditResult:  # fmt: skip
    """Replace `old_string`, as a cascade finds it, by `new_string`. An edit that cannot be applied is `Rejected`.

    - `content`: a text, or the bytes of a file in any encoding; bytes give an `AppliedBytes`, with bytes to write.
    - `cascade`: `recommended` merges the edit into the one place that is certain; lines that it keeps stay as the file
      has them.
    - `occurrence`: which of several exact places is meant; 1 is the first, -1 the last.
    - `wrong_cost`: the number of right edits that a wrong one costs. An edit whose confidence is too low for that is
      refused (see `Evidence.confidence`; cascades of tiers only).
    - `path`: the name of the file. Where it is known, comments in its language may differ a little.
    - `seen`: the text as the model last saw it. Where the file was changed since, the edit is merged with that change,
      and refused where they conflict.

    Raises UsageError for the name of an unknown cascade, and TypeError for an argument that is no text.
    """
    if not (isinstance(content, str | bytes) and isinstance(old_string, str) and isinstance(new_string, str)) or not (
        seen is None or isinstance(seen, str)
    ):
        raise _no_text(content=content, old_string=old_string, new_string=new_string, seen=seen or "")
    if isinstance(content, bytes):
        options: _Options = {
            "replace_all": replace_all, "cascade": cascade, "wrong_cost": wrong_cost, "path": path, "seen": seen,
            "occurrence": occurrence,
        }  # fmt: skip
        return _in_bytes(content, lambda text: replace(text, old_string, new_string, **options))
    result = apply_edit(content, Edit(old_string, new_string, replace_all, occurrence), cascade, path=path, seen=seen)
    if wrong_cost is None or isinstance(result, Rejected):
        return result
    return held_back(result, wrong_cost) or result


def _no_text(**arguments: object) -> TypeError:
    name, value = next(
        (name, one)
        for name, one in arguments.items()
        if not isinstance(one, str) and (name, type(one)) != ("content", bytes)
    )
    return TypeError(f"{name} must be a str, and is {type(value).__name__}: {value!r:.50}")


def _in_bytes(raw: bytes, apply: Callable[[str], EditResult]) -> EditResult:
    from editcore.text.encodings import decode, encode  # Most callers have a text.

    read = decode(raw)
    if isinstance(read, Rejected):
        return with_fields(read, message=f"The file is {read.message}")
    result = apply(read.text)
    if isinstance(result, Rejected):
        return result
    data = encode(result.content or "", read)
    if isinstance(data, Rejected):
        return data
    return AppliedBytes(**{field.name: getattr(result, field.name) for field in fields(result)}, data=data)


def _moved(result: EditResult, mark: str) -> EditResult:
    """A result for the text below a byte order mark, as a result for the text with the mark."""
    if isinstance(result, Rejected):
        return with_fields(result, candidates=_shifted(result.candidates, len(mark)))
    evidence = result.evidence
    return with_fields(
        result,
        content=mark + (result.content or "").lstrip(BOM),  # A copied mark may begin a new first line.
        matches=_shifted(result.matches, len(mark)),
        evidence=evidence and _evidence(evidence, len(mark)),
    )


def _evidence(evidence: Evidence, by: int) -> Evidence:
    if evidence.runner_up is None:
        return evidence
    return with_fields(evidence, runner_up=_shifted((evidence.runner_up,), by)[0])


def _shifted(matches: tuple[Match, ...], by: int) -> tuple[Match, ...]:
    return tuple(with_fields(one, start=one.start + by, end=one.end + by) for one in matches)
