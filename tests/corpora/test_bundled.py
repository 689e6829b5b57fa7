"""The bundled corpora: complete, unchanged, and free of anything that must not be published."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest

from corpora.load import BUNDLED, load
from corpora.sample import Sample, combined_fingerprint, fingerprint
from harness.run.scoring import Judge
from harness.strategies.registry import strategies


@pytest.mark.parametrize("name", BUNDLED)
def test_every_sample_decodes_and_has_an_id_of_its_own(name: str) -> None:
    ids = [sample.id for sample in load(name)]
    assert ids
    assert len(set(ids)) == len(ids)


def test_house_is_what_it_was() -> None:
    """A change of these samples makes runs incomparable; it needs a reason, and a line in the changelog."""
    found = list(load("house"))
    assert len(found) == 1431
    assert f"{combined_fingerprint(map(fingerprint, found)):032x}" == "c153d9d37eb7a1f48006b2c325a77724"


def test_house_says_how_each_label_was_won_and_under_which_licence() -> None:
    assert all(sample.label_source for sample in load("house") if sample.label != "unlabelled")
    assert {sample.provenance.license for sample in load("house")} == {"CC0-1.0"}


@pytest.mark.parametrize("name", ["cascade/exact", "cascade/recommended"])
def test_lists_of_house_are_made_in_order_and_whole_or_not_at_all(name: str) -> None:
    lists = [sample for sample in load("house") if len(sample.edits or ()) > 1]
    failing = [sample for sample in lists if sample.label == "refuse"]
    assert len(failing) == 19
    assert all(row(sample, name)[1] == "refused" for sample in failing)
    dependent = [sample for sample in lists if "dependent" in sample.tags]
    assert len(dependent) == 17
    assert all(row(sample, name)[1] == "correct" for sample in dependent if sample.label == "apply")


PRIVATE = {
    "e-mail address": r"[\w.+-]+@(?!example\.)[\w-]+\.(com|org|net|io|dev|edu|gov|de|uk)\b",
    "home folder": r"/(home|Users)/(?!(user|me|you|app)\b)[\w.-]+|[A-Z]:\\\\?Users\\\\?\w+",
    "token": r"\b(sk-[\w-]{20,}|gh[pousr]_\w{30,}|github_pat_\w{20,}|xox[abpr]-[\w-]{10,}|hf_[A-Za-z]{30,})",
    "cloud key": r"\b(AKIA|ASIA)[A-Z0-9]{16}\b|AIza[\w-]{35}",
    "private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "web token": r"\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}",
    "password in an address": r"://[^\s/:@\"'{}<$]+:[^\s/:@\"'{}<$]+@(?!localhost|example)",
}


def texts(value: Any) -> Iterator[str]:
    """Every text in a sample, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner)


@pytest.mark.slow
@pytest.mark.parametrize("kind", PRIVATE)
def test_no_sample_holds_a_private_text(kind: str) -> None:
    pattern = re.compile(PRIVATE[kind])
    found = [
        (sample.id, hit[0])
        for name in BUNDLED
        for sample in load(name)
        for text in texts(asdict(sample))
        for hit in pattern.finditer(text)
    ]
    assert not found


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("e-mail address", "mail jane.doe@company.com now"),
        ("home folder", "open('/home/jane/x')"),
        ("token", "ghp_" + "a1" * 18),
        ("cloud key", "AKIA" + "A1B2" * 4),
        ("private key", "-----BEGIN RSA " + "PRIVATE KEY-----"),
        ("web token", "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJlIQ"),
        ("password in an address", "postgres://jane:secret@db.company/x"),
    ],
)
def test_a_private_text_would_be_found(kind: str, text: str) -> None:
    assert re.search(PRIVATE[kind], text)


