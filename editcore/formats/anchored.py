"""Shared by the formats that name lines by number and hash. Their views and rules are in `editcore.anchors`."""

from __future__ import annotations

from editcore.cascade import Cascade
from editcore.formats.format import EditText, Files, Format, Written
from editcore.types import EditResult


def anchored(name: str, *, several_files: bool = False) -> Format:
    """The anchored format of that name, which has a view of the same name."""

    def apply(files: Files, edit: EditText, seen: Files | None, _: Cascade) -> EditResult:
        from editcore.anchors import apply_anchored

        return apply_anchored(files, edit.patch or "", name, seen=seen)

    def write(path: str, before: str, after: str) -> Written:
        from editcore.anchors.views import changes_between, write_call

        return Written(patch=write_call(name, before, changes_between(before, after), path=path))

    return Format(name, ("patch",), "anchors/recommended", apply, write, several_files=several_files, view=name)
