"""One small change of two files, and the damage of a mutator to its patch, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpora.mutators import MUTATORS
from corpora.mutators.clean_edit import CleanPatch
from corpora.mutators.mutator import Mutator
from editcore import Applied, EditResult, apply_begin_patch, apply_unified_diff
from editcore.types import File
from tests.corpora.mutators.small_edit import compared, damage

_STORE = """\
import os

LIMIT = 10


def shown(path):
    print(path)


class Store:
    def load(self, path):
        size = os.stat(path).st_size
        if size < LIMIT:
            return "too-small"

        data = read(path)
        return data

    def size(self):
        total = 0
        for item in self.items:
            total += item.size
        return total

    def save(self, path):
        check(path)
        write(path)
        sync(path)
        return path
"""
_TEXT = """\
'''Words.'''

def last(words):
    return words[-1]
"""

CLEAN = CleanPatch(
    (File("src/store.py", _STORE), File("src/text.py", _TEXT)),
    (
        File(
            "src/store.py",
            _STORE.replace("size < LIMIT", "size <= LIMIT")
            .replace("        data = read(path)\n", "        data = read(path)\n        log(path)\n")
            .replace("        check(path)\n        write(path)\n        sync(path)\n", "        put(path)\n"),
        ),
        File(
            "src/text.py",
            _TEXT.replace("    return words[-1]", "    check(words)\n    count(words)\n    return words[-1]"),
        ),
    ),
)
CLEANS = {
    "two": CLEAN,
    "one": CleanPatch(CLEAN.before[:1], CLEAN.target[:1]),
    "tiny": CleanPatch((File("a.py", "first = 1\nlast = 2\n"),), (File("a.py", "first = 1\nlast = 3\n"),)),
}


def applied(
    mutator: Mutator[CleanPatch], files: tuple[File, ...], patch: str, reading: str | None = None
) -> EditResult:
    """The result of applying a patch with the reading of this name, by default the most lenient."""
    texts = {file.path: file.content for file in files}
    if mutator.format == "unified_diff":
        return apply_unified_diff(texts, patch, strictness=reading or "tolerant")  # type: ignore[arg-type]
    return apply_begin_patch(texts, patch, reading=reading or "lenient")  # type: ignore[arg-type]


def is_right(result: EditResult, target: tuple[File, ...] | None) -> bool:
    """True if the files of the result are exactly the target's."""
    files = {file.path: file.content for file in target or ()}
    return isinstance(result, Applied) and target is not None and dict(result.files or {}) == files


def described(name: str, degree: int, which: str) -> list[str]:
    """The lines of patch and files that were removed and added, and the reason for a refusal."""
    clean, found = CLEANS[which], damage(name, degree, clean=CLEANS[which])
    if found is None or found.patch is None:
        return ["None"]
    text = clean.unified() if MUTATORS[name].format == "unified_diff" else clean.envelope()
    return [
        *compared("", text, found.patch),
        *_files("before", clean.before, found.before),
        *(_files("target", clean.target, found.target) if found.target is not None else ()),
        *([found.reason] if found.reason else []),
    ]


def _files(what: str, files: Sequence[File], others: Sequence[File]) -> Iterator[str]:
    old, new = ({file.path: file.content for file in some} for some in (files, others))
    for path in dict.fromkeys([*old, *new]):
        yield from compared(f"{what} {path}", old.get(path, ""), new.get(path, ""))
