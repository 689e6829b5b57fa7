"""A literal, line-by-line port of the nine replacers, slow on purpose.

The port is the oracle for the fast replacers and the baseline of `editgauge bench`. It follows the behaviour of the
original and shares nothing with editcore, not even the definition of whitespace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import floor

WS = "".join(
    map(
        chr,
        [9, 10, 11, 12, 13, 0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF],
    )
)
WS_RUN = re.compile("[" + WS + "]+")


def trim(text: str) -> str:
    return text.strip(WS)


def normalize(text: str) -> str:
    return trim(WS_RUN.sub(" ", text))


def levenshtein(a: str, b: str) -> int:
    if a == "" or b == "":
        return max(len(a), len(b))
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above = row
        row = [i] + [0] * len(b)
        for j, y in enumerate(b, 1):
            row[j] = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y))
    return row[-1]


def joined(lines: list[str], start: int, end: int) -> str:
    """Lines `start` to `end`, both included, as the original cuts them by character offsets."""
    return "\n".join(lines[start : end + 1])


def simple(_content: str, find: str) -> Iterator[str]:
    yield find


def line_trimmed(content: str, find: str) -> Iterator[str]:
    content_lines = content.split("\n")
    find_lines = find.split("\n")
    if find_lines[-1] == "":
        find_lines.pop()
    for i in range(len(content_lines) - len(find_lines) + 1):
        matches = True
        for j in range(len(find_lines)):
            if trim(content_lines[i + j]) != trim(find_lines[j]):
                matches = False
                break
        if matches:
            yield joined(content_lines, i, i + len(find_lines) - 1)


def block_anchor(
    content: str, find: str, *, single: float = 0.0, several: float = 0.3, window: float | None = None
) -> Iterator[str]:
    content_lines = content.split("\n")
    find_lines = find.split("\n")
    if len(find_lines) < 3:
        return
    if find_lines[-1] == "":
        find_lines.pop()
    first, last = trim(find_lines[0]), trim(find_lines[-1])
    size = len(find_lines)
    pairs = []
    for i in range(len(content_lines)):
        if trim(content_lines[i]) != first:
            continue
        for j in range(i + 2, len(content_lines)):
            if trim(content_lines[j]) == last:
                if window is None or abs(j - i + 1 - size) <= max(1, floor(size * window)):
                    pairs.append((i, j))
                break
    if not pairs:
        return
    if len(pairs) == 1:
        i, j = pairs[0]
        actual = j - i + 1
        to_check = min(size - 2, actual - 2)
        similarity = 0.0
        if to_check > 0:
            k = 1
            while k < size - 1 and k < actual - 1:
                a, b = trim(content_lines[i + k]), trim(find_lines[k])
                longer = max(len(a), len(b))
                k += 1
                if longer == 0:
                    continue
                similarity += (1 - levenshtein(a, b) / longer) / to_check
                if similarity >= single:
                    break
        else:
            similarity = 1.0
        if similarity >= single:
            yield joined(content_lines, i, j)
        return
    best, highest = None, -1.0
    for i, j in pairs:
        actual = j - i + 1
        to_check = min(size - 2, actual - 2)
        similarity = 0.0
        if to_check > 0:
            for k in range(1, min(size - 1, actual - 1)):
                a, b = trim(content_lines[i + k]), trim(find_lines[k])
                longer = max(len(a), len(b))
                if longer == 0:
                    continue
                similarity += 1 - levenshtein(a, b) / longer
            similarity /= to_check
        else:
            similarity = 1.0
        if similarity > highest:
            best, highest = (i, j), similarity
    if highest >= several and best is not None:
        yield joined(content_lines, *best)


def whitespace_normalized(content: str, find: str) -> Iterator[str]:
    sought = normalize(find)
    lines = content.split("\n")
    for line in lines:
        if normalize(line) == sought:
            yield line
        elif sought in normalize(line):
            words = WS_RUN.split(trim(find))
            match = re.search(f"[{WS}]+".join(re.escape(word) for word in words), line)
            if match:
                yield match[0]
    find_lines = find.split("\n")
    if len(find_lines) > 1:
        for i in range(len(lines) - len(find_lines) + 1):
            block = "\n".join(lines[i : i + len(find_lines)])
            if normalize(block) == sought:
                yield block


def dedent(text: str) -> str:
    lines = text.split("\n")
    non_blank = [line for line in lines if trim(line)]
    if not non_blank:
        return text
    least = min(len(line) - len(line.lstrip(WS)) for line in non_blank)
    return "\n".join(line[least:] if trim(line) else line for line in lines)


def windows(content: str, n_lines: int) -> Iterator[str]:
    lines = content.split("\n")
    for i in range(len(lines) - n_lines + 1):
        yield "\n".join(lines[i : i + n_lines])


def indentation_flexible(content: str, find: str) -> Iterator[str]:
    sought = dedent(find)
    for block in windows(content, len(find.split("\n"))):
        if dedent(block) == sought:
            yield block


def unescape(text: str) -> str:
    meaning = {"n": "\n", "t": "\t", "r": "\r"}
    return re.sub(r"\\(n|t|r|'|\"|`|\\|\n|\$)", lambda match: meaning.get(match[1], match[1]), text)


def escape_normalized(content: str, find: str) -> Iterator[str]:
    sought = unescape(find)
    if sought in content:
        yield sought
    for block in windows(content, len(sought.split("\n"))):
        if unescape(block) == sought:
            yield block


def trimmed_boundary(content: str, find: str) -> Iterator[str]:
    trimmed = trim(find)
    if trimmed == find:
        return
    if trimmed in content:
        yield trimmed
    for block in windows(content, len(find.split("\n"))):
        if trim(block) == trimmed:
            yield block


def context_aware(content: str, find: str) -> Iterator[str]:
    find_lines = find.split("\n")
    if len(find_lines) < 3:
        return
    if find_lines[-1] == "":
        find_lines.pop()
    content_lines = content.split("\n")
    first, last = trim(find_lines[0]), trim(find_lines[-1])
    for i in range(len(content_lines)):
        if trim(content_lines[i]) != first:
            continue
        for j in range(i + 2, len(content_lines)):
            if trim(content_lines[j]) != last:
                continue
            block_lines = content_lines[i : j + 1]
            if len(block_lines) == len(find_lines):
                equal = total = 0
                for k in range(1, len(block_lines) - 1):
                    a, b = trim(block_lines[k]), trim(find_lines[k])
                    if a or b:
                        total += 1
                        equal += a == b
                if total == 0 or equal / total >= 0.5:
                    yield "\n".join(block_lines)
            break


def multi_occurrence(content: str, find: str) -> Iterator[str]:
    start = 0
    while find:
        at = content.find(find, start)
        if at == -1:
            break
        yield find
        start = at + len(find)


LITERAL: dict[str, Callable[[str, str], Iterator[str]]] = {
    "simple": simple,
    "line_trimmed": line_trimmed,
    "block_anchor": block_anchor,
    "whitespace_normalized": whitespace_normalized,
    "indentation_flexible": indentation_flexible,
    "escape_normalized": escape_normalized,
    "trimmed_boundary": trimmed_boundary,
    "context_aware": context_aware,
    "multi_occurrence": multi_occurrence,
}


def replace(
    content: str,
    find: str,
    replacement: str,
    *,
    replace_all: bool = False,
    replacers: dict[str, Callable[[str, str], Iterator[str]]] = LITERAL,
    size_guard: bool = False,
) -> tuple[str, str]:
    """("applied", content) or ("rejected", reason)."""
    if find == replacement:
        return "rejected", "identical"
    if find == "":
        return "rejected", "empty"
    found = False
    for replacer in replacers.values():
        for candidate in replacer(content, find):
            at = content.find(candidate)
            if at == -1:
                continue
            found = True
            if size_guard and disproportionate(candidate, find):
                return "rejected", "disproportionate"
            if replace_all:
                return "applied", content.replace(candidate, replacement)
            if at != content.rfind(candidate):
                continue
            return "applied", content[:at] + replacement + content[at + len(candidate) :]
    return "rejected", "ambiguous" if found else "no_match"


def disproportionate(candidate: str, find: str) -> bool:
    a, b = len(find.split("\n")), len(candidate.split("\n"))
    if b >= max(a + 3, 2 * a):
        return True
    if a == 1:
        return False
    return len(trim(candidate)) > max(len(trim(find)) + 500, 4 * len(trim(find)))
