"""Agents that look for the search text in the text of the file as a whole, not line by line.

anthropic      exact, after every tab of the three texts has become spaces (Anthropic's reference editor)
openhands      exact, then |  a  | for |a|: the search text stripped; openhands_aci strips the new text too
kimi           exact, the first place
kimi_code      exact; deepseek_harness, deepagents, code_puppy and mistral_vibe, too: they differ in line endings
freebuff       exact, then |    a| for |a|: one to twelve spaces or one to six tabs before each line with text,
               then without any whitespace: the first place, mapped back, with the whitespace above it
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editcore.agents.matching import first_squeezed
from editcore.agents.rule import Rule
from editcore.agents.runner import (
    Found,
    Given,
    Read,
    Span,
    Steps,
    as_it_is,
    every_line_feed,
    exact,
    in_line_feeds,
    not_found,
    nothing_happened,
    nothing_sought,
    several,
    spans_of,
    unchanged,
)
from editcore.errors import PatchError
from editcore.text.endings import is_mostly_crlf, line_feeds, with_crlf
from editcore.text.lines import BOM, mark_of
from editcore.text.whitespace import trim
from editcore.types import Applied, Edit, EditResult, Reason

_MOST_IN_GAPS = 1 << 26
"""Characters that may be added if a new text goes into every gap between characters."""
_HEAD = 4_096
"""Characters of a file whose line endings decide for the file in DeepSeek Harness."""
_PREFIXES = (*(" " * n for n in range(1, 13)), *("\t" * n for n in range(1, 7)))


def _without_tabs(text: str, edit: Edit) -> Read:
    text, old, new = (one.expandtabs() for one in (every_line_feed(text), edit.old_string, edit.new_string))
    return Read(text, old, new, str)


def _without_mark(text: str, edit: Edit) -> Read:
    mark = mark_of(text)
    return Read(every_line_feed(text.removeprefix(mark)), edit.old_string, edit.new_string, mark.__add__)


def _exact_or_empty(given: Given) -> list[Span]:
    """The places of the search text. An empty search text has one in an empty file."""
    return exact(given) if given.old or given.text else [(0, 0)]


def _stripped(given: Given, *, strips_new: bool) -> Found | None:
    old = given.old.strip()
    if not old:
        raise nothing_sought()
    found = spans_of(given.text, old)
    return Found(found, given.new.strip() if strips_new else given.new) if found else None


def _openhands(*, strips_new: bool) -> Steps:
    return Steps(
        {"exact": _exact_or_empty, "stripped": lambda given: _stripped(given, strips_new=strips_new)},
        reading=_without_mark,
        refuses=("identical",),
        takes_every=False,
    )


def _most_ending(text: str) -> str:
    """The ending of most lines of a text; CRLF wins a draw, and a text without line endings has LF."""
    crlf = text.count("\r\n")
    counts = {"\r\n": crlf, "\n": text.count("\n") - crlf, "\r": text.count("\r") - crlf}
    return max(counts, key=counts.__getitem__) if "\r" in text else "\n"


def _in_most_endings(text: str, edit: Edit) -> Read:
    """The file with line feeds. Afterwards it gets the ending of most of its lines."""
    mark, ending = mark_of(text), _most_ending(text)
    plain = every_line_feed(text.removeprefix(mark))
    is_as_it_was = not mark and ending == "\n" and plain == text
    back = None if is_as_it_was else lambda content: mark + content.replace("\n", ending)
    return Read(plain, edit.old_string, edit.new_string, back)


def _in_most_endings_too(text: str, edit: Edit) -> Read:
    """The same with line feeds in the edit, too. A CR at the end of the search text is half of a CRLF."""
    old, new = every_line_feed(edit.old_string), edit.new_string
    new = every_line_feed(new if old.endswith("\n") else new.removesuffix("\r"))
    new += "\n" * (edit.old_string.endswith("\r") and not new.endswith("\n"))
    if not edit.old_string.removesuffix("\r"):
        raise nothing_sought()
    if old == new:
        raise unchanged()
    plain, _, _, back = _in_most_endings(text, edit)
    return Read(plain, old, new, back and (lambda content: text if content == plain else back(content)))


_UNIFORM_CRLF = re.compile(r"(?:[^\r\n]*+\r\n)++[^\r\n]*+")


def _in_feeds_if_all_crlf(text: str, edit: Edit) -> Read:
    """The file with line feeds if each of its lines ends in CRLF. Any other file is compared as it is."""
    if not _UNIFORM_CRLF.fullmatch(text):
        return as_it_is(text, edit)
    return Read(line_feeds(text), edit.old_string, edit.new_string, lambda new: with_crlf(line_feeds(new), True))


def _in_feeds_by_the_head(text: str, edit: Edit) -> Read:
    """All texts with line feeds, without the file's mark. Afterwards, the ending of most lines of the file's head."""
    crlf = is_mostly_crlf(text.removeprefix(BOM)[:_HEAD])
    read = in_line_feeds(lambda _: crlf)(text.removeprefix(BOM), edit)
    return read._replace(back=lambda content: with_crlf(line_feeds(content), True) if crlf else content)


def _in_feeds_for_good(text: str, edit: Edit) -> Read:
    """All texts with line feeds, which stay."""
    text, old, new = map(every_line_feed, (text, edit.old_string, edit.new_string))
    return Read(text, old, new, str)


def kimi(text: str, edits: Sequence[Edit]) -> EditResult:
    """Kimi CLI's rule. Edits that find nothing are passed over."""
    content = original = every_line_feed(text)
    for edit in edits:
        if not edit.old_string and edit.replace_all and len(content) * len(edit.new_string) > _MOST_IN_GAPS:
            raise PatchError("old_string is empty: give the text to replace.", reason=Reason.TOO_LARGE)
        content = content.replace(edit.old_string, edit.new_string, -1 if edit.replace_all else 1)
    if content == original:
        raise nothing_happened(edits)
    return Applied(content, (), "exact")


