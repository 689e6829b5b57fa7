"""Edits to be refused because their lines are gone or occur twice, or because they have no content; and hazards.

A hazard matches the file exactly, and a person would not want it applied.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from corpora.mutators.clean_edit import CleanEdit, Damaged, given, needs
from corpora.mutators.mutator import Mutator, named, of_lines, text_mutators
from corpora.mutators.spans import (
    common_indentation,
    dedent_lines,
    indent_lines,
    indentation,
    inner_nonblank_indexes,
    nonblank_indexes,
    pick,
    pick_share,
)
from corpora.mutators.words import (
    another_name,
    as_comment,
    comment_marker,
    invented_statement,
    renamed,
    replace_tokens,
    similar_text,
    tokens,
    with_invented_statements,
)
from editcore.types import Edit, File

# Stale edits whose lines are gone from the file; similar lines may remain.

_GENERIC = frozenset(("}", "};", "});", ")", "]", "end", "return", "pass", "else:", "break", "</div>"))
_LOOK_ALIKES = str.maketrans("aceiopxyABCEHKMOPTX", "асеіорхуАВСЕНКМОРТХ")
_LATIN = frozenset("aceiopxyABCEHKMOPTX")


def _after_deletion(clean: CleanEdit, remaining: str, distance: int, random: Random) -> Damaged | None:
    """The edit after its lines were deleted; another block is left some paragraphs away."""
    needs(clean.whole_lines and clean.old not in remaining)
    seen = clean.with_block_nearby(remaining, distance, random)
    return seen.line_gone(seen.content_without_span)


def near_twin(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines were deleted; others remain that differ in a few words; degree is the number of words."""
    other = given(similar_text(clean.old, degree, random))
    return _after_deletion(clean, other, random.randint(1, 5), random)


