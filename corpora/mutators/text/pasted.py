"""Search texts copied together with what a display adds: line numbers, code fences, quotation or diff markers."""

from __future__ import annotations

from random import Random

from corpora.mutators.clean_edit import CleanEdit
from corpora.mutators.mutator import Damaged, Mutator, text_mutator
from corpora.mutators.search_lines import inexact_edit


def _numbered(text: str, shape: str, first_line: int) -> str:
    return "\n".join([shape.format(number) + line for number, line in enumerate(text.split("\n"), first_line)])


def gutter_arrow(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Each line of the search text has its line number before it, as in '    12→'."""
    return _with_gutter(clean, "{:6}→")


def gutter_tab(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    r"""Each line of the search text has its line number before it, as in '    12\t'."""
    return _with_gutter(clean, "{:6}\t")


def gutter_pipe(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Each line of the search text has its line number before it, as in '12 | '."""
    return _with_gutter(clean, "{} | ")


def gutter_colon(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Each line of the search text has its line number before it, as in '12: '."""
    return _with_gutter(clean, "{}: ")


def _with_gutter(clean: CleanEdit, shape: str) -> Damaged | None:
    return inexact_edit(clean, _numbered(clean.old, shape, clean.line)) if clean.whole_lines else None


def gutter_both(clean: CleanEdit, _degree: int, random: Random) -> Damaged | None:
    """Each line of search text and new text has its line number before it."""
    if not clean.whole_lines:
        return None
    shape, first_line = random.choice(("{:6}→", "{:6}\t", "{} | ", "{}: ")), clean.line
    return inexact_edit(clean, _numbered(clean.old, shape, first_line), new=_numbered(clean.new, shape, first_line))


def code_fence(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """A Markdown code fence is around the search text."""
    return inexact_edit(clean, _fenced(clean.path, clean.old))


def code_fence_both(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """A Markdown code fence is around the search text, and another around the new text."""
    return inexact_edit(clean, _fenced(clean.path, clean.old), new=_fenced(clean.path, clean.new))


def _fenced(path: str, text: str) -> str:
    return f"```{path.rpartition('.')[2] if '.' in path else ''}\n{text}\n```"


def diff_marks(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Each line of the search text has a minus sign before it, each of the new text a plus sign."""
    return (
        inexact_edit(clean, _prefix_lines(clean.old, "-"), new=_prefix_lines(clean.new, "+"))
        if clean.whole_lines
        else None
    )


def quote_marks(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """Each line of the search text has a quotation marker before it."""
    return inexact_edit(clean, _prefix_lines(clean.old, "> ")) if clean.whole_lines else None


def _prefix_lines(text: str, prefix: str) -> str:
    return prefix + text.replace("\n", "\n" + prefix) if text else ""


MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    text_mutator(gutter_arrow, truth="tolerate", degrees=(1,)),
    text_mutator(gutter_tab, truth="tolerate", degrees=(1,)),
    text_mutator(gutter_pipe, truth="tolerate", degrees=(1,)),
    text_mutator(gutter_colon, truth="tolerate", degrees=(1,)),
    text_mutator(gutter_both, truth="tolerate", degrees=(1,)),
    text_mutator(code_fence, truth="tolerate", degrees=(1,)),
    text_mutator(code_fence_both, truth="tolerate", degrees=(1,)),
    text_mutator(diff_marks, truth="tolerate", degrees=(1,)),
    text_mutator(quote_marks, truth="tolerate", degrees=(1,)),
)
