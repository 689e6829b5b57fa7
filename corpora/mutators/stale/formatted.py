"""Stale edits after a formatter or another program rewrote the file, and stale edits in other forms.

The lines of a rewritten file say the same as before. Other forms are two edits in one call, and insertions by number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

from corpora.mutators.clean_edit import CleanEdit, Damaged, given, n_places, needs
from corpora.mutators.mutator import Mutator, Truth, named
from corpora.mutators.spans import indentation
from corpora.mutators.stale.changes import changed_elsewhere
from corpora.mutators.stale.since import (
    Parts,
    Since,
    as_damaged,
    changed_by_another,
    kept_lines,
    other_line,
    parts_of,
    stale_mutators,
    summary_since,
)
from corpora.mutators.words import comment_marker, invented_statement, replace_tokens, tokens
from editcore.text.line_index import block_starts
from editcore.text.lines import BOM
from editcore.types import Edit

_EITHER_QUOTE = ("py", "pyi", "js", "jsx", "ts", "tsx", "css")
"""File name endings of languages in which both quotes mean the same."""
_NOT_WRAPPED = ("md", "yaml", "yml", "sh", "html", "css", "sql", "toml", "ini", "txt")
_CONTEXT = 3
"""The lines that a patch shows above and below a change."""
_FEWEST = 16
"""The least letters and digits of lines that can be recognized."""
_NO_TABS = ("yaml", "yml", "md")
_CALL = re.compile(r"(\s*[^\s#/][^(]*\()([^()\"'`]+, [^()\"'`]+)(\).*)")


def reindented(clean: CleanEdit, _degree: int, random: Random) -> Since | None:
    """Lines are indented by tabs, or by another number of columns."""
    lines = [*clean.content.split("\n"), *parts_of(clean).new]
    indents = sorted({indentation(line) for line in lines if line.strip()} - {""}, key=len)
    needs(indents and len({*"".join(indents)}) == 1 and not any(len(one) % len(indents[0]) for one in indents))
    unit = indents[0]
    units = ["  ", "    ", *([] if _ending(clean) in _NO_TABS else ["\t", "\t"])]
    other = random.choice([one for one in units if one != unit])

    def written(line: str) -> str:
        own = indentation(line)
        return other * (len(own) // len(unit)) + line[len(own) :]

    return _formatted(clean, written)


def other_quotes(clean: CleanEdit, _degree: int, random: Random) -> Since | None:
    """Strings have the other quotes."""
    old, new = random.choice(("'\"", "\"'"))

    def written(line: str) -> str:
        if old * 3 in line or new * 3 in line:
            return line
        strings = [
            one for one in tokens(line, "string") if one[0][0] == old and new not in one[0] and "\\" not in one[0]
        ]
        return replace_tokens(line, [(one, new + one[0][1:-1] + new) for one in strings])

    needs(_ending(clean) in _EITHER_QUOTE)
    since, parts = _formatted(clean, written), parts_of(clean)
    # New lines of the edit may keep the quotes that the edit has.
    as_written = [line if line not in parts.span else written(line) for line in parts.new]
    above, below = (list(map(written, lines)) for lines in (parts.above, parts.below))
    return replace(since, alternatives=(parts.text(above=above, span=as_written, below=below),))


def _formatted(clean: CleanEdit, written: Callable[[str], str]) -> Since:
    """The edit after each line was rewritten by `written`."""
    now, target = ("\n".join(map(written, text.split("\n"))) for text in (clean.content, clean.target))
    needs(now not in (clean.content, target))
    return Since(clean, now, target)


def _ending(clean: CleanEdit) -> str:
    return clean.path.rpartition(".")[2].lower()


def blank_lines(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """A blank line was added between two lines that the edit keeps; with degree 2, one was removed."""
    parts = parts_of(clean)
    kept = [parts.span[n] for n in kept_lines(parts)]
    if degree == 1:
        pairs = [(one, other) for one, other in pairwise(parts.span) if one in kept and other in kept]
        changes = [([one, other], [one, "", other]) for one, other in pairs]
    else:
        rows = zip(parts.span, parts.span[1:], parts.span[2:], strict=False)
        changes = [([a, "", c], [a, c]) for a, b, c in rows if not b and a in kept and c in kept]
    needs(changes)
    old, new = random.choice(changes)
    # In the new text of the edit, the lines may not follow each other.
    needs(next(block_starts(parts.new, old), None) is not None)
    return Since(
        clean, parts.text(span=_replaced(parts.span, old, new)), parts.text(span=_replaced(parts.new, old, new))
    )


def _replaced(lines: list[str], old: list[str], new: list[str]) -> list[str]:
    """The lines with the block `old` replaced by `new`; the first line of `old` occurs once."""
    at = lines.index(old[0])
    assert lines[at : at + len(old)] == old
    return [*lines[:at], *new, *lines[at + len(old) :]]


def wrapped(clean: CleanEdit, _degree: int, random: Random) -> Since | None:
    """A call in a line that the edit keeps was broken into one line for each argument."""
    parts = parts_of(clean)
    found = [(parts.span[n], call) for n in kept_lines(parts) if (call := _CALL.fullmatch(parts.span[n]))]
    needs(found and _ending(clean) not in _NOT_WRAPPED)
    line, call = random.choice(found)
    within = indentation(line)
    deeper = within + ("\t" if within.startswith("\t") else "    ")
    arguments = [f"{deeper}{one}," for one in call[2].split(", ")]
    lines = [call[1], *arguments[:-1], arguments[-1][:-1], within + call[3]]
    span, new = (_replaced(part, [line], lines) for part in (parts.span, parts.new))
    return Since(clean, parts.text(span=span), parts.text(span=new))


def trimmed(clean: CleanEdit, _degree: int, random: Random) -> Since | None:
    """Whitespace at the ends of lines that the edit quotes was removed."""
    parts = parts_of(clean)
    kept = [parts.span[n] for n in kept_lines(parts)]
    needs(kept and clean.whole_lines)
    chosen = random.sample(kept, random.randint(1, len(kept)))
    blanks = random.choice((" ", "  ", "\t"))
    old, new = ("\n".join([line + blanks * (line in chosen) for line in lines]) for lines in (parts.span, parts.new))
    seen = clean.with_old(old, new=new)
    return Since(seen, clean.content, clean.target)


def in_a_block(clean: CleanEdit, _degree: int, random: Random) -> Since | None:
    """The lines were indented, and put into a block."""
    parts = parts_of(clean)
    within = indentation(next((line for line in parts.span if line.strip()), ""))
    unit = "\t" if within.startswith("\t") else random.choice(("  ", "    "))
    colon = comment_marker(clean.path) == "#"
    head, tail = [within + ("if ready:" if colon else "if (ready) {")], [] if colon else [within + "}"]
    says = sum(map(str.isalnum, clean.old)) >= _FEWEST
    needs(clean.whole_lines and says and _ending(clean) not in _NO_TABS and n_places(clean.content, parts.span) == 1)

    def deeper(lines: list[str]) -> list[str]:
        return [*head, *(unit + line if line.strip() else line for line in lines), *tail]

    now, target = parts.text(span=deeper(parts.span)), parts.text(span=deeper(parts.new))
    # Lines that the edit adds at an end may also belong outside of the block.
    n = len(parts.span)
    outside = [[*deeper(parts.span), *parts.new[n:]]] if parts.new[:n] == parts.span else []
    outside += [[*parts.new[:-n], *deeper(parts.span)]] if parts.new[-n:] == parts.span else []
    return Since(clean, now, target, tuple([parts.text(span=span) for span in outside]))


# A program wrote the same lines with other line endings, or with a byte order mark.


def _rewritten(clean: CleanEdit, degree: int, random: Random, write: Callable[[str], str]) -> Since:
    """The edit after the whole file was written otherwise; with degree 2, lines far from it were also changed."""
    since = Since(clean, clean.content, clean.target) if degree == 1 else given(changed_elsewhere(clean, 3, random))
    return Since(clean, write(since.now), write(given(since.target)))


def other_line_endings(clean: CleanEdit, degree: int, random: Random) -> Since:
    """Lines end in CRLF; with degree 2, lines far from the edit were also changed."""
    needs("\r" not in clean.content + clean.new and clean.content.count("\n") >= 2)
    return _rewritten(clean, degree, random, lambda text: text.replace("\n", "\r\n"))


def byte_order_mark(clean: CleanEdit, degree: int, random: Random) -> Since:
    """The file begins with a byte order mark; with degree 2, lines far from the edit were also changed."""
    needs(not clean.content.startswith(BOM))
    return _rewritten(clean, degree, random, lambda text: BOM + text)


# Two edits in one call; another hand's changes are beside them, or in one of them.

_APART, _LONGEST = 6, 400
_TELLING = 12
"""The least letters and digits of a line that is edited alone."""


def two_edits_one_changed(clean: CleanEdit, degree: int, random: Random) -> Since | None:
    """The line of one of two edits in a call was changed; with degree 2, lines were added between the edits."""
    return _two(clean, degree, random, conflict=True)


def _two(clean: CleanEdit, degree: int, random: Random, *, conflict: bool) -> Since | None:
    """The edit and a second edit of a line below it, and the changes beside them."""
    parts = parts_of(clean)
    found = [n for n in range(_APART, len(parts.below) - 1) if _is_telling(parts.below[n], clean.content)]
    needs(clean.whole_lines and found)
    n = random.choice(found)
    old = parts.below[n]
    new = other_line(old, clean.path, random)
    added = [invented_statement(clean.path, random) for _ in range(random.randint(1, 3))]
    middle = n // 2

    def text(span: list[str], line: str, *, now: bool) -> str:
        above = [*added, *parts.above] if now and degree == 2 and not conflict else parts.above
        between = added if now and (degree == 2 or not conflict) else []
        below = [*parts.below[:middle], *between, *parts.below[middle:n], line, *parts.below[n + 1 :]]
        return parts.text(above=above, span=span, below=below)

    theirs = other_line(old, clean.path, random)
    needs(new != old and theirs not in (old, new) and old not in clean.new and new not in clean.content)
    edits = (Edit(clean.old, clean.new), Edit(old, new))
    now = text(parts.span, theirs if conflict else old, now=True)
    target = None if conflict else text(parts.new, new, now=True)
    needs(not conflict or old not in now)
    reason = "changed_since" if conflict else None
    return Since(clean, now, target, reason=reason, edits=edits, seen_target=text(parts.new, new, now=False))


def _is_telling(line: str, content: str) -> bool:
    says = sum(map(str.isalnum, line)) >= _TELLING and len(line) < _LONGEST
    return says and content.count(line) == 1


# Insertions below a line, by the number that the line had when the file was seen.

_FAR = 2
_Insertion = Callable[[CleanEdit, Parts, list[str], Random], Since | None]
"""(edit, its lines, the new lines to insert below them, randomness) -> the insertion."""


def insert_moved(clean: CleanEdit, parts: Parts, new: list[str], random: Random) -> Since | None:
    """Lines above were added, altered or removed."""
    needs(len(parts.above) > _FAR)
    above = [*changed_by_another(parts.above[:-_FAR], clean.path, random), *parts.above[-_FAR:]]
    return Since(clean, parts.text(above=above), parts.text(above=above, span=[*parts.span, *new]))


def insert_moved_below(clean: CleanEdit, parts: Parts, new: list[str], random: Random) -> Since | None:
    """Lines below were added, altered or removed."""
    needs(len(parts.below) > _FAR)
    below = [*parts.below[:_FAR], *changed_by_another(parts.below[_FAR:], clean.path, random)]
    return Since(clean, parts.text(below=below), parts.text(span=[*parts.span, *new], below=below))


def insert_place_gone(clean: CleanEdit, parts: Parts, _new: list[str], random: Random) -> Since | None:
    """The line and its neighbours were replaced."""
    others = [invented_statement(clean.path, random) for _ in range(random.randint(1, 4))]
    now = parts.text(above=parts.above[:-2], span=others, below=parts.below[2:])
    return Since(clean, now, None, reason="line_gone")


def insert_made(clean: CleanEdit, parts: Parts, new: list[str], _random: Random) -> Since | None:
    """The same lines were added there."""
    return Since(clean, parts.text(span=[*parts.span, *new]), None, reason="already_applied")


def _damage(insertion: _Insertion, clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    parts = parts_of(clean)
    needs(clean.whole_lines and clean.content.endswith("\n") and clean.end != len(clean.content))
    needs(n_places(clean.content, parts.span) == 1)
    new = [invented_statement(clean.path, random) for _ in range(degree)]
    since = given(insertion(clean, parts, new, random))
    needs(since.now != clean.content)
    text = "".join([f"{line}\n" for line in new])
    one = as_damaged(since, parts.text(span=[*parts.span, *new]))
    return replace(one, patch=text, line=len(parts.above) + len(parts.span))


def _mutators(*insertions: _Insertion, truth: Truth = "apply") -> Iterator[Mutator[CleanEdit]]:
    for one in insertions:
        summary = f"{summary_since(one).removesuffix('.')}; degree is the number of new lines."
        yield Mutator(f"since_{one.__name__}", summary, "insert", partial(_damage, one), truth, degrees=(1, 2, 3))


MUTATORS: tuple[Mutator[Any], ...] = (
    *stale_mutators(reindented, other_quotes, truth="tolerate"),
    *stale_mutators(blank_lines, truth="tolerate", degrees=(1, 2), context=_CONTEXT),
    *stale_mutators(wrapped, truth="tolerate", patches=False),
    *stale_mutators(trimmed, truth="tolerate", context=_CONTEXT),
    *stale_mutators(in_a_block, truth="tolerate", patches=False),
    *stale_mutators(other_line_endings, byte_order_mark, degrees=(1, 2)),
    *stale_mutators(
        named("two_edits", "Lines were added between two edits of one call; with degree 2, also above both.",
              lambda clean, degree, random: _two(clean, degree, random, conflict=False)),
        degrees=(1, 2), patches=False,
    ),
    *stale_mutators(two_edits_one_changed, truth="refuse", degrees=(1, 2), patches=False),
    *_mutators(insert_moved, insert_moved_below),
    *_mutators(insert_place_gone, insert_made, truth="refuse"),
)  # fmt: skip
