"""The effect of a Begin/End Patch, compared with the log."""

from __future__ import annotations

import pytest

from corpora.importers.rebuilding.results import added_texts, has_same_extent, only_result
from corpora.importers.session import Attempt, Read
from tests.corpora.importers.rebuilding.attempts import CWD, diff, run, samples, told

TEXT = "a = 1\nb = 1\nc = 1\n"


def patch(*lines: str, outcome: str = "applied", key: str = "k", **fields: object) -> Attempt:
    text = "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])
    return Attempt(key, "begin_patch", patch=text, outcome=outcome, **fields)  # type: ignore[arg-type]


UPDATE = "*** Update File: a.py"
FIRST, LAST = (UPDATE, "@@", "-a = 1", "+a = 2"), (UPDATE, "@@", "-c = 1", "+c = 2")
ADD = ("*** Add File: n.py", "+n = 1")


def same(path: str) -> str:
    return path


def test_a_diff_of_the_last_of_two_sections_gives_no_label() -> None:
    """Codex 0.46 to 0.145 keeps one diff for each file."""
    shown = diff(TEXT, TEXT.replace("c = 1", "c = 2"))
    (made,) = samples(Read("a.py", TEXT), patch(*FIRST, *LAST, diffs=shown))
    assert told(made) == ("unlabelled", None, None)
    (made,) = samples(Read("a.py", TEXT), patch(*LAST, diffs=shown))
    assert told(made) == ("apply", "tool_result", TEXT.replace("c = 1", "c = 2"))


def test_the_text_after_a_diff_of_another_extent_is_not_known() -> None:
    shown = diff(TEXT, TEXT.replace("c = 1", "c = 2"))
    found, counts = run(Read("a.py", TEXT), patch(*FIRST, *LAST, diffs=shown), patch(*LAST, key="2"))
    assert len(found) == 1
    assert counts["left out: the file's text is not known"] == 1


@pytest.mark.parametrize(
    ("made", "new", "expected"),
    [
        (patch(*FIRST), {"a.py": TEXT.replace("a = 1", "a = 2")}, True),
        (patch(*FIRST), {"a.py": TEXT.replace("a = 1", "\ta = 2")}, True),
        (patch(*FIRST), {"a.py": TEXT}, False),
        (patch(*FIRST), {"a.py": TEXT.replace("a = 1", "a = 2") + "d\n"}, False),
        (patch("*** Delete File: a.py"), {}, True),
        (patch(*FIRST, *ADD), {"a.py": TEXT.replace("a = 1", "a = 2"), "n.py": "n = 1\n"}, True),
        (patch("*** Add File: a.py", "+n = 1"), {"a.py": "n = 1\n"}, True),
        (patch(UPDATE, "*** Move to: b.py", "@@", "-a = 1", "+a = 2"), {"b.py": "a = 2\nb = 1\nc = 1\n"}, True),
        (patch("no header"), {}, True),
    ],
    ids=["as said", "indented", "nothing", "more", "deleted", "with a new file", "replaced", "moved", "not read"],
)
def test_the_extent_of_a_change_is_its_lines(made: Attempt, new: dict[str, str], expected: bool) -> None:
    assert has_same_extent(made, {"a.py": TEXT}, new, same) is expected


def test_a_patch_that_matches_exactly_in_one_place_has_one_result() -> None:
    assert only_result(patch(*FIRST, *LAST), {"a.py": TEXT}, same) == {"a.py": "a = 2\nb = 1\nc = 2\n"}
    assert only_result(patch(*ADD), {}, same) == {"n.py": "n = 1\n"}
    assert only_result(patch(*FIRST), {"a.py": TEXT[:-1]}, same) == {"a.py": TEXT.replace("a = 1", "a = 2")}
    (made,) = samples(Read("a.py", TEXT), patch(*FIRST))
    assert told(made) == ("apply", "exact", TEXT.replace("a = 1", "a = 2"))


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (patch(*FIRST), TEXT + TEXT),
        (patch(*FIRST), TEXT.replace("a", " a")),
        (patch(*FIRST), "b = 1\n"),
        (patch("*** Add File: a.py", "+n = 1"), TEXT),
        (patch(UPDATE, "@@", "+n = 1"), TEXT),
        (Attempt("k", "str_replace", "a.py"), TEXT),
    ],
    ids=["two places", "other whitespace", "no place", "a file that is there", "no place named", "no patch"],
)
def test_what_takes_a_guess_has_no_certain_result(made: Attempt, text: str) -> None:
    assert only_result(made, {"a.py": text}, same) is None


def test_a_file_that_a_patch_adds_is_known_from_there_on() -> None:
    (added, changed) = samples(patch(*ADD), patch("*** Update File: n.py", "@@", "-n = 1", "+n = 2", key="2"))
    assert told(added) == ("apply", "exact", "n = 1\n")
    assert told(changed) == ("apply", "exact", "n = 2\n")
    both = patch(*FIRST, *ADD)
    assert added_texts(both, same) == {"n.py": "n = 1\n"}
    assert added_texts(patch(*ADD, outcome="unknown"), same) == {}
    (changed,) = samples(both, patch("*** Update File: n.py", "@@", "-n = 1", "+n = 2", key="2"))
    assert told(changed) == ("apply", "exact", "n = 2\n")


def test_names_are_those_of_the_session() -> None:
    elsewhere = patch(f"*** Update File: {CWD}/a.py", "@@", "-a = 1", "+a = 2")
    (made,) = samples(Read("a.py", TEXT), elsewhere)
    assert (made.before[0].path, made.label_source) == ("a.py", "exact")
