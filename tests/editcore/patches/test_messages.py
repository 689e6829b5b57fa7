"""What a patch's refusal tells the model that sent it, word for word: it is what the next try goes by.

The messages of the default readings stand in `tests/cases` as well; here are those of all readings, side by side.
"""

from __future__ import annotations

import pytest

from editcore import Reason, Rejected, apply_begin_patch, apply_search_replace, apply_unified_diff
from editcore.patches.begin_patch import Reading
from editcore.patches.unified_diff import Strictness

FILES = {"app.cfg": "host = a\nport = 1\nmode = dev\nlog = off\n"}
HEADERS = "'*** Add File: PATH', '*** Delete File: PATH', '*** Update File: PATH'"
UPDATE = "*** Update File: app.cfg\n"
CHANGE = "@@\n host = a\n-port = 1\n+port = 2\n"


def refusal(result: object) -> tuple[Reason, str]:
    assert isinstance(result, Rejected)
    return result.reason, result.message


@pytest.mark.parametrize(
    ("reading", "patch", "message"),
    [
        ("strict", f"*** begin patch\n{UPDATE}{CHANGE}*** End Patch\n",
         "line 1 of the patch: The first line of the patch must be '*** Begin Patch'."),
        ("strict", f"*** Begin Patch\n{UPDATE}{CHANGE}",
         "line 6 of the patch: The last line of the patch must be '*** End Patch'."),
        ("codex", "*** Begin Patch", "line 1 of the patch: The last line of the patch must be '*** End Patch'."),
        ("codex", "*** Begin Patch\n*** End Patch\n", "No files were modified: the patch has no sections."),
        ("strict", "*** Begin Patch\n*** End Patch\n",
         "line 1 of the patch: the patch has no sections: '*** Update File: PATH' begins one, '@@' a hunk in it."),
        ("lenient", "*** Begin Patch\n*** End Patch\n",
         "line 1 of the patch: the patch has no sections: '*** Update File: PATH' begins one, '@@' a hunk in it."),
        ("lenient", "prose\n",
         "line 1 of the patch: there is no '*** Begin Patch' and no file header: "
         "'*** Update File: PATH' begins a section."),
    ],
)  # fmt: skip
def test_an_envelope_without_its_frame_or_without_sections(reading: Reading, patch: str, message: str) -> None:
    assert refusal(apply_begin_patch(FILES, patch, reading=reading)) == (Reason.MALFORMED, message)


