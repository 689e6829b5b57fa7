"""Databases for the tests of documents: SQLite always, PostgreSQL where a server can be started."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from copy import copy
from typing import Any
from uuid import uuid4

import pytest

from editcore.host.documents.store import Documents
from tests.postgres import NoServerError, server


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of the tests' own server."""
    with ExitStack() as running:
        try:
            url = running.enter_context(server())
        except NoServerError as error:
            pytest.skip(str(error))
        yield url


@pytest.fixture(scope="session")
def sqlite_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of a file that the tests share."""
    return f"sqlite:///{tmp_path_factory.mktemp('documents')}/documents.db"


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    """The URL of a database that the tests share; each test has its own project in it."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture(scope="session")
def shared(url: str) -> Iterator[Documents]:
    """Connections for all tests, so that statements are compiled once."""
    with closing(Documents(url=url, durable=False)) as documents:
        yield documents


def of_project(documents: Documents, project: str) -> Documents:
    """The documents of another project in the same database, on the same connections."""
    other = copy(documents)
    other.project = project
    return other


@pytest.fixture
def project_id() -> str:
    """A project name that no other test has."""
    return uuid4().hex


@pytest.fixture
def documents(shared: Documents, project_id: str) -> Documents:
    """The documents of an empty project."""
    return of_project(shared, project_id)


@pytest.fixture
def opened(url: str, project_id: str) -> Iterator[Callable[..., Documents]]:
    """Opens the project's documents, each time on new connections."""
    with ExitStack() as open_ones:

        def documents(**options: Any) -> Documents:
            usual = {"url": url, "project": project_id, "durable": False}
            return open_ones.enter_context(closing(Documents(**{**usual, **options})))

        yield documents
