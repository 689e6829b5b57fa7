"""The file of a search/replace block, found in the lines above the block.

    src/a.py    `a.py`    **a.py:**    ### a.py    File: a.py    1. a.py    # a.py    ```python a.py    [a.py](a.py)

A block belongs to the file that the nearest name above it names, else to the file of the previous block, else to the
only file. A name of no file is refused, unless the block creates the file. A sentence that mentions another file than
the one that the block would change is refused, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from editcore.errors import PatchError
from editcore.patches.sections import inside
from editcore.types import Reason

_FENCE = re.compile(r"^(?:`{3,}|~{3,})(.*)$")
_TAG = re.compile(r"^</?(?:source|code|pre|codeblock|sourcecode)>\w*$")
_LIST_ITEM = re.compile(r"^(?:[-+*]|\d{1,3}[.)]) +")
_COMMENT = re.compile(r"^(?://|--|<!--|/\*) *")
_LINK = re.compile(r"^\[([^\]]+)\]\([^)]*\)$")
_LABEL = re.compile(r"^(?:file ?name|file ?path|file|path)[*`\"']*[ \t]*[:=][ \t]*(?=[^ \t])", re.IGNORECASE)
_PATH = re.compile(r"[\w@+\-./\\]+")
_ATTRIBUTE = re.compile(r"^\{?(?:file|filename|title|path|name)=", re.IGNORECASE)
_DECORATION = " \t\r*`#:\"'"
_PUNCTUATION = "`*'\"()[]{}<>,;:!?."
_LONGEST_PATH = 4096
_EXTENSIONS = re.compile(
    "(?i)bash|c|cc|cfg|cjs|clj|cmake|conf|cpp|cs|css|csv|cxx|dart|ex|exs|go|gradle|h|hpp|hs|html|ini|ipynb|java|jl|js|json|"
    "jsx|kt|less|lock|lua|m|md|mjs|mm|php|pl|proto|ps1|py|pyi|pyx|r|rb|rs|rst|scala|scss|sh|sql|svelte|swift|tex|tf|toml|"
    "ts|tsx|txt|vue|xml|ya?ml|zig"
)
"""A word in a sentence counts as a file's name if it ends in one of these. A name on a line of its own needs none."""


