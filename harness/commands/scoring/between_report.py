"""`compare RUN`: the strategies of one run against each other."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from editcore.errors import UsageError
from editcore.quoting import disarmed_json, printable
from harness.terminal import pipe_may_close, print_prose

if TYPE_CHECKING:
    from reports.compare.contrasts import Matrix


def compare_within(
    folder: Path,
    names: Sequence[str],
    patterns: Sequence[str],
    matching: str | None,
    *,
    limit: int,
    form: str,
    out: Path | None,
) -> None:
    """Print the matrix of a run's strategies, or compare `names` in pairs. Raises UsageError."""
    from harness.strategies.registry import matching_names
    from reports.compare.contrasts import matrix
    from reports.runs.manifest import read_manifest, write_atomically

    used = [one.name for one in read_manifest(folder).strategies]
    if names and patterns:
        raise UsageError("-s and --between both name strategies", "Name them after --between.")
    stream = sys.stdout if out is None else StringIO()
    if names:
        chosen = _in_order_given(used, names)
        _print_between(folder, chosen, matching, limit, form, stream)
    elif matching is not None:
        raise UsageError("-k needs --between", "Name the strategies: --between A B.")
    else:
        found = matrix(folder, matching_names(used, patterns))
        if form == "json":
            _write_json({"schema_version": 1, "matrix": asdict(found)}, stream)
        else:
            _print_matrix(found, stream)
    if isinstance(stream, StringIO):
        assert out is not None
        write_atomically(out, stream.getvalue().encode("utf-8", "backslashreplace"))


def _in_order_given(used: Sequence[str], names: Sequence[str]) -> list[str]:
    """The strategies that names and globs stand for, in the order of those."""
    from harness.strategies.registry import matching_names

    chosen = list(dict.fromkeys(found for name in names for found in matching_names(used, [name])))
    if len(chosen) < 2:
        raise UsageError(
            f"--between needs two strategies, and {', '.join(names)} is one",
            f"Name another one of the run's: {', '.join(used)}."
            if len(used) < 12
            else "Name another one of the run's.",
        )
    return chosen


def _print_between(
    folder: Path, chosen: Sequence[str], matching: str | None, limit: int, form: str, stream: TextIO
) -> None:
    from reports.compare.between import between, differing
    from reports.compare.contrasts import matrix
    from reports.runs.sample_rows import selected_ids
    from reports.views.between_wording import advice, caveats, document, legend, lines_about, print_groups, print_pairs

    only = selected_ids(folder, chosen, matching) if matching is not None else None
    found = between(folder, chosen, only=only)
    table = matrix(folder, chosen, only=only)
    shown = [differing(found, pair, limit=limit) for pair in found.pairs]
    if form == "json":
        _write_json(document(found, table, shown), stream)
        return
    print_prose([*advice(found), ""], stream)
    with pipe_may_close():
        headings = print_pairs(found, file=stream)
    print_prose(["", legend(headings), *caveats(found), ""], stream)
    if len(chosen) > 2:
        _print_matrix(table, stream)
    for pair, samples in zip(found.pairs, shown, strict=True):
        _print_lines(["", f"== {pair.first} | {pair.second}"], stream)
        if pair.groups:
            with pipe_may_close():
                print_groups(pair, file=stream)
        _print_lines(lines_about(pair, samples), stream)


def _print_matrix(found: Matrix, stream: TextIO) -> None:
    from reports.views.between_wording import matrix_legend, print_matrix

    with pipe_may_close():
        print_matrix(found, file=stream)
    print_prose([matrix_legend(found)], stream)


def _print_lines(lines: Iterable[str], stream: TextIO) -> None:
    for line in lines:
        stream.write(f"{printable(line)}\n")


def _write_json(document: object, stream: TextIO) -> None:
    stream.write(disarmed_json(json.dumps(document, indent=2)) + "\n")
