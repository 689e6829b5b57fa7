"""Search texts that differ from the file: parts are missing or wrong, the file has changed, or one line contradicts."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from corpora.mutators.clean_edit import CleanEdit, Damaged, given, n_places, needs
from corpora.mutators.mutator import Mutator, named, text_mutators
from corpora.mutators.spans import (
    indentation,
    inner_nonblank_indexes,
    nonblank_indexes,
    pick,
    share_by_degree,
    swap_neighbours,
)
from corpora.mutators.text.intents import HABITS
from corpora.mutators.text.layout import doubled_blanks, trailing_blanks
from corpora.mutators.words import (
    ALTERATIONS,
    Alter,
    Token,
    altered,
    another_name,
    another_number,
    another_string,
    as_comment,
    comment_marker,
    keywords,
    replace_tokens,
    similar_text,
    tokens,
    with_invented_statements,
)
from editcore.types import Edit, File

# Search texts that lack lines in the middle, or one end.


def elided_middle(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines in the middle of the search text are replaced by one comment; degree is the share of lines."""
    lines = list(clean.lines)
    n_elided = share_by_degree(len(lines) - 2, degree)
    needs(n_elided >= 1 and clean.whole_lines)
    first = random.randint(1, len(lines) - 1 - n_elided)
    words = random.choice(("... existing code ...", "...", "... rest of the code ...", "... (unchanged) ..."))
    prefix = indentation(next((line for line in lines[first:] if line.strip()), ""))
    lines[first : first + n_elided] = [f"{prefix}{comment_marker(clean.path)} {words}"]
    return clean.inexact(lines)


