"""diff-match-patch: the patch from the search text to the new text, moved to where the search text is found.

The edits of a sample are applied one after the other, and each must be applied as a whole.
"""

from __future__ import annotations

from diff_match_patch import diff_match_patch

from .protocol import Refusal, Sample, serve


def _moved(text: str, old: str, new: str) -> str:
    """The patch of the two texts, moved to the place of the old text."""
    engine = diff_match_patch()
    # By default a diff is what can be computed in a second, which depends on the machine.
    engine.Diff_Timeout = 0
    start = _start(engine, text, old)
    patches = engine.patch_make(old, new)
    for patch in patches:
        patch.start1 += start
        patch.start2 += start
    patched, results = engine.patch_apply(patches, text)
    if not all(results):
        raise Refusal("no_match", f"{results.count(False)} of {len(results)} patches could not be applied")
    return str(patched)


def _start(engine: diff_match_patch, text: str, old: str) -> int:
    """The first occurrence of the old text, or the best match of its first Match_MaxBits characters."""
    start = text.find(old)
    if start < 0:
        # The expected place is unknown, so distance from the start must not count against a match.
        engine.Match_Distance = 1000 * max(len(text), 1)
        start = engine.match_main(text, old[: engine.Match_MaxBits], 0)
    if start < 0:
        raise Refusal("no_match", "the old string was not found")
    return start


def _apply(sample: Sample) -> dict[str, str]:
    file = sample["before"][0]
    text = file["content"]
    for edit in sample["edits"]:
        if edit.get("replace_all"):
            raise Refusal("not_allowed", "a patch changes one place")
        text = _moved(text, edit["old_string"], edit["new_string"])
    return {file["path"]: text}


if __name__ == "__main__":
    serve(_apply)
