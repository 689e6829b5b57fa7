"""A terminal for tables to be printed on."""

from __future__ import annotations

import io
from pathlib import Path

from hypothesis import strategies as st

from reports.compare.comparison import Comparison, Side, StrategyCompared, Turn, Turned
from reports.compare.gate import Failure, Gate, Rule, failures
from reports.runs.rows import WrongEdit
from reports.runs.run_folder import RunFolder
from reports.views.comparison_wording import Group


class Terminal(io.StringIO):
    """A text stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


# Comparisons whose texts are hostile, for the formats that show them.

A = "cascade/a"
NASTY = [
    "]]>", "<!--", "&amp;", "\0", "\x1b[31m", "\ud800", "\ufffe", "\x85", "\u2028", "\r", "\n", "\r\n", "```", "~~~",
    "`" * 12, "|", "\\", "%0A", "::error::", "</details>", "<script>", "@all", " ", "\t", "#", "é", "\U0001f600",
]  # fmt: skip
hostile = st.lists(st.sampled_from(NASTY) | st.text(st.characters(), max_size=3), max_size=12).map("".join)


def made(sample_id: str, strategy: str, message: str, expected: str = "", given: str = "") -> tuple[Comparison, Group]:
    """A comparison of one sample that turned from a crash to a wrong edit, all its texts as given."""
    before, after = Side("crashed", None, None, None, message), Side("wrong_edit", message, None, message, None)
    pair = Turned(sample_id, strategy, Turn.WORSE, before, after)
    edit = WrongEdit(sample_id, strategy, "text", message, message, 3, expected, given, "edit", 1)
    one = StrategyCompared(strategy, 1, 1, 0, 0, 1, 0, None, None, None)
    found = Comparison(RunFolder(Path("base")), RunFolder(Path("run")), 1, [one], [pair], [strategy], [], [message])
    return found, Group(pair, (None, edit), [strategy])


def reasons(comparison: Comparison) -> list[Failure]:
    return failures(comparison, Gate(frozenset(Rule)))
