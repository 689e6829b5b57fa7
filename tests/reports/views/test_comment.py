"""Markdown of the size of a comment: folded, quoted, and within its limit whatever the night was."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from reports.compare.comparison import Comparison, compare
from reports.history.fuzz_nights import FuzzedTarget, FuzzNight, NewFinding
from reports.runs.manifest import read_manifest
from reports.runs.run_folder import RunFolder
from reports.statistics.summary import summaries
from reports.views.comment import COMMENT_LIMIT, comparison_markdown, run_markdown
from reports.views.comparison_wording import groups
from tests.reports.views.terminal import A, hostile, made, reasons
from tests.twins import write_run


def outside_fences(text: str) -> list[str]:
    """The lines that Markdown reads as such; fails where a fence is not closed."""
    kept, fence = [], ""
    for line in text.split("\n"):
        marks = re.match(r" {0,3}(`{3,})", line)
        if fence:
            if re.fullmatch(rf" {{0,3}}`{{{len(fence)},}}\s*", line):
                fence = ""
        elif marks:
            fence = marks[1]
        else:
            kept.append(line)
    assert not fence
    return kept


def test_a_summary_has_the_verdict_the_table_and_the_diffs(found: Comparison) -> None:
    text = comparison_markdown(found, reasons(found), groups(found))
    assert "**The gate fails, for 3 reasons:**" in text
    assert "| `cascade/a` | 30 | 11 | 0 | 0 | 8 | 100.0 % -> 63.3 % |" in text
    assert text.count("```diff") == 8
    assert text.index("### Worse") < text.index("### Better")
    assert "`s0009: correct -> missed (no_match)`" in text
    assert "<details>" not in text
    passed = comparison_markdown(found, [], [])
    assert "**The gate passes.**" in passed


@given(hostile, hostile, hostile, hostile, hostile)
def test_hostile_texts_stay_in_their_fence(name: str, strategy: str, message: str, right: str, wrong: str) -> None:
    comparison, group = made(name, strategy, message, right, wrong)
    harmless = made("s", "x/y", "m", "a", "b")
    lines = outside_fences(comparison_markdown(comparison, reasons(comparison), [group]))
    calm = outside_fences(comparison_markdown(harmless[0], reasons(harmless[0]), [harmless[1]]))
    folds = [line for line in lines if line.lstrip().startswith(("<", "\\<"))]
    assert folds in ([], [folds[0], "</details>"] if folds else [])
    assert not folds or re.fullmatch(r"<details><summary>\d+ lines</summary>", folds[0])
    # A fold is two lines and three blank ones.
    assert len(lines) == len(calm) + (5 if folds else 0)
    # As many cells a row as ever.
    rows = [len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines if line.startswith("| ")]
    assert rows == [len(re.findall(r"\|", line)) for line in calm if line.startswith("| ")]


@given(st.integers(0, 6_000))
def test_what_does_not_fit_is_left_out_whole_and_counted(limit: int) -> None:
    comparison, group = made("s", A, "é" * 40, "a\n" * 300, "`" * 30 + "é\n" * 300)
    whole = comparison_markdown(comparison, [], [group])
    text = comparison_markdown(comparison, [], [group], limit=limit)
    assert len(text.encode()) <= limit
    assert bool(text) == (limit > 500) or 200 < limit < 1_000
    if text and text != whole:
        *kept, blank, last = outside_fences(text.removesuffix("\n"))
        assert last.startswith("*Left out, for a comment has a limit: ")
        assert last.endswith("The page has it: `editgauge report run --against base`.*")
        assert ("1 diff" in last) == ("- `s: crashed" in text)
        assert blank == ""
        assert kept.count("<details><summary>604 lines</summary>") == kept.count("</details>") == 0


def test_a_huge_comparison_is_a_comment_that_github_takes(tmp_path: Path) -> None:
    verdicts = {f"cascade/{name}": "c" * 210 for name in range(14)}
    base = write_run(tmp_path / "base", {A: "c" * 210, **verdicts})
    run = write_run(tmp_path / "run", {A: "w" * 60 + "m" * 150, **verdicts}, given="€\n" * 900)
    comparison = compare(RunFolder(base), RunFolder(run))
    text = comparison_markdown(comparison, reasons(comparison), groups(comparison, n_diffs=60))
    assert len(text) < 65_536
    assert COMMENT_LIMIT - 6_000 < len(text.encode()) <= COMMENT_LIMIT
    lines = outside_fences(text)
    assert "<details><summary>14 strategies under which nothing turned</summary>" in lines
    assert "<details><summary>150 worse samples without diffs</summary>" in lines
    n_folded = sum(line.startswith("<details><summary>9") and line.endswith(" lines</summary>") for line in lines)
    assert n_folded > 3
    assert lines.count("</details>") == sum(line.startswith("<details>") for line in lines)
    # Of each list a hundred; where there is no room for its diff any more, a sample is a line.
    n_lines = sum(line.startswith("- `s0") for line in lines)
    assert n_folded + n_lines == 160
    assert lines[-2].startswith(
        f"*Left out, for a comment has a limit: 50 worse samples and {60 - n_folded} diffs. The page has it: "
    )


def test_the_findings_of_fuzzing_are_within_the_limit_too(found: Comparison) -> None:
    new = tuple(NewFinding(str(n), "exact_wins", "simple", "x" * 400) for n in range(500))
    fuzzed = FuzzNight(3, "2026-01-01T00:00:00Z", {"cascade/a": FuzzedTarget(10, 1.0, new=new)})
    text = comparison_markdown(found, reasons(found), groups(found), fuzzed=fuzzed)
    assert len(text.encode()) <= COMMENT_LIMIT
    assert "### Fuzzing, night 3\n\n10 inputs over 1 targets: 500 new findings.\n\n- `cascade/a` breaks" in text
    assert re.search(r"\*Left out, for a comment has a limit: \d+ findings", text)


def test_a_run_has_its_sentence_and_a_row_for_each_strategy_with_quoted_names(tmp_path: Path) -> None:
    run = write_run(tmp_path, {"cascade/a": "cw", "x/`|<b>": "cc"})
    lines = run_markdown(summaries(RunFolder(run).table("outcomes")), read_manifest(run), run).splitlines()
    assert lines[0].startswith(r"x/\`\|\<b\>: 2 correct, 0 wrong")
    assert lines[2].startswith("| strategy | samples | match rate | wrong rate | correct | wrong |")
    assert lines[3].startswith("|---|---:|")
    assert lines[4].startswith("| `cascade/a` | 2 | 50.0 % (9.5-90.5) | 50.0 % (9.5-90.5) | 1 | 1 |")
    assert lines[5].startswith("| ``x/`\\|<b>`` | 2 |")


def test_of_a_run_of_very_many_strategies_some_are_left_out(tmp_path: Path) -> None:
    run = write_run(tmp_path, {f"x/{'y' * 200}{n}": "c" for n in range(400)})
    text = run_markdown(summaries(RunFolder(run).table("outcomes")), read_manifest(run), run)
    assert len(text.encode()) <= COMMENT_LIMIT
    n_shown = sum(line.startswith("| `x/") for line in text.splitlines())
    assert f"*Left out, for a comment has a limit: {400 - n_shown} strategies. " in text
