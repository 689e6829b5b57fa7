"""Where a find's lines and words stand: needle first, tables when the needle turns out to be common."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore import REPLACERS, Document
from editcore.replacers.search import Pair, Search, framed, search, window_texts
from editcore.text.line_index import alphabet, occurrences

HAY = "  a\nb\n  a\nb \n\nc d\n\n a\nb"


@pytest.fixture(params=["needles", "tables", "handover"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each way of searching: with the needle alone, with tables from the start, from one to the other."""
    if request.param != "needles":
        monkeypatch.setattr(Search, "_budget", {"tables": -1, "handover": 0}[request.param])
    return str(request.param)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("find", "windows"),
    [
        ("a\nb", ["  a\nb", "  a\nb ", " a\nb"]),
        ("a\nb\n", ["  a\nb", "  a\nb ", " a\nb"]),
        ("b\na\n", ["b\n  a"]),
        ("a\nb\n\nc d", ["  a\nb \n\nc d"]),
        ("a\nb\nx", []),
        ("x\na\nb", []),
        ("", [""] * 10),
        ("\n", ["", ""]),
        ("\n\n", []),
        ("b\n\nc d\n\na\nb\n\n", []),
        ("c d\n\na\nb\nc", []),
    ],
)
def test_trimmed_windows_are_found_in_order(find: str, windows: list[str]) -> None:
    sought = Search(Document(HAY), find)
    assert [HAY[start:end] for start, end in sought.trimmed_windows()] == windows
    assert [HAY[start:end] for start, end in sought.trimmed_windows()] == windows, "again, from what was kept"


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("find", "windows"),
    [
        ("a b\n", ["  a\nb", "  a\nb ", " a\nb"]),
        ("b\na", ["b\n  a"]),
        ("b\n\nc\nd", ["b \n\nc d\n"]),
        ("b\n\nc\nd\n", []),
        ("b\nc\nd\n", ["b \n\nc d\n"]),
        ("b\nc\nd", ["b \n\nc d"]),
        ("\nb c d\n", ["b \n\nc d"]),
        ("\nc d\n", ["\nc d\n"]),
        ("\n\nc\nd", []),
        ("c\nd", ["\nc d", "c d\n"]),
        ("c d a b\nd", []),
        ("a\nb\nb", []),
        ("b\nb a\n", []),
    ],
)
def test_worded_windows_are_found_in_order(find: str, windows: list[str]) -> None:
    assert [HAY[start:end] for start, end in Search(Document(HAY), find).worded_windows()] == windows


@pytest.mark.parametrize(
    ("n_blank", "spans"),
    [
        (0, ["x"]),
        (1, [" \nx", "x\n"]),
        (2, ["\n \nx", " \nx\n"]),
        (3, ["\n \nx\n"]),
        (4, []),
    ],
)
def test_blank_lines_are_divided_between_both_ends_in_every_way(n_blank: int, spans: list[str]) -> None:
    text = "y\n\n \nx\n\ny"
    assert [text[start:end] for start, end in framed(text, 5, 6, n_blank)] == spans


def test_a_frame_ends_where_the_text_does() -> None:
    text = "\nx\n"
    assert [text[start:end] for start, end in framed(text, 1, 2, 5)] == []
    assert [text[start:end] for start, end in framed(text, 1, 2, 2)] == ["\nx\n"]


