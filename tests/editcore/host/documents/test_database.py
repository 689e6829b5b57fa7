"""A database that can't be reached, written or waited for, and URLs that are none."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

import psycopg
import pytest
from sqlalchemy import Engine, event, make_url

from editcore.errors import UsageError, WorkspaceError
from editcore.host.documents.database import FairLock
from editcore.host.documents.store import Documents, Suggestion

PATH = "/a.md"


def added(documents: Documents, text: str) -> None:
    documents.record(Suggestion("append", PATH, new_str=text), lambda version: version + text)


def fails(words: str, call: Callable[..., object], *args: object) -> None:
    """Assert that the call raises one line with these words, without the place of the database."""
    with pytest.raises(WorkspaceError, match=words) as error:
        call(*args)
    assert len(error.value.message.splitlines()) == 1
    assert "/tmp" not in error.value.message


@contextmanager
def kept_busy(url: str) -> Iterator[None]:
    """Somebody else has a transaction open in which the documents were written to."""
    target = make_url(url)
    if target.get_backend_name() == "sqlite":
        with closing(sqlite3.connect(str(target.database), isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
    else:
        with psycopg.connect(host=str(target.query["host"]), user="postgres", dbname="postgres") as server:
            server.execute("LOCK TABLE documents IN EXCLUSIVE MODE")
            yield
            server.rollback()


def test_a_lock_that_is_held_for_long_is_waited_for_no_longer_than_asked(
    opened: Callable[..., Documents], url: str
) -> None:
    documents = opened(lock_timeout=0.3)
    documents.save(PATH, "one\n")
    with kept_busy(url):
        start = monotonic()
        fails(r"locked for 0.3 s: nothing changed; try again later", added, documents, "two\n")
        assert 0.25 < monotonic() - start < 25
        assert documents.version(PATH) == "one\n"
    added(documents, "two\n")
    assert documents.version(PATH) == "one\ntwo\n"


def test_a_lock_that_is_let_go_is_taken(opened: Callable[..., Documents], url: str) -> None:
    documents = opened(lock_timeout=20)
    documents.save(PATH, "")
    with kept_busy(url):
        waiting = Thread(target=added, args=(documents, "two\n"))
        waiting.start()
        sleep(0.05)
        assert waiting.is_alive()
    waiting.join()
    assert documents.version(PATH) == "two\n"


def test_a_thread_waits_no_longer_for_another_one_than_for_another_process(
    opened: Callable[..., Documents], url: str
) -> None:
    documents = opened(lock_timeout=0.2)
    documents.save(PATH, "")
    with kept_busy(url), ThreadPoolExecutor(3) as pool:
        for waiting in [pool.submit(added, documents, "x") for _ in range(3)]:
            fails("locked for 0.2 s", waiting.result)
    assert documents.session(PATH) is None


def test_those_who_start_at_once_all_find_the_tables(url: str, project_id: str) -> None:
    made = [Documents(url=url, project=project_id, durable=False) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda n: made[n].save(f"/{n}.md", "x"), range(6)))
    assert len(made[0].names("/")) == 6
    for one in made:
        one.close()


def test_a_conflict_that_only_the_order_of_transactions_shows_is_tried_again(
    postgres_url: str, project_id: str
) -> None:
    strict = f"{postgres_url}&options=-c%20default_transaction_isolation%3Dserializable"
    with (
        closing(Documents(url=strict, project=project_id)) as one,
        closing(Documents(url=strict, project=project_id)) as other,
        ThreadPoolExecutor(4) as pool,
    ):
        one.save(PATH, "")
        list(pool.map(lambda n: added((one, other)[n % 2], f"{n}\n"), range(24)))
        assert sorted(map(int, one.version(PATH).split())) == list(range(24))


def test_a_connection_that_was_cut_is_made_anew(postgres_url: str, project_id: str) -> None:
    host = str(make_url(postgres_url).query["host"])
    with closing(Documents(url=postgres_url, project=project_id)) as documents:
        documents.save(PATH, "one\n")
        with psycopg.connect(host=host, user="postgres", dbname="postgres", autocommit=True) as server:
            server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        added(documents, "two\n")
        assert documents.version(PATH) == "one\ntwo\n"


def test_a_server_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    documents = Documents(url=f"postgresql+psycopg://postgres:secret@/postgres?host={tmp_path}")
    with pytest.raises(WorkspaceError, match="can't be reached: check that the server runs") as error:
        documents.text(PATH)
    assert "secret" not in str(error.value)


def test_a_database_that_is_read_only_can_be_read(
    documents: Documents, opened: Callable[..., Documents], url: str
) -> None:
    documents.save(PATH, "one\n")
    sqlite = url.replace("sqlite:///", "sqlite:///file:") + "?mode=ro&uri=true"
    locked = sqlite if url.startswith("sqlite") else f"{url}&options=-c%20default_transaction_read_only%3Don"
    reader = opened(url=locked)
    assert reader.version(PATH) == "one\n"
    fails("it is read-only: ask for write permission", added, reader, "two\n")
    assert documents.version(PATH) == "one\n"


def test_a_user_without_the_right_to_make_tables_is_told_so(postgres_url: str, project_id: str) -> None:
    name, target = f"u{project_id}", make_url(postgres_url)
    host = str(target.query["host"])
    with psycopg.connect(host=host, user="postgres", dbname="postgres", autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        server.execute(f"CREATE ROLE {name} LOGIN")
    with closing(Documents(url=target.set(username=name, database=name))) as documents:
        fails("writing is not permitted: ask for write permission", documents.save, PATH, "x")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with a document in it, closed."""
    path = tmp_path / "documents.db"
    documents = Documents(url=f"sqlite:///{path}", durable=False)
    documents.save(PATH, "one\n" * 5_000)
    documents.close()
    return path


