"""Results of the matrix: what a file must agree with, and the page, the document and the badges made of them."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from corpora.defects import defects
from corpora.edition import EDITION, FINGERPRINTS, NUMBERS, fingerprint_of, sample_ids
from editcore.errors import UsageError
from harness.defects import built_in, results_of
from harness.strategies.registry import strategies
from reports.matrix import Counts, Result, badge, document, ordered, page, read_result, result
from tests.harness.program import call, mistake


def _result(program: str = "mine", version: str = "1.0", *, wrong: int = 2, date: str = "2026-11") -> Result:
    """A result with two right edits, some wrong ones, and the first defect."""
    house = [id for id in sample_ids() if id not in defects()]
    letters = dict.fromkeys(house[:2], "c") | dict.fromkeys(house[2 : 2 + wrong], "w") | {"EG-0001": "w"}
    return result(
        program=program, version=version, date=date, strategy="cmd/mine", command="run it", machine="here",
        letters=letters, had=("EG-0001",),
    )  # fmt: skip


@pytest.mark.parametrize("corpus", NUMBERS)
def test_a_changed_corpus_has_another_edition(corpus: str) -> None:
    """If this fails: give the corpus its next number in corpora/edition.py, and the fingerprint that it prints."""
    assert fingerprint_of(corpus) == FINGERPRINTS[corpus]


def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    one = _result()
    path = tmp_path / "mine.json"
    path.write_bytes(msgspec.json.encode(one))
    assert read_result(path) == one
    assert (one.counts.right, one.counts.wrong, one.wrong_rate, one.match_rate) == (2, 2, 0.5, 0.5)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"suite": "house@1"}, "suite is 'house@1', and this editgauge has"),
        ({"counts": Counts(9, 0, 0, 0, 0)}, "counts are 9 / 0 / 0 / 0, and outcomes have 2 / 2 / 0 / 0"),
        ({"defects": ("EG-0001", "EG-9999")}, "which no edition has"),
        ({"defects": ("EG-0002",)}, "defects name EG-0002, whose sample was neither wrong nor missed"),
        ({"defects": ()}, "defects leave out EG-0001, whose sample is wrong"),
        ({"version": "1.1"}, "digest is not the one of these outcomes"),
        ({"outcomes": "c"}, "outcomes are not"),
        ({"date": "yesterday"}, "date is 'yesterday', not a day, month or year"),
    ],
)
def test_a_result_that_contradicts_itself_is_refused(change: dict[str, object], said: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(_result(), **change)))
    assert said in mistake("matrix", "check", path)


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    assert "cannot be read: No such file or directory" in mistake("matrix", "check", path)
    for text in (b"{}", b"[", msgspec.json.encode(_result())[:-1] + b',"more":1}'):
        path.write_bytes(text)
        with pytest.raises(UsageError, match="is no result"):
            read_result(path)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.ids += [named["id"]] if named.get("id") else []
        self.links += [named["href"]] if named.get("href") else []


def test_versions_stand_in_their_order_and_every_link_has_its_anchor() -> None:
    found = [_result(version="1.10", date=""), _result(version="1.9", date=""), _result("<b>other</b>")]
    assert [one.version for one in ordered(found)] == ["1.0", "1.9", "1.10"]
    text = page(found, made="2026-11-28")
    assert "<b>other" not in text
    assert "1.9 → 1.10" in text
    parsed = _Page()
    parsed.feed(text)
    assert len(parsed.ids) == len(set(parsed.ids))
    assert {link.removeprefix("#") for link in parsed.links} <= set(parsed.ids)
    assert document(found)["suite"] == EDITION
    assert "50.0 %, 1 defects" in badge(found[0])


def test_rules_of_agents_have_programs_and_versions() -> None:
    described = built_in(list(strategies().values()))
    assert described["agent/codex_0_77"][:2] == ("Codex", "0.77")
    assert described["agent/continue"] == ("Continue", "2026-03-24", "2026-03-24")
    assert "agent/aider_perfect" not in described


def test_a_run_of_the_suite_is_a_valid_result(tmp_path: Path) -> None:
    path = tmp_path / "ours.json"
    done = call("matrix", "result", "insert/split", "--program", "split", "--version", "1", "-q", "-o", path)
    assert done.exit_code == 0, done.output
    assert read_result(path).defects == ("EG-0067", "EG-0068")[:1]
    assert "as its outcomes say" in call("matrix", "check", path).stdout
    (again,) = results_of([strategies()["insert/split"]], {"insert/split": ("split", "1", "")})
    assert again.outcomes == read_result(path).outcomes
    assert "is not a date" in mistake(
        "matrix", "result", "insert/split", "--program", "a", "--version", "1", "--date", "x", "-o", tmp_path / "b.json"
    )