@pytest.mark.parametrize(
    ("reading", "sections", "message"),
    [
        ("strict", f"*** Update File: app.cfg \n{CHANGE}", "line 2 of the patch: a marker is followed by whitespace."),
        ("strict", f"{UPDATE}@@ \n-port = 1\n+port = 2\n", "line 3 of the patch: a marker is followed by whitespace."),
        ("strict", f"{UPDATE}@@\n{CHANGE}", "line 3 of the patch: Update hunk does not contain any lines."),
        ("strict", f"{UPDATE}{CHANGE}@@\n", "line 7 of the patch: Update hunk does not contain any lines."),
        ("strict", UPDATE, "line 2 of the patch: Update file hunk for path 'app.cfg' is empty."),
        ("codex", f"{UPDATE}*** Move to: b.cfg\n",
         "line 2 of the patch: Update file hunk for path 'app.cfg' is empty."),
        ("codex", f"{UPDATE}*** Move to: b.cfg\n{UPDATE}{CHANGE}",
         "line 2 of the patch: Update file hunk for path 'app.cfg' is empty."),
        ("strict", "prose\n",
         f"line 2 of the patch: 'prose' is not a valid hunk header. Valid ones: {HEADERS}."),
        ("strict", "*** Environment ID: e\n",
         f"line 2 of the patch: '*** Environment ID: e' is not a valid hunk header. Valid ones: {HEADERS}."),
        ("codex", f"*** Environment ID: \n{UPDATE}{CHANGE}", "line 2 of the patch: Environment ID is empty."),
        ("codex", f"*** Environment ID: e\n*** Environment ID: e\n{UPDATE}{CHANGE}",
         f"line 3 of the patch: '*** Environment ID: e' is not a valid hunk header. Valid ones: {HEADERS}."),
        ("strict", f"{UPDATE}{CHANGE}*** Move to: b.cfg\n",
         "line 7 of the patch: unexpected line in an update: '*** Move to: b.cfg'."),
        ("codex", f"{UPDATE}*** Move to: b.cfg\n*** Move to: c.cfg\n",
         "line 4 of the patch: unexpected line in an update: '*** Move to: c.cfg'."),
        ("strict", f"{UPDATE}@@\n*** End of File\n",
         "line 4 of the patch: the end of the file is marked before any line."),
        ("codex", f"{UPDATE}@@\n log = off\n*** End of File\n+x\n",
         "line 6 of the patch: Expected an @@ line after the end of the file, got '+x'."),
        ("strict", f"{UPDATE}@@\n log = off\n*** End of File\n\n",
         "line 6 of the patch: Expected an @@ line after the end of the file, got ''."),
        ("strict", f"{UPDATE}-port = 1\n+port = 2\n", "line 3 of the patch: Expected an @@ line, got '-port = 1'."),
        ("strict", f"{UPDATE}@@\n host = a\n\n-port = 1\n",
         "line 5 of the patch: a line of a hunk begins with a blank, + or -; this one is empty."),
        ("codex", f"{UPDATE}@@\nhost = a\n-port = 1\n",
         "line 4 of the patch: unexpected line in a hunk: 'host = a'. It must begin with a blank, + or -."),
    ],
)  # fmt: skip
def test_sections_that_cannot_be_read(reading: Reading, sections: str, message: str) -> None:
    patch = f"*** Begin Patch\n{sections}*** End Patch\n"
    assert refusal(apply_begin_patch(FILES, patch, reading=reading)) == (Reason.MALFORMED, message)


@pytest.mark.parametrize(
    ("sections", "reason", "message"),
    [
        ("*** Delete File: no.cfg\n", Reason.NOT_FOUND, "line 2 of the patch: no.cfg does not exist."),
        (f"{UPDATE}@@ [main]\n-port = 1\n+port = 2\n", Reason.NO_MATCH,
         "line 3 of the patch: Failed to find context '[main]' in app.cfg."),
        (f"{UPDATE}@@\n host = a\n-port = 9\n", Reason.NO_MATCH,
         r"line 3 of the patch: Failed to find expected lines in app.cfg: 'host = a\nport = 9'"),
    ],
)  # fmt: skip
def test_what_codex_does_not_find(sections: str, reason: Reason, message: str) -> None:
    patch = f"*** Begin Patch\n{sections}*** End Patch\n"
    assert refusal(apply_begin_patch(FILES, patch, reading="codex")) == (reason, message)


