"""Generators of texts and their changed versions, and of patches well-formed, noisy and torn.

Two kinds of text: *repetitive* ones, in which places are alike and lines look like parts of a patch, and
*distinct* ones, in which no two lines are alike, so that what a patch must do is beyond doubt.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from hypothesis import strategies as st

from editcore import unified_diff
from editcore.types import FilePatch, Hunk

anything = st.text(st.characters())
"""Any code points, lone surrogates too."""

_TRICKY = [
    "a", "b", "}", "", "  ", "    x = 1", "\tq", "é", "-- c", "++ d", "--- a/f", "+++ b/f", "@@ x",
    "\\ No newline at end of file", "diff --git a/f b/f", "*** End Patch", "```"
]  # fmt: skip


def _joined(lines: list[str], ends_in_line_feed: bool) -> str:
    return "\n".join(lines) + ("\n" if lines and ends_in_line_feed else "")


@st.composite
def repetitive_pairs(draw: st.DrawFn) -> tuple[str, str]:
    """A text of few different lines, and what some edits make of it."""
    pool = draw(st.lists(st.sampled_from(_TRICKY), min_size=1, max_size=6))
    line = st.builds(str.__add__, st.sampled_from(pool), st.sampled_from(["", "", "", "\r"]))
    before = draw(st.lists(line, max_size=30))
    after = list(before)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(after)))
        after[at : at + draw(st.integers(0, 2))] = draw(st.lists(st.one_of(line, st.just("new")), max_size=2))
    return _joined(before, draw(st.booleans())), _joined(after, draw(st.booleans()))


@dataclass(frozen=True)
class Change:
    """A text of distinct lines, what becomes of it, and the lines of each."""

    before: str
    after: str
    ending: str

    @property
    def removed(self) -> set[str]:
        return {*self.before.split("\n")} - {*self.after.split("\n")}


@st.composite
def changes(draw: st.DrawFn, *, endings: tuple[str, ...] = ("\n", "\r\n"), keep: int = 1) -> Change:
    """A text of distinct lines with some replaced, removed or added; the first and last `keep` lines stay."""
    ending = draw(st.sampled_from(endings))
    lines = [f"{' ' * (4 * draw(st.integers(0, 2)))}line {n}" for n in range(draw(st.integers(2 * keep + 1, 25)))]
    parts: list[list[str]] = [[line] for line in lines]
    middle = st.integers(keep, len(lines) - keep - 1)
    for number in range(draw(st.integers(1, 3))):
        at = draw(middle)
        kind = draw(st.sampled_from(["replace", "remove", "add"]))
        # Below or instead of a line, and indented as it is.
        added = lines[at][: len(lines[at]) - len(lines[at].lstrip())] + f"new {number}"
        parts[at] = {"replace": [added], "remove": [], "add": [lines[at], added]}[kind]
    last = draw(st.sampled_from(["", ending]))
    before, after = ending.join(lines) + last, ending.join(line for part in parts for line in part) + last
    return Change(before, after, ending)


def envelope(path: str, before: str, after: str, *, context: int = 3) -> str:
    """The Begin/End Patch that makes one text of the other; its lines end in line feeds only."""
    body = unified_diff(before.replace("\r", ""), after.replace("\r", ""), path=path, context=context)
    lines = ["@@" if line.startswith("@@ ") else line for line in body.split("\n")[2:-1] if line[0] != "\\"]
    return "\n".join(["*** Begin Patch", f"*** Update File: {path}", *lines, "*** End Patch"]) + "\n"


# Several files, as git writes them


@dataclass(frozen=True)
class Tree:
    """Files, what becomes of them, and the diff that says so, with git's headers."""

    before: dict[str, str]
    after: dict[str, str]
    patch: str


