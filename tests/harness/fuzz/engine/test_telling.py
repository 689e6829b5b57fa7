"""What a finding says of named defects: by the drawn row and the kind of the difference, never by a likeness."""

from __future__ import annotations

import pytest

from corpora.defects import defects
from corpora.sample import Format, Label, Provenance, Sample
from editcore.types import Edit, File
from harness.fuzz.engine.telling import story
from harness.fuzz.finding import Finding, sample_of
from harness.fuzz.generators.rows import ROWS
from harness.fuzz.inputs import FORMS
from harness.fuzz.properties import PROPERTIES
from harness.fuzz.properties.as_meant import _ALIKE

REFUSED = "applied where it had to be refused (two places): lines too many: 'a.py' has 'x'"


def _finding(row: str, detail: str, *, property: str = "as_meant", format: Format = "str_replace") -> Finding:
    files = (File("a.py", "x = 1\r\nx = 1\r\n"),)
    label: Label = "refuse" if "refused" in detail else "apply"
    sample = Sample(
        "input", format, files, label, edits=(Edit("x = 1", "x = 2"),) if format == "str_replace" else None,
        patch=None if format == "str_replace" else "*** Begin Patch\n*** End Patch",
        target=None if label == "refuse" else files, provenance=Provenance(mutator=row),
    )  # fmt: skip
    fields = FORMS[format].fields(sample)
    assert fields is not None
    return Finding("cmd/mine", property, f"applied: {detail.partition(':')[0]}", detail, fields, format)


@pytest.mark.parametrize(
    ("finding", "ids"),
    [
        (_finding("two_places", REFUSED), ["EG-0001"]),
        (_finding("two_places", REFUSED, format="begin_patch"), ["EG-0041"]),
        (_finding("crlf", "line endings: 'a.py' is right but for its line endings: 'x'"), ["EG-0022"]),
        (_finding("crlf", "lines lost: 'a.py' has no 'x'"), []),
        (_finding("", "found twice", property="exact_ambiguity_refused"), ["EG-0001"]),
        (_finding("twin_in_a_longer_line", REFUSED), []),
    ],
)
def test_a_finding_names_the_defects_that_its_row_shows(finding: Finding, ids: list[str]) -> None:
    told = [line for line in story(finding) if "a known defect: " in line]
    assert [line.split()[3] for line in told] == ids
    sample = sample_of(finding)
    assert sample is not None
    assert [tag for tag in sample.tags if tag.startswith("defect:")] == [f"defect:{id}" for id in ids]
    for id, line in zip(ids, told, strict=True):
        assert line.endswith(f"docs/defects/{defects()[id].mechanism}.md#{id.lower()}")


def test_the_fuzzers_names_in_the_registry_are_rows_kinds_and_properties() -> None:
    rows = {row.name: row.formats for row in ROWS}
    properties = {one.name: one.formats for one in PROPERTIES}
    kinds = {kind for kind, _ in _ALIKE} | {"file lost", ""}
    for one in defects().values():
        for name in one.fuzz:
            what, _, kind = name.partition(": ")
            assert one.sample.format in (rows.get(what) or properties[what]), (one.id, name)
            assert kind in kinds, (one.id, name)
