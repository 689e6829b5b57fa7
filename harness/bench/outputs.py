"""How long it takes to cut an output to what a model can read, the whole of it kept in a file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from math import log2
from pathlib import Path
from time import perf_counter_ns

from editcore.tools.host.truncation import Outputs
from harness.bench.replacers import WorstCase

N_BYTES = 100_000_000

_OUTPUTS = {
    "lines": "a line of the output of a command, as they are\n",
    "one line": "x" * 50,
    "wide lines": "\u4e00\u4e8c\u4e09\u56db\u4e94\n",
}


def output_cases(repeats: int = 3) -> Iterator[WorstCase]:
    """Each kind of output at half of the size and at its size, in turn; the best of several, the file included."""
    with tempfile.TemporaryDirectory(prefix="editgauge-") as folder:
        outputs = Outputs(Path(folder, "outputs"))
        for name, piece in _OUTPUTS.items():
            n_pieces = N_BYTES // len(piece.encode())
            texts = piece * (n_pieces // 2), piece * n_pieces
            rounds = [[_seconds(outputs, text) for text in texts] for _ in range(repeats)]
            half, whole = (min(times) for times in zip(*rounds, strict=True))
            yield WorstCase(name, f"{N_BYTES / 1e6:g} MB", whole, log2(whole / half))


def _seconds(outputs: Outputs, text: str) -> float:
    start = perf_counter_ns()
    shortened = outputs.shortened(text)
    seconds = (perf_counter_ns() - start) / 1e9
    assert shortened.path, "an output that long is kept in a file"
    shortened.path.unlink()
    return seconds
