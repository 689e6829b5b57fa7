"""The unified diff of two texts, as GNU patch and `git apply` accept it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import AnyStr, Literal

from editcore.text import distances
from editcore.text.lines import with_feeds


def common_prefix(left: AnyStr, right: AnyStr) -> int:
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if right.startswith(left[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(left: AnyStr, right: AnyStr, *, most: int | None = None) -> int:
    n_left, n_right = len(left), len(right)
    low, high = 0, min(n_left, n_right) if most is None else most
    while low < high:
        middle = (low + high + 1) // 2
        if right.startswith(left[n_left - middle : n_left - low], n_right - middle):
            low = middle
        else:
            high = middle - 1
    return low


def common_ends(left: AnyStr, right: AnyStr) -> tuple[int, int]:
    start = common_prefix(left, right)
    return start, common_suffix(left, right, most=min(len(left), len(right)) - start)


def common_lines(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """The numbers of equal lines at the start, and at the end of the rest."""
    most = min(len(old), len(new))
    head = next((n for n in range(most) if old[n] != new[n]), most)
    tail = next((n for n in range(most - head) if old[-1 - n] != new[-1 - n]), most - head)
    return head, tail


_Opcode = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]
_SPECIAL = re.compile(r'["\\\x00-\x1f\x7f]|\s$')
"""Characters that make a file name be quoted in a header."""
_TOO_LARGE = 4_000_000
"""Between two landmarks, at most this many pairs of lines are compared."""
_REPETITIVE = 10_000, 4
"""Pairs of lines, and equal pairs per line, from which difflib would need cubic time."""
_NO_NEWLINE = "\\ No newline at end of file"


def unified_diff(before: str, after: str, *, path: str, context: int = 3, first_line: int = 1) -> str:
    """The unified diff that turns `before` into `after`; "" if they are equal.

    Only a line feed ends a line; a carriage return is part of its line. `first_line` is the 1-based number of the
    first line of both, which may be excerpts of a file.
    """
    if before == after:
        return ""
    old, new = _lines(before), _lines(after)
    header = [
        f"--- {_name(f'a/{path}')}" if before else "--- /dev/null",
        f"+++ {_name(f'b/{path}')}" if after else "+++ /dev/null",
    ]
    return "\n".join([*header, *_hunks(old, new, context, first_line - 1)]) + "\n"


def _name(path: str) -> str:
    """The file name as git writes it in a header."""
    if not _SPECIAL.search(path):
        # Without the tab, GNU patch ends the name at its first space.
        return f"{path}\t" if " " in path else path
    data = path.encode("utf-8", "surrogatepass")
    return '"{}"'.format(
        "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}" for byte in data)
    )


def changed_lines(before: str, after: str) -> tuple[int, int]:
    """The numbers of lines that the unified diff adds and removes: (additions, deletions)."""
    old, new = _lines(before), _lines(after)
    head, tail = common_lines(old, new)
    changes = [
        code for code in _opcodes(_framed(old, head, tail, 0), _framed(new, head, tail, 0)) if code[0] != "equal"
    ]
    return sum(code[4] - code[3] for code in changes), sum(code[2] - code[1] for code in changes)


def changed_ranges(before: str, after: str) -> list[tuple[int, int, str]]:
    """The changes of the unified diff as (first, last, new lines): lines `first` to `last` of `before` are replaced.

    Lines are 1-based and inclusive. An insertion before line n is (n, n - 1, lines).
    """
    old, new = with_feeds(before), with_feeds(after)
    head, tail = common_lines(old, new)
    codes = _opcodes(_framed(old, head, tail, 0), _framed(new, head, tail, 0))
    return [
        (head + a + 1, head + b, "".join(new[head + c : head + d])) for kind, a, b, c, d in codes if kind != "equal"
    ]


def _lines(text: str) -> list[str]:
    """The lines of `text`; a last line without a line feed carries the marker for that."""
    lines = text.split("\n")
    last = lines.pop()
    return [*lines, f"{last}\n{_NO_NEWLINE}"] if last else lines


def _hunks(old: list[str], new: list[str], context: int, above: int) -> Iterator[str]:
    head, tail = common_lines(old, new)
    first = max(head - context, 0)
    codes = _opcodes(_framed(old, head, tail, context), _framed(new, head, tail, context))
    for group in _grouped(codes, context):
        old_start, old_end = group[0][1] + first, group[-1][2] + first
        new_start, new_end = group[0][3] + first, group[-1][4] + first
        yield f"@@ -{_range(old_start + above, old_end + above)} +{_range(new_start + above, new_end + above)} @@"
        for kind, old_from, old_to, new_from, new_to in group:
            if kind == "equal":
                yield from (" " + line for line in old[first + old_from : first + old_to])
                continue
            yield from ("-" + line for line in old[first + old_from : first + old_to])
            yield from ("+" + line for line in new[first + new_from : first + new_to])


def _grouped(codes: list[_Opcode], context: int) -> Iterator[list[_Opcode]]:
    """The changes in groups, one for each hunk, with their context lines."""
    group: list[_Opcode] = []
    for n, (kind, a, b, c, d) in enumerate(codes):
        if kind == "equal" and n == len(codes) - 1:
            b, d = min(b, a + context), min(d, c + context)
        elif kind == "equal" and n > 0 and b - a > 2 * context:
            yield [*group, ("equal", a, a + context, c, c + context)]
            group = []
            a, c = b - context, d - context
        group.append((kind, a, b, c, d))
    yield group


def _framed(lines: list[str], head: int, tail: int, context: int) -> list[str]:
    """The lines from the first difference to the last, with placeholders for the context lines around them.

    A placeholder matches only its counterpart. A real context line could be matched with a line between the
    differences, and a hunk without context would be taken for one at the start or end of the file.
    """
    top = [f"\n{n}" for n in range(min(head, context))]
    bottom = [f"\n\n{n}" for n in range(min(tail, context))]
    return [*top, *lines[head : len(lines) - tail], *bottom]


def _opcodes(old: list[str], new: list[str]) -> list[_Opcode]:
    """The opcodes from `old` to `new`, as `difflib.SequenceMatcher` writes them.

    Only stretches between landmarks are matched line by line. A stretch that is still too large is replaced as a
    whole.
    """
    codes: list[_Opcode] = []
    at, to = 0, 0
    for landmark, counterpart in [*_landmarks(old, new), (len(old), len(new))]:
        n_old, n_new = landmark - at, counterpart - to
        if n_old * n_new > _TOO_LARGE:
            codes.append(("replace", at, landmark, to, counterpart))
        elif n_old or n_new:
            piece = _matched(old[at:landmark], new[to:counterpart])
            codes += ((kind, a + at, b + at, c + to, d + to) for kind, a, b, c, d in piece)
        at, to = min(landmark + 1, len(old)), min(counterpart + 1, len(new))
        if landmark < at:
            codes.append(("equal", landmark, at, counterpart, to))
    return _merged(codes)


def _matched(old: list[str], new: list[str]) -> Iterator[_Opcode]:
    """The opcodes of difflib; for repetitive lists, of a longest common subsequence."""
    if old == new:
        yield "equal", 0, len(old), 0, len(new)
        return
    if set(old).isdisjoint(new):
        yield "replace" if old and new else "delete" if old else "insert", 0, len(old), 0, len(new)
        return
    if len(old) * len(new) < _REPETITIVE[0] or not _is_repetitive(old, new):
        from difflib import SequenceMatcher

        yield from SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        return
    symbols = {line: chr(n) for n, line in enumerate(dict.fromkeys([*old, *new]))}
    rows = ["".join(map(symbols.__getitem__, lines)) for lines in (old, new)]
    at = to = 0
    # A removal and an insertion with nothing equal between them are one replacement.
    for code in [*distances.indel_opcodes(*rows), None]:
        if code is not None and code.tag != "equal":
            continue
        n_old, n_new = (code.src_start, code.dest_start) if code else (len(old), len(new))
        if at < n_old or to < n_new:
            yield "replace" if at < n_old and to < n_new else "delete" if at < n_old else "insert", at, n_old, to, n_new
        if code:
            yield "equal", code.src_start, code.src_end, code.dest_start, code.dest_end
            at, to = code.src_end, code.dest_end


def _is_repetitive(old: list[str], new: list[str]) -> bool:
    counts = Counter(new)
    return sum(counts[line] for line in old) >= _REPETITIVE[1] * (len(old) + len(new))


def _merged(codes: list[_Opcode]) -> list[_Opcode]:
    """The opcodes, adjacent ones of the same kind joined."""
    merged = codes[:1]
    for code in codes[1:]:
        if code[0] == merged[-1][0]:
            merged[-1] = (code[0], merged[-1][1], code[2], merged[-1][3], code[4])
        else:
            merged.append(code)
    return merged


def _landmarks(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Pairs (old, new) of lines that each list has once: a longest sequence in the same order in both."""
    counts, places = Counter(old), Counter(new)
    where = {line: n for n, line in enumerate(new) if places[line] == 1}
    pairs = [(n, where[line]) for n, line in enumerate(old) if counts[line] == 1 and line in where]
    # The longest ascending run: for each length the pair that ends it lowest, and each pair's predecessor.
    ends: list[int] = []
    chains: list[int] = []
    before: list[int] = []
    for n, (_, counterpart) in enumerate(pairs):
        length = bisect_left(ends, counterpart)
        before.append(chains[length - 1] if length else -1)
        ends[length : length + 1] = [counterpart]
        chains[length : length + 1] = [n]
    found = []
    n = chains[-1] if chains else -1
    while n >= 0:
        found.append(pairs[n])
        n = before[n]
    return found[::-1]


def _range(start: int, end: int) -> str:
    length = end - start
    # An empty range names the line before it.
    return f"{start + 1}" if length == 1 else f"{start + 1 if length else start},{length}"
