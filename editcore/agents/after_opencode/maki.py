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

from editcore.agents.matching import Work, anchored_block, places
from editcore.agents.rule import AgentRule, Source, in_turn
from editcore.agents.runner import not_found, nothing_sought, replaced_everywhere, several
from editcore.errors import PatchError
from editcore.replacers import REPLACERS
from editcore.replacers.escape_normalized import unescape
from editcore.text.document import Document
from editcore.types import Edit, EditResult

_EARLY = ("exact", "line_trimmed", "block_anchor", "whitespace_normalized", "indentation_flexible")
_LATE = ("trimmed_boundary", "context_aware")
_BLANKS = " \t"


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


_SOURCE = Source("2026-09", "tontinton/maki plugins/lib/maki/fuzzy_replace.lua", "90e343a4")
MAKI = (AgentRule("maki", "maki 2026", "read", "unique", in_turn(maki), source=_SOURCE),)
