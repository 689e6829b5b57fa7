"""maki's edit tool: OpenCode's replacers, and a new text that is indented as the place is.

Evidence: read (Lua). In this order, the thresholds of `block_anchor` 0.0 and 0.3:

    exact · line_trimmed · block_anchor · whitespace_normalized · indentation_flexible ·
    escape_normalized, which unescapes the new text, too · trimmed_boundary · context_aware

Policy: unique by text, as OpenCode's: a candidate that stands several times is passed over. Where all places begin a
line, an indentation of the search text that stands otherwise in the file becomes the file's in the new text; deeper
ones go on from the deepest that is known, shallower ones stay, and nothing changes where all of the new text's are the
file's. Line endings are not looked at.

Known failure: that of OpenCode's first cascade: a block between two anchors, whatever is in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from editcore.agents.habits import RAW
from editcore.agents.matching import Work, anchored_block, distinct, places
from editcore.agents.rule import AgentRule, Declared, Source, in_turn
from editcore.agents.runner import not_found, nothing_sought, replaced_everywhere, several, unchanged
from editcore.errors import PatchError
from editcore.replacers import REPLACERS
from editcore.replacers.escape_normalized import unescape
from editcore.replacers.size_guard import SizeGuard
from editcore.text.document import Document
from editcore.text.whitespace import trim
from editcore.types import Edit, EditResult, Reason

# zero's edit_file: OpenCode's replacers without the two that tolerate other lines between two anchors.
#
# Evidence: run (its replacers but for `block_anchor` and `context_aware`, compiled, on 6,000 drawn calls: 27 differ, 26
# of these with U+FEFF or U+0085, which Go and JavaScript trim differently); that these two were removed is the program's
# own account. In this order:
#
#     exact · line_trimmed · whitespace_normalized · indentation_flexible · escape_normalized · trimmed_boundary
#
# Policy: different candidates of one replacer are ambiguous; a candidate that stands several times is passed over. A size
# guard refuses candidates much larger than the search text. The new text is indented further by what all lines of the
# place are indented further than the search text. Line endings: the edit's are made CRLF if the file has it, the search
# text has not, and that is how it stands there.
#
# Known failure: a place that is indented less keeps the new text's indentation.

_REPLACERS = ("line_trimmed", "whitespace_normalized", "indentation_flexible", "escape_normalized", "trimmed_boundary")
_GUARD = SizeGuard()
_BLANKS = " \t"


def zero(text: str, edit: Edit) -> EditResult:
    """zero: exact, then five of OpenCode's replacers; different candidates are ambiguous, deeper places re-indent."""
    old, new = edit.old_string, edit.new_string
    if not old:
        raise nothing_sought()
    if old not in text and "\r\n" in text and "\r\n" not in old:
        old = old.replace("\n", "\r\n")
        # Where it stands like that, a new text with CRLF is left alone; where it has to be looked for, it is not.
        new = new if "\r\n" in new and old in text else new.replace("\n", "\r\n")
    step = "exact"
    if old not in text:
        step, found = _candidate(text, old, replace_all=edit.replace_all)
        old, new = found, _adapted(found, old, new)
    spans = [(at, at + len(old)) for at in places(text, old)]
    if len(spans) > 1 and not edit.replace_all:
        raise several(text, spans, step)
    done = replaced_everywhere(text, spans, new, step)
    if done.content == text:
        raise unchanged()
    return done


def _candidate(text: str, find: str, *, replace_all: bool) -> tuple[str, str]:
    """The replacer that decides, and its candidate. Raises PatchError."""
    document = Document(text)
    ambiguous: PatchError | None = None
    for name in _REPLACERS:
        if name in ("whitespace_normalized", "trimmed_boundary") and not trim(find):
            continue  # Of whitespace nothing is left to look for.
        found = distinct(REPLACERS[name](document, find), text, most=2)
        if not found:
            continue
        spans = [(text.find(one), text.find(one) + len(one)) for one in found]
        if len(found) > 1 and not replace_all:
            raise several(text, spans, name)
        if _GUARD.refuses(found[0], find):
            raise PatchError(
                "old_string would replace a much larger block: read it again and give it whole.",
                reason=Reason.DISPROPORTIONATE,
            )
        if replace_all or text.find(found[0], spans[0][0] + 1) < 0:
            return name, found[0]
        ambiguous = several(text, spans, name)
    raise ambiguous or not_found()


def _adapted(found: str, find: str, new: str) -> str:
    """The new text, indented further and ended as the place is."""
    further = _further(found.split("\n"), find.removesuffix("\n").split("\n"))
    if further:
        new = "\n".join([further + line if trim(line) else line for line in new.split("\n")])
    return new + "\r" if found.endswith("\r") and not new.endswith("\r") else new