def _indented(text: str, old: str) -> str | None:
    """The search text behind the first indentation with which it occurs in the text."""
    lines = old.split("\n")
    first = next((line for line in lines if line), None)
    for prefix in _PREFIXES:
        if first is None or prefix + first in text:
            found = "\n".join([prefix + line if line else line for line in lines])
            if found in text:
                return found
    return None


def _sought(text: str, edit: Edit) -> tuple[str, str]:
    """The step that finds a place, and the text that it finds. Raises PatchError."""
    old = line_feeds(edit.old_string)
    if not old:
        raise nothing_sought()
    found = spans_of(text, old)
    if len(found) == 1 or (found and edit.replace_all):
        return "exact", old
    if found:
        raise several(text, found, "exact")
    if (indented := _indented(text, old)) is not None:
        return "indented", indented
    if not trim(old):
        return "squeezed", ""  # Without whitespace nothing is left of it, and "" is found between all characters.
    if span := first_squeezed(text, old):
        return "squeezed", text[slice(*span)]
    raise not_found()


def freebuff(text: str, edits: Sequence[Edit]) -> EditResult:
    """Freebuff's (Codebuff's) rule. Edits that fail are passed over."""
    content, step, failure = text, None, None
    for edit in edits:
        if not edit.old_string:
            failure = failure or nothing_sought()
            continue
        content = line_feeds(content)
        try:
            step, found = _sought(content, edit)
        except PatchError as error:
            failure = failure or error
        else:
            if not found and len(content) * len(edit.new_string) > _MOST_IN_GAPS:
                raise PatchError("old_string is blank: give the text to replace.", reason=Reason.TOO_LARGE)
            content = content.replace(found, line_feeds(edit.new_string))
    # As in the program: if no edit was tried, the text still has its CRLF here, and gets a second carriage return.
    content = content.replace("\n", "\r\n") if "\r\n" in text else content
    if content == text:
        raise failure or nothing_happened(edits)
    return Applied(content, (), step)


RULES: dict[str, Rule] = {
    "anthropic": Steps({"exact": exact}, reading=_without_tabs, refuses=("empty",), takes_every=False),
    "openhands": _openhands(strips_new=False),
    "openhands_aci": _openhands(strips_new=True),
    "kimi": kimi,
    "kimi_code": Steps({"exact": exact}, reading=_in_feeds_if_all_crlf),
    "deepseek_harness": Steps({"exact": exact}, reading=_in_feeds_by_the_head),
    "deepagents": Steps({"exact": exact}, reading=_in_feeds_for_good, refuses=("empty",)),
    "code_puppy": Steps({"exact": exact}),
    "mistral_vibe": Steps({"exact": exact}, reading=_in_most_endings_too, refuses=()),
    "mistral_vibe_2": Steps({"exact": exact}, reading=_in_most_endings),
    "freebuff": freebuff,
}
