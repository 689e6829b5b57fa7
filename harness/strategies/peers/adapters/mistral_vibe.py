"""Mistral Vibe's edit tool, one call per edit."""

from __future__ import annotations

import asyncio
from pathlib import Path

from vibe.core.tools.base import BaseToolState, ToolError
from vibe.core.tools.builtins.edit import Edit, EditArgs, EditConfig

from .protocol import Refusal, Sample, on_disk, serve, texts


def apply(sample: Sample) -> dict[str, str]:
    with on_disk(sample) as folder:
        path = str(folder / sample["before"][0]["path"])
        for edit in sample["edits"]:
            try:
                asyncio.run(_edit(folder, EditArgs(file_path=path, **edit)))
            except ToolError as error:
                raise Refusal(_reason(str(error)), str(error)) from error
        return texts(folder)


async def _edit(folder: Path, call: EditArgs) -> None:
    tool = Edit(EditConfig, BaseToolState(), cwd=folder)
    async for _ in tool.run(call):
        pass


def _reason(message: str) -> str:
    reasons = {"not found": "no_match", "matches of": "ambiguous", "cannot be empty": "empty", "identical": "identical"}
    return next((reason for words, reason in reasons.items() if words in message), "not_allowed")


if __name__ == "__main__":
    serve(apply)
