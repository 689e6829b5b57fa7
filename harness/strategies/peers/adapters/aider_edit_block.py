"""aider's search/replace blocks: its EditBlockCoder."""

from __future__ import annotations

from aider.coders.editblock_coder import EditBlockCoder

from .aider import apply_with
from .protocol import Sample, serve


def apply(sample: Sample) -> dict[str, str]:
    return apply_with(EditBlockCoder, sample, sample["patch"])


if __name__ == "__main__":
    serve(apply)
