from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from editcore.errors import UsageError
from reports.compare.comparison import Comparison, compare
from reports.compare.gate import Gate, failures
from reports.compare.matrix import matrix
from reports.history.fuzz_nights import FuzzedTarget, FuzzNight, NewFinding
from reports.runs.manifest import Manifest, StrategyUsed, read_manifest, write_manifest
from reports.runs.parts import write_part, wrong_edits
from reports.runs.rows import Damage, Outcome, Severity, WrongEdit
from reports.views import html_diff, plots
from reports.views.page import damage_groups, write_page
from tests.twins import write_run

HOSTILE = '</script><img src="https://example.org/x" onerror=alert(1)>\u202e\x00\x1b[31m {{ 7 * 7 }}'
"""What an id, a name or a text may hold to break a page."""


class Page(HTMLParser):
    """What a page is made of: tags with attributes, and the text outside scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def written(run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The page of the run, and its pictures."""
    return write_page(run_folder, tmp_path_factory.mktemp("page") / "out" / "report.html")


@pytest.fixture(scope="module")
def html(written: list[Path]) -> str:
    return written[0].read_text(encoding="utf-8")


def test_the_page_and_its_pictures_are_written(written: list[Path]) -> None:
    names = {str(path.relative_to(written[0].parent)) for path in written}
    pictures = {f"plots/{name}.{kind}" for name in ("rates", "latencies", "decisions") for kind in ("png", "svg")}
    assert names == {"report.html", *pictures}
    assert all(path.stat().st_size > 500 for path in written)


def test_the_page_refers_to_nothing_outside(html: str) -> None:
    page = Page(html)
    for tag, attributes in page.tags:
        assert tag not in ("img", "link", "iframe", "object", "embed", "base", "form")
        for name, value in attributes.items():
            if name in ("src", "href", "xlink:href", "action", "srcset", "data"):
                assert value
                assert value.startswith("#"), (tag, name, value)
    for style in re.findall(r"<style.*?</style>", html, re.DOTALL):
        assert "url(" not in style
        assert "@import" not in style
    (policy,) = [a["content"] for t, a in page.tags if t == "meta" and "http-equiv" in a]
    assert policy
    assert policy.startswith("default-src 'none';")


def test_ids_are_unique_and_what_they_name_is_there(html: str) -> None:
    page = Page(html)
    ids = Counter(attributes["id"] for _, attributes in page.tags if "id" in attributes)
    assert [name for name, n in ids.items() if n > 1] == []
    named = re.findall(r'(?:href="|url\()#([^")]+)', html)
    named += [a["aria-labelledby"] or "" for _, a in page.tags if "aria-labelledby" in a]
    assert named
    assert set(named) <= set(ids)


def test_hostile_texts_stay_text(html: str) -> None:
    page = Page(html)
    assert sum(tag == "script" for tag, _ in page.tags) == 1
    assert html.count("</script>") == 1
    assert not any("onerror" in attributes for _, attributes in page.tags)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", html)
    assert "&lt;/script&gt;&lt;img src=" in html
    assert "U+202E" in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert "<b>builtin</b>" in page.text


def test_every_wrong_edit_is_there_and_the_same_damage_once(html: str, run_folder: Path) -> None:
    edits = list(wrong_edits(run_folder))
    groups = damage_groups(edits)
    assert len(groups) < len(edits)
    assert sum(len(group.strategies) for group in groups) == len(edits)
    shown = re.findall(r'<details class="edit"><summary>(.*?)</summary>', html, re.DOTALL)
    assert len(shown) == len(groups)
    for edit in edits:
        assert any(edit.sample_id in text and edit.strategy in text and edit.path in text for text in shown)


def test_damage_by_cascades_comes_first_and_the_worst_kind_of_it() -> None:
    def edit(sample: str, strategy: str, damage: str) -> WrongEdit:
        return WrongEdit(sample, strategy, damage, "simple", "a", 1, "x", "y", "z")

    groups = damage_groups(
        [
            edit("s1", "replacer/a", "unasked"),
            edit("s2", "cascade/b", "whitespace"),
            edit("s3", "replacer/a", "place"),
            edit("s3", "cascade/b", "place"),
        ]
    )
    assert [group.first.sample_id for group in groups] == ["s3", "s2", "s1"]
    assert groups[0].done_by == [("cascade/b", "simple"), ("replacer/a", "simple")]


def test_an_entry_names_the_line_of_the_first_difference() -> None:
    (group,) = damage_groups([WrongEdit("s", "x/y", "text", None, "a", 10, "1\n2\n3\n", "1\n2\n", "e")])
    assert group.line == 12


def test_the_same_run_gives_the_same_bytes(written: list[Path], run_folder: Path, tmp_path: Path) -> None:
    again = write_page(run_folder, tmp_path / "report.html")
    assert [path.read_bytes() for path in written] == [path.read_bytes() for path in again]


