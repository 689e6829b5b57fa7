"""A package that patches one text, as an adapter: the edits of a sample, one after the other, on its one file."""

from __future__ import annotations

from collections.abc import Callable

from .protocol import Refusal, Sample, serve


def serve_patches(patched: Callable[[str, str, str], str]) -> None:
    """Answer until stdin ends. `patched` is given text, old string and new string, and returns the text afterwards."""

    def apply(sample: Sample) -> dict[str, str]:
        file = sample["before"][0]
        text = file["content"]
        for edit in sample["edits"]:
            if edit.get("replace_all"):
                raise Refusal("not_allowed", "a patch changes one place")
            text = patched(text, edit["old_string"], edit["new_string"])
        return {file["path"]: text}

    serve(apply)
