"""The editors of OpenHands, one str_replace command per edit: the one of its Agent SDK, and its predecessor."""

from __future__ import annotations

import os
import sys

from .protocol import Refusal, Sample, on_disk, serve, texts

if sys.argv[1] == "openhands_aci":
    from openhands_aci.editor import OHEditor as Editor
    from openhands_aci.editor import ToolError
else:
    # Without these, the import downloads a price list and prints a banner.
    os.environ |= {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "OPENHANDS_SUPPRESS_BANNER": "1"}
    from openhands.tools.file_editor.editor import FileEditor as Editor
    from openhands.tools.file_editor.exceptions import ToolError

_EDITOR = Editor()


def apply(sample: Sample) -> dict[str, str]:
    with on_disk(sample) as folder:
        path = str(folder / sample["before"][0]["path"])
        for edit in sample["edits"]:
            old, new = edit["old_string"], edit["new_string"]
            try:
                _EDITOR(command="str_replace", path=path, old_str=old, new_str=new)
            except ToolError as error:
                raise Refusal("identical" if old == new else _reason(error.message), error.message) from error
        return texts(folder)


def _reason(message: str) -> str:
    if "Multiple occurrences" in message:
        return "ambiguous"
    return "no_match" if "did not appear" in message else "not_allowed"


if __name__ == "__main__":
    serve(apply)
