"""Runs and histories as tables: by `editgauge sql`, and by duckdb and pandas without it."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sys
from io import StringIO
from itertools import cycle
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from editcore.errors import UsageError
from harness.cli import main
from reports.history.nights import History
from reports.runs.manifest import Manifest, read_manifest, write_manifest
from reports.runs.rows import KINDS
from reports.runs.sql import query
from tests.twins import write_run

A, B = "cascade/a", "replacer/b"
ROOT = Path(__file__).parents[3]
NIGHTS = ["2026-11-21T030000Z-plan", "2026-11-22T030000Z-plan"]
HOSTILE = "s\x1b[31m\n\u202e'\"\\|[/red]"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run and a history of two nights."""
    folder = tmp_path_factory.mktemp("sql")
    for day, verdicts in (("21", {A: "cwm", B: "cc"}), ("22", {A: "wwm", B: "cx"})):
        run = write_run(folder / f"run-{day}", verdicts, created=f"2026-11-{day}T03:00:00+00:00")
        History(folder / "nights").add(run)
    return folder


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["sql", *map(str, arguments)])


# Tables


def test_a_history_and_a_run_have_the_same_tables(folder: Path) -> None:
    count = "select night, count(*) from outcomes group by all order by all"
    assert query(count, [folder / "nights"]).rows == [(NIGHTS[0], 5), (NIGHTS[1], 5)]
    assert query(count, [folder / "run-21"]).rows == [("run-21", 5)]
    assert query(count, [folder / "run-22", folder / "nights"]).rows == [(NIGHTS[0], 5), (NIGHTS[1], 5), ("run-22", 5)]
    wrong = "select night, sample_id, strategy, expected <> given from wrong_edits order by all"
    assert query(wrong, [folder / "nights"]).rows == [
        (NIGHTS[0], "s0001", A, True),
        (NIGHTS[1], "s0000", A, True),
        (NIGHTS[1], "s0001", A, True),
    ]
    assert query("select count(*), any_value(tags) from samples", [folder / "run-21"]).rows == [(3, [])]


def test_every_column_of_the_files_is_there_after_the_night(folder: Path) -> None:
    for kind, schema in KINDS.items():
        columns = [row[0] for row in query(f"describe {kind}", [folder / "nights"]).rows]
        assert columns == ["night", *schema.names]
    columns = [row[0] for row in query("describe runs", [folder / "nights"]).rows]
    assert columns == ["night", *Manifest.__dataclass_fields__]


def test_manifests_are_the_table_of_runs(folder: Path) -> None:
    text = "select night, n_samples, timeout_s, git_commit, strategies->>'$[0].name', corpora->>'$[0].name' from runs"
    assert query(text, [folder / "nights"]).rows == [(night, 3, 5.0, None, A, "made") for night in NIGHTS]


def test_a_run_named_twice_is_there_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    named = [
        folder / "nights",
        Path("nights"),
        folder / "nights" / "nights" / f"night={NIGHTS[0]}",
        Path("run-21/../nights"),
    ]
    assert query("select count(*) from outcomes", named).rows == [(10,)]
    monkeypatch.chdir(folder / "run-21")
    assert query("select distinct night from outcomes", [Path()]).rows == [("run-21",)]


def test_a_kind_that_no_run_has_is_an_empty_table_of_the_same_columns(folder: Path, tmp_path: Path) -> None:
    """As of a run that an earlier version wrote."""
    shutil.copytree(folder / "run-21", tmp_path / "old")
    for kind in KINDS:
        described = query(f"describe {kind}", [tmp_path / "old"]).rows
        shutil.rmtree(tmp_path / "old" / kind)
        assert query(f"describe {kind}", [tmp_path / "old"]).rows == described
        assert query(f"select * from {kind}", [tmp_path / "old"]).rows == []
        assert len(query(f"select * from {kind}", [tmp_path / "old", folder / "run-21"]).rows) == len(
            query(f"select * from {kind}", [folder / "run-21"]).rows
        )


def test_a_column_that_no_run_has_is_there_without_values(tmp_path: Path) -> None:
    run = write_run(tmp_path / "old", {A: "cw"})
    for path in (run / "outcomes").iterdir():
        pq.write_table(pq.read_table(path).drop_columns(["alternative"]), path)
    found = query("select count(*), count(alternative), max(alternative) from outcomes", [run])
    assert found.rows == [(2, 0, None)]


def test_a_run_without_a_wrong_edit_has_a_table_of_none(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {A: "cc"})
    assert query("select count(*), count(given) from wrong_edits", [run]).rows == [(0, 0)]


ODD = [
    "it's",
    'quo"te',
    "with space",
    "a=b",
    "night=x",
    "100%",
    "%20",
    "é日",
    "r[1]",
    "r?",
    "r*",
    "{a,b}",
    "$x",
    "~",
    "-- x",
]


