"""The referee's objections to labels, and the labels that it accepts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corpora.generation.referee import objection
from corpora.sample import Sample
from editcore.types import Edit, File
from tests.rows import rows
from tests.samples import sample

FILE = """\
def load(path):
    with open(path) as file:
        return parse(file.read())


def save(path, text):
    with open(path, "w") as file:
        file.write(text)
"""


def applied(old: str, new: str, after: str, *, before: str = FILE, replace_all: bool = False) -> Sample:
    one = sample(before=before, label="apply", target=(File("a.py", after),))
    return replace(one, edits=(Edit(old, new, replace_all),))


def refused(old: str, new: str = "x", *, before: str = FILE, replace_all: bool = False, reason: str = "gone") -> Sample:
    return replace(sample(before=before, tags=(f"refuse:{reason}",)), edits=(Edit(old, new, replace_all),))


def changed(old: str, new: str, text: str = FILE) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


READ, PARSED = "        return parse(file.read())", "        return decode(file.read())"


@pytest.mark.parametrize(("search", "new"), rows("a_find_that_is_best_explained_where_the_target_differs_is_certain"))
def test_a_find_that_is_best_explained_where_the_target_differs_is_certain(search: str, new: str) -> None:
    assert objection(applied(search, new, changed(READ, PARSED))) is None


def test_a_whole_block_escaped_on_both_sides_is_certain() -> None:
    block = FILE[: FILE.index("\n\n\n")]
    other = block.replace("parse", "decode")
    written = [text.replace("\n", "\\n").replace('"', '\\"') for text in (block, other)]
    assert objection(applied(*written, changed(block, other))) is None


def test_a_line_that_is_inserted_again_is_certain() -> None:
    one = f"{READ}\n        log(path)"
    before = changed(READ, one)
    assert objection(applied(READ, one, changed(READ, one, before), before=before)) is None


def test_an_insertion_may_begin_as_the_line_below_does() -> None:
    before = "import a\n# the paths\nfrom os.path import join\nfrom os.path import split\n"
    after = before.replace("join\n", "join\nfrom os.path import quote\n")
    search = "     2→# the paths\n     3→from os.path import join"
    new = f"{search}\n     4→from os.path import quote"
    assert objection(applied(search, new, after, before=before)) is None


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (applied("path", "x", changed("load(path)", "load(x)")), "the search text occurs twice"),
        (applied("pa\tth", "x", changed("load(path)", "load(x)")), "the search text occurs twice, whitespace ignored"),
        (applied("load", "fetch", changed("save", "fetch")), "an exact replacement gives another text"),
        (applied("load", "fetch", changed("load(path)", "fetch( path)")), "an exact replacement gives another text"),
        (applied("load", "fetch", FILE), "the target is the unchanged file"),
        (applied(" \n", "fetch", changed("load", "fetch")), "the search text is blank"),
        (applied("", "fetch", changed("load", "fetch")), "the search text is blank"),
        (
            applied("path", "x", FILE.replace("path", "x", 1), replace_all=True),
            "replacing all occurrences gives another text",
        ),
        (
            applied("  with open(path,  'w') as file:", "with x:", changed("with open(path) as file:", "with x:")),
            "another place is as similar to the search text",
        ),
        (
            applied(f"```\n{READ}\n```", f"```\n{PARSED}\n```", changed(READ, "        return ended(file.read())")),
            "the target has text that the edit lacks",
        ),
    ],
)
def test_what_is_not_certain_to_be_applied_so_is_objected_to(one: Sample, why: str) -> None:
    assert objection(one) == why


def test_replacing_all_is_certain_where_it_is_literal() -> None:
    assert objection(applied("path", "x", FILE.replace("path", "x"), replace_all=True)) is None


@pytest.mark.parametrize(
    "one",
    [
        refused("def fetch(path):"),
        refused("with open(path"),
        refused("  \n"),
        refused("", "y"),
        refused("def load(path):", "def load(path):"),
        refused("with open(path) as file:\n    return parse(file.read())\n\n\ndef save(path):"),
        refused("x = 1\n", before="if x:\n    x = 12\n"),
    ],
)
def test_a_find_that_is_gone_or_twice_or_says_nothing_is_certain_to_be_refused(one: Sample) -> None:
    assert objection(one) is None


@pytest.mark.parametrize(
    "one",
    [
        refused("def load(path):"),
        refused("def   load(path):"),
        refused("\n\ndef load(path):\n"),
        refused("wr", before="writes\n"),
        refused("path", replace_all=True),
        refused(READ, before=changed(READ, f"        # {READ.strip()}")),
    ],
)
def test_a_find_that_stands_there_once_is_not_certain_to_be_refused(one: Sample) -> None:
    assert objection(one) == "the search text occurs in the file once"


def test_of_several_edits_one_that_is_gone_is_enough() -> None:
    there, gone = Edit("def load(path):", "x"), Edit("def fetch(path):", "x")
    assert objection(replace(refused(""), edits=(there, gone))) is None
    saved = Edit("def save(path, text):", "x = 1")
    assert objection(replace(refused(""), edits=(there, saved))) == (
        "each search text occurs once in its turn, whitespace ignored"
    )


PATCH = "@@\n-def load(path):\n+def fetch(path):\n"


def patched(after: str, patch: str = PATCH) -> Sample:
    one = sample(before=FILE, label="apply", target=(File("a.py", after),))
    return replace(one, format="unified_diff", edits=None, patch=patch)


def test_every_changed_line_must_be_in_the_patch() -> None:
    fetched = changed("def load", "def fetch")
    assert objection(patched(fetched)) is None
    assert objection(patched(changed("def load", "def send"))) == "a gained line is not in the patch"
    assert objection(patched(changed("        file.write(text)\n", ""))) == "a lost line is not in the patch"
    assert objection(patched(fetched, PATCH.replace("+def fetch", "+def fecth"))) == "a gained line is not in the patch"


def test_a_lost_line_may_be_written_with_a_slip() -> None:
    assert objection(patched(changed("def load", "def fetch"), PATCH.replace("-def load", "-def laod"))) is None


def test_a_moved_file_is_compared_with_what_it_was() -> None:
    moved = patched(changed("def load", "def fetch"))
    moved = replace(moved, target=(File("b.py", changed("def load", "def fetch")),))
    assert objection(moved) is None
    other = replace(moved, target=(File("b.py", "x = 1\n"),))
    assert objection(other) == "a gained line is not in the patch"
    assert objection(patched(FILE)) == "the target is the unchanged files"


def test_of_an_insertion_only_what_is_gained_must_be_in_the_text() -> None:
    one = patched(changed("def save", "# saves\ndef save"), "# saves")
    assert objection(replace(one, format="insert", line=5)) is None
    assert objection(replace(one, format="insert", line=5, patch="# loads")) == "a gained line is not in the patch"


def test_a_refused_patch_needs_a_reason() -> None:
    one = replace(patched(FILE), label="refuse", target=None)
    assert objection(one) == "a refusal without a reason"
    assert objection(replace(one, tags=("refuse:malformed",))) is None


def test_what_has_no_label_is_not_judged() -> None:
    assert objection(sample(label="unlabelled")) is None


def listed(*edits: Edit, after: str | None = None) -> Sample:
    target = None if after is None else (File("a.py", after),)
    one = sample(before="one\ntwo\nthree\n", label="refuse" if after is None else "apply", target=target)
    return replace(one, edits=edits)


def test_the_edits_of_a_list_are_made_one_after_the_other() -> None:
    dependent = Edit("one", "1\n2"), Edit("2\ntwo", "2\n3")
    assert objection(listed(*dependent, after="1\n2\n3\nthree\n")) is None
    assert objection(listed(*dependent, after="1\n2\ntwo\nthree\n")) == "the edits leave another text"
    assert objection(listed(*dependent[::-1], after="1\n2\n3\nthree\n")) == (
        "a search text does not occur once in its turn"
    )
    assert objection(listed(*dependent[::-1])) is None
    assert objection(listed(*dependent)) == "each search text occurs once in its turn, whitespace ignored"
    assert objection(listed(Edit("one", "1"), Edit("  TWO", "2"))) is not None
    assert objection(listed(Edit("one", "two"), Edit("two", "2"))) is None  # Twice, in its turn.
