"""A formatter ran, or a program changed line endings or the byte order mark: the lines say the same as before."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

from corpora.mutators.clean_edit import CleanEdit, given, n_places, needs
from corpora.mutators.mutator import Mutator
from corpora.mutators.spans import indentation
from corpora.mutators.stale.changes import changed_elsewhere
from corpora.mutators.stale.since import Since, kept_lines, parts_of, stale_mutators
from corpora.mutators.words import comment_marker, replace_tokens, tokens
from editcore.text.line_index import block_starts
from editcore.text.lines import BOM

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


MUTATORS: tuple[Mutator[Any], ...] = (
    *stale_mutators(reindented, other_quotes, truth="tolerate"),
    *stale_mutators(blank_lines, truth="tolerate", degrees=(1, 2), context=_CONTEXT),
    *stale_mutators(wrapped, truth="tolerate", patches=False),
    *stale_mutators(trimmed, truth="tolerate", context=_CONTEXT),
    *stale_mutators(in_a_block, truth="tolerate", patches=False),
    *stale_mutators(other_line_endings, byte_order_mark, degrees=(1, 2)),
)
