"""What holds for every replacer and every cascade, whatever the texts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from unittest.mock import patch

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from editcore import CASCADES, REPLACERS, WHITESPACE, Applied, Cascade, Document, Edit, Guards, Rejected, replace
from editcore.replacers.search import Search, search
from editcore.text.whitespace import trim, words
from harness.bench import literal_port as literal
from tests.original import outcome
from tests.properties.generators import (
    anything,
    cascades,
    contents_and_finds,
    contents_and_finds_of_blocks,
    documents,
    shares,
    size_windows,
)


def _assert_candidates_equal(content: str, find: str) -> None:
    document = Document(content)
    for name, replacer in REPLACERS.items():
        note(name)
        # One document for all nine, as in a cascade: they share its tables and its last search.
        assert list(replacer(document, find)) == list(literal.LITERAL[name](content, find))


@pytest.mark.parametrize("budget", [Search.needle_budget, 0])
@given(contents_and_finds())
def test_every_replacer_offers_what_its_literal_port_offers(budget: int, texts: tuple[str, str]) -> None:
    with patch.object(Search, "needle_budget", budget):
        _assert_candidates_equal(*texts)


@given(contents_and_finds(), st.integers(-1, 12))
def test_tables_may_take_over_from_needles_at_any_point(texts: tuple[str, str], budget: int) -> None:
    with patch.object(Search, "_budget", budget):
        _assert_candidates_equal(*texts)


# The module, which the function of the same name hides.
BLOCK_ANCHOR = import_module("editcore.replacers.block_anchor")


@pytest.mark.parametrize("many", [BLOCK_ANCHOR._MANY, 0])
@pytest.mark.parametrize("very_many", [BLOCK_ANCHOR._VERY_MANY, 0])
@given(contents_and_finds() | contents_and_finds_of_blocks(), shares, shares, size_windows)
def test_block_anchor_equals_its_literal_port_under_any_thresholds(
    many: int, very_many: int, texts: tuple[str, str], single: float, several: float, window: float | None
) -> None:
    content, find = texts
    (rung,) = Cascade(
        "drawn",
        ("block_anchor",),
        guards=Guards(single_similarity=single, several_similarity=several, size_window=window),
    ).rungs
    wanted = literal.block_anchor(content, find, single=single, several=several, window=window)
    with patch.multiple(BLOCK_ANCHOR, _MANY=many, _VERY_MANY=very_many):
        assert list(rung[1](Document(content), find)) == list(wanted)


def _literally(cascade: Cascade, content: str, edit: Edit) -> tuple[str, str]:
    """What the literal port makes of a cascade of named replacers."""
    guards = cascade.guards
    ports = {name: literal.LITERAL[name] for name, _ in cascade.rungs}
    if "block_anchor" in ports:
        ports["block_anchor"] = partial(
            literal.block_anchor,
            single=guards.single_similarity,
            several=guards.several_similarity,
            window=guards.size_window,
        )
    return literal.replace(
        content,
        edit.old_string,
        edit.new_string,
        replace_all=edit.replace_all,
        replacers=ports,
        size_guard=guards.size_guard is not None,
    )


edits_on_contents = st.tuples(
    contents_and_finds(), st.sampled_from(["", "N", "x = 1", "a\nb", "$&\\1"]), st.booleans()
).map(lambda drawn: (drawn[0][0], Edit(drawn[0][1], drawn[1], drawn[2])))


@pytest.mark.parametrize("name", [name for name, cascade in CASCADES.items() if cascade.replacers])
@given(edits_on_contents)
def test_a_named_cascade_does_what_the_literal_port_does(name: str, drawn: tuple[str, Edit]) -> None:
    content, edit = drawn
    ours = CASCADES[name].apply(Document(content), edit)
    assert outcome(ours) == _literally(CASCADES[name], content, edit)


@given(edits_on_contents, cascades())
def test_any_order_and_subset_does_what_the_literal_port_does(drawn: tuple[str, Edit], cascade: Cascade) -> None:
    content, edit = drawn
    assert outcome(cascade.apply(Document(content), edit)) == _literally(cascade, content, edit)


@given(contents_and_finds())
def test_a_candidate_is_always_part_of_the_content_except_that_of_simple(texts: tuple[str, str]) -> None:
    content, find = texts
    for name, replacer in REPLACERS.items():
        candidates = list(replacer(Document(content), find))
        assert candidates == [find] if name == "simple" else all(candidate in content for candidate in candidates)


@given(contents_and_finds())
def test_a_candidate_can_be_had_without_the_others(texts: tuple[str, str]) -> None:
    content, find = texts
    for name, replacer in REPLACERS.items():
        offered = replacer(Document(content), find)
        assert isinstance(offered, Iterator)
        wanted = list(literal.LITERAL[name](content, find))
        assert next(offered, None) == (wanted[0] if wanted else None)
        assert list(offered) == wanted[1:]


@given(st.integers(2, 40))
def test_the_first_window_is_found_before_the_second_is_looked_for(n_lines: int) -> None:
    document = Document("  go()\n" * n_lines)
    assert next(REPLACERS["line_trimmed"](document, "go()")) == "  go()"
    sought = search(document, "go()")
    assert sought._windows == [(0, 6)]
    assert len(list(sought.trimmed_windows())) == n_lines


@given(documents(), st.data())
def test_an_exact_and_unique_find_is_replaced_right_there(content: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(content)))
    find = content[start : start + data.draw(st.integers(1, 40))]
    if not find or content.find(find) != content.rfind(find):
        find, content = "<<here>>", content[:start] + "<<here>>" + content[start:]
    start = content.find(find)
    rest = data.draw(st.lists(st.sampled_from(list(REPLACERS)), unique=True))
    mine = Cascade("mine", ("simple", *rest), guards=data.draw(cascades()).guards, literal=True)
    # To the others, carriage returns are no text of their own, nor is a byte order mark.
    sees_all = "\r" not in content and "\ufeff" not in content
    built_in = [one for one in CASCADES.values() if one.replacers and (one.literal or sees_all)]
    for cascade in (*built_in, mine):
        result = replace(content, find, "NEW\udc00", cascade=cascade)
        assert isinstance(result, Applied)
        assert result.replacer == "simple"
        assert result.content == content[:start] + "NEW\udc00" + content[start + len(find) :]


def _assert_well_formed(result: object, content: str) -> None:
    assert isinstance(result, Applied | Rejected)
    if isinstance(result, Rejected):
        assert result.message.isprintable()
        assert result.message.strip()
        assert len(result.candidates) <= 10
        assert all(0 <= place.start <= place.end <= len(content) for place in result.candidates)


@given(edits_on_contents, cascades())
def test_the_matches_say_what_was_replaced_or_a_message_why_nothing_was(
    drawn: tuple[str, Edit], cascade: Cascade
) -> None:
    content, edit = drawn
    result = cascade.apply(Document(content), edit)
    if isinstance(result, Rejected):
        _assert_well_formed(result, content)
        return
    rebuilt, done = "", 0
    for match in result.matches:
        assert done <= match.start <= match.end <= len(content)
        assert match.replacer == result.replacer
        assert 0 <= match.similarity <= 1
        rebuilt += content[done : match.start] + edit.new_string
        done = match.end
    assert result.content == rebuilt + content[done:]
    assert len({content[match.start : match.end] for match in result.matches}) == 1
    assert edit.replace_all or len(result.matches) == 1


@given(anything, anything, anything, st.booleans(), cascades())
def test_nothing_raises_whatever_the_texts(
    content: str, old: str, new: str, replace_all: bool, cascade: Cascade
) -> None:
    _assert_well_formed(replace(content, old, new, replace_all=replace_all, cascade=cascade), content)


@given(documents() | anything)
def test_the_tables_of_a_document_are_those_of_a_plain_computation(content: str) -> None:
    document = Document(content)
    lines = content.split("\n")
    assert document.lines == lines
    assert document.trimmed == [literal.trim(line) for line in lines]
    assert document.starts == [sum(len(line) + 1 for line in lines[:n]) for n in range(len(lines) + 1)]
    assert [content[a : b - 1] for a, b in zip(document.starts, document.starts[1:], strict=False)] == lines
    assert [document.line_of(start) for start in document.starts[:-1]] == list(range(1, len(lines) + 1))
    assert document.split(content) == words(content)


@given(anything)
def test_words_are_what_stands_between_runs_of_white_space(text: str) -> None:
    assert words(text) == [word for word in literal.WS_RUN.split(text) if word]
    assert trim(text) == literal.trim(text)


@given(st.lists(st.sampled_from([*WHITESPACE, *"\x1c\x1d\x1e\x1f\x85", "a", "b"])).map("".join))
def test_words_are_right_where_python_sees_other_white_space(text: str) -> None:
    assert words(text) == [word for word in literal.WS_RUN.split(text) if word]
    assert Document(text).trimmed == [literal.trim(line) for line in text.split("\n")]


@given(contents_and_finds())
def test_the_same_question_has_the_same_answer_on_a_document_asked_before(texts: tuple[str, str]) -> None:
    content, find = texts
    document, edit = Document(content), Edit(find, "N")
    before = [cascade.apply(document, edit) for cascade in CASCADES.values()]
    CASCADES["reference"].apply(document, Edit(find + " ", "N"))
    assert [cascade.apply(document, edit) for cascade in CASCADES.values()] == before
    document.forget()
    assert [cascade.apply(document, edit) for cascade in CASCADES.values()] == before
