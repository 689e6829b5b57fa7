"""Rounds of calls that are in flight together, and their effects: lost updates, torn files, duplicates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

from editcore.quoting import first_line

IN_FLIGHT = 16
"""The calls of a round, which are made at once."""
_N_LINES = 400
"""Lines of a file: too long a text to be written in one go."""


class Scene(NamedTuple):
    name: str
    n_files: int
    n_reads: int
    """Reads among the calls of a round; the others are edits."""


SCENES = (Scene("one file", 1, 0), Scene("one file, with reads", 1, 8), Scene("many files, with reads", 4, 8))


@dataclass(frozen=True, slots=True)
class Call:
    """One call: an edit of one line of a file, or a read of the file."""

    kind: Literal["edit", "read"]
    path: str
    """The path below the folder."""
    old: str = ""
    new: str = ""


class Answer(NamedTuple):
    """A side's answer to a call."""

    is_done: bool
    text: str = ""
    """The text of a read, or the message of a refusal."""


@dataclass(slots=True)
class Counts:
    n_calls: int = 0
    n_lost: int = 0
    """Edits that were reported as made and whose line is missing."""
    n_torn: int = 0
    """Files with a line that nobody wrote, or without a line that nobody removed."""
    n_duplicates: int = 0
    """Lines that occur once too often."""
    n_torn_reads: int = 0
    """Answers to a read that lack a line."""
    n_unsaid: int = 0
    """Edits that were refused and are there."""
    n_edits: int = 0
    n_refused: int = 0
    n_refused_edits: int = 0
    refusal: str = ""
    """The first refusal of an edit."""

    def __iadd__(self, other: Counts) -> Counts:
        for name in self.__slots__:
            if name != "refusal":
                setattr(self, name, getattr(self, name) + getattr(other, name))
        self.refusal = self.refusal or other.refusal
        return self

    def per_thousand(self) -> dict[str, float]:
        """Each count for a thousand calls, by its name."""
        named = {
            "lost": self.n_lost, "torn": self.n_torn, "duplicates": self.n_duplicates,
            "torn reads": self.n_torn_reads, "made though refused": self.n_unsaid, "refused": self.n_refused,
        }  # fmt: skip
        return {name: 1_000 * n / max(self.n_calls, 1) for name, n in named.items()}

    def broken(self) -> str | None:
        """One line on what did not hold. A refusal is no defect, because the caller knows of it."""
        found = {
            "lost updates": self.n_lost, "torn files": self.n_torn, "duplicate lines": self.n_duplicates,
            "torn reads": self.n_torn_reads, "edits made though refused": self.n_unsaid,
        }  # fmt: skip
        if self.n_refused_edits == self.n_edits and not self.n_unsaid:
            return f"every edit was refused, which proves nothing: {first_line(self.refusal, limit=200)}"
        return ", ".join(f"{n} {what}" for what, n in found.items() if n) or None


class Round:
    """Files of numbered lines, and calls for some of them, in any order."""

    def __init__(self, folder: Path, scene: Scene, random: Random, number: int) -> None:
        self._folder = folder
        self.files = {f"round{number}_{at}.txt": _lines(at) for at in range(scene.n_files)}
        paths = [*self.files]
        edits: list[Call] = []
        for at in range(IN_FLIGHT - scene.n_reads):
            path = paths[at % len(paths)]
            taken = {call.old for call in edits if call.path == path}
            old = random.choice([line for line in self.files[path] if line not in taken])
            edits.append(Call("edit", path, old, old.replace(" before", " after")))
        reads = [Call("read", random.choice(paths)) for _ in range(scene.n_reads)]
        self.calls = random.sample([*edits, *reads], len(edits) + len(reads))

    def write(self) -> None:
        for path, lines in self.files.items():
            (self._folder / path).write_text(_text(lines), encoding="utf-8")

    def hidden(self, reads: Sequence[Answer]) -> str | None:
        """One line on the first read that does not show its whole file; None if every read does."""
        for path, answer in zip(self.files, reads, strict=True):
            if not answer.is_done or not self._is_whole(path, answer.text):
                shown = first_line(answer.text, limit=100) or "no answer"
                return f"the read shows not all {_N_LINES} lines of {self._folder / path}: {shown}"
        return None

    def judged(self, answers: Sequence[Answer]) -> Counts:
        """The counts of a round, from its answers and its files."""
        found = Counts(len(self.calls))
        there = {path: self._found_lines(path) for path in self.files}
        for call, answer in zip(self.calls, answers, strict=True):
            found.n_refused += not answer.is_done
            if call.kind == "read":
                found.n_torn_reads += answer.is_done and not self._is_whole(call.path, answer.text)
            else:
                found.n_edits += 1
                if not answer.is_done:
                    found.n_refused_edits += 1
                    found.refusal = found.refusal or answer.text
                is_there = there[call.path][call.new] > 0
                found.n_lost += answer.is_done and not is_there
                found.n_unsaid += is_there and not answer.is_done
        for path, lines in there.items():
            numbers = Counter({_number(line): 0 for line in self.files[path]})
            known = {*self.files[path], *(call.new for call in self.calls if call.path == path)}
            for line, n in lines.items():
                if line in known:
                    numbers[_number(line)] += n
            found.n_torn += any(line not in known for line in lines) or not all(numbers.values())
            found.n_duplicates += sum(n - 1 for n in numbers.values() if n > 1)
        return found

    def _found_lines(self, path: str) -> Counter[str]:
        try:
            # The drill's own files, in its own folder, each of some kilobytes; a server may have replaced one.
            text = (self._folder / path).read_bytes().decode("utf-8", "replace")
        except OSError:
            return Counter()
        return Counter(text.removesuffix("\n").split("\n"))

    def _is_whole(self, path: str, text: str) -> bool:
        """True if a read shows every line, in any form."""
        return all(_number(line) in text for line in self.files[path])


def _lines(at: int) -> list[str]:
    return [f"slot_{at}_{number:04} = before  # {'padding ' * 4}{number}" for number in range(_N_LINES)]


def _number(line: str) -> str:
    return line.partition(" = ")[0]


def _text(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"