def garble(file: Path) -> None:
    with file.open("r+b") as pages:
        pages.seek(4096)
        pages.write(os.urandom(file.stat().st_size - 4096))


def overwrite(file: Path) -> None:
    file.write_bytes(b"# Not a database\n" * 500)


def halve(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


@pytest.mark.parametrize("damage", [garble, overwrite, halve])
def test_a_file_that_is_damaged_is_said_so(file: Path, damage: Callable[[Path], None]) -> None:
    damage(file)
    with closing(Documents(url=f"sqlite:///{file}", durable=False)) as documents:
        fails("file is damaged", documents.text, PATH)
        fails("file is damaged", documents.save, "/b.md", "x")


def test_a_file_that_can_not_be_opened_is_said_so(tmp_path: Path) -> None:
    with closing(Documents(url=f"sqlite:///{tmp_path}/no/documents.db")) as documents:
        fails("can't be opened: check that its directory exists", documents.save, PATH, "x")


def test_a_file_that_was_taken_away_takes_no_edits_until_one_is_in_its_place(file: Path, tmp_path: Path) -> None:
    with closing(Documents(url=f"sqlite:///{file}", durable=False)) as documents:
        backup = tmp_path / "backup"
        backup.write_bytes(file.read_bytes())
        added(documents, "lost\n")
        for name in (file.name, f"{file.name}-wal", f"{file.name}-shm"):
            (tmp_path / name).unlink()
        for _ in range(2):
            fails("its file is gone: restore it, or a backup", added, documents, "x")
        backup.rename(file)
        assert documents.version(PATH) == "one\n" * 5_000
        added(documents, "two\n")
        assert documents.version(PATH) == "one\n" * 5_000 + "two\n"


def test_a_file_whose_log_is_lost_is_as_it_was_before_and_whole(file: Path, tmp_path: Path) -> None:
    with closing(Documents(url=f"sqlite:///{file}", durable=False)) as documents:
        added(documents, "two\n")
        assert (tmp_path / f"{file.name}-wal").stat().st_size > 0
        without = tmp_path / "without.db"
        without.write_bytes(file.read_bytes())
    with closing(Documents(url=f"sqlite:///{without}", durable=False)) as documents:
        assert documents.version(PATH) == "one\n" * 5_000
        added(documents, "two\n")
        assert documents.version(PATH) == "one\n" * 5_000 + "two\n"


def test_what_no_remedy_is_known_for_is_told_by_its_code(file: Path) -> None:
    with closing(sqlite3.connect(file)) as other:
        other.execute("ALTER TABLE documents RENAME COLUMN text TO body")
    with closing(Documents(url=f"sqlite:///{file}")) as documents:
        fails("its error code is SQLITE_ERROR: look it up", documents.text, PATH)


def test_a_disk_that_is_full_is_said_so_and_nothing_is_half_written(file: Path) -> None:
    with closing(Documents(url=f"sqlite:///{file}", durable=False)) as documents:
        with closing(sqlite3.connect(file)) as other:
            n_pages = other.execute("PRAGMA page_count").fetchone()[0]

        def limit(connection: sqlite3.Connection, _: object) -> None:
            connection.execute(f"PRAGMA max_page_count = {n_pages}")

        event.listen(Engine, "connect", limit)
        try:
            fails("the disk is full: free some space", documents.save, "/b.md", "x" * 100_000)
        finally:
            event.remove(Engine, "connect", limit)
        assert documents.names("/") == ("a.md",)


def test_a_database_in_memory_lasts_as_long_as_it_is_open() -> None:
    with closing(Documents(url="sqlite://")) as documents:
        documents.save(PATH, "one\n")
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda n: added(documents, f"{n}\n"), range(6)))
        assert len(documents.version(PATH).splitlines()) == 7


