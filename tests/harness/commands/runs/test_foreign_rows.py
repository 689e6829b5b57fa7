"""Runs whose rows or files another program changed: every command that reads a run shows them, or says why not."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.types import is_integer

from editcore.types import Edit
from reports.runs.rows import CLOSED, KINDS
from tests.harness.program import call
from tests.samples import sample, write_jsonl

READERS = (
    ("compare", "{good}", "{run}"), ("compare", "{run}", "{good}"), ("compare", "{run}", "--matrix"),
    ("compare", "{run}", "--between", "cascade/exact", "cascade/reference"), ("report", "{run}"),
    ("report", "{run}", "-o", "{out}/page.html"), ("table", "{run}"), ("table", "{run}", "--by", "language"),
    ("show", "{run}", "smoke-simple"), ("orderings", "{run}", "--replacers", "simple,line_trimmed"),
    ("merge", "{run}", "-o", "{out}/merged"),
    ("history", "{history}"), ("history", "{history}", "smoke-simple"),
    *(("sql", f"select * from {kind} limit 3", "{run}") for kind in KINDS),
)  # fmt: skip
"""Every command that reads a run."""


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("good") / "run"
    # Only a sample with several edits has steps.
    edits = (Edit("a = 1", "a = 3"), Edit("b = 2", "b = 4"))
    twice = replace(sample(0, before="a = 1\nb = 2\n"), edits=edits)
    path = write_jsonl(folder.with_name("twice.jsonl"), [twice])
    chosen = ("cascade/exact", "cascade/reference", "replacer/simple", "replacer/line_trimmed")
    named = [word for one in chosen for word in ("-s", one)]
    assert call("run", "smoke", path, *named, "-q", "-j1", "-o", folder).exit_code == 0
    return folder


def changed(good: Path, folder: Path, kind: str, column: str, value: object) -> Path:
    """The run with this value in every row of a column."""
    shutil.copytree(good, folder)
    for path in (folder / kind).glob("*.parquet"):
        table = pq.read_table(path)
        at = table.column_names.index(column)
        type_ = table.schema.field(at).type
        plain = type_.value_type if pa.types.is_dictionary(type_) or pa.types.is_list(type_) else type_
        one: object = [value] if pa.types.is_list(type_) else value
        values = pa.array([one] * len(table), pa.list_(plain) if pa.types.is_list(type_) else plain)
        if pa.types.is_dictionary(type_):
            values = values.dictionary_encode()
        field = pa.field(column, values.type, nullable=table.schema.field(at).nullable)
        pq.write_table(table.set_column(at, field, values).replace_schema_metadata(table.schema.metadata), path)
    return folder


def read(good: Path, run: Path, out: Path) -> list[str]:
    """The refusals of the commands that read a run; all others end with 0 or 1, and none in a traceback."""
    night = out / "history" / "nights" / "night=2026-11-21T030000Z-plan"
    night.parent.mkdir(parents=True)
    shutil.copytree(run, night, symlinks=True)
    places = {"good": good, "run": run, "out": out, "history": out / "history"}
    refusals = []
    for reader in READERS:
        done = call(*(word.format(**places) for word in reader))
        assert done.exception is None or isinstance(done.exception, SystemExit), (reader, done.exception)
        if done.exit_code not in (0, 1):
            assert (done.exit_code, done.stderr.count("error: ")) == (2, 1), (reader, done.stderr)
            refusals.append(done.stderr)
    return refusals


def refuses(good: Path, run: Path, out: Path, what: str) -> bool:
    return any(what in refusal for refusal in read(good, run, out))


def test_an_unknown_verdict_is_refused_in_two_lines(good: Path, tmp_path: Path) -> None:
    run = changed(good, tmp_path / "run", "outcomes", "verdict", "unheard")
    for command in (["compare", good, run], ["report", run], ["table", run, "--by", "language"]):
        done = call(*command)
        assert (done.exit_code, len(done.stderr.strip().splitlines())) == (2, 2)
        assert "a row whose verdict is 'unheard'" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "column"), [(kind, name) for kind, schema in KINDS.items() for name in CLOSED if name in schema.names]
)
def test_an_unknown_word_is_refused_by_all_that_read_it(good: Path, tmp_path: Path, kind: str, column: str) -> None:
    run = changed(good, tmp_path / "run", kind, column, "unheard")
    assert refuses(good, run, tmp_path / "out", f"a row whose {column} is 'unheard'")


def test_a_duration_below_zero_is_refused_in_two_lines(good: Path, tmp_path: Path) -> None:
    run = changed(good, tmp_path / "run", "outcomes", "latency_ns", -1)
    done = call("report", run)
    assert (done.exit_code, len(done.stderr.strip().splitlines())) == (2, 2)
    assert "a row whose latency_ns is -1" in done.stderr


@pytest.mark.slow
@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    ("kind", "column"), [(kind, one.name) for kind, schema in KINDS.items() for one in schema if is_integer(one.type)]
)
def test_a_number_that_cannot_be_is_refused_by_all_that_read_it(
    good: Path, tmp_path: Path, kind: str, column: str
) -> None:
    largest = (1 << KINDS[kind].field(column).type.bit_width - 1) - 1
    for number in (-1, largest):
        run = changed(good, tmp_path / f"run{number}", kind, column, number)
        says = f"a row whose {column} is {number:,}"
        is_refused = refuses(good, run, tmp_path / f"out{number}", says)
        assert is_refused == (number < 0 or number >= 1 << 62), number


def test_merge_copies_nothing_through_a_link(good: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(good, run)
    link = with_link(run, "texts", tmp_path / "secret")
    done = call("merge", run, "-o", tmp_path / "merged")
    assert (done.exit_code, f"{link.name} is a link" in done.stderr) == (2, True)
    assert not (tmp_path / "merged").exists()


@pytest.mark.slow
@pytest.mark.parametrize("place", ["manifest.json", *KINDS])
def test_what_a_link_leads_to_is_neither_read_nor_copied(good: Path, tmp_path: Path, place: str) -> None:
    run = tmp_path / "run"
    shutil.copytree(good, run)
    link = with_link(run, place, tmp_path / "secret")
    assert refuses(good, run, tmp_path / "out", f"{link.name} is a link")
    shutil.copytree(good, tmp_path / "other")
    (tmp_path / "folder").mkdir()
    if place in KINDS:
        (tmp_path / "other" / place).rename(tmp_path / "folder" / place)
        (tmp_path / "other" / place).symlink_to(tmp_path / "folder" / place)
        assert refuses(good, tmp_path / "other", tmp_path / "out2", f"{place} is a link")


def with_link(run: Path, place: str, elsewhere: Path) -> Path:
    """A file of the run, now elsewhere, and a link in its place."""
    link = run / place if place not in KINDS else next((run / place).glob("*.parquet"))
    link.rename(elsewhere)
    link.symlink_to(elsewhere)
    return link
