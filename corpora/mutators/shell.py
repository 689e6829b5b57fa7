"""Edits by shell commands: right ones, and the slips that only a shell has, which must be refused.

sed -i '3s/.*/    return total/' a.py       right
sed -i 's/reutrn/return/' a.py              matches nothing, and ends with exit code 0
sed 's/a/b/' a.py > a.py                    the shell has emptied the file before sed reads it
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from random import Random

from corpora.mutators.clean_edit import CleanEdit, Damaged, given, needs
from corpora.mutators.mutator import Mutator, Truth, degrees_of, summary_of
from corpora.mutators.words import invented_statement
from editcore.formats.patches import SHELL
from editcore.types import File


def by_line_number(clean: CleanEdit, _degree: int, _: Random) -> Damaged | None:
    """The line is replaced by its number with `sed -i`: the right answer is certain."""
    return _made(clean, f"{clean.line}s/.*/{_as_new(clean.new)}/") if _is_plain(clean) else None


def by_its_text(clean: CleanEdit, _degree: int, _: Random) -> Damaged | None:
    """The line is replaced by its text with `sed -i`; it stands once."""
    is_once = clean.content.split("\n").count(clean.old) == 1
    return _made(clean, _whole_line(clean.old, clean.new)) if _is_plain(clean) and is_once else None


def by_script(clean: CleanEdit, _degree: int, _: Random) -> Damaged | None:
    """A Python script in a here-document replaces the text."""
    written = SHELL.write(clean.path, clean.content, clean.target) if _is_plain(clean) else None
    return _damaged(clean, written.patch or "", is_right=True) if written else None


def matches_nothing(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """`sed -i` looks for a line that the file does not have."""
    other = invented_statement(clean.path, random)
    return _refused(clean, _whole_line(other, clean.new), "line_gone") if other not in clean.content else None


def part_matches_nothing(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """One of two parts of a script of sed matches nothing."""
    other = invented_statement(clean.path, random)
    both = f"{clean.line}s/.*/{_as_new(clean.new)}/; {_whole_line(other, 'x')}"
    return _refused(clean, both, "line_gone") if other not in clean.content else None


def matches_twice(clean: CleanEdit, _degree: int, _: Random) -> Damaged | None:
    """`sed -i` without g matches two lines, and nothing says that both are meant."""
    twice = replace(clean, content=f"{clean.content.rstrip(chr(10))}\n{clean.old}\n")
    return _refused(twice, _whole_line(clean.old, clean.new), "two_equal")


def empties_its_file(clean: CleanEdit, _degree: int, _: Random) -> Damaged | None:
    """The output of sed is redirected to the file that it reads."""
    needs(_is_plain(clean))
    path = shlex.quote(clean.path)
    script = shlex.quote(f"{clean.line}s/.*/{_as_new(clean.new)}/")
    return _damaged(clean, f"sed {script} {path} > {path}", reason="emptied")


def other_dialect(clean: CleanEdit, _degree: int, _: Random) -> Damaged | None:
    """`sed -i ''`, which is for BSD sed, with an edge of a word, which BSD sed does not know."""
    found = given(re.search(r"\b[A-Za-z_]{3,}\b", clean.old))
    needs(_is_plain(clean))
    script = shlex.quote(rf"{clean.line}s/\b{found[0]}\b/renamed/")
    return _damaged(clean, f"sed -i '' {script} {shlex.quote(clean.path)}", reason="dialect")


def _is_plain(clean: CleanEdit) -> bool:
    """True for the change of one line of a file that every sed reads alike."""
    content = clean.content
    return (
        clean.whole_lines and bool(clean.old) and bool(clean.new) and "\n" not in clean.old + clean.new
        and content.isascii() and content.endswith("\n") and "\r" not in content and clean.old != clean.new
        and not clean.path.startswith(("-", "/", "~"))
    )  # fmt: skip


def _as_new(text: str) -> str:
    return re.sub(r"([\\/&])", r"\\\1", text)


def _whole_line(old: str, new: str) -> str:
    literal = re.sub(r"([\\/.*^$\[])", r"\\\1", old)
    return f"s/^{literal}$/{_as_new(new)}/"


def _made(clean: CleanEdit, script: str) -> Damaged:
    return _damaged(clean, f"sed -i {shlex.quote(script)} {shlex.quote(clean.path)}", is_right=True)


def _refused(clean: CleanEdit, script: str, reason: str) -> Damaged | None:
    command = f"sed -i {shlex.quote(script)} {shlex.quote(clean.path)}"
    return _damaged(clean, command, reason=reason) if _is_plain(clean) else None


def _damaged(clean: CleanEdit, command: str, *, is_right: bool = False, reason: str | None = None) -> Damaged:
    target = (File(clean.path, clean.target),) if is_right else None
    return Damaged((File(clean.path, clean.content),), target, patch=command, reason=reason)


_RIGHT = (by_line_number, by_its_text, by_script)
_SLIPS = (matches_nothing, part_matches_nothing, matches_twice, empties_its_file, other_dialect)


def _mutators(
    truth: Truth, *damages: Callable[[CleanEdit, int, Random], Damaged | None]
) -> tuple[Mutator[CleanEdit], ...]:
    return tuple(
        Mutator(f"shell_{one.__name__}", summary_of(one), "shell", one, truth, None, degrees_of(one)) for one in damages
    )


SHELL_MUTATORS: tuple[Mutator[CleanEdit], ...] = (*_mutators("apply", *_RIGHT), *_mutators("refuse", *_SLIPS))