def test_a_folder_may_be_called_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside folders that duckdb would read instead, were the name a pattern."""
    for other in ("r1", "rX", "a", "b", " "):
        write_run(tmp_path / other, {A: "www"})
    for name in ODD:
        write_run(tmp_path / name, {A: "c"})
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(ODD):
        place = tmp_path / name if number % 2 else Path(name)
        found = query("select night, verdict, n_samples from outcomes join runs using (night)", [place]).rows
        assert found == [(name.removeprefix("night="), "correct", 1)]


def test_what_a_killed_add_left_is_no_night(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "nights", tmp_path / "nights")
    nights = tmp_path / "nights" / "nights"
    shutil.copytree(nights / f"night={NIGHTS[0]}", nights / f".night={NIGHTS[0]}.77.tmp")
    assert query("select count(*) from outcomes", [tmp_path / "nights"]).rows == [(10,)]


def test_parameters_are_values(folder: Path) -> None:
    assert query("select ?", [folder / "nights"], ["'; --"]).rows == [("'; --",)]
    assert query("select ?", [folder / "nights"], ["\udc80"]).rows == [("\\udc80",)]


def test_lone_surrogates_in_a_manifest_can_be_asked_for(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {A: "c"})
    write_manifest(run, Manifest(**{**_fields(run), "argv": ["\udc80"], "git_commit": "x\udc80"}))
    assert query("select argv->>'$[0]', git_commit from runs", [run]).rows == [("?", "x\\udc80")]


def _fields(run: Path) -> dict[str, object]:
    manifest = read_manifest(run)
    return {name: getattr(manifest, name) for name in Manifest.__dataclass_fields__}


# What no query does


@pytest.mark.parametrize(
    "text",
    [
        "install httpfs",
        "load httpfs",
        "select * from 'https://127.0.0.1:9/x.parquet'",
        "select * from read_csv('{other}')",
        "select * from '{other}'",
        "copy (select 1) to '{new}'",
        "attach '{new}'",
        "set enable_external_access = true",
        "set autoinstall_known_extensions = true",
        "copy (select 1) to '{new}'; select 1",
        "export database '{new}'",
        "import database '{new}'",
        "explain analyze copy (select 1) to '{new}'",
        "explain (analyze) copy (select 1) to '{new}'",
        "/* a */ explain analyze explain analyze copy (select 1) to '{new}'",
        "copy (pivot (select 1 a) on a using sum(a)) to '{new}'",
        "prepare p as copy (select 1) to '{new}'; execute p",
        "create persistent secret (type http, bearer_token 'a')",
        "select * from read_text('{other}')",
        "select * from glob('{other}')",
        "pragma database_list",
        "call enable_logging(storage = 'file', storage_path = '{new}')",
        "select getenv('HOME')",
        "set memory_limit = '1TB'",
    ],
)
def test_no_query_reaches_the_network_or_another_file(text: str, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a\n1\n")
    with pytest.raises(UsageError, match="The query was refused: ") as caught:
        query(text.format(other=tmp_path / "other.csv", new=tmp_path / "new"), [folder / "nights"])
    assert "\n" not in caught.value.message
    assert not (tmp_path / "new").exists()


def test_no_query_writes_to_the_files_that_it_reads(folder: Path) -> None:
    run = next((folder / "nights" / "nights").iterdir())
    files = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    copy = "copy (select 1 as a) to '{path}' (format parquet, use_tmp_file false)"
    others = (
        f"explain analyze {copy}",
        "copy (select 'pwned') to '{path}'",
        "export database '{path}'",
        "attach '{path}' as o",
    )
    for text, path in [*((copy, path) for path in files), *zip(others, cycle(files), strict=False)]:
        with pytest.raises(UsageError, match="The query was refused: "):
            query(text.format(path=path), [folder / "nights"])
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == files


@pytest.mark.parametrize(
    "text",
    [
        "pivot (select strategy, verdict from outcomes) on verdict using count(*)",
        "with p as (pivot (select verdict from outcomes) on verdict using count(*)) select * from p",
        "explain select * from outcomes",
        "explain analyze select * from outcomes",
        "describe outcomes",
        "summarize outcomes",
        "show tables",
        "(select 1) union all (select 2)",
    ],
)
def test_queries_that_read_are_answered(text: str, folder: Path) -> None:
    assert query(text, [folder / "nights"]).rows


def test_answers_are_limited(folder: Path) -> None:
    with pytest.raises(UsageError, match="its answer has more than 2,000,000 rows"):
        query("select 1 from range(100000000000)", [folder / "nights"])


def test_memory_is_limited(folder: Path) -> None:
    assert query("select current_setting('memory_limit')", [folder / "nights"]).rows == [("3.7 GiB",)]


def test_asking_changes_nothing(folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    query("create table more as select * from outcomes; select count(*) from more", [folder / "nights"])
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


# The command


def test_the_examples_in_its_help_are_queries(folder: Path) -> None:
    text = CliRunner().invoke(main, ["sql", "--help"]).stdout
    examples = re.findall(r'editgauge sql "(.*?)" (\S+)', re.sub(r"\s+", " ", text))
    assert len(examples) == 2
    for example, _ in examples:
        assert call(example, folder / "nights").exit_code == 0


def test_the_queries_in_the_documentation_are_answered(folder: Path) -> None:
    found = re.findall(r'editgauge sql "(.*?)"', (ROOT / "docs" / "nightly.md").read_text())
    assert len(found) == 1
    for text in found:
        assert call(text, folder / "nights").stdout.splitlines()[2].split() == [NIGHTS[0], A, "1"]


def test_a_table_has_what_is_absent_as_a_dash_and_what_is_hostile_as_escapes(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {A: "cm"}, ids=[HOSTILE, "plain"])
    done = call('select sample_id, replacer as "[/x]\x1b[1m", 12 as n from outcomes order by replacer is null', run)
    assert (done.exit_code, done.stderr) == (0, "")
    head, rule, hostile, plain = done.stdout.splitlines()
    assert head.split() == ["sample_id", "[/x]\\x1b[1m", "n"]
    assert set(rule) == {"─"}
    assert hostile.split() == ["s\\x1b[31m\\n\\u202e'\"\\|[/red]", "simple", "12"]
    assert plain.split() == ["plain", "-", "12"]


def test_csv_is_read_back(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {A: "cm"}, ids=[HOSTILE, "a,b"])
    done = call("select sample_id, replacer from outcomes order by replacer", run, "--output-format", "csv")
    assert list(csv.reader(StringIO(done.stdout))) == [["sample_id", "replacer"], [HOSTILE, "simple"], ["a,b", ""]]


def test_json_is_one_document_whatever_the_values(folder: Path) -> None:
    text = """select night, 1.5::decimal(3, 1) as d, 'nan'::double as x, date '2026-11-21' as day, null as nothing,
        [1, null] as some, {'a': timestamp '2026-11-21 03:00:00'} as pair, '\\xff'::blob as bytes, 'é' as e
        from runs order by night limit 1"""
    done = call(text, folder / "nights", "--json")
    assert done.stdout.isascii()
    (row,) = json.loads(done.stdout, parse_constant=lambda name: pytest.fail(name))["rows"]
    assert row == {
        "night": NIGHTS[0],
        "d": "1.5",
        "x": None,
        "day": "2026-11-21",
        "nothing": None,
        "some": [1, None],
        "pair": {"a": "2026-11-21T03:00:00"},
        "bytes": "/w==",
        "e": "é",
    }
    assert done.stdout == call(text, folder / "nights", "--output-format", "json").stdout
    assert json.loads(call("select 1 where false", folder / "nights", "--json").stdout) == {
        "schema_version": 1, "rows": [],
    }  # fmt: skip


def test_an_answer_without_rows_is_its_headings(folder: Path) -> None:
    assert call("select night, verdict from outcomes where false", folder / "nights").stdout.split() == [
        "night", "verdict", "─" * 15,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["selekt 1", "nights"], "The query was refused: Parser Error"),
        (["select nope from outcomes", "nights"], "The query was refused: Binder Error"),
        (["select * from nope", "nights"], "The query was refused: Catalog Error"),
        (["select verdict::int from outcomes", "nights"], "The query was refused: Conversion Error"),
        (["select 1 \udc80", "nights"], "The query was refused: Parser Error"),
        (["", "nights"], "The query is empty"),
        ([" ; -- nothing", "nights"], "The query is empty"),
        (["select 1", "nowhere"], "neither a run nor a history"),
        (["select 1", "empty"], "neither a run nor a history"),
        (["select 1", "nights", "torn"], "The outcomes cannot be read: "),
        (["select 1", "broken"], "manifest.json cannot be read"),
        (["select 1"], "Missing argument"),
        (["select 1", "nights", "--output-format", "xml"], "Invalid value"),
    ],
)
def test_a_mistake_is_two_lines_on_stderr_and_exit_code_2(
    arguments: list[str], told: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("nights").symlink_to(folder / "nights")
    Path("empty").mkdir()
    for name, broken in (("torn", "outcomes/part-0.parquet"), ("broken", "manifest.json")):
        shutil.copytree(folder / "run-21", name)
        (Path(name) / broken).write_text("PAR1 no more")
    done = call(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    what, remedy = done.stderr.splitlines()
    assert what.startswith("error: ")
    assert told in what
    assert remedy.startswith("  ")


def test_without_duckdb_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    done = call("select 1", folder / "nights")
    assert (done.exit_code, done.stdout) == (2, "")
    message, remedy = done.stderr.splitlines()
    assert message.startswith("error: editgauge sql needs ")
    assert "duckdb" in message
    assert "pip install 'editgauge[sql]'" in remedy


# Without the command


def test_pandas_reads_the_files_as_the_documentation_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "nightly.md").read_text(), re.DOTALL)
    *imports, expression = code.strip().splitlines()
    names: dict[str, object] = {}
    exec("\n".join(imports), names)
    frame = eval(expression, names)
    assert len(frame) == 10
    assert set(frame["night"]) == set(NIGHTS)
    assert frame.groupby(["night", "strategy", "verdict"], observed=True).size().loc[NIGHTS[1], A, "wrong_edit"] == 2


def test_duckdb_reads_the_files_as_they_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with duckdb.connect() as connection:
        text = "select night, count(*) from 'nights/nights/*/outcomes/*.parquet' group by all order by all"
        assert connection.execute(text).fetchall() == [(night, 5) for night in NIGHTS]