def lookalike_remains(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines were deleted; similar ones remain; degree is the share of lines with other names."""
    lines, candidates = list(clean.lines), nonblank_indexes(clean.lines)
    for index in pick_share(candidates, degree, random):
        lines[index] = renamed(lines[index], random)
    return _after_deletion(clean, "\n".join(lines), random.randint(1, 5), random)


def same_ends(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines were deleted; others with the same ends remain; degree is the share of other lines, from 60 %."""
    return _after_deletion(clean, _with_other_middle(clean, degree, random), random.randint(1, 5), random)


def same_ends_in_place(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Lines between the first and the last were rewritten; degree is the share of them, from 60 %."""
    return clean.line_gone(clean.with_span(_with_other_middle(clean, degree, random)))


def hallucinated_middle(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The search text has middle lines that the file never had; degree is the share of them, from 60 %."""
    return clean.with_old(_with_other_middle(clean, degree, random)).line_gone(clean.content)


def _with_other_middle(clean: CleanEdit, degree: int, random: Random) -> str:
    """The old text with invented calls in place of 60 % to 100 % of its middle lines."""
    lines, inside = list(clean.lines), inner_nonblank_indexes(clean.lines)
    for index in pick(inside, -(-len(inside) * (degree + 5) // 10), random):
        lines[index] = indentation(lines[index]) + invented_statement(clean.path, random)
    needs(inside)
    return "\n".join(lines)


def generic_last_line(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """Only the first line and a generic last line remain; degree is the number of lines added between them.

    A generic line occurs everywhere, such as a closing bracket.
    """
    needs(clean.whole_lines and clean.lines[0].strip() and len(clean.lines) >= 2)
    first, *rest = clean.lines
    if rest[-1].strip() not in _GENERIC:
        rest.append(indentation(first) + ("return" if comment_marker(clean.path) == "#" else "}"))
    within = indentation(rest[0]) or "    "
    others = [within + invented_statement(clean.path, random) for _ in range(len(rest) - 1 + degree)]
    return clean.with_old("\n".join([first, *rest])).line_gone(clean.with_span("\n".join([first, *others, rest[-1]])))


def invented_lines(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The search text has lines that the file never had; degree is their number."""
    return clean.with_old(with_invented_statements(clean, degree, random)).line_gone(clean.content)


def other_file(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """The search text is from another file: of the same shape, with other names."""
    other = renamed(clean.old, random)
    needs(other not in clean.content)
    return clean.with_old(other).line_gone(clean.content, reason="other_file")


def copy_in_string(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The lines were turned into a list of string literals."""
    needs(clean.whole_lines)
    prefix = indentation(clean.old)
    literals = [line.replace("\\", "\\\\").replace('"', '\\"') for line in clean.lines]
    listed = "\n".join([f'{prefix}    "{literal}",' for literal in literals])
    return clean.line_gone(clean.with_span(f"{prefix}example = [\n{listed}\n{prefix}]"), reason="in_string")


def homoglyph_twin(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines were deleted; others remain with letters of another alphabet; degree is the number of names."""
    names = [name for name in tokens(clean.old, "name") if _LATIN.intersection(name[0])]
    others = [(name, name[0].translate(_LOOK_ALIKES)) for name in pick(names, degree, random)]
    return _after_deletion(clean, replace_tokens(clean.old, others), random.randint(1, 5), random)


def stale_block(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines were changed by an earlier edit; degree is the number of lines with other names.

    That edit also added a line below the first of them.
    """
    lines, candidates = list(clean.lines), nonblank_indexes(clean.lines)
    changed = pick(candidates, degree, random)
    for index in changed:
        lines[index] = renamed(lines[index], random)
    for index in changed[:1]:
        lines[index] += f"\n{indentation(lines[index])}{invented_statement(clean.path, random)}"
    return clean.line_gone(clean.with_span("\n".join(lines)), reason="stale") if clean.whole_lines else None


# Stale edits whose lines occur in the file more than once by now, or in pieces.

_CLASSES = ("Reader", "Writer", "Parser", "Loader", "Worker", "Buffer")


def exact_duplicate(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines were copied to another place; degree is the distance in paragraphs."""
    needs(clean.whole_lines)
    return clean.two_equal(clean.with_block_nearby(clean.old, degree, random).content)


def many_duplicates(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines were copied to two places or more; degree is one less than the number of copies."""
    needs(clean.whole_lines)
    copied = clean
    for _ in range(degree + 1):
        copied = copied.with_block_nearby(clean.old, random.randint(1, 5), random)
    return clean.two_equal(copied.content)


def duplicate_other_indent(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines occur twice, both times with another indentation; degree is the distance in paragraphs."""
    flush = given(dedent_lines(clean.old, common_indentation(clean.lines)))
    needs(clean.whole_lines and len(nonblank_indexes(clean.lines)) >= 2)
    prefix = common_indentation(clean.lines).replace("\t", "    ")
    seen = clean.with_old(indent_lines(flush, prefix + "  "))
    now = clean.with_old(indent_lines(flush, prefix + "    "))
    return _in_other_indents(
        seen, now.with_block_nearby(indent_lines(flush, prefix + "        "), degree, random).content
    )


def fuzzy_replace_all(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """All places are to be replaced, but their indentation differs; degree is the difference in spaces."""
    needs(clean.whole_lines and len(nonblank_indexes(clean.lines)) >= 2)
    seen = clean.with_old(indent_lines(clean.old, " " * degree))
    copied = clean.with_block_nearby(indent_lines(clean.old, " " * (degree + 2)), random.randint(1, 5), random)
    damaged = _in_other_indents(seen, copied.content)
    return replace(damaged, edits=tuple(replace(edit, replace_all=True) for edit in damaged.edits or ()))


def _in_other_indents(seen: CleanEdit, content: str) -> Damaged:
    needs(seen.old not in content)
    return seen.two_equal(content)


def short_line_twice(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """A short line, the search text, was copied and indented deeper; degree is the number of steps."""
    for line in clean.lines if clean.whole_lines else ():
        text = line.strip()
        new = similar_text(text, 1, random) if 3 < len(text) <= 40 else None
        if new is not None:
            start = clean.old.index(text)
            seen = clean.narrowed(start, start + len(text), new)
            copy = indentation(line) + "    " * degree + text
            if seen.is_unique:
                return seen.two_equal(seen.with_block_nearby(copy, random.randint(1, 5), random).content)
    return None


def class_clones(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The lines, part of a class, were copied into other classes; degree is the number of classes.

    The search text does not name the class.
    """
    needs(clean.whole_lines and indentation(clean.old))
    colon = comment_marker(clean.path) == "#"
    head, tail = ("class {}:\n", "") if colon else ("class {} {{\n", "\n}")
    copied = clean
    for name in random.sample(_CLASSES, degree):
        copied = copied.with_block_nearby(head.format(name) + clean.old + tail, random.randint(1, 5), random)
    return clean.two_equal(copied.content)


def stitched(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The search text joins lines of two places; degree is the number of paragraphs between them.

    The search text is the first half of the lines, directly followed by lines from paragraphs below.
    """
    needs(clean.whole_lines and len(clean.lines) >= 2)
    at = clean.end - 2
    for _ in range(degree + 1):
        at = clean.content.find("\n\n", at + 2)
        needs(at >= 0)
    start = at + 2
    stop = clean.content.find("\n\n", start)
    tail = clean.content[start : stop if stop >= 0 else len(clean.content)].strip("\n").split("\n")[:4]
    head = clean.lines[: (len(clean.lines) + 1) // 2]
    seen = clean.with_old("\n".join([*head, *tail]))
    needs("".join(tail).strip() and seen.old not in clean.content and seen.is_unique)
    return seen.stale(clean.content, reason="stitched")


# Hazards: the search text matches the file exactly, once, where nobody would want it replaced.


def partial_identifier(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """The search text is a name that occurs only as the start of a longer one."""
    names = [name for name in tokens(clean.old, "name") if len(name[0].rpartition("_")[0].strip("_")) > 2]
    for name in random.sample(names, len(names)):
        short = name[0].rpartition("_")[0]
        start = name.start()
        part = clean.narrowed(start, start + len(short), another_name(short, random))
        if part.is_unique:
            return part.exact()
    return None


def copy_in_docstring(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The lines remain only inside a docstring or a block comment."""
    prefix = indentation(clean.old)
    head, tail = (
        (f'{prefix}"""', f'{prefix}"""') if comment_marker(clean.path) == "#" else (f"{prefix}/*", f"{prefix}*/")
    )
    needs(clean.whole_lines and tail.strip() not in clean.old)
    before, after = clean.content[: clean.start], clean.content[clean.end :]
    return clean.in_file(f"{before}{head}\n", f"\n{tail}{after}").exact()


def replayed_insertion(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """A line is to be added after the lines, and is there already: an exact replacement adds it again."""
    needs(clean.whole_lines)
    added = f"\n{indentation(clean.lines[-1])}{invented_statement(clean.path, random)}"
    before, after = clean.content[: clean.start], clean.content[clean.end :]
    return CleanEdit(clean.path, before + clean.old + added + after, clean.start, clean.end, clean.old + added).exact()


# Edits without content: no search text, or no change.


def _refused_everywhere(clean: CleanEdit, edit: Edit, reason: str) -> Damaged:
    """A refusal without a twin: the edit is wrong for any file."""
    return Damaged(before=(File(clean.path, clean.content),), target=None, edits=(edit,), reason=reason)


def identical(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The new text is the search text."""
    return _refused_everywhere(clean, Edit(clean.old, clean.old), "identical") if clean.old else None


def empty_find(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The search text is empty, and the file is not."""
    return _refused_everywhere(clean, Edit("", clean.new), "empty") if clean.content and clean.new else None


def blank_find(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    """The search text is spaces, tabs or line feeds only; degree is their number."""
    search_text = random.choice((" ", "\t", "\n", " \n")) * degree
    needs(clean.content and clean.new != search_text)
    return _refused_everywhere(clean, Edit(search_text, clean.new), "blank")


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    *text_mutators(
        near_twin, lookalike_remains, same_ends, same_ends_in_place, hallucinated_middle, generic_last_line,
        invented_lines, homoglyph_twin, stale_block,
        of_lines("target_deleted", "The lines were deleted.",
                 lambda clean, *_: clean.line_gone(clean.content_without_span)),
        other_file,
        of_lines("commented_out", "The lines were commented out.",
            lambda clean, *_: clean.line_gone(clean.with_span(as_comment(clean)), reason="in_comment")),
        copy_in_string,
        named("already_applied", "The edit was applied before.",
              lambda clean, *_: clean.line_gone(clean.target, reason="already_applied")),
        exact_duplicate, many_duplicates, duplicate_other_indent, fuzzy_replace_all, short_line_twice, class_clones,
        stitched,
        truth="refuse",
    ),
    *text_mutators(partial_identifier, copy_in_docstring, replayed_insertion, truth="hazard", absorber="simple"),
    *text_mutators(identical, empty_find, blank_find, truth="refuse"),
)  # fmt: skip
