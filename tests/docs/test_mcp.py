"""docs/mcp.md: each configuration is one that its agent can read, and starts a command that the program takes."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from harness.cli import main
from tests.docs.test_docs import blocks, subcommand
from tests.harness.program import ROOT

READERS = {"json": json.loads, "toml": tomllib.loads}
FOUND = [READERS[kind](text) for kind, text in blocks(ROOT / "docs" / "mcp.md") if kind in READERS]


def servers() -> Iterator[dict[str, Any]]:
    """What each configuration says of the server."""
    for found in FOUND:
        yield next(found[key] for key in ("mcpServers", "mcp_servers", "mcp", "servers") if key in found)["editgauge"]


def test_there_is_a_configuration_for_every_agent() -> None:
    assert [next(iter(found)) for found in FOUND] == ["mcpServers", "mcp_servers", "mcp", "servers", "mcp_servers"]


@pytest.mark.parametrize("server", [one for one in servers() if "command" in one], ids=str)
def test_its_command_is_one_that_the_program_takes(server: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    line = server["command"]
    program, *words = [*(line if isinstance(line, list) else [line]), *server.get("args", [])]
    assert program == "editgauge"
    command, arguments = subcommand([word.replace("${workspaceFolder}", str(Path.cwd())) for word in words])
    command.make_context("mcp", arguments, parent=click.Context(main, **main.context_settings))
