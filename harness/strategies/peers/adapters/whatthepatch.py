"""whatthepatch: each diff of the patch on the lines of its file."""

from __future__ import annotations

import whatthepatch
from whatthepatch.exceptions import WhatThePatchException

from .protocol import Refusal, Sample, contents, serve


def apply(sample: Sample) -> dict[str, str]:
    files = contents(sample)
    try:
        diffs = list(whatthepatch.parse_patch(sample["patch"]))
    except WhatThePatchException as error:
        raise Refusal("malformed", str(error)) from error
    if not diffs:
        raise Refusal("malformed", "no diff was found")
    for diff in diffs:
        _apply_diff(files, diff)
    return files


def _apply_diff(files: dict[str, str], diff: whatthepatch.patch.diffobj) -> None:
    if diff.changes is None:
        raise Refusal("malformed", "no hunk was found")
    if diff.header:
        # Depending on the other header lines, it may have removed the prefixes already.
        old, new = diff.header.old_path.removeprefix("a/"), diff.header.new_path.removeprefix("b/")
    else:
        # A diff without names can only be for a sample with one file.
        old = new = next(iter(files), "")
    if old != "/dev/null" and old not in files:
        raise Refusal("not_found", f"{old} is not there")
    text = files.get(old, "")
    try:
        lines = whatthepatch.apply_diff(diff, text)
    except WhatThePatchException as error:
        raise Refusal("no_match", str(error)) from error
    files.pop(old, None)
    if new != "/dev/null":
        # It returns lines without endings, so the file's own are restored.
        end = "\r\n" if "\r\n" in text else "\n"
        closed = lines and (not text or text.endswith("\n"))
        files[new] = end.join(lines) + (end if closed else "")


if __name__ == "__main__":
    serve(apply)
