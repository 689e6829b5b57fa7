"""The apply_patch tool that OpenAI's Agents SDK gives an agent in a sandbox, on a folder of this machine.

The tool writes section by section. A refusal does not report the sections before it.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace

from agents.sandbox.capabilities.tools.apply_patch_tool import SandboxApplyPatchTool
from agents.sandbox.errors import (
    ApplyPatchDiffError,
    ApplyPatchFileNotFoundError,
    ApplyPatchPathError,
    InvalidManifestPathError,
    SandboxError,
)
from agents.sandbox.manifest import Manifest
from agents.sandbox.sandboxes.unix_local import UnixLocalSandboxClient

from .protocol import Refusal, Sample, on_disk, serve, texts

_REASONS = {
    ApplyPatchDiffError: "no_match",
    ApplyPatchFileNotFoundError: "not_found",
    ApplyPatchPathError: "outside_workspace",
    InvalidManifestPathError: "outside_workspace",
    ValueError: "malformed",
    SandboxError: "not_allowed",
}


def apply(sample: Sample) -> dict[str, str]:
    with on_disk(sample) as folder:
        try:
            asyncio.run(_patched(folder, sample["patch"]))
        except tuple(_REASONS) as error:
            reason = next(reason for kind, reason in _REASONS.items() if isinstance(error, kind))
            raise Refusal(reason, str(error)) from error
        return texts(folder)


async def _patched(folder: Path, patch: str) -> None:
    session = await UnixLocalSandboxClient().create(manifest=Manifest(root=str(folder)), options=None)
    await SandboxApplyPatchTool(session=session).on_invoke_tool(SimpleNamespace(), patch)


if __name__ == "__main__":
    serve(apply)
