"""CPU time of shortening an output to what a model can read, with the whole of it kept in a file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from editcore.host.truncation import Outputs, Shortened
from harness.bench.cpu_time import Measurement, best_of, growth_exponent

N_BYTES = 100_000_000

OUTPUTS = {
    "lines": "a line of the output of a command, as they are\n",
    "one line": "x" * 50,
    "wide lines": "\u4e00\u4e8c\u4e09\u56db\u4e94\n",
}
"""Kind of output -> what it repeats."""


def output_cases(rounds: int = 3) -> Iterator[Measurement]:
    """Each kind of output at N_BYTES, writing its file included; the exponent is from half of that size."""
    with tempfile.TemporaryDirectory(prefix="editgauge-") as folder:
        outputs = Outputs(Path(folder, "outputs"))
        for name, piece in OUTPUTS.items():
            n_pieces = N_BYTES // len(piece.encode())
            calls = [partial(outputs.shortened, piece * n) for n in (n_pieces // 2, n_pieces)]
            half, whole = best_of(calls, rounds=rounds, after=_remove_file)
            yield Measurement(name, f"{N_BYTES / 1e6:g} MB", whole, growth_exponent((1, 2), (half, whole)))


def _remove_file(shortened: Shortened) -> None:
    assert shortened.path, "an output of this size is kept in a file"
    shortened.path.unlink()
