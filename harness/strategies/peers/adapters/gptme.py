"""gptme's hashline_edit on a file that was read before. Its confirmation is given.

gptme makes no tag of four digits. Such a tag stands for the text that was seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gptme.tools import hashline_edit
from gptme.tools._hashline_snapshot import clear, compute_tag, store_snapshot

from .protocol import Refusal, Sample, on_disk, serve, texts

_FOUR_DIGITS = re.compile(r"(\s*\[[^\n]+#)[0-9A-Fa-f]{4}(\])")


def apply(sample: Sample) -> dict[str, str]:
    seen = sample.get("seen") or sample["before"]
    tag = compute_tag(_read(seen[0]["content"])) if seen else ""
    patch = _FOUR_DIGITS.sub(rf"\g<1>{tag}\2", sample["patch"], count=1)
    try:
        path, _, _ = hashline_edit._parse_operations(patch.strip())
    except hashline_edit.ParseError as error:
        raise Refusal("malformed", str(error)) from error
    with on_disk(sample) as folder:
        file = folder / path
        if not file.resolve().is_relative_to(folder):
            raise Refusal("outside_workspace", f"{path} is outside the folder")
        clear()
        for one in seen:
            store_snapshot(str(folder / one["path"]), _read(one["content"]))
        before = texts(folder)
        said = list(_said(patch, str(file)))
        after = texts(folder)
        if after == before:
            message = " ".join(said)
            raise Refusal(_reason(message), message)
        return after


def _said(patch: str, path: str) -> Iterator[str]:
    for message in hashline_edit.execute_hashline_edit(patch, None, {"path": path}):
        yield message.content


def _read(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _reason(message: str) -> str:
    reasons = {
        "tag mismatch": "stale_read",
        "has changed": "stale_read",
        "out of range": "not_found",
        "not found": "not_found",
        "no snapshot": "not_found",
        "parse error": "malformed",
    }
    return next((reason for words, reason in reasons.items() if words in message), "identical")


if __name__ == "__main__":
    serve(apply)
