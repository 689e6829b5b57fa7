"""Agents' session logs -> samples: the table of importers, one file per log format."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from corpora.importers.formats import (
    aider,
    aider_llm,
    claude_code,
    cline,
    codex,
    copilot_cli,
    crush,
    entire,
    gemini_cli,
    git,
    oh_my_pi,
    opencode,
    opencode_go,
    openhands,
    pi,
    qwen_code,
    specstory,
    swe_agent,
    zed,
)
from corpora.importers.importer import Importer
from corpora.plugins import member_loader, with_plugins

ENTRY_POINTS = "editgauge.importers"

IMPORTERS = {
    module.IMPORTER.name: module.IMPORTER
    for module in (
        claude_code,
        codex,
        opencode,
        pi,
        oh_my_pi,
        gemini_cli,
        copilot_cli,
        aider,
        aider_llm,
        cline,
        swe_agent,
        openhands,
        crush,
        opencode_go,
        qwen_code,
        zed,
        specstory,
        entire,
        git,
    )
}


@cache
def importers() -> Mapping[str, Importer]:
    """All importers by name: the built-in ones, then those of other packages."""
    return with_plugins(IMPORTERS, "importer", ENTRY_POINTS, member_loader(Importer))