def _hunks(before: str, after: str) -> str:
    return unified_diff(before, after, path="x").partition("\n")[2].partition("\n")[2]


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Up to four files: changed, added, deleted, renamed, renamed and changed, or left alone."""
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    patch = ""
    for name in draw(st.lists(st.sampled_from(["a.txt", "b.txt", "d/c.txt", "e.py"]), min_size=1, unique=True)):
        old, new = draw(repetitive_pairs())
        kind = draw(st.sampled_from(["change", "add", "delete", "rename", "keep"]))
        target = f"moved_{name.replace('/', '_')}" if kind == "rename" else name
        head = f"diff --git a/{name} b/{target}\n"
        if kind != "add":
            before[name] = old
        if kind == "keep" or (kind == "change" and old == new):
            after[name] = old
            continue
        if kind == "delete":
            new = ""
        elif kind == "add":
            old = ""
        if kind != "delete":
            after[target] = new
        if kind == "add":
            head += "new file mode 100644\nindex 0000000..e69de29\n"
        elif kind == "delete":
            head += "deleted file mode 100644\nindex e69de29..0000000\n"
        elif kind == "rename":
            head += f"similarity index 50%\nrename from {name}\nrename to {target}\n"
        patch += head
        if old != new:
            patch += f"--- {'/dev/null' if kind == 'add' else 'a/' + name}\n"
            patch += f"+++ {'/dev/null' if kind == 'delete' else 'b/' + target}\n"
            patch += _hunks(old, new)
    return Tree(before, after, patch)


# Parsed patches, and their texts


def _drawn_sections(rng: Random) -> list[FilePatch]:
    """Sections as the strict reading parses them, without positions in the patch."""
    words = ("a", "b c", "  d", "-", "+", " ", "x = 1", "*** End Patch", "@@", "é")
    found = []
    for number in range(rng.randint(1, 4)):
        action = rng.choice(("add", "delete", "update"))
        hunks: list[Hunk] = []
        move_to = None
        if action == "add":
            added = [f"+{rng.choice(words)}" for _ in range(rng.randint(0, 4))]
            hunks = [Hunk(tuple(added), 0)] if added else []
        elif action == "update":
            move_to = rng.choice((None, None, "to.txt"))
            for _ in range(rng.randint(1, 3)):
                marked = [rng.choice(" +-") + rng.choice(words) for _ in range(rng.randint(1, 5))]
                anchors = rng.choice(((), ("def f():",), ("x = 1",)))
                hunks.append(Hunk(tuple(marked), 0, anchors, end_of_file=rng.random() < 0.5))
        found.append(FilePatch(action, f"dir/f{number}.txt", 0, move_to, tuple(hunks)))
    return found


def sections() -> st.SearchStrategy[list[FilePatch]]:
    """The sections of a letter-perfect envelope, with no line of the patch told."""
    return st.randoms(use_true_random=False).map(_drawn_sections)


# Texts that are nearly patches

_PIECES = [
    "*** Begin Patch", "*** End Patch", "*** Update File: f", "*** Add File: n", "*** Delete File: f",
    "*** Move to: g", "*** End of File", "*** Environment ID: e", "diff --git a/f b/f", "diff --git a/f b/g",
    'diff --git "a/f" "b/f"', "--- a/f", "+++ b/f", "--- /dev/null", "+++ /dev/null", '--- "a/\\303\\251\\q',
    "rename from f", "rename to g", "new file mode 100644", "deleted file mode 100644", "old mode 100644",
    "copy from f", "index 1..2", "GIT binary patch", "@@", "@@ @@", "@@ ... @@", "@@ a", "@@ -1,2 +1,2 @@",
    "@@ -1 +1 @@ a", "@@ -0,0 +1 @@", "@@ -99999999999999999999 +1 @@", "@@ -1,2 +1,", " a", "-a", "+b", "+", "-",
    " ", "", "a", "\t", "\\ No newline at end of file", "```", "> ", "<<'EOF'", "EOF", "<<<<<<< SEARCH", "=======",
    ">>>>>>> REPLACE", "f.py", "\ufeff", "\0", "\ud800", "-- "
]  # fmt: skip


@st.composite
def torn_patches(draw: st.DrawFn) -> str:
    """Pieces of patches of every format in any order, with line endings and a cut in any place."""
    pieces = draw(st.lists(st.one_of(st.sampled_from(_PIECES), anything), max_size=25))
    text = "".join(piece + draw(st.sampled_from(["\n", "\n", "\n", "\r\n", ""])) for piece in pieces)
    begins = draw(st.sampled_from(["", "*** Begin Patch\n*** Update File: f\n", "--- a/f\n+++ b/f\n"]))
    return begins + text


files = st.dictionaries(
    st.sampled_from(["f", "n", "f.py", "dir/f"]), st.one_of(st.just("a\nb\na\n"), anything), max_size=3
)
"""Few files that torn patches may happen to name."""