def _further(place: list[str], find: list[str]) -> str | None:
    """What every line of the place that is not blank has before the indentation of the search text's; None if none."""
    if len(place) != len(find):
        return None
    further: str | None = None
    for its, own in zip(place, find, strict=True):
        if not trim(its) and not trim(own):
            continue
        its_indent, own_indent = (_indentation(line.removesuffix("\r")) for line in (its, own))
        if not its_indent.endswith(own_indent):
            return None
        more = its_indent[: len(its_indent) - len(own_indent)]
        if further is not None and more != further:
            return None
        further = more
    return further


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip(_BLANKS))]


_SOURCE = Source("2026-08", "Gitlawb/zero internal/tools/edit_file.go, edit_replacers.go", "0030078e")
_ON_BYTES = Declared(
    RAW, Source("2026-07-31", "Gitlawb/zero internal/tools/edit_file.go (os.ReadFile as a string)", "8e266797")
)
ZERO = (AgentRule("zero", "zero 2026", "run", "unique", in_turn(zero), source=_SOURCE, on_bytes=_ON_BYTES),)


# maki's edit tool: OpenCode's replacers, and a new text that is indented as the place is.
#
# Evidence: read (Lua). In this order, the thresholds of `block_anchor` 0.0 and 0.3:
#
#     exact · line_trimmed · block_anchor · whitespace_normalized · indentation_flexible ·
#     escape_normalized, which unescapes the new text, too · trimmed_boundary · context_aware
#
# Policy: unique by text, as OpenCode's: a candidate that stands several times is passed over. Where all places begin a
# line, an indentation of the search text that stands otherwise in the file becomes the file's in the new text; deeper
# ones go on from the deepest that is known, shallower ones stay, and nothing changes where all of the new text's are the
# file's. Line endings are not looked at.
#
# Known failure: that of OpenCode's first cascade: a block between two anchors, whatever is in it.

_EARLY = ("exact", "line_trimmed", "block_anchor", "whitespace_normalized", "indentation_flexible")
_LATE = ("trimmed_boundary", "context_aware")


def maki(text: str, edit: Edit) -> EditResult:
    """maki: OpenCode's replacers with the escaped one last but two; the new text gets the place's indentation."""
    old, new = edit.old_string, edit.new_string
    if not old:
        raise nothing_sought()
    document, work = Document(text), Work("maki")
    plain = unescape(old)
    tries = [(name, old, new) for name in _EARLY]
    tries += [("escape_normalized", plain, unescape(new))] if plain != old else []
    tries += [(name, old, new) for name in _LATE]
    ambiguous: PatchError | None = None
    for name, find, put in tries:
        for one in _once(_candidates(name, document, find, work)):
            work.spend(10 + len(text) // 64)
            spans = [(at, at + len(one)) for at in places(text, one)]
            if spans and (len(spans) == 1 or edit.replace_all):
                begins = all(not at or text[at - 1] == "\n" for at, _ in spans)
                return replaced_everywhere(text, spans, _re_indented(one, find, put) if begins else put, name)
            ambiguous = ambiguous or (several(text, spans, name) if spans else None)
    raise ambiguous or not_found()


def _candidates(name: str, document: Document, find: str, work: Work) -> Iterable[str]:
    if name == "exact":
        return (find,)
    if name == "block_anchor":
        block = anchored_block(document, find, work, single=0.0, several=0.3)
        return () if block is None else (block,)
    return REPLACERS[name](document, find)


def _once(candidates: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for one in candidates:
        if one and one not in seen:
            seen.add(one)
            yield one


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(_BLANKS))]


def _re_indented(place: str, find: str, new: str) -> str:
    """The new text with each indentation of the search text as the place has it."""
    its, own = place.split("\n"), find.split("\n")
    known: dict[str, str] = {}
    for line, sought in zip(its, own, strict=False):
        is_same = len(its) == len(own) or line.strip() == sought.strip()
        if is_same and line.strip() and sought.strip():
            known.setdefault(_indent(sought), _indent(line))
    lines = new.split("\n")
    if all(mine == theirs for mine, theirs in known.items()) or all(
        _indent(line) in known.values() for line in lines if line.strip()
    ):
        return new
    return "\n".join([_moved(line, known) if line.strip() else line for line in lines])


def _moved(line: str, known: dict[str, str]) -> str:
    indent = _indent(line)
    deepest = max((one for one in known if indent.startswith(one)), key=len, default=None)
    return line if deepest is None else known[deepest] + line[len(deepest) :]


_SOURCE_MAKI = Source("2026-09", "tontinton/maki plugins/lib/maki/fuzzy_replace.lua", "90e343a4")
MAKI = (AgentRule("maki", "maki 2026", "read", "unique", in_turn(maki), source=_SOURCE_MAKI),)
