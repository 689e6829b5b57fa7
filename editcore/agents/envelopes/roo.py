"""How Roo Code's apply_patch applies an envelope: a port of an early Codex, with tiers by JavaScript's whitespace.

    file |\\ufeffx = 1      hunk |-x = 1      JavaScript trims a byte order mark as well, so that the line matches,
         |y = 2                 |+x = 3      and the mark goes with it

Evidence: read (RooCodeInc/Roo-Code, src/core/tools/apply-patch and ApplyPatchTool.ts, in a copy at 93353489 and
e7393e56, of 2026).

Policy: first. Four tiers, each over the whole rest of the file: equal, without whitespace at the right, at both ends,
with dashes, quotes and spaces folded. Line endings: VS Code gives the whole file the ending that most of its lines
have. A line feed ends every file. All is computed from the files as they were, before anything is written.

Known failures: those of Codex before 0.169: an insertion without context goes to the end of the file, context that
matches loosely is rewritten. A file that is to be added but exists is left alone, and the rest of the patch is carried
out. A move without a change does nothing; a move onto itself deletes the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from posixpath import normpath

from editcore.agents.envelopes.rewriting import updated
from editcore.agents.envelopes.trees import Tree, is_outside
from editcore.agents.matching.endings import line_feeds, with_crlf
from editcore.agents.matching.folding import PUNCTUATION
from editcore.agents.rule import AgentRule
from editcore.document import WHITESPACE, trim
from editcore.errors import PatchError
from editcore.patches.placing.seek import exact
from editcore.types import EditResult, FilePatch, Hunk, Reason, Rejected

_TIERS = {
    "exact": exact,
    "right_trimmed": lambda line: line.rstrip(WHITESPACE),
    "trimmed": trim,
    "folded": lambda line: trim(line).translate(PUNCTUATION),
}
_BEGIN, _END, _EOF, _MOVE = "*** Begin Patch", "*** End Patch", "*** End of File", "*** Move to: "
_HEADERS = {"*** Add File: ": "add", "*** Delete File: ": "delete", "*** Update File: ": "update"}


def roo_patch(files: Mapping[str, str], patch: str) -> EditResult:
    """Roo Code's envelopes: the first place of four tiers, and context written as the patch has it."""
    sections = _sections(patch)
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
    after = updated(text, section, tree, tiers=_TIERS)
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


def _sections(patch: str) -> list[FilePatch]:
    lines = trim(patch).split("\n")
    if len(lines) >= 4 and lines[0] in ("<<EOF", "<<'EOF'", '<<"EOF"') and lines[-1].endswith("EOF"):
        lines = lines[1:-1]
    if trim(lines[0]) != _BEGIN or trim(lines[-1]) != _END:
        raise PatchError(f"The patch must begin with '{_BEGIN}' and end with '{_END}'", line=1)
    body = lines[1:-1]
    found: list[FilePatch] = []
    at = 0
    while at < len(body):
        section, at = _section(body, at)
        found.append(section)
    return found


def _section(lines: list[str], at: int) -> tuple[FilePatch, int]:
    """The section whose header is at a line, and the line after it."""
    first = trim(lines[at])
    header = next((one for one in _HEADERS if first.startswith(one)), None)
    if header is None:
        raise PatchError(f"'{first}' is not a valid hunk header.", line=at + 2)
    path, action, number = first[len(header) :], _HEADERS[header], at + 2
    at += 1
    if action == "add":
        end = next((n for n in range(at, len(lines)) if not lines[n].startswith("+")), len(lines))
        hunks = (Hunk(tuple(lines[at:end]), at + 2),) if end > at else ()
        return FilePatch("add", path, number, hunks=hunks), end
    if action == "delete":
        return FilePatch("delete", path, number), at
    move_to = lines[at][len(_MOVE) :] if at < len(lines) and lines[at].startswith(_MOVE) else None
    at += move_to is not None
    found: list[Hunk] = []
    while at < len(lines) and not lines[at].startswith("***"):
        if not trim(lines[at]):
            at += 1
            continue
        hunk, at = _hunk(lines, at, is_first=not found)
        found.append(hunk)
    if not found:
        raise PatchError(f"Update file hunk for path '{path}' is empty", line=number)
    return FilePatch("update", path, number, move_to, tuple(found)), at


def _hunk(lines: list[str], at: int, *, is_first: bool) -> tuple[Hunk, int]:
    """The hunk that begins at a line, and the line after it."""
    head = lines[at]
    has_head = head == "@@" or head.startswith("@@ ")
    if not has_head and not is_first:
        raise PatchError(f"Expected update hunk to start with a @@ context marker, got: '{head}'", line=at + 2)
    number = at + 2
    at += has_head
    marked: list[str] = []
    is_end = False
    while at < len(lines):
        line = lines[at] or " "
        is_end = line == _EOF and bool(marked)
        at += is_end
        if is_end or line[0] not in " +-":
            break
        marked.append(line)
        at += 1
    if not marked:
        raise PatchError("Update hunk does not contain any lines", line=number)
    anchors = (head[3:],) if head.startswith("@@ ") else ()
    return Hunk(tuple(marked), number, anchors, end_of_file=is_end), at


ROO_ENVELOPES = (AgentRule("roo_patch", "Roo Code 2026", "read", "first", roo_patch, format="begin_patch"),)
