"""The table of importers, which read agents' session logs into samples. Each log format has a file in `formats/`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from corpora.importers.formats import (
    aider,
    aider_llm,
    atif,
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
    openhands,
    pi,
    qwen_code,
    scenarios,
    specstory,
    swe_agent,
    zed,
)  # fmt: skip
from corpora.importers.importer import Importer
from corpora.plugins import member_loader, with_plugins

ENTRY_POINTS = "editgauge.importers"

IMPORTERS = {
    importer.name: importer
    for importer in (
        claude_code.IMPORTER,
        codex.IMPORTER,
        opencode.IMPORTER,
        pi.IMPORTER,
        oh_my_pi.IMPORTER,
        gemini_cli.IMPORTER,
        copilot_cli.IMPORTER,
        aider.IMPORTER,
        aider_llm.IMPORTER,
        cline.IMPORTER,
        swe_agent.IMPORTER,
        openhands.IMPORTER,
        openhands.MESSAGES,
        atif.IMPORTER,
        crush.IMPORTER,
        crush.OPENCODE_GO,
        qwen_code.IMPORTER,
        zed.IMPORTER,
        specstory.IMPORTER,
        entire.IMPORTER,
        scenarios.IMPORTER,
        git.IMPORTER,
    )
}


@cache
def importers() -> Mapping[str, Importer]:
    """All importers by name: the built-in ones, then the importers of installed plug-ins."""
    return with_plugins(IMPORTERS, "importer", ENTRY_POINTS, member_loader(Importer))