class BlockPaths:
    """The paths of the files, looked up by the lines above a block."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths: set[str] = set()
        self._by_name: dict[str, list[str]] = {}
        self._folders: set[str] = set()
        for path in paths:
            self.add(path)

    def add(self, path: str) -> None:
        if path in self._paths:
            return
        self._paths.add(path)
        self._by_name.setdefault(path.rpartition("/")[2], []).append(path)
        folder = path.rpartition("/")[0] if len(path) <= _LONGEST_PATH else ""
        while folder and folder not in self._folders:
            self._folders.add(folder)
            folder = folder.rpartition("/")[0]

    def path(self, above: Sequence[str], line: int, before: str | None, *, creates: bool) -> str:
        """The path of the file that a block belongs to. Raises PatchError if that is not certain.

        `above`: the lines above the block, nearest first. `before`: the file of the previous block, or the only file.
        A block that `creates` may name a file that does not exist.
        """
        prose: list[str] = []
        path = None
        for n, text in enumerate(above):
            names = _names(text)
            path = next((found for name in names if (found := self._file(name, line, exact=creates))), None)
            if path is None and (claim := _claimed(text, names, nearest=not prose and n < 3)) is not None:
                path = self._created(claim, line) if creates else self._missing(claim, line)
            if path is not None:
                break
            prose.append(text)
        path = path or before
        for text in prose:
            if (other := self._mentioned(text, path)) is not None:
                raise PatchError(
                    f"a sentence above the block mentions {other}: whether the block is for it is not certain; "
                    "put the path alone on the line above the block.",
                    line=line,
                )
        if path is None:
            raise PatchError("the block names no file: put its path on the line above.", line=line)
        return path

    def alone(self, line: str) -> str | None:
        """The file whose path is all that a line has, with or without decoration."""
        found = (one.removeprefix("./") for name in _names(line) for one in (name, name.replace("\\", "/")))
        return next((name for name in found if name in self._paths), None)

    def _file(self, name: str, line: int, *, exact: bool) -> str | None:
        """The file `name`, or else the only file whose path ends in it; None if there is none."""
        for written in dict.fromkeys((name, name.replace("\\_", "_"), name.replace("\\", "/"))):
            if written in self._paths:
                return written
            clean = written.removeprefix("./")
            if clean in self._paths:
                return clean
            ending = [] if exact else [path for path in self._named(clean) if path.endswith("/" + clean)]
            if len(ending) > 1:
                message = f"{clean} could be {ending[0]} or {ending[1]}: give the whole path."
                raise PatchError(message, line=line, reason=Reason.AMBIGUOUS)
            if ending:
                return ending[0]
        return None

    def _created(self, name: str, line: int) -> str:
        path = inside(name, line)
        if path in self._paths:
            return path
        if len(path) > _LONGEST_PATH:
            raise PatchError(f"a path of {len(path)} characters is too long.", line=line)
        parts = path.split("/")
        above = next((one for n in range(1, len(parts)) if (one := "/".join(parts[:n])) in self._paths), None)
        if above is not None or path in self._folders:
            file, held = (path, "other files") if above is None else (above, path)
            raise PatchError(f"{file} can't be a file and hold {held} at once.", line=line, reason=Reason.NOT_ALLOWED)
        return path

    @staticmethod
    def _missing(name: str, line: int) -> str:
        clean = inside(name, line)
        raise PatchError(
            f"There is no file {clean}: give the path of one that exists.", line=line, reason=Reason.NOT_FOUND
        )

    def _mentioned(self, text: str, path: str | None) -> str | None:
        """A file that a sentence mentions, other than `path`."""
        for word in text.split():
            name = word.strip(_PUNCTUATION)
            if not name or (path is not None and (path == name or path.endswith("/" + name))):
                continue
            named = name in self._paths or any(one.endswith("/" + name) for one in self._named(name))
            if (named and (not name.islower() or not name.isalnum())) or _looks_like_a_file(name):
                return name
        return None

    def _named(self, path: str) -> list[str]:
        return self._by_name.get(path.rpartition("/")[2], [])


def _is_path(name: str) -> bool:
    return _PATH.fullmatch(name) is not None and any(map(str.isalnum, name))


def _looks_like_a_file(word: str) -> bool:
    stem, dot, extension = word.rpartition(".")
    return bool(dot and stem and _EXTENSIONS.fullmatch(extension) and _PATH.fullmatch(word))


def _names(line: str) -> list[str]:
    """Names that a line may give: the line as written, and without decoration such as backticks."""
    bare = line.strip()
    if _TAG.match(bare):
        return []
    fence = _FENCE.match(bare)
    if fence:
        return list(_names_of_fence(fence[1].strip()))
    undecorated = _COMMENT.sub("", _LIST_ITEM.sub("", bare)).removesuffix("-->").removesuffix("*/").strip(_DECORATION)
    link = _LINK.match(undecorated)
    if link:
        undecorated = link[1].strip(_DECORATION)
    unlabelled = _LABEL.sub("", undecorated).strip(_DECORATION)
    return list(dict.fromkeys(name for name in (bare, bare.strip(_DECORATION), undecorated, unlabelled) if name))


def _names_of_fence(info: str) -> Iterator[str]:
    """Names behind the fence of a code block. A single word is its language."""
    words = info.split()
    if len(words) == 1 and ":" in info:
        words = info.split(":", 1)
    if len(words) > 1:
        yield _ATTRIBUTE.sub("", " ".join(words[1:])).strip("{}\"'`")
    elif words and ("." in info or "/" in info):
        yield info


def _claimed(line: str, names: Sequence[str], *, nearest: bool) -> str | None:
    """The name that a line gives if no file has it; None for a sentence, and for a fence without a name.

    A single word without a dot or a slash is a name only directly above a block.
    """
    if not names:
        return None
    bare, name = line.strip(), names[-1]
    if _FENCE.match(bare):
        return name if _is_path(name) and ("." in name or "/" in name) else None
    in_backticks = bare[0] == bare[-1] == "`" and bare.count("`") == 2
    if in_backticks or _LABEL.match(_LIST_ITEM.sub("", bare).strip(_DECORATION)):
        return name
    if not _is_path(name):
        return None
    return name if "." in name.rstrip(".") or "/" in name or (nearest and bare == name) else None