def test_a_path_is_relative_to_where_the_documents_were_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with closing(Documents(url="sqlite:///documents.db")) as documents:
        documents.save(PATH, "one\n")
        monkeypatch.chdir("elsewhere")
        documents.save(PATH, "two\n")
        documents.close()
        assert documents.text(PATH) == "two\n"


def test_a_reader_waits_for_the_only_connection_no_longer_than_asked() -> None:
    with closing(Documents(url="sqlite://", lock_timeout=0.2)) as documents, ThreadPoolExecutor(1) as pool:
        documents.save(PATH, "one\n")
        is_reading, is_read = Event(), Event()

        def slowly(version: str) -> str:
            is_reading.set()
            is_read.wait(10)
            return version + "two\n"

        slow = pool.submit(documents.record, Suggestion("append", PATH), slowly)
        is_reading.wait(10)
        fails("locked for 0.2 s", documents.text, PATH)
        is_read.set()
        slow.result()
        assert documents.version(PATH) == "one\ntwo\n"


def test_the_database_by_default_is_a_file_of_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with closing(Documents()) as documents:
        documents.save(PATH, "one\n")
    assert (tmp_path / "data" / "editgauge" / "documents.db").is_file()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data" / "editgauge" / "documents.db"))
    with pytest.raises(WorkspaceError, match=r"data directory can't be created .not a directory.: give the url"):
        Documents()


@pytest.mark.parametrize(
    "url", ["", "nonsense", "mysql://a:secret@b/c", "oracle:", "nosuch://a", "postgresql://h:port/x"]
)
def test_what_is_no_url_of_a_database_is_a_mistake_of_the_users(url: str) -> None:
    with pytest.raises(UsageError, match="not the URL of a database") as error:
        Documents(url=url or " ")
    assert "secret" not in error.value.message + error.value.tip


def test_a_driver_that_is_not_installed_is_named() -> None:
    with pytest.raises(UsageError, match="PostgreSQL needs pg8000, which is not installed") as caught:
        Documents(url="postgresql+pg8000://host/name")
    assert caught.value.tip == "Install it: pip install 'editgauge[postgres]'."


# A lock among threads, and in which order they get it.


def test_those_who_wait_get_their_turn_in_the_order_in_which_they_came() -> None:
    turns, order = FairLock(), list[int]()

    def wait(n: int) -> None:
        with turns.acquired(10) as is_ours:
            assert is_ours
            order.append(n)

    with turns.acquired(0) as is_ours:
        assert is_ours
        threads = [Thread(target=wait, args=(n,)) for n in range(5)]
        for n, thread in enumerate(threads, 1):
            thread.start()
            while len(turns._queue) <= n:
                sleep(0.001)
    for thread in threads:
        thread.join()
    assert order == list(range(5))


def test_a_turn_that_does_not_come_in_time_is_given_up_and_harms_nobody() -> None:
    turns, is_waiting = FairLock(), Event()

    def wait() -> bool:
        is_waiting.set()
        with turns.acquired(0.05) as is_ours:
            return is_ours

    with ThreadPoolExecutor(1) as pool:
        with turns.acquired(0):
            start = monotonic()
            assert pool.submit(wait).result() is False
            assert monotonic() - start > 0.04
        assert pool.submit(wait).result() is True


def test_only_one_thread_has_it_at_a_time_and_none_is_forgotten() -> None:
    turns, inside, most = FairLock(), list[int](), list[int]()

    def work(n: int) -> bool:
        # So short a wait that some give up just as their turn comes.
        with turns.acquired(0.0005 * (n % 5)) as is_ours:
            if is_ours:
                inside.append(n)
                most.append(len(inside))
                inside.pop()
            return is_ours

    with ThreadPoolExecutor(8) as pool:
        had = list(pool.map(work, range(4_000)))
    assert sum(had) == len(most)
    assert set(most) == {1}
    with turns.acquired(0) as is_ours:
        assert is_ours
