"""What OpenHands' two adapters share: one str_replace command per edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .protocol import Refusal, Sample, on_disk, texts


def apply_with(editor: Callable[..., object], refused: type[Any], sample: Sample) -> dict[str, str]:
    """Path -> text after the editor made every edit; `refused` is the exception with which it refuses one."""
    with on_disk(sample) as folder:
        path = str(folder / sample["before"][0]["path"])
        for edit in sample["edits"]:
            old, new = edit["old_string"], edit["new_string"]
            try:
                editor(command="str_replace", path=path, old_str=old, new_str=new)
            except refused as error:
                raise Refusal("identical" if old == new else _reason(error.message), error.message) from error
        return texts(folder)


def _reason(message: str) -> str:
    if "Multiple occurrences" in message:
        return "ambiguous"
    return "no_match" if "did not appear" in message else "not_allowed"
