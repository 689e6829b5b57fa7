"""Generators of patches of every format: correct ones, damaged ones, and pieces of patches in any order."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from random import Random

from editcore.anchors.calls import Change
from editcore.anchors.views import ended_lines, write_call
from editcore.formats import FORMATS
from editcore.types import FilePatch, Hunk
from harness.fuzz.generators.documents import document, line
from harness.fuzz.generators.drawn import DRAWN
from harness.fuzz.generators.edits import changed
from harness.fuzz.inputs import PATH, Fields, question_of

ENVELOPE_PIECES = (
    "*** Begin Patch", "*** End Patch", "*** Update File: f", "*** Update File: g", "*** Add File: n",
    "*** Delete File: f",
    "*** Move to: g", "*** End of File", "*** Environment ID: e", "@@", "@@ a", "@@ def f0(x):", "@@ -1,2 +1,2 @@",
    "```",
    "<<'EOF'", "EOF", " a", "-a", "+b", "+", "-", " ", "", "\t", "\ufeff", "*** Update File: ../f", "*** Add File: /n",
)  # fmt: skip
DIFF_PIECES = (
    "diff --git a/f b/f", "diff --git a/f b/g", "--- a/f", "+++ b/f", "--- f", "+++ f", "--- /dev/null",
    "+++ /dev/null",
    '--- "a/\\303\\251"', "rename from f", "rename to g", "new file mode 100644", "deleted file mode 100644",
    "old mode 100644",
    "copy from f", "index 1..2", "GIT binary patch", "@@", "@@ @@", "@@ ... @@", "@@ -1,2 +1,2 @@", "@@ -1 +1 @@ a",
    "@@ -0,0 +1 @@", "@@ -99999999999999999999 +1 @@", "@@ -1,2 +1,", " a", "-a", "+b", "+", "-", " ", "",
    "\\ No newline at end of file", "```diff", "> ", "--- a/../f", "-- ",
)  # fmt: skip
BLOCK_PIECES = (
    "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "f", "```", "<<<<<<< ORIGINAL", ">>>>>>> UPDATED", "a", ""
)  # fmt: skip


def begin_patch(rng: Random) -> Fields:
    """A drawn Begin/End Patch, mostly with one or two wrong lines, and the files it is for."""
    patch, *files = question_of(DRAWN["begin_patch"](rng))
    return _noisy(patch.split("\n"), ENVELOPE_PIECES, rng), *files


def envelope_for(content: str, rng: Random) -> str:
    """A Begin/End Patch for a file, mostly with one or two wrong lines."""
    written = FORMATS["begin_patch"].write(PATH, content, changed(content, rng))
    return _noisy((written.patch or "" if written else "").split("\n"), ENVELOPE_PIECES, rng)


def diff(rng: Random) -> Fields:
    """A drawn unified diff, mostly with one or two wrong lines, and the files it is for."""
    patch, *files = question_of(DRAWN["unified_diff"](rng))
    if rng.random() < 0.15:
        patch = patch.replace("--- a/", "--- ").replace("+++ b/", "+++ ")
    return _noisy(patch.split("\n"), DIFF_PIECES, rng), *files


def _doubled(lines: list[str], rng: Random) -> None:
    at = rng.randrange(len(lines))
    lines[at:at] = lines[at : at + rng.randint(1, 3)]


def _lost(lines: list[str], rng: Random) -> None:
    at = rng.randrange(len(lines))
    del lines[at : at + 1]


def _drifted(lines: list[str], rng: Random) -> None:
    at = rng.randrange(len(lines))
    one = lines[at]
    lines[at] = rng.choice(
        (one[:1] + "  " + one[1:], one + " ", one[:1] + one[1:].lstrip(), one[1:], f" {one}", one[:1] + line(rng))
    )


def _swapped(lines: list[str], rng: Random) -> None:
    at = rng.randrange(len(lines))
    lines[at - 1], lines[at] = lines[at], lines[at - 1]


_NOISES: tuple[Callable[[list[str], Random], None], ...] = (_doubled, _lost, _drifted, _drifted, _swapped)


def _noisy(lines: list[str], pieces: tuple[str, ...], rng: Random) -> str:
    """The patch, mostly with one or two wrong lines, sometimes fenced, cut off or with other line endings."""
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        if rng.random() < 0.3:
            lines.insert(rng.randint(0, len(lines)), rng.choice(pieces))
        elif lines:
            rng.choice(_NOISES)(lines, rng)
    kind = rng.random()
    if kind < 0.08:
        lines = ["Here it is:", "", "```diff", *lines, "```", "Done."]
    text = rng.choice(("\n", "\n", "\n", "\n", "\r\n")).join(lines) + rng.choice(("\n", "\n", ""))
    return text[: rng.randint(0, len(text))] if kind > 0.92 else text


def torn(rng: Random) -> str:
    """Lines of patches of every format in any order."""
    pieces = ENVELOPE_PIECES + DIFF_PIECES + BLOCK_PIECES
    lines = [rng.choice(pieces) if rng.random() < 0.8 else line(rng) for _ in range(rng.randint(0, 25))]
    return rng.choice(("\n", "\n", "\r\n", "\r", "\\n")).join(lines)


def torn_only(rng: Random) -> Fields:
    """A patch without files, damaged or of random lines."""
    return (torn(rng) if rng.random() < 0.5 else rng.choice((begin_patch, diff))(rng)[0],)


def rendered(patches: list[FilePatch]) -> str:
    """Sections written as a Begin/End Patch."""
    lines = ["*** Begin Patch"]
    for patch in patches:
        lines.append(f"*** {patch.action.title()} File: {patch.path}")
        if patch.move_to is not None:
            lines.append(f"*** Move to: {patch.move_to}")
        for hunk in patch.hunks:
            if patch.action == "update":
                lines += [f"@@ {anchor}" for anchor in hunk.anchors[:-1]]
                lines.append(" ".join(["@@", *hunk.anchors[-1:]]))
            lines += hunk.lines
            if hunk.end_of_file:
                lines.append("*** End of File")
    return "\n".join([*lines, "*** End Patch"]) + "\n"


def sections(rng: Random) -> list[FilePatch]:
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


# Calls in anchored formats: right calls, calls with wrong numbers, and torn ones; some for texts that changed since.

HUNK_PIECES = (
    "PUT 1.=2:", "PUT 2.=2:", "PUT <1:", "PUT >1:", "PUT >$:", "PUT 1*:", "CUT 1.=1",
    "CUT 2.=3 @r", "CUT 1*", "PUT >1 @r",
    "PUT >2", "PUT 1.=1: @r", "+a", "+", "a", "-a", "- a", "", "2:a", "PUT 1-2:", "PUT 3.=1:", "1.=2:", "REM", "MV g",
    "[f#0000]", "*** Begin Patch", "*** End Patch", "*** Abort", "# a",
)  # fmt: skip
JSON_PIECES = (
    '"lines": null', '"lines": [""]', '"op": "append"', '"op": "prepend"', '"pos": "1#ZZ"', '"new_text": ""',
    '["0|AA|", "a", "x"]', '["$", "d"]', '"%"', "{"
)  # fmt: skip


def _changes(text: str, rng: Random) -> list[Change]:
    """One to three changes of a text, mostly apart, with new lines that may repeat those around them."""
    lines, found, at = ended_lines(text) or [""], list[Change](), 1
    for n in range(rng.choice((1, 1, 1, 2, 3))):
        if at > len(lines):
            break
        first = rng.randint(at, len(lines))
        last = min(first + rng.choice((0, 0, 1, 3)), len(lines))
        around = lines[max(first - 2, 0) : last + 1]
        new = [rng.choice((line(rng).rstrip("\r"), line(rng).rstrip("\r"), rng.choice(around)))
               for _ in range(rng.choice((0, 1, 1, 2, 3)))]  # fmt: skip
        kind = rng.choice(("replace", "replace", "replace", "after", "before"))
        if kind == "replace":
            found.append(Change("replace", first, last, tuple(new), n))
        else:
            is_anchored = rng.random() < 0.8
            found.append(
                Change("after" if kind == "after" else "before", first, first, tuple(new or ["N"]), n,
                       is_anchored=is_anchored)
            )  # fmt: skip
        at = last + 1 if rng.random() < 0.9 else first
    return found


def _slipped(call: str, rng: Random) -> str:
    """The call with a number that is one too low or too high."""
    places = [found.span() for found in re.finditer(r"\d+(?=[#:.=*|\"])", call)]
    if not places:
        return call
    start, end = rng.choice(places)
    return f"{call[:start]}{int(call[start:end]) + rng.choice((-1, 1))}{call[end:]}"


def _torn(call: str, rng: Random, format: str) -> str:
    """The call with a piece of its grammar in a place where none was, or without some characters."""
    if format == "hashline_h4":
        rows = call.split("\n")
        rows.insert(rng.randint(1, len(rows)), rng.choice(HUNK_PIECES))
        return "\n".join(rows)
    start = rng.randrange(len(call) + 1)
    return call[:start] + rng.choice(("", *JSON_PIECES)) + call[start + rng.randint(0, 6) :]


def _anchored(format: str, rng: Random) -> Fields:
    seen = document(rng)
    path = PATH if rng.random() < 0.97 else f"d/{PATH}"
    call = write_call(format, seen, _changes(seen, rng), path=path)
    if rng.random() < 0.2:
        call = _slipped(call, rng)
    if rng.random() < 0.2:
        call = _torn(call, rng, format)
    return (call, seen) if rng.random() < 0.6 else (call, changed(seen, rng), seen)


def anchored(format: str) -> Callable[[Random], Fields]:
    """The generator of calls in a format, with the current text and, if it differs, the text that was seen."""
    return partial(_anchored, format)