def test_the_date_is_the_runs_or_the_one_asked_for(
    html: str, run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "2026-11-21 03:02 UTC" in html
    monkeypatch.setattr(plots, "save", lambda *_: None)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    write_page(run_folder, tmp_path / "report.html")
    assert "1970-01-02 00:00 UTC" in (tmp_path / "report.html").read_text()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH"):
        write_page(run_folder, tmp_path / "report.html")


def test_a_run_without_samples_has_a_page(tmp_path: Path, manifest: Manifest) -> None:
    write_manifest(tmp_path, Manifest(["editgauge"], 0, [], [], 10, "p", "not a date", git_commit="a\udc80"))
    write_page(tmp_path, tmp_path / "report.html")
    text = Page((tmp_path / "report.html").read_text()).text
    assert "Nothing was measured" in text
    assert "nothing measured" in text
    assert "is not finished" in text
    assert "not a date" in text
    assert read_manifest(tmp_path) != manifest


@pytest.mark.slow
def test_three_thousand_wrong_edits_make_a_page_a_browser_can_hold(tmp_path: Path, manifest: Manifest) -> None:
    before = "".join(f"    value_{i} = compute(value_{i - 1}, other)\n" for i in range(60))
    outcomes, wrong = [], []
    for i in range(400):
        for j in range(12):
            strategy, is_wrong = f"cascade/s{j}", (i * 12 + j) % 8 < 5
            verdict, damage = ("wrong_edit", "extent") if is_wrong else ("correct", None)
            outcomes.append(Outcome(f"sample-{i}", strategy, verdict, damage, latency_ns=1000))
            if is_wrong:
                given = before.replace(f"value_{i % 50}", f"another_{j}")
                wrong.append(WrongEdit(f"sample-{i}", strategy, "extent", "simple", "a.py", 1, before, given, before))
    write_part(tmp_path, "0", outcomes, wrong, metadata={})
    write_manifest(tmp_path, manifest)
    assert len(wrong) == 3000
    assert len(damage_groups(wrong)) == 3000
    start = time.perf_counter()
    write_page(tmp_path, tmp_path / "report.html")
    assert time.perf_counter() - start < 10
    assert (tmp_path / "report.html").stat().st_size < 6_000_000


def _diff(expected: str, given: str, *, limit: int = 10_000) -> str:
    return str(html_diff.diff_html(expected, given, first_line=10, limit=limit))


def test_a_diff_is_numbered_from_the_line_the_texts_begin_at() -> None:
    assert _diff("a\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n").startswith("<em>@@ line 11 @@</em><span> b</span>")


def test_blanks_tabs_and_carriage_returns_can_be_seen() -> None:
    text = _diff("  a\tb\n", "  a\tb  \r\n")
    assert "<del>-<i>  </i>a<i class=t>\t</i>b</del>" in text
    assert "<i>  </i>" in text.partition("<ins>")[2]
    assert "<i class=o>CR</i>" in text


def test_a_missing_last_newline_can_be_seen() -> None:
    assert "no newline" in _diff("a\n", "a")
    assert "no newline" not in _diff("a\n", "b\n")


def test_the_differing_part_of_a_line_is_bold() -> None:
    assert "return <b>one</b>(x)" in _diff("return one(x)\n", "return two(x)\n")
    assert "<b>" not in _diff("return one(x)\n", "something else entirely\n")


def test_of_a_long_line_the_part_that_differs_is_shown() -> None:
    text = _diff("a" * 15_000 + "X" + "a" * 5000, "a" * 15_000 + "Y" + "a" * 5000)
    assert "<b>X</b>" in text
    assert "<b>Y</b>" in text
    assert "14,920 characters" in text
    assert len(text) < 2500


def test_what_is_cut_is_counted() -> None:
    assert "9,990 characters more" in html_diff.text_html("x" * 10_000, limit=10)
    assert "lines more" in _diff("a\n" * 2, "b\n" * 500, limit=100)


@pytest.mark.parametrize("kind", Damage)
def test_every_kind_of_damage_is_explained(kind: Damage, html: str) -> None:
    assert f"<dt>{kind}</dt>" in html


# Against the baseline

A, NAMED = "cascade/a", "x/<img src=y onerror=z>"
TURNED = re.compile(r'<details class="edit turned">.*?</details>', re.DOTALL)


@pytest.mark.parametrize("kind", [*Severity, "lines lost", "match by bytes", "match by text", "match by tree"])
def test_every_severity_and_court_is_explained(kind: str, html: str) -> None:
    assert f"<dt>{kind}</dt>" in html


def test_severities_are_a_table_and_stand_beside_each_wrong_edit(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {"cascade/a": "cwwm", "cascade/b": "cccm"}, severity="other_tree")
    html = write_page(run, tmp_path / "report.html")[0].read_text()
    table = html[html.index('id="severities"') :].partition("</table>")[0]
    assert table.count("<tr>") == 3
    assert """data-filter='"cascade/a" "other_tree"'>2<""" in table
    assert html.count('<span class="severity other_tree">other_tree</span>') == 2
    assert "2 lines lost" in html


def _write_page(comparison: Comparison) -> str:
    path = comparison.run / "report.html"
    write_page(comparison.run, path, comparison=comparison, failures=failures(comparison, Gate()))
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a run against a night of a history: hostile ids, newly wrong edits, and a strategy of its own."""
    folder, ids = tmp_path_factory.mktemp("compared"), [HOSTILE + str(number) for number in range(7)]
    base = write_run(folder / "night=2026-11-21T030000Z-plan", {A: "cccmccc", "replacer/simple": "c" * 7}, ids=ids)
    verdicts = {A: "wwwccmc", "replacer/simple": "c" * 7, NAMED: "c" * 7}
    return _write_page(compare(base, write_run(folder / "run", verdicts, ids=ids, given=HOSTILE + "\n")))


def test_without_a_comparison_the_page_says_nothing_of_a_baseline(html: str) -> None:
    assert 'id="against"' not in html
    assert "baseline" not in Page(html).text
    assert "turned" not in html


def test_with_a_comparison_the_page_begins_with_it(compared: str) -> None:
    text = Page(compared).text
    assert compared.index('id="against"') < compared.index('id="strategies"')
    assert "Compared with 2026-11-21T030000Z-plan, sample by sample." in text
    assert "4 worse and 1 better of 7 samples, under 2 strategies" in text
    assert "The gate fails:" in text
    assert "3 samples newly edited wrongly" in text
    assert re.search(rf"Not compared, since only in \S+/run: {re.escape(NAMED)}\.", text)
    assert ("Worse (4)" in text, "Better (1)" in text, "Changed" in text) == (True, True, False)


def test_what_is_hostile_stays_text_beside_the_baseline(compared: str) -> None:
    page = Page(compared)
    assert sum(tag == "script" for tag, _ in page.tags) == 1
    assert compared.count("</script>") == 1
    assert not any(tag == "img" or "onerror" in attributes for tag, attributes in page.tags)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", compared)
    turned = TURNED.findall(compared)
    assert len(turned) == 5
    assert all("&lt;/script&gt;&lt;img src=" in entry for entry in turned)
    assert sum('<pre class="diff"' in entry for entry in turned) == 3


def test_what_turned_is_told_of_both_sides(compared: str) -> None:
    told = Page(TURNED.findall(compared)[0]).text
    assert "correct → wrong_edit (text)" in told
    assert "base: the right text, byte for byte, by simple" in told
    assert "run: wrong, by simple" in told


def test_every_column_of_the_comparison_has_something_to_sort_by(compared: str) -> None:
    """A number where its heading says so, else a text."""
    table = compared[compared.index('id="against"') :].partition("</table>")[0]
    heads = re.findall(r'<th scope="col" aria-sort="none"( class="n")?>', table)
    rows = re.findall(r"<tr>\n<th scope=\"row\".*?</tr>", table, re.DOTALL)
    assert len(rows) == 2
    assert (heads[-2], heads[-1]) == (' class="n"', "")
    for row in rows:
        cells = re.findall(r'<t[hd](?: scope="row")?( class="n")? data-sort="([^"]*)"', row)
        assert [numeric for numeric, _ in cells] == heads
        assert all(value for numeric, value in cells if not numeric)
        assert len([float(value) for numeric, value in cells if numeric and value]) > 5


def test_of_very_many_that_turned_the_page_has_some_and_counts_the_rest(tmp_path: Path) -> None:
    base = write_run(tmp_path / "base", {A: "c" * 130 + "w"})
    run = write_run(tmp_path / "run", {A: "w" * 130 + "c"}, given="x = 1;" * 3_000)
    html = _write_page(compare(base, run))
    text = Page(html).text
    turned = TURNED.findall(html)
    assert len(turned) == 101
    assert max(map(len, turned)) < 40_000
    assert "Worse (130)" in text
    assert "30 more: `editgauge compare` shows them all." in text
    assert "130 samples newly edited wrongly" in text
    assert "and 125 more" in text


def test_findings_of_fuzzing_and_promises_are_on_a_page_without_breakdowns(tmp_path: Path) -> None:
    """All samples are alike, so no table by what they are is shown."""
    run = write_run(tmp_path / "run", {"cascade/exact": "cc"})
    finding = NewFinding("SILENT", "exact_wins", "applied", "boom")
    fuzzed = FuzzNight(3, "2026-01-01T00:00:00Z", {"cascade/exact": FuzzedTarget(10, 1.0, new=(finding,))})
    promising = replace(read_manifest(run), strategies=[StrategyUsed("cascade/exact", "1", 9, {"exact_wins": 2})])
    write_manifest(run, promising)
    write_page(run, tmp_path / "page.html", fuzzed=fuzzed)
    text = Page((tmp_path / "page.html").read_text()).text
    assert "By properties of the samples" not in text
    assert "SILENT" in text
    assert "exact_wins" in text
    assert "1 of 9" in text


def test_the_page_has_every_strategy_against_every_other(html: str, run_folder: Path) -> None:
    assert 'id="matrix"' in html
    text = Page(html).text
    assert "Strategies against each other" in text
    found = matrix(run_folder, ["replacer/simple", "replacer/line_trimmed", "cascade/exact"])
    cell = found.cells[0][2]
    assert cell is not None
    assert f'title="{cell.n_only_row} of {cell.n}; the other way round {cell.n_only_column}"' in html
