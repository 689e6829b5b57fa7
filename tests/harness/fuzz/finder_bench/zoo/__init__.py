"""The zoo: programs with one realistic bug each, variants of a correct one; `make finder-bench` fuzzes them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

CORRECT = Path(__file__).with_name("edit.py")


class Flawed(NamedTuple):
    """A bug, as a piece of the correct program and what stands there instead."""

    name: str
    format: str
    bug: str
    was: str
    becomes: str

    def write(self, folder: Path) -> Path:
        """Write the program with the bug into a folder. Raises ValueError if the correct one lacks the piece."""
        source = CORRECT.read_text("utf-8")
        if source.count(self.was) != 1:
            raise ValueError(f"{self.name}: the correct program has the piece {source.count(self.was)} times")
        path = folder / f"{self.name}.py"
        path.write_text(source.replace(self.was, self.becomes), "utf-8")
        return path


_TAKE_ALL = """
        for place in stated[:-1]:
            out += lines[at:place] + new
            at = max(at, place + len(old))
        del stated[:-1]
        if len(stated) != 1:"""

FLAWED = (
    Flawed("every_place", "begin_patch", "a hunk replaces every occurrence of its lines",
           "\n        if len(stated) != 1:", _TAKE_ALL),
    Flawed("last_context_lost", "begin_patch", "the last line of context of a hunk is dropped",
           "at = place + len(old)\n", "at = place + len(old)\n        out = out[:-1] if rows[-1][0] == ' ' else out\n"),
    Flawed("anchors_ignored", "begin_patch", "an `@@` line is ignored",
           "lines.index(anchor, at) + 1 if anchor else at", "at"),
    Flawed("added_over_a_file", "begin_patch", "Add File overwrites an existing file",
           "(path in files) == (action == \"Add\") or ", "(path not in files and action != \"Add\") or "),
    Flawed("moved_without_edits", "begin_patch", "a file that is moved loses its edits",
           "files[to] = changed(text, hunks)", "files[to] = changed(text, hunks) if to == path else text"),
    Flawed("every_place_of_a_diff", "unified_diff", "a hunk replaces every occurrence of its lines",
           "\n        if len(stated) != 1:", "\n        stated = places" + _TAKE_ALL),
    Flawed("numbers_only", "unified_diff", "line numbers are trusted blindly",
           "places = [n for n in range(start, len(lines) - len(old) + 1) if lines[n : n + len(old)] == old]",
           "places = [line]"),
    Flawed("dashes", "unified_diff", "a line `--- x` of a hunk is taken for a header",
           "while any(left) or", "while (any(left) and lines[n + 1][:4] != \"--- \") or"),
    Flawed("upwards", "unified_diff", "a path may lead out of the tree",
           "(\"\", \".\", \"..\", \"~\")", "(\"\", \".\", \"~\")"),
    Flawed("every_place_of_a_block", "search_replace", "a block replaces every occurrence of its lines",
           "\n        if len(stated) != 1:", _TAKE_ALL),
    Flawed("block_passed_over", "search_replace", "a block whose lines are nowhere is passed over",
           "raise Refused(\"ambiguous\" if stated else \"no_match\")", "continue"),
    Flawed("blank_lines_dropped", "search_replace", "blank lines of a block are dropped",
           "elif block is not None:", "elif block is not None and (line.strip() or mark == \"+\"):"),
    Flawed("first_place", "str_replace", "the first of several places is taken",
           "or (n > 1 and not edit[\"replace_all\"])", "or False"),
    Flawed("groups_expanded", "str_replace", "groups of a regular expression in the new text are expanded",
           "text = text.replace(old, new)", "text = re.sub(re.escape(old), new.replace('\\\\g', ''), text)"),
)  # fmt: skip
"""Fourteen bugs that fuzzing is for."""
