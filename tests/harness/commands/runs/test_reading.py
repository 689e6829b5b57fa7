"""Small commands that read runs, and all readers of a run that another program changed: each shows it, or says why
not.
"""

from __future__ import annotations

import http.client
import json
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from editcore.types import Edit
from harness.commands.runs.serving import Nights, OneRun, RunServer, Site
from reports.history.nights import History
from reports.history.trends import index_html
from reports.page.columns import FACET, read_columns, reviews_of, with_reviews
from reports.page.served import ServedRun
from reports.runs.rows import CLOSED, KINDS
from reports.runs.run_folder import RunFolder
from tests.harness.program import call
from tests.samples import sample, write_jsonl
from tests.twins import write_run

# `editgauge notes`, and the page that shows what it wrote.


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", {"cascade/a": "cw"})


def test_a_note_is_kept_changed_and_listed(run: Path) -> None:
    assert call("notes", run).stdout == ""
    assert call("notes", run, "s0001", "--reviewed", "-m", "as ever").exit_code == 0
    assert call("notes", run, "s0001", "-m", "since May").exit_code == 0
    (kept,) = json.loads(call("notes", run, "--json").stdout)
    assert (kept["sample_id"], kept["is_reviewed"], kept["note"]) == ("s0001", True, "since May")
    assert call("notes", run, "s0001", "--open").exit_code == 0
    assert call("notes", run).stdout == f"s0001  open  {kept['written'][:10]}  since May\n"


def test_a_later_run_at_the_same_place_has_it_on_its_page(run: Path) -> None:
    call("notes", run, "s0001", "--reviewed", "-m", "as ever")
    columns = read_columns(RunFolder(write_run(run, {"cascade/a": "www"})))
    assert FACET not in columns.facets
    assert reviews_of(columns)["s0001"][:2] == [True, "as ever"]
    facet = with_reviews(columns).facets[FACET]
    assert [facet.words[code] for code in facet.codes] == ["", "reviewed", ""]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [(["s9"], ""), (["s9", "--reviewed"], "has no sample 's9'"), (["--reviewed"], "No sample is named")],
)
def test_what_is_no_sample_gets_no_note(run: Path, arguments: list[str], told: str) -> None:
    done = call("notes", run, *arguments)
    assert done.exit_code == (2 if told else 0)
    assert told in done.stderr
    assert not run.with_name("run.notes.jsonl").exists()


TOKEN = "the-token"


@contextmanager
def served(site: Site) -> Iterator[RunServer]:
    with RunServer(site, TOKEN, 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunServer]:
    run = ServedRun(RunFolder(write_run(tmp_path_factory.mktemp("run"), {"x/a": "cwm"})), properties={}, token=TOKEN)
    with served(OneRun(run)) as server:
        yield server


def asked(server: RunServer, path: str, headers: Mapping[str, str] | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.request("GET", path, headers=dict(headers or {}))
    answer = connection.getresponse()
    body = answer.read()
    assert answer.getheader("X-Content-Type-Options") == "nosniff"
    assert answer.getheader("Cache-Control") == "no-store"
    connection.close()
    return answer.status, body


def test_the_page_and_its_samples_are_served_with_the_token(server: RunServer) -> None:
    status, body = asked(server, f"/?token={TOKEN}")
    assert status == 200
    assert b'"token":"the-token"' in body
    status, body = asked(server, f'/count?token={TOKEN}&filter={{"verdict":"missed"}}')
    assert (status, json.loads(body)) == (200, {"n": 1, "is_complete": True, "share": 1.0})
    status, body = asked(server, f"/rows?token={TOKEN}&filter={{}}&from=0&to=2")
    assert [row["id"] for row in json.loads(body)["rows"]] == ["s0001", "s0002"]
    assert asked(server, f"/sample?token={TOKEN}&id=nobody") == (200, b"null")


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {}, 403),
        ("/?token=", {}, 403),
        ("/?token=the-toke", {}, 403),
        ("/count?filter={}", {}, 403),
        (f"/?token={TOKEN}", {"Host": "evil.example"}, 421),
        (f"/?token={TOKEN}", {"Host": "127.0.0.1"}, 421),
        (f"/?token={TOKEN}", {"Host": "127.0.0.1.evil.example:80"}, 421),
        (f"/etc/passwd?token={TOKEN}", {}, 404),
        (f"/../manifest.json?token={TOKEN}", {}, 404),
        (f"/count?token={TOKEN}&filter=[]", {}, 400),
        (f"/rows?token={TOKEN}&filter={{}}&from=x&to=2", {}, 400),
        (f"/?token={TOKEN}&x={'y' * 30_000}", {}, 414),
    ],
    ids=str,
)
def test_anything_else_is_refused(server: RunServer, path: str, headers: dict[str, str], status: int) -> None:
    assert asked(server, path, headers)[0] == status


