"""The editor that OpenHands used before its Agent SDK."""

from __future__ import annotations

from openhands_aci.editor import OHEditor, ToolError

from .openhands_editor import apply_with
from .protocol import Sample, serve

_EDITOR = OHEditor()


def apply(sample: Sample) -> dict[str, str]:
    return apply_with(_EDITOR, ToolError, sample)


if __name__ == "__main__":
    serve(apply)
