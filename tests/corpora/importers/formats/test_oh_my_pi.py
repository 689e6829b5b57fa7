"""oh-my-pi's logs, read: the shapes are those that its programs 13.19 and 17.3 wrote in scripted sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corpora.importers.formats.oh_my_pi import IMPORTER
from corpora.importers.importer import Surroundings
from corpora.importers.log import Log
from corpora.importers.rebuilding.rebuild import rebuilt_samples
from corpora.importers.session import Attempt, Disturbed, Opened, Read, RecordedDiff, Wrote
from corpora.sample import Sample
from editcore.anchors import show
from editcore.anchors.views import h4_tag
from editcore.types import Edit, File
from tests.corpora.importers.formats.test_pi import call, result
from tests.corpora.importers.logs import read, survives, write_lines

SESSION = {"type": "session", "version": 3, "id": "s", "cwd": "/home/user/demo"}
TITLE = {"type": "title", "v": 1, "title": "", "pad": "   "}
BEFORE = "def f():\n    return 1\n\nprint(f())\n"
AFTER = BEFORE.replace("1", "2")
CALL = f"[a.py#{h4_tag(BEFORE)}]\nPUT 2.=2:\n+    return 2\n"


def shown(text: str, *, size: int | None = None, key: str = "r", path: str = "a.py") -> list[Any]:
    """A read of a whole file by version 17."""
    lines = text.removesuffix("\n").split("\n")
    display = {"text": "\n".join(lines), "startLine": 1, "lineNumbers": [*range(1, len(lines) + 1)]}
    details = {"displayContent": display, "totalLines": len(lines), "fileSize": len(text) if size is None else size}
    listing = show(text, "hashline_h4", path=path)
    return [call(key, "read", path=path), result(key, listing, details=details)]


def edited(text: str = AFTER, before: str = BEFORE, **more: Any) -> dict[str, Any]:
    """The details of an edit by version 17."""
    diff = " 1|def f():\n-2|    return 1\n+2|    return 2\n 3|\n 4|print(f())"
    return {
        "diff": diff,
        "firstChangedLine": 2,
        "op": "update",
        "path": "a.py",
        "oldText": before,
        "newText": text,
    } | more


def h2(text: str = BEFORE) -> str:
    return show(text, "hashline_h2_oh_my_pi")


def events(tmp_path: Path, *lines: Any) -> list[Any]:
    found, _ = read(IMPORTER, write_lines(tmp_path / "s.jsonl", TITLE, SESSION, *lines))
    assert found[0] == Opened("/home/user/demo", "3")
    return found[1:]


def samples(tmp_path: Path, *lines: Any) -> list[Sample]:
    surroundings = Surroundings()
    log = Log.at(write_lines(tmp_path / "s.jsonl", SESSION, *lines))
    return list(rebuilt_samples(IMPORTER.events(log, surroundings), IMPORTER, surroundings))


def attempt(key: str = "c", **fields: Any) -> Attempt:
    return Attempt(key, "hashline_h4", patch=CALL, model="m", **fields)


def test_an_edit_of_h4_has_the_texts_of_its_result_and_the_one_that_its_tag_names(tmp_path: Path) -> None:
    seen, after = (File("a.py", BEFORE),), (File("a.py", AFTER),)
    made = result("c", f"[a.py#{h4_tag(AFTER)}]\n2:    return 2", details=edited())
    assert events(tmp_path, *shown(BEFORE), call("c", "edit", input=CALL), made) == [
        Read("a.py", BEFORE),
        attempt(outcome="applied", before=seen, after=after, seen=seen),
    ]


def test_a_text_that_an_edit_or_a_write_left_is_seen_by_its_tag(tmp_path: Path) -> None:
    second = f"[a.py#{h4_tag(AFTER)}]\nCUT 3.=3\n"
    third = f"[n.py#{h4_tag('x = 1')}]\nPUT >$:\n+y = 2\n"
    made = events(
        tmp_path,
        *shown(BEFORE),
        call("c", "edit", input=CALL),
        result("c", details=edited()),
        call("w", "write", path="n.py", content="x = 1\n"),
        result("w", "[n.py#0000]\nSuccessfully wrote 6 bytes"),
        call("d", "edit", input=second),
        result("d", f"Edit rejected for a.py: hash #{h4_tag(AFTER)} is not from this session.", failed=True),
        call("e", "edit", input=third),
    )
    assert made[2] == Wrote("n.py", "x = 1\n")
    assert (made[3].outcome, made[3].seen) == ("no_match", (File("a.py", AFTER),))
    assert (made[4].outcome, made[4].seen) == ("unknown", None)


def test_a_call_for_a_text_that_nothing_showed_says_nothing_of_what_was_seen(tmp_path: Path) -> None:
    both = f"{CALL}[b.py#1234]\nREM\n"
    (made,) = events(tmp_path, *shown(BEFORE), call("c", "edit", input=both))[1:]
    assert made.seen is None


def test_texts_of_a_file_that_may_have_other_line_endings_are_not_taken(tmp_path: Path) -> None:
    crlf = BEFORE.replace("\n", "\r\n")
    diff = RecordedDiff(
        "a.py", "@@ -1,4 +1,4 @@\n def f():\n-    return 1\n+    return 2\n \n print(f())\n", ends_shown=False
    )
    listing = result("r", show(BEFORE, "hashline_h4", path="a.py"), details={
        "displayContent": {"text": crlf[:-1]}, "totalLines": 4, "fileSize": len(crlf)
    })  # fmt: skip
    known, made = events(
        tmp_path, call("r", "read", path="a.py"), listing, call("c", "edit", input=CALL), result("c", details=edited())
    )
    assert known == Read("a.py", BEFORE[:-1], ends_shown=False)
    assert (made.before, made.diffs) == (None, (diff,))
    (unread,) = events(tmp_path, call("c", "edit", input=CALL), result("c", details=edited()))
    assert (unread.before, unread.diffs) == (None, (diff,))


def test_the_files_of_a_call_with_several_sections(tmp_path: Path) -> None:
    other = "x = 1\n"
    both = f"{CALL}[b.py#{h4_tag(other)}]\nMV c.py\n[d.py#{h4_tag(other)}]\nREM\n"
    results = [
        edited(),
        {"path": "c.py", "sourcePath": "b.py", "op": "update", "move": "c.py", "oldText": other, "newText": other},
        {"path": "d.py", "op": "delete", "oldText": other},
    ]
    *_, made = events(
        tmp_path, *shown(BEFORE), *shown(other, key="r2", path="b.py"), *shown(other, key="r3", path="d.py"),
        call("c", "edit", input=both), result("c", details={"diff": "", "perFileResults": results}),
    )  # fmt: skip
    assert made.before == (File("a.py", BEFORE), File("b.py", other), File("d.py", other))
    assert made.after == (File("a.py", AFTER), File("c.py", other))


def test_a_read_of_some_lines_is_of_the_path_in_its_header(tmp_path: Path) -> None:
    listing = "[a.py#ABCD]\n2:    return 1\n3:\n\n[Showing lines 2-3 of 4. Use :4 to continue]"
    details = {"displayContent": {"text": "    return 1\n"}, "fileSize": 30}
    assert events(tmp_path, call("r", "read", path="a.py:2-3"), result("r", listing, details=details)) == [
        Read("a.py", "    return 1\n", 2, whole=False)
    ]


def test_a_read_of_version_13_shows_the_whole_text_and_its_edit_has_a_diff(tmp_path: Path) -> None:
    crlf = BEFORE.replace("\n", "\r\n")
    pos = h2().split("\n")[1].partition(":")[0]
    edits = [{"loc": {"range": {"pos": pos, "end": pos}}, "content": ["    return 2"]}]
    diff = edited()["diff"]
    known, made = events(
        tmp_path,
        call("r", "read", path="a.py", i="Looking"),
        result("r", "\n".join(f"{row}\r" for row in h2().split("\n")[:-1]) + "\n" + h2().split("\n")[-1]),
        call("c", "edit", path="a.py", edits=edits, i="Fixing"),
        result("c", "Updated a.py", details={"diff": diff, "firstChangedLine": 2, "op": "update"}),
    )
    assert known == Read("a.py", crlf)
    assert made.format == "hashline_h2"
    assert json.loads(made.patch) == {"path": "a.py", "edits": edits}
    assert made.diffs[0].text.startswith("@@ -1,4 +1,4 @@\n def f():\n-    return 1\n")


ERRORS = {
    "1 line has changed since last read. Use the updated LINE#ID references shown below": "no_match",
    "Edit rejected for a.py: file changed between read and edit.": "no_match",
    "Line 99 does not exist (file has 7 lines)": "no_match",
    "Edits to a.py parsed and applied cleanly, but produced no change: ...": "identical",
    "No changes made to a.py. The edits produced identical content.": "identical",
    "line 3: anchor line 2 is already targeted by another hunk on line 1.": "malformed",
    "append requires a valid anchor.": "malformed",
    "Something else": "unknown",
}


@pytest.mark.parametrize(("error", "outcome"), ERRORS.items())
def test_the_outcome_of_an_edit_that_was_refused(tmp_path: Path, error: str, outcome: str) -> None:
    (made,) = events(tmp_path, call("c", "edit", input=CALL), result("c", error, failed=True))
    assert made.outcome == outcome


def test_other_calls(tmp_path: Path) -> None:
    replaced = call("c", "edit", path="a.py", old_text="x", new_text="y", all=True)
    assert events(
        tmp_path,
        replaced,
        result("c", details={"diff": "-1|x\n+1|y", "firstChangedLine": 1}),
        call("b", "bash", command="make"),
        result("b"),
        call("l", "read", path="."),
        result("l", "a.py\nb.py"),
        call("f", "write", path="n.py", content="x"),
        result("f", "refused", failed=True),
    ) == [
        Attempt(
            "c", "str_replace", "a.py", (Edit("x", "y", True),), model="m", outcome="applied",
            diffs=(RecordedDiff("a.py", "@@ -1,1 +1,1 @@\n-x\n+y\n", ends_shown=False),),
        ),
        Disturbed(),
    ]  # fmt: skip


def test_an_edit_in_a_grammar_that_is_not_read_is_counted(tmp_path: Path) -> None:
    log = write_lines(
        tmp_path / "s.jsonl", SESSION, call("c", "edit", input="[a.py#ABCD]\nSWAP 1.=1:\n+x"), result("c")
    )
    found, counts = read(IMPORTER, log)
    assert counts == {"edit call without its strings": 1}
    assert found[1:] == []


def test_an_edit_of_a_file_that_was_changed_since_is_a_sample_with_what_was_seen(tmp_path: Path) -> None:
    now = f"# new\n{BEFORE}"
    (made,) = samples(
        tmp_path,
        *shown(BEFORE),
        call("b", "bash", command="sed"),
        result("b"),
        call("c", "edit", input=CALL),
        result("c", details=edited(f"# new\n{AFTER}", now)),
    )
    assert (made.label, made.format, made.patch) == ("apply", "hashline_h4", CALL)
    assert made.seen == (File("a.py", BEFORE),)
    assert (made.before, made.target) == ((File("a.py", now),), (File("a.py", f"# new\n{AFTER}"),))


def test_what_the_program_made_of_lines_that_are_certain_is_no_right_answer(tmp_path: Path) -> None:
    echoed = f"[a.py#{h4_tag(BEFORE)}]\nPUT 2.=2:\n+def f():\n+    return 2\n"
    for call_, after in ((echoed, AFTER), (CALL, AFTER + "\n")):
        (made,) = samples(
            tmp_path, *shown(BEFORE), call("c", "edit", input=call_), result("c", details=edited(after))
        )  # fmt: skip
        assert (made.label, made.target) == ("unlabelled", None)
        assert "tool:differs_from_exact" in made.tags


def test_a_call_that_is_made_again_with_the_right_tag_says_what_was_meant(tmp_path: Path) -> None:
    wrong = CALL.replace(h4_tag(BEFORE), "ABCD")
    failed, made = samples(
        tmp_path,
        *shown(BEFORE),
        call("c", "edit", input=wrong),
        result("c", "Edit rejected for a.py: hash #ABCD is not from this session.", failed=True),
        call("d", "edit", input=CALL),
        result("d", details=edited()),
    )
    assert (failed.patch, failed.label, failed.label_source) == (wrong, "apply", "retry")
    assert failed.target == made.target == (File("a.py", AFTER),)


def test_any_damage_to_a_log_is_survived(tmp_path: Path) -> None:
    log = [SESSION, *shown(BEFORE), call("c", "edit", input=CALL), result("c", details=edited())]
    assert survives(IMPORTER, tmp_path / "s.jsonl", log, lines=True)
