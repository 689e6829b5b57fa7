"""patch-ng: the patch on files in a folder."""

from __future__ import annotations

import logging
import os

import patch_ng

from .protocol import Refusal, Sample, on_disk, serve, texts


class _Messages(logging.Handler):
    """The log lines of the package, whose functions only return whether they succeeded."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


_MESSAGES = _Messages()


def apply(sample: Sample) -> dict[str, str]:
    _MESSAGES.lines.clear()
    patches = patch_ng.fromstring(sample["patch"].encode())
    if not patches:
        raise Refusal("malformed", "; ".join(_MESSAGES.lines) or "no patch was found")
    with on_disk(sample) as folder:
        os.chdir(folder)
        try:
            applied = patches.apply()
        finally:
            os.chdir("/")
        if not applied:
            raise Refusal("no_match", "; ".join(_MESSAGES.lines))
        return texts(folder)


if __name__ == "__main__":
    patch_ng.logger.addHandler(_MESSAGES)
    patch_ng.logger.propagate = False
    serve(apply)