@pytest.mark.parametrize(
    ("strictness", "hunks", "reason", "message"),
    [
        ("strict", "@@ port @@\n-port = 1\n+port = 2\n", Reason.MALFORMED,
         "line 3 of the patch: '@@ port @@' is no hunk header: '@@ -START,LENGTH +START,LENGTH @@'."),
        ("strict", "@@ -1,3 +1,3 @@\n host = a\n-port = 1\n+port = 2\n", Reason.MALFORMED,
         "line 3 of the patch: the hunk is shorter than its header says."),
        ("strict", "@@ -1,2 +1,1 @@\n host = a\n-port = 1\n+port = 2\n", Reason.MALFORMED,
         "line 3 of the patch: the hunk is longer than its header says."),
        ("strict", "@@ -1,2 +1,0 @@\n host = a\n-port = 1\n", Reason.MALFORMED,
         "line 3 of the patch: the hunk is not as long as its header says."),
        ("strict", "@@ -1 +1 @@\n host = a\n", Reason.MALFORMED, "line 3 of the patch: the hunk changes nothing."),
        ("strict", "@@ -1,2 +1,2 @@\n host = a\nport = 1\n", Reason.MALFORMED,
         "line 5 of the patch: unexpected line in a hunk: 'port = 1'. It must begin with a blank, + or -."),
        ("strict", "@@ -3,2 +3,2 @@\n host = a\n-port = 1\n+port = 2\n", Reason.NO_MATCH,
         "line 3 of the patch: the hunk does not fit app.cfg at line 3: correct its lines and numbers."),
        ("fuzz", "@@ -3 +3 @@\n-port = 3\n+port = 2\n", Reason.NO_MATCH,
         "line 3 of the patch: the hunk does not fit app.cfg at line 3 or near it: correct its lines and numbers."),
        ("strict", "@@ -1,2 +1,3 @@\n host = a\n+new = 1\n port = 1\n@@ -2 +3 @@\n-port = 1\n+port = 2\n",
         Reason.AMBIGUOUS,
         "line 7 of the patch: the hunk stands at line 2 of app.cfg, above the end of the one before it: "
         "join the two, or put them in the file's order."),
        ("offset", "@@ -2 +2 @@\n-port = 1\n+port = 2\n@@ -1 +1 @@\n-host = a\n+host = b\n", Reason.MALFORMED,
         "line 6 of the patch: the hunk stands at line 1 of app.cfg, above the end of the one before it: "
         "join the two, or put them in the file's order."),
        ("strict", "@@ -1,2 +1,3 @@\n host = a\n+port = 1\n mode = dev\n", Reason.IDENTICAL,
         "line 3 of the patch: the change stands in app.cfg already, at line 1."),
        ("tolerant", "@@ -4 +4 @@\n-log = off\n\\ No newline at end of file\n+log = on\n", Reason.NO_MATCH,
         "line 3 of the patch: the hunk says that app.cfg has no line feed at its end, but it has: leave that out."),
        ("tolerant", " host = a\n mode = dev\n", Reason.MALFORMED,
         "line 3 of the patch: there is no @@ line before the lines of a hunk: put one there."),
        ("tolerant", "", Reason.MALFORMED,
         "line 1 of the patch: there is no hunk that changes app.cfg: '@@' begins one, - and + mark the changes."),
    ],
)  # fmt: skip
def test_hunks_of_a_diff(strictness: Strictness, hunks: str, reason: Reason, message: str) -> None:
    patch = f"--- a/app.cfg\n+++ b/app.cfg\n{hunks}"
    assert refusal(apply_unified_diff(FILES, patch, strictness=strictness)) == (reason, message)


ONE = "@@ -1 +1 @@\n-host = a\n+host = b\n"