SMOKE = """
    simple-right                  correct      -            simple
    simple-wrong                  wrong_edit   unasked      simple
    line_trimmed-right            correct      -            line_trimmed
    line_trimmed-wrong            wrong_edit   unasked      line_trimmed
    line_trimmed-indentation      wrong_edit   indentation  line_trimmed
    block_anchor-right            correct      -            block_anchor
    block_anchor-wrong            wrong_edit   unasked      block_anchor
    context_aware-right           correct      -            block_anchor
    context_aware-wrong           wrong_edit   unasked      block_anchor
    whitespace_normalized-right   correct      -            whitespace_normalized
    whitespace_normalized-wrong   wrong_edit   unasked      whitespace_normalized
    indentation_flexible-right    correct      -            line_trimmed
    escape_normalized-right       correct      -            escape_normalized
    escape_normalized-wrong       wrong_edit   unasked      escape_normalized
    trimmed_boundary-right        correct      -            trimmed_boundary
    trimmed_boundary-wrong        wrong_edit   whitespace   trimmed_boundary
    multi_occurrence-ambiguous    refused      -            -
    replace_all                   correct      -            simple
    crlf                          wrong_edit   whitespace   line_trimmed
    several-edits                 correct      -            simple
    several-edits-one-absent      refused      -            -
    blocks                        correct      -            simple
    absent                        refused      -            -
    identical                     refused      -            -
    unlabelled                    unlabelled   -            -
    unified_diff                  left_out     -            -
    trailing_blanks               correct      -            line_trimmed
    tabs_for_blanks               correct      -            line_trimmed
    dedented                      correct      -            line_trimmed
    ragged_indentation            correct      -            line_trimmed
    doubled_blanks                correct      -            whitespace_normalized
    blank_lines_inside            correct      -            block_anchor
    crlf_find                     wrong_edit   bytes        line_trimmed
    over_escaped                  correct      -            escape_normalized
    curly_quotes                  correct      -            block_anchor
    zero_width                    missed       -            -
    gutter_tab                    missed       -            -
    code_fence                    missed       -            -
    elided_middle                 correct      -            block_anchor
    dropped_lines                 correct      -            block_anchor
    wrong_identifier              correct      -            block_anchor
    letter_case                   correct      -            block_anchor
    dollars_in_new                correct      -            simple
    same_ends                     wrong_edit   unasked      block_anchor
    exact_duplicate               refused      -            -
    duplicate_other_indent        wrong_edit   unasked      line_trimmed
    flipped_sign                  refused      -            -
    guard_deleted                 wrong_edit   unasked      block_anchor
    already_applied               refused      -            -
    near_twin                     wrong_edit   unasked      block_anchor
    commented_out                 refused      -            -
    counts_too_small              left_out     -            -
    bare_headers                  left_out     -            -
    headers_of_files_missing      left_out     -            -
    already_applied_diff          left_out     -            -
    reversed_envelope             left_out     -            -
    end_missing                   left_out     -            -
    two_equal_envelope            left_out     -            -
    parent_path_envelope          left_out     -            -
    insert_crlf_text              left_out     -            -
"""
"""Sample; verdict, damage and deciding replacer of cascade/reference, each confirmed by hand.

In `crlf`, the search text ends in a line feed, which line_trimmed does not match: the new text's last line break is
added to the existing one.
"""


def row(sample: Sample, strategy_name: str = "cascade/reference") -> list[str]:
    strategy = strategies()[strategy_name]
    name = sample.id.removeprefix("smoke-")
    if not strategy.takes(sample):
        return [name, "left_out", "-", "-"]
    result = strategy.apply(sample, None)
    score = Judge(sample).score(result)
    return [name, score.verdict, score.damage or "-", getattr(result, "replacer", None) or "-"]


def test_smoke_shows_what_each_replacer_saves_and_spoils() -> None:
    expected = [line.split() for line in SMOKE.strip().splitlines()]
    assert sorted(map(row, load("smoke"))) == sorted(expected)


def test_smoke_has_every_label_and_a_sample_that_edits_cannot_express() -> None:
    labels = Counter(sample.label for sample in load("smoke"))
    assert set(labels) == {"apply", "refuse", "unlabelled"}
    assert any(sample.edits is None for sample in load("smoke"))