@pytest.mark.parametrize(
    ("text", "find", "pairs"),
    [
        ("a\nb\nc\n", "a\nx\nc", [Pair(0, 5, 0, 3)]),
        ("a\nc\nb\nc\n", "a\nx\nc", [Pair(0, 7, 0, 4)]),
        ("a\na\nb\nc\nc\n", "a\nx\nc\n", [Pair(0, 7, 0, 4), Pair(2, 7, 1, 3)]),
        ("a\nb\na\n", "a\nx\na", [Pair(0, 5, 0, 3)]),
        ("c\na\nb", "a\nx\nc", []),
        ("c\nb\na", "a\nx\nc", []),
        ("a\nc", "a\nx\nc", []),
        ("b\nc", "a\nx\nc", []),
        ("a\nb", "a\nx\nc", []),
        ("xa\nb\nc", "a\nx\nc", []),
        ("c\n\na\nb\nb", "a\nx\nc", []),
        ("a\nb\nc\n", "a\nc", []),
    ],
)
def test_anchors_are_paired_with_the_nearest_closer_two_lines_below(text: str, find: str, pairs: list[Pair]) -> None:
    sought = Search(Document(text), find)
    assert sought.anchor_pairs() == pairs
    assert sought.anchor_pairs() is sought.anchor_pairs()


def test_the_last_search_of_a_document_is_kept() -> None:
    document = Document("a\n")
    first = search(document, "a")
    assert search(document, "a") is first
    assert search(document, "b") is not first
    assert search(document, "a") is not first
    document.forget()
    assert search(Document("a\n"), "a") is not search(document, "a")


def test_the_budget_grows_with_the_text_unless_it_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    sought = Search(Document("x" * 800), "x")
    assert sought._budget == Search.needle_budget + 100
    monkeypatch.setattr(Search, "needle_budget", 0)
    assert sought._budget == 0


@pytest.mark.parametrize("search_for", ["trimmed_windows", "worded_windows"])
def test_a_common_needle_gives_way_to_tables_without_losing_a_window(search_for: str) -> None:
    # The needle finds the key line of each block at first. Each costs 40 lines, so that tables take over on the way.
    block = "\n".join([f" {n}" for n in range(39)] + [" the-longest-line"])
    text = "\n".join([block] * 300)
    document = Document(text)
    windows = list(getattr(Search(document, block.replace(" ", "", 39)), search_for)())
    assert windows == [(at, at + len(block)) for at in range(0, len(text), len(block) + 1)]
    assert document._lines is not None, "the needle was enough"


def test_a_find_of_more_distinct_lines_than_there_are_characters_is_not_found_by_tables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("editcore.text.line_index.MAX_DISTINCT", 3)
    monkeypatch.setattr(Search, "_budget", -1)
    lines = "\n".join("abcde")
    document = Document(f"  {lines}\n{lines}\n\\'")
    assert alphabet("abc") == {"a": "\1", "b": "\2", "c": "\3"}
    assert alphabet("abcd") is None
    assert not list(REPLACERS["line_trimmed"](document, lines))
    assert not list(REPLACERS["whitespace_normalized"](document, lines))
    assert list(REPLACERS["escape_normalized"](document, f"{lines}\n'")) == []


repetitive = st.text("ab\n", max_size=40) | st.builds(
    lambda part, n: part * n, st.text("ab\n", max_size=5), st.integers(0, 12)
)


@given(repetitive, repetitive.filter(bool), st.integers(0, 10))
def test_occurrences_are_all_places_overlapping_ones_too(row: str, needle: str, start: int) -> None:
    assert list(occurrences(row, needle, start)) == [n for n in range(start, len(row)) if row.startswith(needle, n)]


@given(repetitive, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=12))
def test_the_texts_of_windows_are_what_they_span(text: str, spans: list[tuple[int, int]]) -> None:
    within = [(min(span[0], len(text)), min(max(span), len(text))) for span in spans]
    for order in (within, sorted(within)):
        assert list(window_texts(text, order)) == [text[start:end] for start, end in order]


@given(repetitive, st.integers(1, 12), st.integers(1, 5))
def test_the_texts_of_a_window_that_slides_are_what_it_spans(text: str, size: int, step: int) -> None:
    spans = [(n, n + size) for n in range(0, len(text) - size + 1, step)]
    assert list(window_texts(text, spans)) == [text[start:end] for start, end in spans]


def test_windows_that_are_all_alike_share_one_text() -> None:
    texts = list(window_texts("ab" * 50, [(n, n + 40) for n in range(0, 60, 2)]))
    assert len({id(text) for text in texts}) == 1
