"""exhash's file_exhash, all commands of a call at once."""

from __future__ import annotations

import json

from exhash import file_exhash

from .protocol import Refusal, Sample, on_disk, serve, texts


def apply(sample: Sample) -> dict[str, str]:
    try:
        call = json.loads(sample["patch"])
        commands = [tuple(command) for command in call["cmds"]]
    except (ValueError, TypeError, KeyError) as error:
        raise Refusal("malformed", str(error)) from error
    with on_disk(sample) as folder:
        path = folder / call.get("path", sample["before"][0]["path"])
        if not path.resolve().is_relative_to(folder):
            raise Refusal("outside_workspace", f"{path} is outside the folder")
        before = path.read_bytes() if path.is_file() else None
        try:
            file_exhash(str(path), *commands)
        except (ValueError, TypeError, OSError, KeyError) as error:
            raise Refusal(_reason(str(error)), str(error)) from error
        if before is not None and path.read_bytes() == before:
            raise Refusal("identical", "No changes.")
        return texts(folder)


def _reason(message: str) -> str:
    reasons = {"stale lnhash": "stale_read", "out of range": "not_found"}
    return next((reason for words, reason in reasons.items() if words in message), "malformed")


if __name__ == "__main__":
    serve(apply)
