"""The editor of OpenHands' Agent SDK."""

from __future__ import annotations

import os

# Without these, importing it downloads a price list and prints a banner.
os.environ |= {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "OPENHANDS_SUPPRESS_BANNER": "1"}

from openhands.tools.file_editor.editor import FileEditor
from openhands.tools.file_editor.exceptions import ToolError

from .openhands_editor import apply_with
from .protocol import Sample, serve

_EDITOR = FileEditor()


def apply(sample: Sample) -> dict[str, str]:
    return apply_with(_EDITOR, ToolError, sample)


if __name__ == "__main__":
    serve(apply)
