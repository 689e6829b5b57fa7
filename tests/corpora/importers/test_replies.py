"""What an agent did after a reply of its edit tool."""

from __future__ import annotations

from dataclasses import replace
from time import process_time

import pytest

from corpora.importers.replies import (
    Reply,
    distinct,
    is_same_try,
    replies_in_log,
    replies_in_samples,
    wording,
    writes_file,
)
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Read, Unmade, Wrote
from corpora.sample import Provenance, Sample
from editcore.types import Edit, File

MISSED = Attempt(
    "k1", "str_replace", "a.py", (Edit("total  = 1\n", "total = 2\n"),), model="m", outcome="no_match",
    reply="String to replace not found in file.\nString: total  = 1",
)  # fmt: skip
RETRIED = Attempt("k2", "str_replace", "a.py", (Edit("total = 1\n", "total = 2\n"),), outcome="applied")
OTHER = Attempt("k3", "str_replace", "a.py", (Edit("name = 7\n", "name = 8\n"),), outcome="applied")


def of(*events: Event) -> list[Reply]:
    return list(replies_in_log(events, "a", 0))


def nexts(*events: Event) -> list[str]:
    return [reply.next for reply in of(MISSED, *events)]


def test_the_next_call_is_the_next_try_at_the_same_lines() -> None:
    assert nexts(RETRIED) == ["made"]
    assert nexts(OTHER, RETRIED) == ["made"]
    assert nexts(OTHER) == ["gave_up"]
    assert nexts(replace(RETRIED, path="b.py")) == ["gave_up"]
    assert nexts(replace(RETRIED, outcome="no_match")) == ["failed", "gave_up"]


def test_the_file_may_be_written_another_way() -> None:
    assert nexts(Wrote("a.py", "total = 2\n")) == ["rewrote"]
    assert nexts(Disturbed("sed -i 's/1/2/' a.py")) == ["shell"]
    assert nexts(Disturbed("cat a.py")) == ["gave_up"]
    assert nexts(Disturbed()) == ["gave_up"]


def test_a_read_in_between_is_counted() -> None:
    assert [reply.looked for reply in of(MISSED, Read("a.py", "total = 1\n"), RETRIED)] == [True]
    assert [reply.looked for reply in of(MISSED, RETRIED)] == [False]


def test_a_session_ends_where_another_begins() -> None:
    first, second = of(MISSED, Opened(afresh=True), replace(MISSED, key="k9"), RETRIED)
    assert (first.session, first.next, second.session, second.next) == (0, "gave_up", 1, "made")


def test_a_call_that_never_became_an_edit_is_followed_by_any_edit() -> None:
    unmade = Unmade("k0", "wrong_field", "m", reply="Missing key filePath")
    assert [(reply.kind, reply.next) for reply in of(unmade, OTHER)] == [("wrong_field", "made")]
    assert of(Unmade("k0", reply="the server is down")) == []


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        ("oldString was not found", "none"),
        ("oldString was not found; at the nearest place, line 3 has 'total = 1'", "right"),
        ("oldString was not found; at the nearest place, line 9 has 'amount = 1'", "wrong"),
        ("oldString was not found; at the nearest place, line 3 has 'sum = 4'", "none"),
        ("Did you mean:\n  3: total = 1", "right"),
    ],
)
def test_a_line_that_the_message_shows_is_right_if_the_next_edit_quotes_it(reply: str, line: str) -> None:
    missed = replace(MISSED, edits=(Edit("sum = 4\n", "total = 2\n"),), reply=reply)
    assert [one.line for one in of(missed, RETRIED)] == [line]


def test_a_note_of_inexactness_is_used_if_the_next_edit_of_the_file_is_exact() -> None:
    noted = replace(OTHER, reply="Applied, but oldString does not match exactly: whitespace differs.")
    assert [(one.kind, one.next) for one in of(noted, RETRIED)] == [("inexact", "made")]
    first, _ = of(noted, replace(noted, key="k5"))
    assert (first.kind, first.next) == ("inexact", "failed")


def test_the_copy_that_has_the_next_call_is_kept() -> None:
    whole, cut = of(MISSED, RETRIED), of(MISSED)
    assert distinct([*cut, *whole]) == distinct([*whole, *cut]) == whole


def test_equal_kinds_of_messages_have_equal_wordings() -> None:
    one = wording("<tool_use_error>Error: Failed to find 'x y' in src/a b.py at line 12\nx y")
    assert one == wording("Failed to find 'z' in lib/c.py at line 7") == "Failed to find '…' in PATH at line N"


def test_two_edits_are_one_try_if_they_share_half_of_their_new_lines() -> None:
    assert is_same_try(MISSED, RETRIED)
    assert not is_same_try(MISSED, OTHER)


@pytest.mark.parametrize(
    ("command", "writes"),
    [
        ("sed -i 's/a/b/' src/a.py", True),
        ("cat > src/a.py <<'EOF'\nx\nEOF", True),
        ("python3 - <<'EOF'\nopen('a.py', 'w').write('x')\nEOF", True),
        ("echo x | tee -a a.py", True),
        ("python3 -m pytest a.py 2>/dev/null", False),
        ("git commit -m 'a.py' -m 'By: <u@example.org>'", False),
        ("sed -i 's/a/b/' src/b.py", False),
    ],
)
def test_a_command_that_writes_a_file_names_it(command: str, writes: bool) -> None:
    assert writes_file(command, "/d/src/a.py") == writes


def sample(name: str, text: str, old: str, outcome: str, *tags: str) -> Sample:
    edits, origin = (Edit(old, "total = 2\n"),), Provenance(agent="mcp", recorded_outcome=outcome)
    return Sample(name, "str_replace", (File("a.py", text),), "unlabelled", edits, tags=tags, provenance=origin)


def test_of_samples_with_equal_texts_the_applied_one_is_the_last() -> None:
    missed, made = sample("1", "total = 1\n", "total = 9\n", "no_match"), sample("2", "total = 1\n", "x", "applied")
    later = sample("3", "# other\ntotal = 1\n", "total = 1\n", "applied")
    assert [one.next for one in replies_in_samples([made, missed], 0)] == ["made"]
    assert [one.next for one in replies_in_samples([missed, later], 0)] == ["not_recorded"]
    recorded = [replace(one, tags=("tool:edit",)) for one in (missed, later)]
    assert [one.next for one in replies_in_samples(recorded, 0)] == ["made"]


def test_hostile_replies_take_linear_time() -> None:
    start = process_time()
    for text in (
        "'" * 200_000,
        "a/" * 100_000,
        "a " * 100_000,
        "<" * 200_000,
        '{"error": "' + "\\" * 200_000,
        "> " * 99_999,
    ):
        missed = replace(MISSED, reply=text, edits=(Edit("a" * 9, text),))
        assert len(of(missed, Disturbed(f"{text}a.py"), RETRIED)) == 1
    assert process_time() - start < 10
