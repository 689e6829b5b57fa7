"""Each tool answers its cases, and leaves the files, as the cases say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from editcore.host.documents.store import Documents
from editcore.host.tools import TOOLS
from tests.editcore.conftest import of_project
from tests.editcore.host.tools.test_parameter_names import foreign_words
from tests.tool_cases import FILES, FOLDER, played

DOCUMENTS = [path for path in FILES if "=== call doc_edit" in path.read_text("utf-8")]
OTHERS = [path for path in FILES if path not in DOCUMENTS]


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def judge(path: Path, folder: Path, documents: Callable[[], Documents], request: pytest.FixtureRequest) -> None:
    text = path.read_text("utf-8")
    found, refusals = played(text, folder, documents)
    if request.config.getoption("--update-expected"):
        path.write_text(found, "utf-8")
        text = found
    assert found == text
    for tool, message in refusals:
        # A name that was sent may be named, though the tool has no such parameter.
        sent = text.partition(message)[0]
        assert tool not in TOOLS or all(word in sent for word in foreign_words(tool, message)), message


def no_documents() -> Documents:
    raise AssertionError("the case has no documents")


@pytest.mark.parametrize("path", OTHERS, ids=name_of)
def test_a_call_is_answered_as_the_case_says(path: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    judge(path, tmp_path, no_documents, request)


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_a_call_for_a_document_is_answered_as_the_case_says(
    path: Path, tmp_path: Path, shared: Documents, project_id: str, request: pytest.FixtureRequest
) -> None:
    made = iter(range(1_000))
    judge(path, tmp_path, lambda: of_project(shared, f"{project_id}{next(made)}"), request)


def test_every_case_is_in_the_folder_of_a_tool_and_its_name_is_a_sentence() -> None:
    assert {path.parent.name for path in FILES} <= set(TOOLS)
    assert {path.parent for path in FOLDER.glob("*/*")} == {path.parent for path in FILES}
    assert [path.name for path in FILES if path.stem.count("_") < 2] == []
