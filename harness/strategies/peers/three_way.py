"""git's three-way merge: the search text is the base, the file one side, the new text the other.

    base   |b|        file   |a|b|c|        new text   |B|        merged   |a|B|c|

What aider's two cherry-picks compute (`search_replace.py` of 0.86.2, which ships them unused), in one process: each
has the search text as the parent of the new text. Any conflict is a refusal. Known failure: a change in the first or
last line of the search text touches what the file has around it, which is a conflict.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from corpora.sample import Sample
from editcore.text.document import Document
from editcore.types import Applied, EditResult, Reason, Rejected
from harness.strategies.peers.programs import run_program

_TIMEOUT_S = 60


def merge_edits(sample: Sample, _: Document | None) -> EditResult:
    """Merge a sample's edits into its file, each into what the one before left, all or nothing."""
    text = sample.before[0].content
    for edit in sample.edits or ():
        if edit.replace_all:
            return Rejected(Reason.NOT_ALLOWED, "a merge changes one place")
        try:
            sides = [_ended(side).encode() for side in (text, edit.old_string, edit.new_string)]
        except UnicodeEncodeError:
            return Rejected(Reason.MALFORMED, "A text has a lone surrogate: no file can hold it.")
        merged = _merged(sides)
        if merged is None:
            return Rejected(Reason.NO_MATCH, "the file and the edit conflict")
        text = merged
    return Applied(files={sample.before[0].path: text})


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _merged(sides: list[bytes]) -> str | None:
    """The merge of the file, the search text and the new text; None where they conflict."""
    with tempfile.TemporaryDirectory(prefix="editgauge-") as name:
        folder = Path(name)
        files = [folder / side for side in ("file", "old", "new")]
        for path, data in zip(files, sides, strict=True):
            path.write_bytes(data)
        command = ["git", "merge-file", "--quiet", *(path.name for path in files)]
        environment = os.environ | {"LC_ALL": "C", "GIT_CEILING_DIRECTORIES": str(folder.parent)}
        code, _, _ = run_program(command, b"", cwd=folder, environment=environment, timeout_s=_TIMEOUT_S)
        return files[0].read_bytes().decode() if code == 0 else None
