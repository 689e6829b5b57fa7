"""How Codex before 0.169 applies an envelope.

    file |  x = 1\\r       hunk | x = 1        written |x = 1       context is written as the patch has it
         |y = 2                 |-y = 2                |y = 3

Evidence: run (the programs 0.77.0 and 0.146.0, on a thousand damaged patches and recorded ones). `begin_patch/codex` is
0.169. 0.77 differs from 0.146 in its parser: whitespace at its markers, a second end marker and an Environment ID are
refused, and blank lines where a hunk should begin are passed over.

Policy: first. Four steps, each over the whole rest of the file: equal, right-trimmed, trimmed, folded. Line endings:
split at line feeds only; added lines and loosely matched context lose carriage returns. A line feed ends every file.

Known false positives: the first of several places; an insertion without context at the end of the file, whatever `@@`
says; context that matches loosely is rewritten; a move onto itself deletes the file.
"""

from __future__ import annotations

from collections.abc import Mapping

from editcore.agents.codex import CODEX_ON_BYTES, CODEX_PATCHES
from editcore.agents.envelopes.early_codex import sections_of
from editcore.agents.envelopes.rewriting import updated
from editcore.agents.envelopes.sections import Tree
from editcore.agents.rule import AgentRule, Rule, Source
from editcore.errors import PatchError
from editcore.patches.reading.envelope import parse_codex
from editcore.patches.sections import check_number
from editcore.types import EditResult, FilePatch, Rejected


def codex_0_146(files: Mapping[str, str], patch: str) -> EditResult:
    """Codex's envelopes before 0.169: the first place of four steps, and context written as the patch has it."""
    return _applied(files, parse_codex(patch))


def codex_0_77(files: Mapping[str, str], patch: str) -> EditResult:
    """The same with the parser of 0.77, which knows no Environment ID."""
    return _applied(files, sections_of(patch, is_codex=True))


def _applied(files: Mapping[str, str], sections: list[FilePatch]) -> EditResult:
    check_number(sections)
    tree = Tree(files)
    try:
        if not sections:
            raise PatchError("No files were modified: the patch has no sections.")
        for section in sections:
            _apply(tree, section)
    except PatchError as error:
        return Rejected(error.reason, error.message, files=tree.files)
    return tree.applied()


def _apply(tree: Tree, section: FilePatch) -> None:
    if section.action == "add":
        tree.write(section.path, "".join(line[1:] + "\n" for hunk in section.hunks for line in hunk.lines))
        return
    text = tree.text(section.path, section.patch_line)
    if section.action == "delete":
        tree.remove(section.path)
        return
    after = updated(text, section, tree)
    tree.write(section.path if section.move_to is None else section.move_to, after)
    if section.move_to is not None:
        tree.remove(section.path)


def _codex(name: str, version: str, rule: Rule) -> AgentRule:
    return AgentRule(
        name, f"Codex {version}", "run", "first", rule, format="begin_patch",
        source=Source(None, CODEX_PATCHES, f"{version}.0"), on_bytes=CODEX_ON_BYTES,
    )  # fmt: skip


CODEX_ENVELOPES = (
    _codex("codex_0_77", "0.77", codex_0_77),
    _codex("codex_0_146", "0.146", codex_0_146),
)
