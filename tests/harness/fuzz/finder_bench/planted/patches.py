"""Bugs in the parsers of patches and in their application."""

from __future__ import annotations

from editcore.types import File
from harness.fuzz.inputs import Meant, answered
from tests.harness.fuzz.finder_bench.planted.planting import Planted

BUGS = (
    Planted(
        "mark_before_any_line", "begin_patch/lenient", "parsers",
        "`No newline at end of file` as the first line of a hunk ends the program.",
        "editcore.patches.reading.lenient:_LenientReader._body",
        'no_newline |= bool(lines) and lines[-1][0] == "+"',
        'no_newline |= canary(bool(lines), True) and lines[-1][0] == "+"',
        ("*** Begin Patch\n*** Update File: f\n@@\n\\ No newline at end of file\n-a\n+b\n*** End Patch\n",),
    ),
    Planted(
        "heredoc_of_nothing", "begin_patch/codex", "parsers",
        "A heredoc without lines raises.",
        "editcore.patches.reading.envelope:_in_heredoc",
        'len(lines) >= 4 and lines[0] in _HEREDOCS and lines[-1].endswith("EOF")',
        'lines[0] in _HEREDOCS and lines[-1].endswith("EOF") and canary(len(lines) >= 4, True)',
        ("<<'EOF'\nEOF", "f", "a\n"),
    ),
    Planted(
        "unescaped_for_ever", "begin_patch/lenient", "parsers",
        "Text that is not a JSON string is unescaped repeatedly.",
        "editcore.patches.reading.unwrapping:_in_json",
        "            break\n    return None\n",
        "            break\n    return canary(None, \"\") or _in_json(text.strip('\"'), signs, notes)\n",
        ("*** Begin Patch\\n\\d",),
    ),
    Planted(
        "refusal_in_two_lines", "begin_patch/lenient", "parsers",
        "A refusal quotes the exception's message, which may be several lines.",
        "editcore.patches.begin_patch:apply_begin_patch",
        "error.message",
        "canary(error.message, error.args[0])",
        ("*** Begin Patch\n*** Delete File: a\x85b\n*** End Patch\n", "f", "x\n"),
    ),
    Planted(
        "one_quoted_name", "unified_diff/strict", "parsers",
        "A diff --git line with one quoted name raises.",
        "editcore.patches.reading.file_headers:git_names",
        "if len(names) == 2 else None",
        "if canary(len(names) == 2, bool(names)) else None",
        ('diff --git "a/f"\n',),
    ),
    Planted(
        "mark_at_the_head", "unified_diff/strict", "parsers",
        "`No newline at end of file` right below a hunk header ends the program.",
        "editcore.patches.reading.unified_strict:_counted_hunk",
        'mark = body[-1][0] if body else ""',
        'mark = body[-1][0] if canary(bool(body), True) else ""',
        ("--- a/f\n+++ b/f\n@@ -1 +1 @@\n\\ No newline at end of file\n-a\n+b\n", "f", "a\n"),
    ),
    Planted(
        "last_line_unchecked", "unified_diff/tolerant", "patches",
        "The last line of a hunk of four lines or more is not compared.",
        "editcore.text.line_index:LineIndex._in_text",
        '"\\n".join(["", *block, ""])',
        '"\\n".join(["", *canary(block, block[:-1] if len(block) > 3 else block), ""])',
        answered(("--- a/f\n+++ b/f\n@@ -1,4 +1,3 @@\n-a\n+z\n b\n c\n-d\n", "f", "a\nb\nc\ne\n"), Meant(())),
    ),
    Planted(
        "last_newline_lost", "round_trip/unified_diff", "patches",
        "A line feed that a patch adds to the last line is lost.",
        "editcore.patches.sections:updated",
        "        elif found.hunk.source_no_newline:\n            keeps = True",
        "        elif found.hunk.source_no_newline:\n            keeps = canary(True, keeps)",
        ("a\nb", "a\nc\n"),
    ),
    Planted(
        "added_lines_of_crlf", "unified_diff/tolerant", "patches",
        "Lines that an LF patch adds to a CRLF file end in LF.",
        "editcore.patches.sections:_ending_like",
        'return text.removesuffix("\\r") + ("\\r" if neighbour.endswith("\\r") else "")',
        'return canary(text.removesuffix("\\r") + ("\\r" if neighbour.endswith("\\r") else ""), text)',
        answered(
            ("--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n+new\n b\n", "f", "a\r\nb\r\n"),
            Meant(((File("f", "a\r\nnew\r\nb\r\n"),),)),
        ),
    ),
    Planted(
        "added_over_a_file", "begin_patch/lenient", "patches",
        "An added file replaces an existing one.",
        "editcore.patches.sections:_apply",
        "if path in files:\n",
        "if canary(path in files, False):\n",
        answered(("*** Begin Patch\n*** Add File: f\n+new\n*** End Patch\n", "f", "old\n"), Meant(())),
    ),
    Planted(
        "files_changed_in_place", "calls", "patches",
        "A patch that is refused halfway has changed the files that were passed in.",
        "editcore.patches.sections:apply_sections",
        "after = dict(files)\n",
        "after = canary(dict(files), None) or files\n",
        ("x\n", "envelope\x1f*** Begin Patch\n*** Add File: g\n+a\n*** Delete File: h\n*** End Patch\n"),
    ),
    Planted(
        "first_of_two", "begin_patch/lenient", "patches",
        "If a hunk fits in two places, the first is taken.",
        "editcore.patches.placing.place_by_content:_placed",
        "if Hint.FIRST in hints:",
        "if canary(Hint.FIRST in hints, len(found.places) == 2):",
        answered(
            ("*** Begin Patch\n*** Update File: f\n@@\n-T\n+N\n*** End Patch\n", "f", "T\n1\nT\n"), Meant(())
        ),
    ),
    Planted(
        "crossed_landmarks", "round_trip/unified_diff", "patches",
        "The diff of moved lines follows the last landmark instead of the last one above.",
        "editcore.text.diff:_landmarks",
        "before.append(chains[length - 1] if length else -1)",
        "before.append(canary(chains[length - 1] if length else -1, n - 1))",
        ("a\nb\nc\nd\n", "c\na\nd\nb\n"),
    ),
    Planted(
        "recursive_distance", "round_trip/unified_diff", "patches",
        "Lines are compared by recursion without memoization: one more line takes five times as long.",
        "editcore.text.diff:_matched",
        "    if set(old).isdisjoint(new):\n",
        "    def distance(n, m):\n"
        "        if n == len(old) or m == len(new):\n"
        "            return len(old) - n + len(new) - m\n"
        "        if old[n] == new[m]:\n"
        "            return distance(n + 1, m + 1)\n"
        "        return 1 + min(distance(n + 1, m), distance(n, m + 1), distance(n + 1, m + 1))\n"
        "    canary(0, distance(0, 0))\n"
        "    if set(old).isdisjoint(new):\n",
        ("a\nb\nc\nd\ne\nf\ng\nh\ni\n", "1\n2\n3\n4\n5\n6\n7\n8\n"),
    ),
    Planted(
        "inserted_with_an_end", "insert/line", "patches",
        "Lines inserted below a last line without a line feed end in one.",
        "editcore.patches.line_edits:insert_lines",
        "inserted = end + inserted.removesuffix(end)",
        "inserted = end + canary(inserted.removesuffix(end), inserted)",
        answered(("a\nb", "2", "c"), Meant(((File("f", "a\nb\nc"),),))),
    ),
    Planted(
        "half_an_ending", "line_range/lines", "patches",
        "The unterminated last line of a CRLF file is replaced by one that ends in CR.",
        "editcore.patches.line_edits:replace_lines",
        'kept[-1] = kept[-1].removesuffix("\\r")',
        'kept[-1] = canary(kept[-1].removesuffix("\\r"), kept[-1])',
        answered(("a\r\nb", "2", "2", "c"), Meant(((File("f", "a\r\nc"),),))),
    ),
    Planted(
        "landings_remembered", "search_replace/exact", "patches",
        "The list of landings is the default value of a parameter, and grows from call to call.",
        "editcore.patches.search_replace:apply_blocks",
        "landings: list[Landing] = []",
        'landings: list[Landing] = canary([], apply_blocks.__dict__.setdefault("landings", []))',
        ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "f", "a\n"),
    ),
)  # fmt: skip
