"""`view` of `doc_edit`, on both databases."""

from __future__ import annotations

from editcore.host.documents.store import Documents
from tests.editcore.host.doc_edit_calls import PATH, Call


def test_view_shows_no_more_than_a_model_gets_in_one_piece(documents: Documents, call: Call) -> None:
    text = "".join(f'"{n}" says "é\\"\n' for n in range(4_000))
    documents.save(PATH, text)
    shown: list[str] = []
    first = 1
    while True:
        answer = call("view", view_range=[first, -1])
        shown += answer["content"].split("\n")
        last = answer["view_range"][1]
        if last == 4_000:
            break
        rest = f"Lines {first} to {last} are shown: view with view_range [{last + 1}, 4000] to continue."
        assert answer["message"] == rest
        first = last + 1
    assert first > 1
    assert [line.partition(": ")[2] for line in shown] == text.splitlines()
    documents.save(PATH, "é" * 100_000 + "\nend\n")
    answer = call("view")
    assert answer["content"] == f"1: {'é' * 4_997}... (cut: the line has 100,003 characters)"
    assert answer["view_range"] == [1, 1]


# `doc_edit` on a document that has changed since the session viewed it.
