"""Databases for the tests of documents: SQLite always, PostgreSQL where a server can be started."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from editcore.sessions import Documents
from tests.postgres import NoServerError, server


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of a server that is the tests' own."""
    running = server()
    try:
        url = running.__enter__()
    except NoServerError as error:
        pytest.skip(str(error))
    yield url
    running.__exit__(None, None, None)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of a database: a file of the test's own, or the server that all share."""
    return (
        f"sqlite:///{tmp_path}/documents.db" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    )


@pytest.fixture
def project_id() -> str:
    """One that no other test has."""
    return uuid4().hex


@pytest.fixture
def opened(url: str, project_id: str) -> Iterator[Callable[..., Documents]]:
    """Opens the project's documents as often as asked, closed at the end of the test."""
    made: list[Documents] = []

    def documents(**options: object) -> Documents:
        made.append(Documents(**{"url": url, "project": project_id, "durable": False, **options}))
        return made[-1]

    yield documents
    for one in made:
        one.close()


@pytest.fixture
def documents(opened: Callable[..., Documents]) -> Documents:
    """The documents of an empty project."""
    return opened()