def test_the_index_of_a_history_links_the_pages_of_its_nights(tmp_path: Path) -> None:
    history, asked_for = History(tmp_path / "nights"), list[str]()
    nights = [history.add(write_run(tmp_path / str(n), {"x/a": verdicts}, created=f"2026-11-0{n}T03:00:00+00:00"))
              for n, verdicts in enumerate(("cwm", "ccm", "ccc"), 1)]  # fmt: skip

    def read(name: str) -> ServedRun:
        asked_for.append(name)
        return ServedRun(RunFolder(history.night(name)), properties={}, token=TOKEN)

    site = Nights(lambda: index_html(history, token=TOKEN).encode(), history.nights, read)
    with served(site) as server:
        status, body = asked(server, f"/?token={TOKEN}")
        links = [unescape(link) for link in re.findall(r'href="([^"]*)"', body.decode())]
        folders = [link.partition("?")[0] for link in reversed(links)]
        assert (status, len(links), asked_for) == (200, 3, [])
        for link, folder, wrong in zip(reversed(links), folders, (1, 0, 0), strict=True):
            assert asked(server, f"/{link}")[1].startswith(b"<!doctype html>")
            status, body = asked(server, f'/{folder}count?token={TOKEN}&filter={{"verdict":"wrong_edit"}}')
            assert (status, json.loads(body)["n"]) == (200, wrong)
        assert asked_for == nights
        asked(server, f"/{folders[0]}?token={TOKEN}")
        assert asked_for == [*nights, nights[0]]  # Two are held.
        for path in ("nights/night=none/", "nights/night=..%2F..%2Fx/", "nights/", folders[0].removesuffix("/")):
            assert asked(server, f"/{path}?token={TOKEN}")[0] == 404, path
        assert asked(server, f"/{folders[0]}")[0] == 403


@pytest.mark.slow
def test_the_command_prints_an_address_and_ends_when_it_is_interrupted(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {"x/a": "cwm"})
    line = [sys.executable, "-m", "harness", "serve", str(run)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        url = urlsplit(process.stdout.readline().strip())
        assert url.hostname == "127.0.0.1"
        assert len(parse_qs(url.query)["token"][0]) >= 32
        connection = http.client.HTTPConnection(url.netloc, timeout=10)
        connection.request("GET", f"/?{url.query}")
        answer = connection.getresponse()
        assert (answer.status, answer.read(15)) == (200, b"<!doctype html>")
        answer.close()
        connection.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130


# Runs whose rows or files another program changed: every command that reads a run shows them, or says why not.

READERS = (
    ("compare", "{good}", "{run}"), ("compare", "{run}", "{good}"), ("compare", "{run}", "--matrix"),
    ("compare", "{run}", "--between", "cascade/exact", "cascade/reference"), ("report", "{run}"),
    ("report", "{run}", "-o", "{out}/page.html"), ("table", "{run}"), ("table", "{run}", "--by", "language"),
    ("show", "{run}", "smoke-simple"), ("orderings", "{run}", "--replacers", "simple,line_trimmed"),
    ("merge", "{run}", "-o", "{out}/merged"),
    ("history", "{history}"), ("history", "{history}", "smoke-simple"),
    *(("sql", f"select * from {kind} limit 3", "{run}") for kind in KINDS),
)  # fmt: skip


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
    """A copy of a run with `value` in every row of a column."""
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
    """Error messages of the commands that read a run. Every other command ends with 0 or 1, and none with a
    traceback.
    """
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
