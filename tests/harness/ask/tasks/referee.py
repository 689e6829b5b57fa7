"""A referee of tasks, which shares no code with them: it reads a task's words, and finds every way to follow them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

Lines = Sequence[str]
Doing = Callable[[Lines], Iterator[list[str]]]
"""Lines -> every result of following the words."""

_BLOCK = r"(`{3,})\n(.*?)\n\%d"


def answers(words: str, lines: Lines) -> list[list[str]]:
    """Every result of following the words, each step on the result of the others; empty if a step is impossible."""
    found = [list(lines)]
    for step in _steps(words):
        doing = _doing(step)
        found = [result for before in found for result in doing(before)]
    return found


def _steps(words: str) -> list[str]:
    """The single steps, without their numbers. A number within a block starts no step."""
    if not words.startswith("1. "):
        return [words]
    steps, number, inside = list[list[str]](), 1, ""
    for line in words.split("\n"):
        if not inside and line.startswith(f"{number}. "):
            steps.append([line.removeprefix(f"{number}. ")])
            number += 1
            continue
        if inside and line == inside:
            inside = ""
        elif not inside and re.fullmatch("`{3,}", line):
            inside = line
        steps[-1].append(line)
    return ["\n".join(step).rstrip("\n") for step in steps]


def _blocks(step: str) -> tuple[list[list[str]], list[str]]:
    """The fenced blocks of a step, and the words between them."""
    blocks, between, inside, current = list[list[str]](), [""], "", list[str]()
    for line in step.split("\n"):
        if inside:
            if line == inside:
                blocks.append(current)
                inside = ""
                between.append("")
            else:
                current.append(line)
        elif re.fullmatch("`{3,}", line):
            inside, current = line, []
        else:
            between[-1] += f"{line}\n"
    return blocks, [one.strip() for one in between]


def _inline(words: str) -> list[str]:
    """The texts in backticks."""
    found = []
    for marks, text in re.findall(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", words):
        found.append(text[1:-1] if len(marks) > 1 else text)
    return found


def _same(one: str, other: str) -> bool:
    return re.sub(r"\s", "", one) == re.sub(r"\s", "", other)


def _at(lines: Lines, block: Lines) -> list[int]:
    return [n for n in range(len(lines) - len(block) + 1) if all(map(_same, lines[n : n + len(block)], block))]


def _doing(step: str) -> Doing:
    blocks, between = _blocks(step)
    first = between[0]
    if first.startswith(("Change these lines", "Delete these lines")):
        new = blocks[1] if len(blocks) > 1 else []
        return lambda lines: ([*lines[:n], *new, *lines[n + len(blocks[0]) :]] for n in _at(lines, blocks[0]))
    if first.startswith("In the line"):
        old, text = _inline(between[1])
        return lambda lines: (
            [*lines[:n], lines[n][:at] + text + lines[n][at + len(old) :], *lines[n + 1 :]]
            for n in _at(lines, blocks[0])
            for at in range(len(lines[n]))
            if lines[n].startswith(old, at)
        )
    if first.startswith("Directly below"):
        return lambda lines: ([*lines[: n + 1], *blocks[1], *lines[n + 1 :]] for n in _at(lines, blocks[0]))
    if first.startswith(("Replace the line", "Delete the line that")):
        new = blocks[1] if len(blocks) > 1 else []
        return lambda lines: ([*lines[:n], *new, *lines[n + 1 :]] for n in _at(lines, blocks[0]))
    if first.startswith("Delete the lines from"):
        new = blocks[2] if len(blocks) > 2 else []
        return lambda lines: (
            [*lines[:n], *new, *lines[end + 1 :]]
            for n in _at(lines, blocks[0]) for end in _at(lines, blocks[1]) if n <= end
        )  # fmt: skip
    if first.startswith("Move the lines"):
        return lambda lines: _moved(lines, *blocks)
    if first.startswith("Everywhere in the file"):
        old, text = _inline(first)
        return lambda lines: iter([[re.sub(rf"\b{old}\b", text, line) for line in lines]])
    if first.startswith("Wherever"):
        shown, argument, _ = _inline(first)
        return lambda lines: iter([_with_argument(lines, shown.removesuffix("(...)"), argument)])
    was, now = _inline(first)[:2]
    low, high = map(int, re.search(r"lines (\d+) to (\d+)", first).groups())  # type: ignore[union-attr]
    return lambda lines: (
        [*lines[:n], lines[n][:at] + was + lines[n][at + len(now) :], *lines[n + 1 :]]
        for n in range(low - 1, min(high, len(lines)))
        for at in range(len(lines[n]))
        if lines[n].startswith(now, at)
    )


def _moved(lines: Lines, first: Lines, last: Lines, below: Lines) -> Iterator[list[str]]:
    for n in _at(lines, first):
        for end in _at(lines, last):
            for at in _at(lines, below):
                if n <= end and not n <= at <= end:
                    moved = lines[n : end + 1]
                    marked = [
                        *((None, line) for line in lines[: at + 1]),
                        *((1, line) for line in moved),
                        *((None, line) for line in lines[at + 1 :]),
                    ]
                    gone = range(n, end + 1) if n < at else range(n + len(moved), end + 1 + len(moved))
                    yield [line for place, (_, line) in enumerate(marked) if place not in gone]


def _with_argument(lines: Lines, name: str, argument: str) -> list[str]:
    def added(found: re.Match[str]) -> str:
        return f"{name}({found[1]}, {argument})" if found[1].strip() else f"{name}({argument})"

    return [re.sub(rf"\b{name}\(([^()]*)\)", added, line) for line in lines]
