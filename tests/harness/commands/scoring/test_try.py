"""`try`: its answer for any strategy, and its error for edits that it cannot try."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.harness.program import Program, call, mistake

PATCH = "*** Begin Patch\n*** Update File: shop.py\n@@\n for item in basket:\n-    total = 0\n*** End Patch\n"
DIFF = "--- a/shop.py\n+++ b/shop.py\n@@ -2,2 +2,1 @@\n for item in basket:\n-    total = 0\n"
BLOCK = "shop.py\n<<<<<<< SEARCH\nfor item in basket:\n    total = 0\n=======\nfor item in basket:\n>>>>>>> REPLACE\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.py"
    path.write_text("total = 0\nfor item in basket:\n    total = 0\n    total += item\n")
    return path


def test_try_says_what_every_replacer_offers_and_which_one_decides(shop: Path) -> None:
    done = call("try", shop, "--cascade", "reference", "--old", "total = 0", "--new", "total = 1")
    assert done.exit_code == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "cascade/reference on shop.py"
    assert "   simple                     1  line 1 and 1 more place" in lines
    assert "-> line_trimmed               2  line 1 and 1 more place; line 3" in lines
    assert "applied by line_trimmed at line 3" in lines
    assert lines[-4:] == [" for item in basket:", "-    total = 0", "+total = 1", "     total += item"]
    assert shop.read_text().count("total = 0") == 2


def test_try_tells_a_refusal_by_its_exit_code(shop: Path) -> None:
    done = call("try", shop, "--old", "total = 0", "--new", "x", "--cascade", "exact")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[-1].startswith("rejected (ambiguous): ")


def test_try_replaces_everywhere(shop: Path) -> None:
    done = call("try", shop, "--old", "total = 0", "--new", "n = 0", "--all")
    assert "applied by exact at 2 places, the first at line 1" in done.stdout


def test_try_reads_its_texts_from_files(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "old").write_text("for item in basket:\n")
    (tmp_path / "new").write_text("for item in cart:\n")
    done = call("try", shop, "--old", f"@{tmp_path / 'old'}", "--new", f"@{tmp_path / 'new'}")
    assert "+for item in cart:" in done.stdout


@pytest.mark.parametrize("text", ["@property", "@" + "x" * 5000, "@"])
def test_a_text_that_only_looks_like_a_file_is_a_text(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.py"
    path.write_text(f"    {text}\n")
    done = call("try", path, "--old", text, "--new", "y")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "+    y")


def test_a_text_that_names_no_file_is_noted(shop: Path) -> None:
    done = call("try", shop, "--old", "@nowhere", "--new", "y")
    assert done.exit_code == 1
    assert done.stderr == "note: @nowhere is taken as the text itself: there is no such file\n"


def test_try_never_sends_raw_control_characters_to_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\x1b[31mred\x07 \u202e\x85\x0c\r\nx\ttab é\r\n".encode())
    done = call("try", path, "--old", "x", "--new", "\x1b[2J")
    lines = done.stdout.splitlines()
    assert lines[-3:] == [
        r" \x1b[31mred\x07 \u202e\x85\x0c\r",
        r"-x" + "\ttab é" + r"\r",
        r"+\x1b[2J" + "\ttab é" + r"\r",
    ]


def test_a_change_of_line_endings_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"x\r\n")
    assert call("try", path, "-s", "replacer/simple", "--old", "x\r\n", "--new", "x\n").stdout.splitlines()[-2:] == [
        r"-x\r",
        "+x",
    ]


def test_try_prints_one_document(shop: Path) -> None:
    arguments = ("--old", "basket", "--new", "cart", "-s", "reference", "--json")
    applied = json.loads(call("try", shop, *arguments).stdout)
    assert (applied["status"], applied["replacer"]) == ("applied", "simple")
    assert applied["offers"][0] == {"replacer": "simple", "n_candidates": 1, "places": ["line 2"]}
    refused = call("try", shop, "--old", "", "--new", "x", "--json")
    assert (refused.exit_code, json.loads(refused.stdout)["reason"]) == (1, "empty")


def test_a_terminal_that_cannot_show_a_character_gets_an_escape(editgauge: Program, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("λ = x\n", encoding="utf-8")
    done = editgauge("try", "a.txt", "--old", "x", "--new", "y", extra={"PYTHONIOENCODING": "latin-1"})
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == r"+\u03bb = y"


def test_tiers_say_where_they_would_put_the_edit_and_why(shop: Path) -> None:
    done = call("try", shop, "--old", "  total = 0\n  total += item", "--new", "  total = item")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "cascade/recommended on shop.py"
    assert "   exact            0  refuses (no_match)" in lines
    assert "-> indentation      1  line 3" in lines
    assert "applied by indentation at line 3" in lines
    assert "  indentation" in lines
    assert any(line.startswith("  confidence 0.9") for line in lines)


def test_a_refusal_by_tiers_says_what_contradicts_it_and_an_edit_that_would_do(shop: Path) -> None:
    done = call("try", shop, "--old", "total = 0", "--new", "total = 1")
    assert done.exit_code == 1
    offered = [line for line in done.stdout.splitlines() if line.startswith("  would be applied")]
    assert offered
    old, new = eval(offered[0].split("--old ")[1].replace(" --new ", ", "))
    assert call("try", shop, "--old", old, "--new", new).exit_code == 0


@pytest.mark.parametrize(
    ("patch", "by"),
    [(PATCH, "begin_patch/lenient"), (DIFF, "unified_diff/tolerant"), (BLOCK, "search_replace/recommended")],
)
def test_a_patch_is_tried_by_the_strategy_for_its_format(shop: Path, patch: str, by: str) -> None:
    (shop.parent / "fix").write_text(patch)
    done = call("try", shop, "--patch", f"@{shop.parent / 'fix'}")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[0] == f"{by} on shop.py"
    assert done.stdout.splitlines()[-3:] == [" for item in basket:", "-    total = 0", "     total += item"]


@pytest.mark.parametrize(
    ("text", "patch", "by"),
    [
        (
            "x\n*** Begin Patch\ny\n",
            "--- a/u\n+++ b/u\n@@ -1,3 +1,3 @@\n-x\n+X\n *** Begin Patch\n y\n",
            "unified_diff/tolerant",
        ),
        ("<<<<<<< HEAD\nx\n", "@@ -1,2 +1,2 @@\n <<<<<<< HEAD\n-x\n+X\n", "unified_diff/tolerant"),
        (
            "x\n",
            '["apply_patch", "*** Begin Patch\\n*** Update File: u\\n@@\\n-x\\n+X\\n*** End Patch"]',
            "begin_patch/lenient",
        ),
        ("--- a\nx\n", "<<<<<<< SEARCH\n--- a\nx\n=======\nX\n>>>>>>> REPLACE\n", "search_replace/recommended"),
    ],
)
def test_the_first_marker_at_the_start_of_a_line_tells_the_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, patch: str, by: str
) -> None:
    (tmp_path / "u").write_text(text)
    monkeypatch.chdir(tmp_path)
    done = call("try", "u", "--patch", patch)
    assert done.exit_code == 0, done.stdout
    assert done.stdout.splitlines()[0] == f"{by} on u"


def test_a_patch_is_read_from_standard_input(shop: Path) -> None:
    done = call("try", shop, "--patch", "-", typed=DIFF)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[-3:] == [" for item in basket:", "-    total = 0", "     total += item"]


def test_the_name_of_a_patch_without_its_at_sign_says_so(shop: Path) -> None:
    fix = shop.parent / "fix"
    fix.write_text(DIFF)
    done = call("try", shop, "--patch", fix)
    assert done.exit_code == 2
    assert done.stderr.splitlines()[0] == f"error: --patch {fix} is the name of a file"
    advised = done.stderr.split("Write --patch ")[1].split(" to read")[0]
    assert call("try", shop, "--patch", advised).exit_code == 0


def test_a_patch_from_a_file_that_is_not_there_is_no_patch(shop: Path) -> None:
    assert mistake("try", shop, "--patch", "@nowhere").splitlines()[0] == "error: There is no file 'nowhere'"


def test_a_patch_of_several_files_finds_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("src").mkdir()
    Path("src/a.py").write_text("a\n")
    Path("b.py").write_text("b\n")
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-a\n+A\n*** Delete File: b.py\n*** End Patch\n"
    done = call("try", "src/a.py", "b.py", "--patch", patch)
    assert done.exit_code == 0, done.stdout + done.stderr
    assert "--- a/src/a.py" in done.stdout
    assert done.stdout.splitlines()[-1] == "b.py is deleted"
    assert Path("b.py").read_text() == "b\n"


@pytest.mark.parametrize(
    ("lines", "after"), [("1", ["+x = 1"]), ("1-2", ["-total = 0", "-for item in basket:", "+x = 1"])]
)
def test_lines_are_inserted_or_replaced_by_number(shop: Path, lines: str, after: list[str]) -> None:
    done = call("try", shop, "--line", lines, "--new", "x = 1")
    changed = [line for line in done.stdout.splitlines()[5:] if line[:2] not in ("++", "--") and line[0] in "+-"]
    assert (done.exit_code, changed) == (0, after)


@pytest.mark.parametrize(
    "spec", ["recommended", "cascade/exact", "exact+indentation", "agent/crush", "tool/edit", "cmd:x="]
)
def test_any_strategy_can_be_tried(shop: Path, tmp_path: Path, spec: str) -> None:
    if spec == "cmd:x=":
        program = tmp_path / "answer.py"
        program.write_text(
            "import json, sys\nfor line in sys.stdin:\n"
            "    asked = json.loads(line)\n"
            "    answer = {'id': asked['id'], 'status': 'applied', 'after': asked['before']}\n"
            "    print(json.dumps(answer), flush=True)\n"
        )
        spec = f"cmd:x={sys.executable} {program}"
    done = call("try", shop, "-s", spec, "--old", "for item in basket:", "--new", "for item in cart:")
    assert done.exit_code == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--new", "x"], "There is no edit"),
        (["--old", "x"], "--old needs --new"),
        (["--patch", "x", "--new", "x"], "--new does not go with --patch"),
        (["--old", "x", "--line", "1", "--new", "y"], "--old and --line exclude each other"),
        (["--line", "1-", "--new", "y"], "'1-' is not a line"),
        (["--patch", PATCH, "--all"], "--all does not go with --patch"),
        (["--patch", PATCH, "-s", "unified_diff/strict"], "unified_diff/strict takes unified_diff, and this is begin"),
        (["--old", "x", "--new", "y", "-s", "exact", "-s", "reference"], "2 strategies are named"),
        (["--old", "x", "--new", "y", "-s", "cmd:x=false"], "cmd/x crashed: "),
        (["--old", "x", "--new", "y", "-s", "cmd:x=sleep 1", "--timeout", "0.1"], "cmd/x did not return within 0.1 s"),
    ],
)
def test_what_cannot_be_tried_is_said_in_two_lines(
    shop: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.setenv("EDITGAUGE_START_TIMEOUT", "0.1")
    done = call("try", shop, *arguments)
    assert done.exit_code == 2
    assert str(done.exception or "").startswith(message) or done.stderr.startswith(f"error: {message}")


def test_try_merges_an_edit_with_what_was_changed_since_it_was_seen(shop: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    seen.write_text(shop.read_text())
    shop.write_text(f"import sys\n{shop.read_text()}")
    edit = ("--old", "total = 0\nfor", "--new", "total = 1\nfor")
    done = call("try", shop, "--seen", seen, *edit)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0] == "stale/recommended on shop.py"
    assert "+total = 1" in done.stdout
    done = call("try", shop, "--seen", seen, "-s", "stale/gate", *edit)
    assert done.exit_code == 1
    assert "stale_read" in done.stdout
    other = tmp_path / "other.py"
    other.write_text("")
    done = call("try", shop, other, "--seen", seen, "--patch", PATCH)
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 2)


def test_try_takes_a_file_of_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"# Jos\xe9\nx = 1\n")
    done = call("try", path, "--old", "x = 1", "--new", "x = 2")
    assert (done.exit_code, done.stdout.splitlines()[-4:]) == (0, ["@@ -1,2 +1,2 @@", " # José", "-x = 1", "+x = 2"])
    refused = call("try", path, "--old", "x = 1", "--new", "x = '中'")
    assert (refused.exit_code, "the encoding of the file, latin-1, lacks" in refused.stdout) == (1, True)
    assert "+# Josï¿½" in call("try", path, "--old", "x = 1", "--new", "x = 2", "-s", "agent/pi").stdout
    unknown = call("try", path, "--old", "x = 1", "--new", "x = 2", "-s", "agent/zed")
    assert (unknown.exit_code, "is not modelled" in unknown.stderr) == (2, True)
    path.write_bytes(b"a\0\nx = 1\n")
    assert "The file is binary" in call("try", path, "--old", "x = 1", "--new", "x = 2").stdout


def test_a_shell_command_is_tried_without_being_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("foo = 1\n")
    done = call("try", "a.py", "--patch", "sed -i 's/foo/bar/' a.py")
    assert (done.exit_code, "+bar = 1" in done.output) == (0, True)
    refused = call("try", "a.py", "--patch", "sed -i 's/fop/bar/' a.py")
    assert (refused.exit_code, "matches nothing in a.py" in refused.output) == (1, True)
    unknown = call("try", "a.py", "--patch", "cd . && gofmt -w a.py")
    assert (unknown.exit_code, "does not know what the command does" in unknown.output) == (2, True)
    assert Path("a.py").read_text() == "foo = 1\n"
