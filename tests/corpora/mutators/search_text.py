"""One small file and edit, and what a mutator does to them, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import ndiff
from random import Random
from unicodedata import combining

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator

_BEFORE = "import os\n\n\nclass Store:\n"
_OLD = """\
    def load(self, path):
        limit = 10 + self.max_size  # in whole bytes
        if not path == "a-b":
            return join(path, limit)
        return [limit, True]"""
_NEW = """\
    def load(self, path):
        return path"""
_AFTER = """

    def save(self):
        write(self)

    def close(self):
        pass
"""

CLEAN = CleanEdit("store.py", _BEFORE + _OLD + _AFTER, len(_BEFORE), len(_BEFORE + _OLD), _NEW)


def edit(marked: str, new: str, *, path: str = "a.py") -> CleanEdit:
    """The edit whose span is between « and »."""
    before, _, rest = marked.partition("«")
    old, _, after = rest.partition("»")
    return CleanEdit(path, before + old + after, len(before), len(before + old), new)


def damage(
    mutators: tuple[Mutator[CleanEdit], ...], name: str, degree: int = 1, *, clean: CleanEdit = CLEAN, seed: int = 0
) -> Damaged | None:
    """The result of the mutator of this name for an edit."""
    (mutator,) = (mutator for mutator in mutators if mutator.name == name)
    return mutator.damage(clean, degree, Random(seed))


def described(damaged: Damaged | None, *, clean: CleanEdit = CLEAN) -> list[str]:
    """The lines of file, search text and new text that were removed, and those that were added.

    Where the model saw another file, in which the search text is right, that is described instead of the search text.
    """
    if damaged is None or damaged.edits is None:
        return ["None"]
    (written,) = damaged.edits
    seen = damaged.twin[0][0].content if damaged.twin else clean.content
    return [
        *compared("seen", clean.content, seen),
        *compared("file", seen, damaged.before[0].content),
        *([] if damaged.twin else compared("search", clean.old, written.old_string)),
        *compared("new", clean.new, written.new_string),
        *(["everywhere"] if written.replace_all else []),
    ]


def compared(what: str, before: str, after: str) -> Iterator[str]:
    """The lines that were removed and added, with a word in front that says of what."""
    for line in ndiff(before.split("\n"), after.split("\n")):
        if line[0] in "-+":
            yield f"{what} {line[0]}{_visible(line[2:])}".rstrip()


def _visible(line: str) -> str:
    """The line with tabs, carriage returns, trailing spaces and invisible characters written out."""
    kept = line.rstrip(" ")
    line = (kept + "·" * (len(line) - len(kept))).replace("\t", "⇥").replace("\r", "␍")
    return "".join([c if c.isprintable() and not combining(c) else f"<{ord(c):04x}>" for c in line])


def cases(table: str) -> list[tuple[str, int, list[str]]]:
    """Name, degree and description of each paragraph of a table."""
    paragraphs = [paragraph.split("\n") for paragraph in table.strip("\n").split("\n\n")]
    return [(head.split()[0], int(head.split()[1]), lines) for head, *lines in paragraphs]