def dropped_lines(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The search text lacks lines from its middle; degree is their number, at most half of the middle."""
    inside = inner_nonblank_indexes(clean.lines)
    dropped = pick(inside, min(degree, max(1, len(inside) // 2)), random)
    return clean.inexact([line for index, line in enumerate(clean.lines) if index not in dropped])


def truncated_head(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The search text lacks its first lines, which an exact replacement leaves; degree is the share of lines."""
    kept = clean.lines[share_by_degree(len(clean.lines) - 1, degree) :]
    return _part_of_span(clean, len(clean.old) - len("\n".join(kept)), len(clean.old))


def truncated_tail(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The search text lacks its last lines, which an exact replacement leaves; degree is the share of lines."""
    kept = clean.lines[: len(clean.lines) - share_by_degree(len(clean.lines) - 1, degree)]
    return _part_of_span(clean, 0, len("\n".join(kept)))


def partial_first_line(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The search text starts within its first line; degree is the share of the line that is missing.

    An exact replacement leaves what is before.
    """
    first = clean.lines[0]
    size = len(first.strip())
    needs(size > 1)
    return _part_of_span(clean, len(indentation(first)) + share_by_degree(size - 1, degree), len(clean.old))


def partial_last_line(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The search text ends within its last line; degree is the share of the line that is missing.

    An exact replacement leaves what is after.
    """
    size = len(clean.lines[-1].strip())
    return _part_of_span(clean, 0, len(clean.old.rstrip()) - share_by_degree(size - 1, degree)) if size > 1 else None


def _part_of_span(clean: CleanEdit, start: int, end: int) -> Damaged | None:
    """The edit of a part of the span, which leaves the rest unchanged; Unfit for the whole span, or whitespace."""
    needs(clean.old[start:end].strip() and (start, end) != (0, len(clean.old)))
    return clean.narrowed(start, end, clean.new).exact()


# Slips in the middle of a search text: the place is certain, but search text and file differ.

_WRONG = {"==": "=", "!=": "==", "<=": "<", ">=": ">", "<": "<=", ">": ">=", "+": "-", "-": "+", "*": "+", "/": "*"}


def _with_wrong_tokens(
    clean: CleanEdit, degree: int, random: Random, kind: str, slip: Callable[[str, Random], str]
) -> Damaged | None:
    """The edit with other tokens of a kind in the middle lines of its search text; degree is their number."""
    start, end = len(clean.lines[0]) + 1, len(clean.old) - len(clean.lines[-1]) - 1
    needs(len(clean.lines) >= 3)
    candidates = [
        token for token in tokens(clean.old, kind, start=start, end=end) if slip(token[0], random) != token[0]
    ]
    others = [(token, slip(token[0], random)) for token in pick(candidates, degree, random)]
    return clean.inexact(replace_tokens(clean.old, others))


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
    needs(len(clean.lines) >= 3)
    comments = [comment for comment in tokens(clean.old, "comment", start=start, end=end) if comment[0].count(" ") > 1]
    if not comments:
        seen = _with_comment(clean, random)
        return None if seen is clean else paraphrased_comment(seen, degree, random)
    comment = random.choice(comments)
    marker, *words = comment[0].split(" ")
    kept = pick(words, max(1, len(words) - degree), random)
    return clean.inexact(replace_tokens(clean.old, [(comment, " ".join([marker, *kept]))]))


def _with_comment(clean: CleanEdit, random: Random) -> CleanEdit:
    """The edit of a file with a comment in the middle of the span; unchanged where comments start with `--`."""
    marker, lines = comment_marker(clean.path), list(clean.lines)
    if marker == "--":
        return clean
    at = random.randint(1, len(lines) - 1)
    lines.insert(at, f"{indentation(lines[at])}{marker} keep the order in which the callers passed them")
    return clean.with_old("\n".join(lines))


# Inexact search texts for existing lines, beside similar lines that a careless search finds instead.


def near_twin_beside(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Trailing spaces in the search text, and a copy nearby with other words; degree is the number of words."""
    other = given(similar_text(clean.old, degree, random))
    needs(clean.whole_lines and other != clean.new)
    return trailing_blanks(clean.with_block_nearby(other, random.randint(1, 5), random), 3, random)


def comment_beside(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Doubled spaces in the search text, and a commented-out copy nearby; degree is the distance in paragraphs."""
    needs(clean.whole_lines and len(nonblank_indexes(clean.lines)) >= 2)
    return doubled_blanks(clean.with_block_nearby(as_comment(clean), degree, random), 3, random)


def nested_closer(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Doubled spaces in the search text, whose last line occurs inside it too; degree is the share of spaces.

    The one inside may be indented deeper.
    """
    *_, last = lines = clean.lines
    needs(clean.whole_lines and last.strip() and len(lines) >= 3)
    if not any(line.strip() == last.strip() for line in lines[2:-1]):
        closed = [*lines[:2], "    " + last, *lines[2:]]
        return doubled_blanks(clean.with_old("\n".join(closed)), degree, random)
    return doubled_blanks(clean, degree, random)


# Stale edits with a certain place: one fact in the lines has changed since the model read the file.

_FLIPPED = {
    **{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "+": "-", "-": "+", "*": "/", "/": "*"},
    **{"+=": "-=", "-=": "+=", "&&": "||", "||": "&&", "and": "or", "or": "and"},
}
_BOOLEANS = {"True": "False", "False": "True", "true": "false", "false": "true"}
_NEGATION = re.compile(r"\bnot (?=[\w(])|!(?=[A-Za-z_(])")
_ARGUMENTS = re.compile(r"(?<=\()(\w[\w.]*), (\w[\w.]*)(?=[,)])")


def _after_change(clean: CleanEdit, text: str) -> Damaged | None:
    """The edit after the old text of the file became `text`."""
    needs(clean.is_unique and clean.old not in text)
    return clean.stale(clean.with_span(text), reason="drift")


def _after_token_changes(clean: CleanEdit, others: list[tuple[Token, str]], n: int, random: Random) -> Damaged | None:
    return _after_change(clean, replace_tokens(clean.old, pick(others, n, random)))


def flipped_sign(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Operators in the file became their opposites; degree is their number."""
    signs = tokens(clean.old, "operator") + [word for word in keywords(clean.old) if word[0] in _FLIPPED]
    others = [(sign, _FLIPPED[sign[0]]) for sign in sorted(signs, key=Token.start) if sign[0] in _FLIPPED]
    return _after_token_changes(clean, others, degree, random)


def flipped_boolean(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Booleans in the file became their opposites; degree is their number."""
    others = [(word, _BOOLEANS[word[0]]) for word in keywords(clean.old) if word[0] in _BOOLEANS]
    return _after_token_changes(clean, others, degree, random)


def not_dropped(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Negations in the file were dropped; degree is their number."""
    return _after_token_changes(clean, [(negation, "") for negation in _NEGATION.finditer(clean.old)], degree, random)


def changed_number(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Numbers in the file changed; degree is their number."""
    others = [(number, another_number(number[0], random)) for number in tokens(clean.old, "number")]
    return _after_token_changes(clean, others, degree, random)


def changed_string(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """String literals in the file changed; degree is their number."""
    literals = [literal for literal in tokens(clean.old, "string") if len(literal[0]) > 2]
    return _after_token_changes(
        clean, [(literal, another_string(literal[0], random)) for literal in literals], degree, random
    )


def swapped_arguments(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The first two arguments of calls in the file were swapped; degree is the number of calls."""
    calls = [call for call in _ARGUMENTS.finditer(clean.old) if call[1] != call[2]]
    return _after_token_changes(clean, [(call, f"{call[2]}, {call[1]}") for call in calls], degree, random)


def swapped_lines(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Adjacent lines in the middle of the span were swapped in the file; degree is the number of swaps."""
    return _after_change(clean, "\n".join(swap_neighbours(clean.lines, degree, random)))


def guard_deleted(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines in the middle of the span were deleted; degree is their number, at most half of the middle."""
    inside = inner_nonblank_indexes(clean.lines)
    deleted = pick(inside, min(degree, max(1, len(inside) // 2)), random)
    return _after_change(clean, "\n".join([line for index, line in enumerate(clean.lines) if index not in deleted]))


def guard_added(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines were added in the middle of the span; degree is their number."""
    return _after_change(clean, with_invented_statements(clean, degree, random))


# Contradictions: one line that the edit keeps differs from the file, and only one of the two can be true.
#
#     search text  |if x > limit:      file  |if x < limit:      new text  |if x > limit:
#                  |    stop()               |    stop()                   |    halt()
#
# The line may be wrong in the edit, or the edit may be meant for another place: it must be refused.
# Comments are not altered, since their words may drift. Degree says how the rest of the edit is written:
#
#     1   as it is in the file        2   both texts with one of the habits of `intents`


def _contradicted(clean: CleanEdit, degree: int, random: Random, alter: Alter) -> Damaged | None:
    """The edit with one kept line of code altered in both texts; the file stays unchanged."""
    needs(clean.whole_lines)
    old, new = clean.lines, clean.new.split("\n")
    kept = [n for n, line in enumerate(old) if old.count(line) == new.count(line) == 1]
    needs(kept and sum(map(bool, map(str.strip, old))) >= 2)  # A single altered line would just be another place.
    n = random.choice(kept)
    other = given(altered(old[n], File(clean.path, clean.content), alter, random))
    seen = clean.with_old(
        "\n".join([*old[:n], other, *old[n + 1 :]]), new="\n".join([other if line == old[n] else line for line in new])
    )
    # If the altered lines occur elsewhere, that place may be meant.
    needs(not n_places(clean.content, seen.lines) and seen.old != seen.new)
    if degree == 1:
        return seen.stale(clean.content, reason="contradiction")
    return _by_habit(seen, other, clean, random)


def _by_habit(seen: CleanEdit, other: str, clean: CleanEdit, random: Random) -> Damaged | None:
    """The edit with both texts written with a habit that leaves the altered line visible."""
    # A habit hides the difference from a search by plain text, not from a reader.
    habit = random.choice(HABITS)
    write_old, write_new = habit.of(seen, random)
    # An elision hides an altered line, or may reach up to it.
    is_clear = other not in seen.lines[1:-1] and other.strip() not in map(str.strip, clean.content.split("\n"))
    needs(habit.name != "elision" or is_clear)
    old, new = given(write_old(seen.old)), given(write_new(seen.new))
    needs(old not in (new, seen.old) and old not in clean.content)
    return Damaged((File(clean.path, clean.content),), None, edits=(Edit(old, new),), reason="contradiction")


def _contradiction(name: str, has: str, alter: Alter) -> Mutator[CleanEdit]:
    def damage(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
        return _contradicted(clean, degree, random, alter)

    summary = f"A line that the edit keeps has {has}; degree 2 has a habit of writing besides."
    return Mutator(f"contradiction_{name}", summary, "str_replace", damage, truth="refuse", degrees=(1, 2))


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    *text_mutators(elided_middle, truth="tolerate"),
    *text_mutators(dropped_lines, truth="drift", absorber="block_anchor"),
    *text_mutators(
        truncated_head, truncated_tail, partial_first_line, partial_last_line,
        truth="hazard", absorber="simple",
    ),
    *text_mutators(
        named("wrong_identifier", "Names inside the search text are wrong; degree is their number.",
              lambda clean, degree, random: _with_wrong_tokens(clean, degree, random, "name", another_name)),
        named("wrong_number", "Numbers inside the search text are wrong; degree is their number.",
              lambda clean, degree, random: _with_wrong_tokens(clean, degree, random, "number", another_number)),
        wrong_operator, transposed_letters, letter_case, paraphrased_comment,
        named("reordered_lines", "Adjacent lines inside the search text are swapped; degree is the number of swaps.",
              lambda clean, degree, random: clean.inexact(swap_neighbours(clean.lines, degree, random))),
        truth="drift", absorber="block_anchor",
    ),
    *text_mutators(near_twin_beside, absorber="line_trimmed"),
    *text_mutators(comment_beside, nested_closer, absorber="whitespace_normalized"),
    *text_mutators(
        flipped_sign, flipped_boolean, not_dropped, changed_number, changed_string, swapped_arguments, swapped_lines,
        guard_deleted, guard_added,
        truth="drift", absorber="block_anchor",
    ),
    *(_contradiction(name, *one) for name, one in ALTERATIONS.items()),
)  # fmt: skip
