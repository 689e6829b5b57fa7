"""Before and after -> a unified diff that `patch` and `git apply` accept."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

_NO_NEWLINE = "\\ No newline at end of file"


def unified_diff(before: str, after: str, *, path: str, context: int = 3) -> str:
    """The unified diff that turns one text into the other, or the empty text where they are equal.

    Lines end in line feeds only; a carriage return stays part of its line.
    """
    if before == after:
        return ""
    old, new = _lines(before), _lines(after)
    if " " in path:
        # Else `patch` takes the name to end at the blank.
        path += "\t"
    header = [f"--- a/{path}" if before else "--- /dev/null", f"+++ b/{path}" if after else "+++ /dev/null"]
    return "\n".join([*header, *_hunks(old, new, context)]) + "\n"


def _lines(text: str) -> list[str]:
    """The lines; one without a line feed at its end carries the marker that says so."""
    lines = text.split("\n")
    last = lines.pop()
    return [*lines, f"{last}\n{_NO_NEWLINE}"] if last else lines


def _hunks(old: list[str], new: list[str], context: int) -> Iterator[str]:
    head, tail = _common(old, new)
    first = max(head - context, 0)
    matcher = SequenceMatcher(
        None, _framed(old, head, tail, context), _framed(new, head, tail, context), autojunk=False
    )
    for group in matcher.get_grouped_opcodes(context):
        old_start, old_end = group[0][1] + first, group[-1][2] + first
        new_start, new_end = group[0][3] + first, group[-1][4] + first
        yield f"@@ -{_range(old_start, old_end)} +{_range(new_start, new_end)} @@"
        for kind, old_from, old_to, new_from, new_to in group:
            if kind == "equal":
                yield from (" " + line for line in old[first + old_from : first + old_to])
                continue
            yield from ("-" + line for line in old[first + old_from : first + old_to])
            yield from ("+" + line for line in new[first + new_from : first + new_to])


def _framed(lines: list[str], head: int, tail: int, context: int) -> list[str]:
    """What the matcher sees: from the first to the last difference, since it is quadratic, and the context round them.

    The lines of the context are stand-ins that only match each other. As themselves they could be matched
    with lines between the differences, and a hunk without its context is taken for one at the file's edge.
    """
    top = [f"\n{n}" for n in range(min(head, context))]
    bottom = [f"\n\n{n}" for n in range(min(tail, context))]
    return [*top, *lines[head : len(lines) - tail], *bottom]


def _common(old: list[str], new: list[str]) -> tuple[int, int]:
    """How many lines are the same at the start, and then at the end."""
    most = min(len(old), len(new))
    head = next((n for n in range(most) if old[n] != new[n]), most)
    tail = next((n for n in range(most - head) if old[-1 - n] != new[-1 - n]), most - head)
    return head, tail


def _range(start: int, end: int) -> str:
    length = end - start
    # An empty range names the line before it.
    return f"{start + 1}" if length == 1 else f"{start + 1 if length else start},{length}"
