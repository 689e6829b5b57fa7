"""Codex's four steps of equal lines, for an edit given as a pair of texts.

Evidence: run (`begin_patch/codex`, whose placing this is, beside Codex 0.169.0). The pair is written as the one hunk
of an envelope without an anchor: lines that both texts have are context.

    equal · without whitespace at the right · at both ends · with dashes, quotes and spaces folded

Policy: first. Each step is tried over the whole file before the next. Context lines stay as the file has them; added
lines are not re-indented; the file ends in a line feed afterwards. Line endings: that of the file's first line for
added lines.

Known false positive: an ambiguous search text replaces its first place.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from editcore.agents.habits import STRICT
from editcore.agents.matching import Work
from editcore.agents.rule import AgentRule, Declared, Source, in_turn
from editcore.agents.runner import nothing_sought, unchanged
from editcore.patches.codex import apply_sections
from editcore.types import Applied, Edit, EditResult, FilePatch, Hunk, Rejected

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
