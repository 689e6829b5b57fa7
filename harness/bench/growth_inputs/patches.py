"""Families of patches of any size, with their files: unified diffs, Begin/End Patch, search/replace blocks.

Each family has its own unit of size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from corpora.mutators.clean_edit import CleanPatch
from editcore.types import File
from harness.bench.growth_inputs.edits import code
from harness.bench.growth_inputs.texts import TEXT_FAMILIES, code_lines

PatchInput = tuple[dict[str, str], str]


def _renamed(n: int) -> tuple[list[File], list[File]]:
    """Many small files, each with a change."""
    before = [File(f"src/part_{k}/module.py", f"a = {k}\nb = 2\nc = 3\n") for k in range(n // 8)]
    return before, [File(file.path, file.content.replace("b", "B")) for file in before]


def _deep(n: int) -> tuple[list[File], list[File]]:
    before = [File(f"{'d/' * (n // 4)}f{k}.py", f"a = {k}\nb = 2\n") for k in range(4)]
    return before, [File(file.path, file.content.replace("b", "B")) for file in before]


_FILES: Mapping[str, Callable[[int], tuple[list[File], list[File]]]] = {"many files": _renamed, "deep paths": _deep}


def _clean(kind: str, n: int) -> CleanPatch:
    if kind in _FILES:
        before, after = _FILES[kind](n)
    else:
        before, after = ([File("f.py", text)] for text in TEXT_FAMILIES[kind](n))
    return CleanPatch(tuple(before), tuple(after))


def _unified(kind: str, n: int) -> PatchInput:
    patch = _clean(kind, n)
    return {file.path: file.content for file in patch.before if file.content}, patch.unified()


def _enveloped(kind: str, n: int) -> PatchInput:
    patch = _clean(kind, n)
    return {file.path: file.content for file in patch.before if file.content}, patch.envelope()


def _spoilt(change: Callable[[str], str], kind: str = "many hunks") -> Callable[[int], PatchInput]:
    """A diff whose text is changed."""

    def make(n: int) -> PatchInput:
        files, patch = _unified(kind, n)
        return files, change(patch)

    return make


def _spoilt_envelope(change: Callable[[str], str], kind: str = "many hunks") -> Callable[[int], PatchInput]:
    def make(n: int) -> PatchInput:
        files, patch = _enveloped(kind, n)
        return files, change(patch)

    return make


def _per_line(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda patch: "\n".join(map(change, patch.split("\n")))


def _body(patch: str) -> str:
    """A diff of one file without its two headers."""
    return patch.split("\n", 2)[2]


HEAD = "--- a/f.py\n+++ b/f.py\n"


def _nearly(n: int) -> PatchInput:
    """Hunks whose context fits everywhere except for its last line."""
    hunk = f"@@ -{n // 2},51 +{n // 2},51 @@\n" + " x = 1\n" * 50 + "-y = 2\n+z = 3\n"
    return {"f.py": "x = 1\n" * n}, HEAD + hunk * (n // 400 + 1)


def _nearly_big(n: int) -> PatchInput:
    half = n // 2
    lines = " x = 1\n" * half
    return {"f.py": "x = 1\n" * n}, f"{HEAD}@@ -{half},{half + 1} +{half},{half + 1} @@\n-w = 1\n+v = 2\n{lines}"


def _nearly_big_there(n: int) -> PatchInput:
    """`_nearly_big`, but the file has each line of the context, though not in that order."""
    files, patch = _nearly_big(n)
    return {"f.py": files["f.py"] + "w = 1\n"}, patch


def _no_newlines(n: int) -> PatchInput:
    return {"f.py": "x = 1"}, HEAD + "@@ -1 +1 @@\n-x = 1\n" + "\\ No newline at end of file\n" * n + "+y = 2\n"


def _lacking(n: int) -> PatchInput:
    """One hunk with half as many lines as the file. No line is in the file, and each resembles one that is."""
    removed = "".join(f"-foo baz {k}\n" for k in range(n // 2))
    return {"f.py": "".join(f"foo bar {k}\n" for k in range(n))}, f"{HEAD}@@ -1,{n // 2} +1 @@\n{removed}+b\n"


def _small_hunks(n: int) -> PatchInput:
    """A hunk for every second line of the file, with right numbers and a unique line of context."""
    hunks = "".join(f"@@ -{2 * k + 1},2 +{2 * k + 1},2 @@\n l{k}\n-x\n+y\n" for k in range(n))
    return {"f.py": "".join(f"l{k}\nx\n" for k in range(n))}, HEAD + hunks


DIFF_FAMILIES: Mapping[str, Callable[[int], PatchInput]] = {
    **{
        kind: lambda n, kind=kind: _unified(kind, n)  # type: ignore[misc]
        for kind in (*TEXT_FAMILIES, *_FILES)
    },
    "same header before each hunk": _spoilt(lambda patch: HEAD + _body(patch).replace("\n@@", f"\n{HEAD}@@")),
    "numbers off by one": _spoilt(lambda patch: patch.replace("@@ -", "@@ -1")),
    "no numbers": _spoilt(_per_line(lambda line: "@@" if line.startswith("@@") else line)),
    "no numbers, repeated context": _spoilt(
        _per_line(lambda line: "@@" if line.startswith("@@") else line), "repeated context"
    ),
    "numbers without end": _spoilt(lambda patch: patch.replace("@@ -", "@@ -99999999999999999999")),
    "hunks the other way round": _spoilt(
        lambda patch: HEAD + "@@".join(["", *_body(patch)[2:].replace("@@ -", "\0@@ -").split("\0@@")[::-1]])
    ),
    "applied already": lambda n: ({"f.py": TEXT_FAMILIES["many hunks"](n)[1]}, _unified("many hunks", n)[1]),
    "twice": _spoilt(lambda patch: patch + patch),
    "each hunk twice": _spoilt(
        lambda patch: HEAD + "".join(2 * f"@@ -{hunk}" for hunk in _body(patch).split("@@ -")[1:])
    ),
    "typo in each hunk": _spoilt(lambda patch: patch.replace("\n-    value", "\n-    valeu")),
    "indentation lost": _spoilt(lambda patch: patch.replace("\n     ", "\n ").replace("\n-    ", "\n-")),
    "tabs for blanks": _spoilt(lambda patch: patch.replace("\n     ", "\n \t").replace("\n-    ", "\n-\t")),
    "quoted": _spoilt(_per_line(lambda line: f"> {line}")),
    "indented": _spoilt(_per_line(lambda line: f"    {line}")),
    "carriage returns in the patch": _spoilt(lambda patch: patch.replace("\n", "\r\n")),
    "fences": _spoilt(lambda patch: patch.replace("\n@@ -", "\n```\n```diff\n@@ -")),
    "prose before": _spoilt(lambda patch: "A change is made below.\n" * (len(patch) // 24) + patch),
    "prose after": _spoilt(lambda patch: patch + "A change was made above.\n" * (len(patch) // 24)),
    "a list before": _spoilt(lambda patch: "- one thing\n" * (len(patch) // 12) + patch),
    "directories before the paths": _spoilt(
        lambda patch: patch.replace("--- a/", "--- /repo/").replace("+++ b/", "+++ /repo/"), "many files"
    ),
    "a long hunk of lines that are not there": _lacking,
    "a hunk for each second line": _small_hunks,
    "files that are not there": _spoilt(lambda patch: patch.replace("module", "modul"), "many files"),
    "context that nearly fits everywhere": _nearly,
    "much context that nearly fits everywhere": _nearly_big,
    "much context that nearly fits, all its lines there": _nearly_big_there,
    "only hunk headers": lambda n: ({"f.py": code(n)}, HEAD + "@@ -1,3 +1,3 @@\n" * n),
    "only bare marks": lambda n: ({"f.py": code(n)}, HEAD + "@@\n" * n),
    "only file headers": lambda n: ({"f.py": code(n)}, HEAD * n),
    "only old file headers": lambda n: ({"f.py": code(n)}, "--- a/f.py\n" * n),
    "only new file headers": lambda n: ({"f.py": code(n)}, "+++ b/f.py\n" * n),
    "only git headers": lambda n: ({"f.py": code(n)}, "diff --git a/f.py b/f.py\n" * n),
    "only plus signs": lambda n: ({"f.py": code(n)}, HEAD + "@@ -1 +1 @@\n" + "+\n" * n),
    "only dashes": lambda n: ({"f.py": code(n)}, HEAD + "@@ -1 +1 @@\n" + "-\n" * n),
    "only blanks": lambda n: ({"f.py": code(n)}, HEAD + "@@ -1 +1 @@\n" + " \n" * n),
    "only dashes, no header": lambda n: ({"f.py": code(n)}, "---\n" * n),
    "notes of no line feed": _no_newlines,
    "a long hunk header": lambda n: ({"f.py": "a\nb\n"}, f"{HEAD}@@ -1,2 +1,2 @@ {'def f(' * (n // 6)}\n a\n-b\n+c\n"),
    "a long git header": lambda n: ({"f.py": "a\n"}, f"diff --git {'a/f b/f ' * (n // 8)}\n@@ -1 +1 @@\n-a\n+b\n"),
    "a long quoted name": lambda n: (
        {"f.py": "a\n"},
        f'--- "a/{chr(92)}303{chr(92)}244{"x" * n}"\n+++ "b/{chr(92) * 2 * n}"\n@@ -1 +1 @@\n-a\n+b\n',
    ),
    "a git header of open quotation marks": lambda n: (
        {"f.py": "a\n"},
        "diff --git " + '"a\\' * n + f"\n{HEAD}@@ -1 +1 @@\n-a\n+b\n",
    ),
    "digits in a header": lambda n: ({"f.py": "a\nb\n"}, f"{HEAD}@@ -{'1' * n},{'1' * n} +{'1' * n} @@\n a\n-b\n+c\n"),
}
"""Family -> a function from a size to the files and the diff."""


def _sections(n: int) -> PatchInput:
    """A section for each hunk, all for one file."""
    files, patch = _enveloped("many hunks", n)
    return files, patch.replace("\n@@", "\n*** Update File: f.py\n@@").replace(
        "*** Update File: f.py\n*** Update", "*** Update"
    )


def _sections_small(n: int) -> PatchInput:
    """`n` sections for one small file."""
    sections = "".join(f"*** Update File: f.py\n@@\n-x = {k}\n+x = {k + 1}\n" for k in range(n))
    return {"f.py": "x = 0\ny = 1\n"}, f"*** Begin Patch\n{sections}*** End Patch\n"


def _anchored(n: int) -> PatchInput:
    """Classes with equal methods; each method is changed below its anchor."""
    classes = [
        f"class C{k}:\n    def f(self):\n        a = 1\n        b = 2\n        return a\n" for k in range(n // 5)
    ]
    hunks = "".join(
        f"@@ class C{k}:\n@@     def f(self):\n         a = 1\n-        b = 2\n+        b = 3\n" for k in range(n // 5)
    )
    return {"f.py": "".join(classes)}, f"*** Begin Patch\n*** Update File: f.py\n{hunks}*** End Patch\n"


def _stacked(n: int) -> PatchInput:
    """One hunk below thousands of anchors."""
    anchors = "@@ def f():\n" * n
    return {"f.py": "def f():\n    x = 1\n" * n}, _enveloped_body(f"{anchors}-    x = 1\n+    x = 2\n")


def _stacked_unique(n: int) -> PatchInput:
    anchors = "".join(f"@@ def f{k}():\n" for k in range(n))
    text = "".join(f"def f{k}():\n    x = 1\n" for k in range(n))
    return {"f.py": text}, _enveloped_body(f"{anchors}-    x = 1\n+    x = 2\n")


def _enveloped_body(body: str) -> str:
    return f"*** Begin Patch\n*** Update File: f.py\n{body}*** End Patch\n"


def _as_envelope(make: Callable[[int], PatchInput]) -> Callable[[int], PatchInput]:
    """The hunks of a diff of one file as a Begin/End Patch, without line numbers."""

    def made(n: int) -> PatchInput:
        files, patch = make(n)
        lines = ("@@" if line.startswith("@@") else line for line in _body(patch).split("\n"))
        return files, _enveloped_body("\n".join(lines))

    return made


_SMALL = "@@\n-a\n+b\n"


def _appended(n: int) -> PatchInput:
    """`n` sections, each of which adds a line at the end of one file."""
    sections = "".join(f"*** Update File: f.py\n@@\n+x = {k}\n*** End of File\n" for k in range(n))
    return {"f.py": "x = 0\n"}, f"*** Begin Patch\n{sections}*** End Patch\n"


ENVELOPE_FAMILIES: Mapping[str, Callable[[int], PatchInput]] = {
    **{
        kind: lambda n, kind=kind: _enveloped(kind, n)  # type: ignore[misc]
        for kind in (*TEXT_FAMILIES, *_FILES)
        if kind not in ("a new file", "a deleted file")
    },
    "a new file": lambda n: (
        {},
        f"*** Begin Patch\n*** Add File: f.py\n+{code(n).replace(chr(10), chr(10) + '+')}\n*** End Patch\n",
    ),
    "many deleted files": lambda n: (
        {f"d/f{k}.py": "x\n" for k in range(n)},
        f"*** Begin Patch\n{''.join(f'*** Delete File: d/f{k}.py{chr(10)}' for k in range(n))}*** End Patch\n",
    ),
    "many moved files": lambda n: (
        {f"d/f{k}.py": "x\n" for k in range(n)},
        "*** Begin Patch\n"
        + "".join(f"*** Update File: d/f{k}.py\n*** Move to: e/f{k}.py\n@@\n-x\n+y\n" for k in range(n))
        + "*** End Patch\n",
    ),
    "a section for each hunk": _sections,
    "many sections of a small file": _sections_small,
    "many sections at the end of a file": _appended,
    "an anchor for each hunk": _anchored,
    "one hunk below many anchors": _stacked,
    "one hunk below many anchors, each its own": _stacked_unique,
    "numbers": _spoilt(lambda patch: _enveloped_body(_body(patch))),
    "numbers, repeated context": _spoilt(lambda patch: _enveloped_body(_body(patch)), "repeated context"),
    "hunks the other way round": _spoilt_envelope(
        lambda patch: _enveloped_body(
            "@@".join(["", *patch.split("\n@@", 1)[1].removesuffix("*** End Patch\n").split("@@")[::-1]])
        )
    ),
    "applied already": lambda n: ({"f.py": TEXT_FAMILIES["many hunks"](n)[1]}, _enveloped("many hunks", n)[1]),
    "typo in each hunk": _spoilt_envelope(lambda patch: patch.replace("\n-    value", "\n-    valeu")),
    "indentation lost": _spoilt_envelope(lambda patch: patch.replace("\n     ", "\n ").replace("\n-    ", "\n-")),
    "indented": _spoilt_envelope(_per_line(lambda line: f"    {line}")),
    "carriage returns in the patch": _spoilt_envelope(lambda patch: patch.replace("\n", "\r\n")),
    "one JSON string": _spoilt_envelope(lambda patch: patch.replace("\n", "\\n")),
    "fences": _spoilt_envelope(lambda patch: patch.replace("\n@@", "\n```\n```\n@@")),
    "prose before": _spoilt_envelope(lambda patch: "A change is made below.\n" * (len(patch) // 24) + patch),
    "prose after": _spoilt_envelope(lambda patch: patch + "A change was made above.\n" * (len(patch) // 24)),
    "blank lines after": _spoilt_envelope(lambda patch: patch + "\n" * len(patch)),
    "no end marker": _spoilt_envelope(lambda patch: patch.removesuffix("*** End Patch\n")),
    "context that nearly fits everywhere": _as_envelope(_nearly),
    "much context that nearly fits everywhere": _as_envelope(_nearly_big),
    "a long hunk of lines that are not there": _as_envelope(_lacking),
    "a hunk for each second line": _as_envelope(_small_hunks),
    "much context that nearly fits, all its lines there": _as_envelope(_nearly_big_there),
    "only hunk headers": lambda n: ({"f.py": code(n)}, _enveloped_body("@@\n" * n)),
    "only begin markers": lambda n: ({"f.py": code(n)}, "*** Begin Patch\n" * n),
    "only end markers": lambda n: ({"f.py": code(n)}, _enveloped_body("*** End Patch\n" * n)),
    "only indented end markers": lambda n: (
        {"f.py": code(n)},
        _enveloped_body("@@\n" + " *** End Patch\n" * n + "-x\n"),
    ),
    "only update headers": lambda n: ({"f.py": code(n)}, f"*** Begin Patch\n{'*** Update File: f.py' + chr(10)}" * n),
    "only move headers": lambda n: ({"f.py": code(n)}, _enveloped_body("*** Move to: g.py\n" * n)),
    "only ends of file": lambda n: ({"f.py": code(n)}, _enveloped_body("@@\n x\n" + "*** End of File\n" * n)),
    "only plus signs": lambda n: ({"f.py": code(n)}, _enveloped_body("@@\n" + "+\n" * n)),
    "only dashes": lambda n: ({"f.py": code(n)}, _enveloped_body("@@\n" + "-\n" * n)),
    "only blanks": lambda n: ({"f.py": code(n)}, _enveloped_body("@@\n" + " \n" * n + "+x\n")),
    "spaces after an end marker": lambda n: ({"f.py": "a\n"}, f"{_enveloped_body(_SMALL)[:-1]}{' ' * n}x\n"),
    "spaces after a begin marker": lambda n: ({"f.py": "a\n"}, f"*** Begin Patch{' ' * n}x\n"),
    "spaces after an update header": lambda n: (
        {"f.py": "a\n"},
        f"*** Begin Patch\n*** Update File: f.py{' ' * n}x\n{_SMALL}*** End Patch\n",
    ),
    "spaces after a move header": lambda n: (
        {"f.py": "a\n"},
        _enveloped_body(f"*** Move to: g.py{' ' * n}x\n{_SMALL}"),
    ),
    "spaces before the last line": lambda n: (
        {"f.py": "a\n"},
        f"*** Begin Patch\n*** Update File: f.py\n{_SMALL}{' ' * n}x",
    ),
    "only asterisks": lambda n: ({"f.py": code(n)}, "*** " * n),
    "backslashes": lambda n: ({"f.py": code(n)}, "\\n" * n),
}
"""Family -> a function from a size to the files and the Begin/End Patch."""


def _block(old: str, new: str, path: str = "f.py") -> str:
    return f"{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


def _block_files(n: int) -> PatchInput:
    before, _ = _renamed(n)
    return {file.path: file.content for file in before}, "".join(_block("b = 2\n", "b = 3\n", f.path) for f in before)


def _many_blocks(n: int) -> PatchInput:
    lines = code_lines(n)
    return {"f.py": "".join(lines)}, "".join(_block(line, line.upper()) for line in lines[::10])


BLOCK_FAMILIES: Mapping[str, Callable[[int], PatchInput]] = {
    "many blocks, one file": _many_blocks,
    "many blocks, many files": _block_files,
    "many blocks, a small file": lambda n: (
        {"f.py": "x = 0\ny = 1\n"},
        "".join(_block(f"x = {k}\n", f"x = {k + 1}\n") for k in range(n)),
    ),
    "many blocks, new files": lambda n: ({}, "".join(_block("", f"x = {k}\n", f"f{k}.py") for k in range(n))),
    "one big block": lambda n: ({"f.py": code(2 * n) + "\n"}, _block(code(n) + "\n", "x = 1\n")),
    "one big block, absent": lambda n: ({"f.py": code(2 * n) + "\n"}, _block(code(n).replace("v", "w") + "\n", "x\n")),
    "one big block, re-indented": lambda n: (
        {"f.py": code(2 * n) + "\n"},
        _block(code(n).replace("    ", "\t") + "\n", "x = 1\n"),
    ),
    "one big replacement": lambda n: ({"f.py": code(n) + "\nend\n"}, _block("end\n", code(n) + "\n")),
    "one small block": lambda n: ({"f.py": code(n) + "\nend\n"}, _block("end\n", "x = 1\n")),
    "prose": lambda n: ({"f.py": code(n) + "\nend\n"}, "A change is made below.\n" * n + _block("end\n", "x\n")),
    "fences": lambda n: (
        {"f.py": "x = 0\n"},
        "".join(f"```python\n{_block(f'x = {k}' + chr(10), f'x = {k + 1}' + chr(10))}```\n" for k in range(n)),
    ),
    "only search markers": lambda n: ({"f.py": code(n)}, "<<<<<<< SEARCH\n" * n),
    "only dividers": lambda n: ({"f.py": code(n)}, "<<<<<<< SEARCH\n" + "=======\n" * n + ">>>>>>> REPLACE\n"),
    "only replace markers": lambda n: ({"f.py": code(n)}, ">>>>>>> REPLACE\n" * n),
    "blank lines": lambda n: ({"f.py": "\n" * n}, _block("\n\n\n", "x\n")),
    "spaces before a marker": lambda n: ({"f.py": code(n)}, f"{' ' * n}<<<<<< SEARC\n"),
    "long lines": lambda n: ({"f.py": "ab" * n + "\n"}, _block("ab" * n + "c\n", "x\n")),
    "carriage returns": lambda n: (
        {"f.py": code(n) + "\nend\n"},
        _block("end\n", code(n) + "\n").replace("\n", "\r\n"),
    ),
    "paths that are not there": lambda n: (
        {f"src/f{k}.py": "x = 1\n" for k in range(n)},
        "".join(_block("x = 1\n", "x = 2\n", f"f{k}.py") for k in range(n)),
    ),
}
"""Family -> a function from a size to the files and the search/replace blocks."""
