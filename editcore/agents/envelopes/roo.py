"""How Roo Code's apply_patch applies an envelope: a port of an early Codex, with steps by JavaScript's whitespace.

    file |\\ufeffx = 1      hunk |-x = 1      JavaScript trims a byte order mark as well, so that the line matches,
         |y = 2                 |+x = 3      and the mark goes with it

Evidence: read (RooCodeInc/Roo-Code, src/core/tools/apply-patch and ApplyPatchTool.ts, in a copy at 93353489 and
e7393e56, of 2026).

Policy: first. Four steps, each over the whole rest of the file: equal, without whitespace at the right, at both ends,
with dashes, quotes and spaces folded. Line endings: VS Code gives the whole file the ending that most of its lines
have. A line feed ends every file. All is computed from the files as they were, before anything is written.

Known failures: those of Codex before 0.169: an insertion without context goes to the end of the file, context that
matches loosely is rewritten. A file that is to be added but exists is left alone, and the rest of the patch is carried
out. A move without a change does nothing; a move onto itself deletes the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from posixpath import normpath

from editcore.agents.envelopes.early_codex import sections_of
from editcore.agents.envelopes.rewriting import updated
from editcore.agents.envelopes.trees import Tree, is_outside
from editcore.agents.habits import REPLACED
from editcore.agents.matching.folding import PUNCTUATION
from editcore.agents.rule import AgentRule, Declared, Source
from editcore.errors import PatchError
from editcore.text.endings import line_feeds, with_crlf
from editcore.text.line_index import exact
from editcore.text.whitespace import WHITESPACE, trim
from editcore.types import EditResult, FilePatch, Reason, Rejected

_STEPS = {
    "exact": exact,
    "right_trimmed": lambda line: line.rstrip(WHITESPACE),
    "trimmed": trim,
    "folded": lambda line: trim(line).translate(PUNCTUATION),
}


def roo_patch(files: Mapping[str, str], patch: str) -> EditResult:
    """Roo Code's envelopes: the first place of four steps, and context written as the patch has it."""
    sections = sections_of(patch, trim=trim)
    if not sections:
        raise PatchError("No file operations found in patch.", line=1)
    before, tree = Tree(files), Tree(files)
    after = [_after(before, section, tree) for section in sections]
    refusal: PatchError | None = None
    for section, text in zip(sections, after, strict=True):
        try:
            _write(tree, section, text)
        except PatchError as error:
            refusal = refusal or error
    return Rejected(refusal.reason, refusal.message, files=tree.files) if refusal else tree.applied()


def _after(before: Tree, section: FilePatch, tree: Tree) -> str:
    """The text of a section's file afterwards."""
    if section.action == "add":
        return "".join(line[1:] + "\n" for hunk in section.hunks for line in hunk.lines)
    text = before.text(section.path, section.patch_line)
    if section.action == "delete":
        return ""
    after = updated(text, section, tree, steps=_STEPS)
    return text if after == text else with_crlf(line_feeds(after), 2 * text.count("\r\n") > text.count("\n"))


def _write(tree: Tree, section: FilePatch, text: str) -> None:
    there = tree.files.get(normpath(section.path))
    for path in (section.path, section.move_to or ""):
        if is_outside(path):
            raise PatchError(f"{path} is outside the workspace.", reason=Reason.OUTSIDE_WORKSPACE)
    if section.action == "add":
        if there is not None:
            raise PatchError(f"File already exists: {section.path}.", reason=Reason.NOT_ALLOWED)
        tree.write(section.path, text)
    elif there is None:
        raise PatchError(f"File not found: {section.path}.", reason=Reason.NOT_FOUND)
    elif section.action == "delete":
        tree.remove(section.path)
    elif text != there:
        tree.write(section.move_to or section.path, text)
        if section.move_to:
            tree.remove(section.path)


_TOOLS = "RooCodeInc/Roo-Code src/core/tools"
ROO_ENVELOPES = (
    AgentRule(
        "roo_patch",
        "Roo Code 2026",
        "read",
        "first",
        roo_patch,
        format="begin_patch",
        source=Source("2025-11-28", f"{_TOOLS}/apply-patch", "93353489"),
        on_bytes=Declared(
            REPLACED, Source("2026-04-14", f"{_TOOLS}/ApplyPatchTool.ts (readFile as UTF-8)", "cb836567")
        ),
    ),
)