@pytest.mark.parametrize(
    ("strictness", "patch", "reason", "message"),
    [
        ("strict", ONE, Reason.MALFORMED,
         "line 1 of the patch: the hunk belongs to no file: '--- a/PATH' and '+++ b/PATH' are missing."),
        ("strict", f"--- a/app.cfg\n+++ b/app.cfg\n{ONE}--- a/b.txt\n+++ b/b.txt\n", Reason.MALFORMED,
         "line 6 of the patch: there is no hunk that changes b.txt: '@@' begins one, - and + mark the changes."),
        ("strict", f"--- /dev/null\n+++ /dev/null\n{ONE}", Reason.MALFORMED,
         "line 1 of the patch: both names are /dev/null: give that of the file."),
        ("strict", f"diff --git app.cfg\n{ONE}", Reason.MALFORMED,
         "line 1 of the patch: the file has no name: give it below as '--- a/PATH' and '+++ b/PATH'."),
        ("tolerant", f"+++ /dev/null\n{ONE}", Reason.MALFORMED,
         "line 1 of the patch: the file has no name: give it below as '--- a/PATH' and '+++ b/PATH'."),
        ("strict", f"--- /dev/null\n+++ b/new.cfg\n{ONE}", Reason.MALFORMED,
         "line 1 of the patch: a new file has nothing but added lines, in one hunk."),
        ("strict", "diff --git a/app.cfg b/b.cfg\ncopy from app.cfg\ncopy to b.cfg\n", Reason.NOT_ALLOWED,
         "line 1 of the patch: copies are not supported: add the file instead."),
        ("strict", f"--- a/../app.cfg\n+++ b/../app.cfg\n{ONE}", Reason.OUTSIDE_WORKSPACE,
         "line 1 of the patch: 'a/../app.cfg' is not a path inside the files: give a relative one."),
        ("strict", "prose\n", Reason.MALFORMED, "line 1 of the patch: the patch has no hunks: '@@' begins one."),
        ("tolerant", "prose\n", Reason.MALFORMED,
         "line 1 of the patch: there is no hunk in the patch: '@@' begins one."),
        # Diffs that are nearly none
        ("tolerant", "+++ b/new.cfg\n", Reason.NOT_FOUND,
         "line 1 of the patch: There is no file new.cfg: give the path of one that exists."),
        ("tolerant", "--- /dev/null\n", Reason.MALFORMED,
         "line 1 of the patch: the file has no name: give it below as '--- a/PATH' and '+++ b/PATH'."),
        ("tolerant", "--- /etc/new\n+++ /etc/new\n@@ -0,0 +1 @@\n+a\n", Reason.OUTSIDE_WORKSPACE,
         "line 1 of the patch: '/etc/new' is not a path inside the files: give a relative one."),
        ("tolerant", "--- /dev/null\n+++ b/new.cfg\n@@ -0,0 +1 @@\na\n", Reason.MALFORMED,
         "line 3 of the patch: the hunk marks no change, but its header says that there is one: mark it with - and +."),
        ("tolerant", " --- a/app.cfg\n", Reason.MALFORMED,
         "line 1 of the patch: there is no hunk that changes app.cfg: '@@' begins one, - and + mark the changes."),
        ("tolerant", "--- a/app.cfg\n+++ b/app.cfg\n@@ -1,2 +1 @@\n-host = a\n+host = b\n@", Reason.MALFORMED,
         "line 6 of the patch: the patch was cut off within a header: send it again whole, or without this line."),
        ("tolerant", "--- a/app.cfg\n+++ b/app.cfg\n@@ -1,3 +1,3 @@\n host = a\n-port = 1\n", Reason.MALFORMED,
         "line 3 of the patch: the patch may have been cut off within the hunk: send it again whole; "
         "if it is whole, with the header '@@ -1,2 +1,1 @@'."),
    ],
)  # fmt: skip
def test_headers_of_a_diff(strictness: Strictness, patch: str, reason: Reason, message: str) -> None:
    assert refusal(apply_unified_diff(FILES, patch, strictness=strictness)) == (reason, message)


@pytest.mark.parametrize(
    ("files", "text", "reason", "message"),
    [
        (FILES, "prose\n", Reason.MALFORMED, "There is no search/replace block: '<<<<<<< SEARCH' begins one."),
        (FILES, "<<<<<<< SEARCH\na\n", Reason.MALFORMED,
         "line 1 of the patch: the block has no '=======' line: it may have been cut off; send it again whole."),
        (FILES, "prose\n<<<<<<< SEARCH\na\n=======\nb\n", Reason.MALFORMED,
         "line 2 of the patch: the block has no '>>>>>>> REPLACE' line: it may have been cut off; "
         "send it again whole."),
        (FILES, "<<<<<<< SEARCH\nz\n=======\n=======\nb\n>>>>>>> REPLACE\n", Reason.MALFORMED,
         "line 1 of the patch: the block has several '=======' lines, and which one divides it is not certain: "
         "write its three markers with eight signs each."),
        ({"a": "", "b": ""}, "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", Reason.MALFORMED,
         "line 1 of the patch: the block names no file: put its path on the line above."),
        ({"a": "", "b": ""}, "a\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", Reason.NO_MATCH,
         "line 2 of the patch: old_string was not found, nor any line like it: "
         "read the file again and copy the text exactly."),
        ({"a": "", "b": ""}, "src/c\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", Reason.NOT_FOUND,
         "line 2 of the patch: There is no file src/c: give the path of one that exists."),
        (FILES, "/app.cfg\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", Reason.OUTSIDE_WORKSPACE,
         "line 2 of the patch: '/app.cfg' is not a path inside the files: give a relative one."),
    ],
)  # fmt: skip
def test_blocks_that_cannot_be_applied(files: dict[str, str], text: str, reason: Reason, message: str) -> None:
    assert refusal(apply_search_replace(files, text)) == (reason, message)
