"""Each importer reads its cases as the files beside them say, and raises for no damaged log."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpora.importers import IMPORTERS
from corpora.importers.log import Log
from tests.corpora.importers.log_cases import CASES, FOLDER, RETRIED, database, importer_of, read_rows, restore
from tests.corpora.importers.logs import read, spoilt

EVERY_KIND = sorted(FOLDER.glob("*/a_call_of_every_kind"))


def name_of(case: Path) -> str:
    return f"{case.parent.name}/{case.name}"


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_log_is_read_as_the_file_beside_it_says(tmp_path: Path, case: Path, request: pytest.FixtureRequest) -> None:
    found = read_rows(importer_of(case), restore(case, tmp_path))
    beside = case.with_name(f"{case.name}.jsonl")
    if request.config.getoption("--update-expected"):
        beside.write_text("".join(json.dumps(row) + "\n" for row in found))
    assert found == [json.loads(line) for line in beside.read_text().splitlines()]


def test_every_case_belongs_to_an_importer_and_every_expectation_to_a_case() -> None:
    assert {case.parent.name for case in CASES} == set(IMPORTERS)
    assert [path.with_suffix("") for path in sorted(FOLDER.glob("*/*.jsonl"))] == CASES


def spoilt_files(path: Path) -> Iterator[bytes]:
    text = path.read_text()
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in text.splitlines()]
        for other in spoilt(rows):
            lines = other if isinstance(other, list) else [other]
            yield "".join(json.dumps(line) + "\n" for line in lines).encode()
    else:
        yield from (json.dumps(other).encode() for other in spoilt(json.loads(text)))
    yield text.encode()[:-9] + b"\xff\x00\xe9"


@pytest.mark.parametrize("case", EVERY_KIND, ids=name_of)
def test_whatever_is_in_a_log_nothing_is_raised(tmp_path: Path, case: Path) -> None:
    for path in (path for path in case.rglob("*") if path.is_file()):
        if path.name.endswith(".db.jsonl"):
            [row] = map(json.loads, path.read_text().splitlines())
            name = "parts" if "parts" in row else "data"
            values = [*spoilt(row[name]), json.dumps(row[name])[:50], json.dumps(row[name])[:9] + "\xff", 7]
            rows = (row | {"id": str(number), name: value} for number, value in enumerate(values) if value is not None)
            contents: Iterator[bytes] = iter([database(tmp_path / "made.db", rows).read_bytes()])
        else:
            contents = spoilt_files(path)
        for content in contents:
            (tmp_path / path.name.removesuffix(".jsonl" * path.name.endswith(".db.jsonl"))).write_bytes(content)
            place = next(file for file in tmp_path.iterdir() if file.name != "made.db")
            events, _ = read(importer_of(case), Log.at(place))
            assert len(set(events)) <= len(events)
            place.unlink()


@pytest.mark.parametrize("name", ["aider", "aider_llm", "specstory"])
def test_no_disorder_of_the_lines_of_a_text_raises(tmp_path: Path, name: str) -> None:
    case = next(
        case
        for case in CASES
        if case.parent.name == name and case.name in (RETRIED, "a_patch_is_put_together_from_its_sections")
    )
    [log] = list(IMPORTERS[name].logs(restore(case, tmp_path)))[:1]
    assert log.path
    text = log.path.read_text()
    text += "> Model: m with udiff edit format  \n> Model: m with whole edit format  \n^^^ Expected\n"
    lines, chance = text.splitlines(keepends=True), random.Random(0)
    for _ in range(150):
        log.path.write_text("".join(chance.sample(lines, chance.randrange(len(lines) + 1))))
        events, _ = read(IMPORTERS[name], log)
        assert len(set(events)) <= len(events)
    log.path.write_bytes(text.encode()[:-9] + b"\xff\x00\xe9")
    assert read(IMPORTERS[name], log)[0]
