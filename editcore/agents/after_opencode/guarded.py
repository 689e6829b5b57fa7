"""The edit tool of forks of OpenCode 2: seven of the nine replacers, each with guards (`edit-match.ts`).

Evidence: read. The exact text, counted without overlap; if there is none, in this order:

    line_trimmed · block_anchor · whitespace_normalized · indentation_flexible · escape_normalized ·
    trimmed_boundary · context_aware

Policy: candidates of one replacer that begin at two offsets are ambiguous, as is one that stands several times; nothing
further is tried then. `block_anchor` needs a similarity of 0.65 and blocks within a quarter of the lines; two blank
lines are alike. A size guard refuses candidates much larger than the search text. The edit's line endings are made
those of the file. Nothing is re-indented.

Known failure: the guards leave what one replacer takes alone: a block between two anchors with a wrong line in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from editcore.agents.habits import REPLACED
from editcore.agents.matching import Work, anchored_block, places
from editcore.agents.opencode import with_endings
from editcore.agents.rule import AgentRule, Declared, Source, in_turn
from editcore.agents.runner import not_found, nothing_sought, replaced_everywhere, several, unchanged
from editcore.errors import PatchError
from editcore.replacers import REPLACERS
from editcore.replacers.size_guard import SizeGuard
from editcore.text.document import Document
from editcore.types import Edit, EditResult, Reason

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


_SOURCE = Source("2026-09", "kvnloo/opencode packages/core/src/tool/edit-match.ts", "7f1c5947")
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
        source=_SOURCE,
        on_bytes=_ON_BYTES,
    ),
)
