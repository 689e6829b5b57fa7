"""Slips of the pen in the middle of a find: the place is plain, but the find says something else than the file."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator
from corpora.mutators.search_lines import indentation, inexact_edit, inexact_edit_of_lines, pick, swap_neighbours
from corpora.mutators.spans import with_old_text
from corpora.mutators.words import another_name, another_number, comment_marker, replace_tokens, tokens

_WRONG = {"==": "=", "!=": "==", "<=": "<", ">=": ">", "<": "<=", ">": ">=", "+": "-", "-": "+", "*": "+", "/": "*"}


def _with_wrong_tokens(
    clean: CleanEdit, severity: int, random: Random, kind: str, slip: Callable[[str, Random], str]
) -> Damaged | None:
    """The edit with other tokens of a kind in the middle lines of its find, as many as severity says."""
    start, end = len(clean.lines[0]) + 1, len(clean.old) - len(clean.lines[-1]) - 1
    if len(clean.lines) < 3:
        return None
    candidates = [token for token in tokens(clean.old, kind, start, end) if slip(token[0], random) != token[0]]
    others = [(token, slip(token[0], random)) for token in pick(candidates, severity, random)]
    return inexact_edit(clean, replace_tokens(clean.old, others))


def wrong_identifier(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """Names in the find are others."""
    return _with_wrong_tokens(clean, severity, random, "name", another_name)


def wrong_number(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """Numbers in the find are others."""
    return _with_wrong_tokens(clean, severity, random, "number", another_number)


def wrong_operator(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """Operators in the find are others."""
    return _with_wrong_tokens(clean, severity, random, "operator", lambda operator, _: _WRONG.get(operator, operator))


def transposed_letters(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """Two letters of names in the find have changed places."""
    return _with_wrong_tokens(clean, severity, random, "name", _transposed)


def _transposed(name: str, random: Random) -> str:
    unequal = [at for at in range(1, len(name)) if name[at - 1] != name[at]]
    if len(name) < 4 or not unequal:
        return name
    at = random.choice(unequal)
    return name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :]


def letter_case(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """Names in the find are lower case, or capitalized where they are lower case."""
    return _with_wrong_tokens(
        clean, severity, random, "name", lambda name, _: name.title() if name.islower() else name.lower()
    )


def paraphrased_comment(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """A comment in the middle of the find lacks some of its words."""
    start, end = len(clean.lines[0]) + 1, len(clean.old) - len(clean.lines[-1]) - 1
    if len(clean.lines) < 3:
        return None
    comments = [comment for comment in tokens(clean.old, "comment", start, end) if comment[0].count(" ") > 1]
    if not comments:
        seen = _with_comment(clean, random)
        return None if seen is clean else paraphrased_comment(seen, severity, random)
    comment = random.choice(comments)
    mark, *words = comment[0].split(" ")
    kept = pick(words, max(1, len(words) - severity), random)
    return inexact_edit(clean, replace_tokens(clean.old, [(comment, " ".join([mark, *kept]))]))


def _with_comment(clean: CleanEdit, random: Random) -> CleanEdit:
    """The edit of a file that has a comment in the middle of the span; itself where its language has another mark."""
    mark, lines = comment_marker(clean.path), list(clean.lines)
    if mark == "--":
        return clean
    at = random.randint(1, len(lines) - 1)
    lines.insert(at, f"{indentation(lines[at])}{mark} keep the order in which the callers passed them")
    return with_old_text(clean, "\n".join(lines))


def reordered_lines(clean: CleanEdit, severity: int, random: Random) -> Damaged | None:
    """Neighbouring lines in the middle of the find have changed places."""
    return inexact_edit_of_lines(clean, swap_neighbours(clean.lines, severity, random))


MUTATORS: tuple[Mutator[CleanEdit], ...] = tuple(
    Mutator(name, summary, "str_replace", damage, truth="drift", absorber="block_anchor")
    for name, summary, damage in (
        ("wrong_identifier", "Names inside the find are others; severity is their number.", wrong_identifier),
        ("wrong_number", "Numbers inside the find are others; severity is their number.", wrong_number),
        ("wrong_operator", "Operators inside the find are others; severity is their number.", wrong_operator),
        ("transposed_letters", "Letters inside the find changed places; severity is the number.", transposed_letters),
        ("letter_case", "Names inside the find are in another case; severity is their number.", letter_case),
        ("paraphrased_comment", "A comment lacks words; severity is their number.", paraphrased_comment),
        ("reordered_lines", "Lines inside the find changed places; severity is the number.", reordered_lines),
    )
)
