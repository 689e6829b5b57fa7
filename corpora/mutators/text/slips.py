"""Slips in the middle of a search text: its place is plain, but it says something else than the file."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator, text_mutator
from corpora.mutators.search_lines import indentation, inexact_edit, inexact_edit_of_lines, pick, swap_neighbours
from corpora.mutators.spans import with_old_text
from corpora.mutators.words import another_name, another_number, comment_marker, replace_tokens, tokens

_WRONG = {"==": "=", "!=": "==", "<=": "<", ">=": ">", "<": "<=", ">": ">=", "+": "-", "-": "+", "*": "+", "/": "*"}


def _with_wrong_tokens(
    clean: CleanEdit, degree: int, random: Random, kind: str, slip: Callable[[str, Random], str]
) -> Damaged | None:
    """The edit with other tokens of a kind in the middle lines of its search text; degree is their number."""
    start, end = len(clean.lines[0]) + 1, len(clean.old) - len(clean.lines[-1]) - 1
    if len(clean.lines) < 3:
        return None
    candidates = [
        token for token in tokens(clean.old, kind, start=start, end=end) if slip(token[0], random) != token[0]
    ]
    others = [(token, slip(token[0], random)) for token in pick(candidates, degree, random)]
    return inexact_edit(clean, replace_tokens(clean.old, others))


def wrong_identifier(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Names inside the search text are wrong; degree is their number."""
    return _with_wrong_tokens(clean, degree, random, "name", another_name)


def wrong_number(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Numbers inside the search text are wrong; degree is their number."""
    return _with_wrong_tokens(clean, degree, random, "number", another_number)


def wrong_operator(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Operators inside the search text are wrong; degree is their number."""
    return _with_wrong_tokens(clean, degree, random, "operator", lambda operator, _: _WRONG.get(operator, operator))


def transposed_letters(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Two adjacent letters of names inside the search text are swapped; degree is the number of names."""
    return _with_wrong_tokens(clean, degree, random, "name", _transposed)


def _transposed(name: str, random: Random) -> str:
    unequal = [at for at in range(1, len(name)) if name[at - 1] != name[at]]
    if len(name) < 4 or not unequal:
        return name
    at = random.choice(unequal)
    return name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :]


def letter_case(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Names inside the search text have the wrong letter case; degree is their number.

    They are in lower case, or capitalized where they are lower case in the file.
    """
    return _with_wrong_tokens(
        clean, degree, random, "name", lambda name, _: name.title() if name.islower() else name.lower()
    )


def paraphrased_comment(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """A comment inside the search text lacks words; degree is their number."""
    start, end = len(clean.lines[0]) + 1, len(clean.old) - len(clean.lines[-1]) - 1
    if len(clean.lines) < 3:
        return None
    comments = [comment for comment in tokens(clean.old, "comment", start=start, end=end) if comment[0].count(" ") > 1]
    if not comments:
        seen = _with_comment(clean, random)
        return None if seen is clean else paraphrased_comment(seen, degree, random)
    comment = random.choice(comments)
    marker, *words = comment[0].split(" ")
    kept = pick(words, max(1, len(words) - degree), random)
    return inexact_edit(clean, replace_tokens(clean.old, [(comment, " ".join([marker, *kept]))]))


def _with_comment(clean: CleanEdit, random: Random) -> CleanEdit:
    """The edit of a file with a comment in the middle of the span; unchanged where comments start with `--`."""
    marker, lines = comment_marker(clean.path), list(clean.lines)
    if marker == "--":
        return clean
    at = random.randint(1, len(lines) - 1)
    lines.insert(at, f"{indentation(lines[at])}{marker} keep the order in which the callers passed them")
    return with_old_text(clean, "\n".join(lines))


def reordered_lines(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Adjacent lines inside the search text are swapped; degree is the number of swaps."""
    return inexact_edit_of_lines(clean, swap_neighbours(clean.lines, degree, random))


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    text_mutator(wrong_identifier, truth="drift", absorber="block_anchor"),
    text_mutator(wrong_number, truth="drift", absorber="block_anchor"),
    text_mutator(wrong_operator, truth="drift", absorber="block_anchor"),
    text_mutator(transposed_letters, truth="drift", absorber="block_anchor"),
    text_mutator(letter_case, truth="drift", absorber="block_anchor"),
    text_mutator(paraphrased_comment, truth="drift", absorber="block_anchor"),
    text_mutator(reordered_lines, truth="drift", absorber="block_anchor"),
)
