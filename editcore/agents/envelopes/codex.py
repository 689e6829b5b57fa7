"""How Codex before 0.169 applies an envelope.

    file |  x = 1\\r       hunk | x = 1        written |x = 1       context is written as the patch has it
         |y = 2                 |-y = 2                |y = 3

Evidence: documented. Known of a run of the programs 0.77 and 0.146 beside 0.169 on 207 probes; the rule is rebuilt from
that description, and `begin_patch/codex` is that of 0.169, which a differential test compares with the program. 0.77
differs from 0.146 in its parser: blank lines between hunks are passed over, and no Environment ID is known.

Policy: first. Four tiers, each over the whole rest of the file: equal, right-trimmed, trimmed, folded. Line endings:
split at line feeds only; added lines and loosely matched context lose carriage returns. A line feed ends every file.

Known false positives: the first of several places; an insertion without context at the end of the file, whatever `@@`
says; context that matches loosely is rewritten; a move onto itself deletes the file.
"""

from __future__ import annotations

from collections.abc import Mapping

from editcore.agents.envelopes.rewriting import updated
from editcore.agents.envelopes.trees import Tree
from editcore.agents.rule import AgentRule
from editcore.errors import PatchError
from editcore.patches.reading.envelope import parse_codex
from editcore.patches.sections import check_number
from editcore.types import EditResult, FilePatch, Rejected


def codex_0_146(files: Mapping[str, str], patch: str) -> EditResult:
    """Codex's envelopes before 0.169: the first place of four tiers, and context written as the patch has it."""
    return _applied(files, parse_codex(patch))


def codex_0_77(files: Mapping[str, str], patch: str) -> EditResult:
    """The same with the parser of 0.77, which passes over blank lines between hunks."""
    if "*** Environment ID" in patch:
        raise PatchError("'*** Environment ID' is not a valid hunk header.", line=2)
    return _applied(files, parse_codex(_without_blank_lines_above_heads(patch)))


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


def _without_blank_lines_above_heads(patch: str) -> str:
    """The patch without the blank lines between a hunk and the next `@@` line or file header."""
    out: list[str] = []
    for line in patch.split("\n"):
        if line.startswith(("@@", "*** ")):
            while len(out) > 1 and not out[-1].strip():
                out.pop()
        out.append(line)
    return "\n".join(out)


CODEX_ENVELOPES = (
    AgentRule("codex_0_77", "Codex 0.77", "documented", "first", codex_0_77, format="begin_patch"),
    AgentRule("codex_0_146", "Codex 0.146", "documented", "first", codex_0_146, format="begin_patch"),
)
