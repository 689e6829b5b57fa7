"""The rows of two runs that belong together: the same sample under the same strategy, in arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from editcore.errors import UsageError
from reports.runs.columns import codes_of, numbers_of
from reports.runs.manifest import Manifest, read_manifest
from reports.runs.parts import outcome_table, wrong_edit_tables
from reports.runs.rows import Damage, Verdict

Numbers = npt.NDArray[Any]

VERDICTS = tuple(Verdict)
"""A verdict's place in it is its code."""
_N_NAMED = 3
"""Sample ids that an error names."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Outcomes, an array a column, in the order of strategies and, of one strategy, of samples."""

    key: Numbers
    """Strategy and sample in one number."""
    verdict: Numbers
    """Codes."""
    unasked: Numbers
    """Applied where refusing was right."""
    rejected: Numbers
    """A reason is given."""
    latency: Numbers
    """The logarithm of nanoseconds; NaN where it was not measured."""
    text: Numbers
    """A hash of what a wrong edit left behind; 0 for all others."""
    place: Numbers
    """The row in the run's table."""

    def __getitem__(self, rows: slice) -> Rows:
        return Rows(*(getattr(self, name)[rows] for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class Pairs:
    """Two runs, row by row."""

    strategies: list[str]
    """Those in both."""
    ids: list[str]
    """Of all samples of both runs; a sample's place in it is its code."""
    base: Rows
    run: Rows
    """As long as `base`; row for row the same sample and strategy."""
    tables: tuple[pa.Table, pa.Table]
    """Every outcome of either run."""
    notes: list[str]
    """What to bear in mind, a sentence each."""

    @property
    def sample(self) -> Numbers:
        """The code of each row's sample."""
        codes: Numbers = self.base.key % max(1, len(self.ids))
        return codes

    def of(self, strategy: str) -> slice:
        """The rows of a strategy; none of one that is not in both runs."""
        if strategy not in self.strategies:
            return slice(0, 0)
        code = self.strategies.index(strategy)
        start, end = np.searchsorted(self.base.key, [code * len(self.ids), (code + 1) * len(self.ids)])
        return slice(int(start), int(end))


def pairs(base: Path, run: Path, strategies: Sequence[str]) -> Pairs:
    """The pairs of these strategies, which both runs have.

    Raises UsageError where the two are not of the same samples, or one of them is not finished.
    """
    folders, manifests = (base, run), (_finished(base), _finished(run))
    tables = outcome_table(base), outcome_table(run)
    ids, samples = _shared_codes(tables)
    first, second = (
        _rows(folder, table, codes, strategies, ids)
        for folder, table, codes in zip(folders, tables, samples, strict=True)
    )
    if not np.array_equal(first.key, second.key):
        raise _other_samples(base, run, [first.key % len(ids), second.key % len(ids)], ids)
    same_corpus = np.array_equal(np.unique(samples[0]), np.unique(samples[1]))
    prints = {manifest.corpus_fingerprint for manifest in manifests}
    if same_corpus and None not in prints and len(prints) > 1:
        raise UsageError(
            f"{base} and {run} are of samples with the same ids and other contents",
            "Run both on one and the same corpus.",
        )
    return Pairs(list(strategies), ids, first, second, tables, list(_notes(manifests, same_corpus)))


def _finished(folder: Path) -> Manifest:
    manifest = read_manifest(folder)
    if manifest.finished is None:
        raise UsageError(f"{folder} is not finished", f"Run the same command with --resume -o {folder} first.")
    return manifest


def _notes(manifests: Sequence[Manifest], same_corpus: bool) -> Iterator[str]:
    base, run = manifests
    if not same_corpus:
        yield (
            "One run has more samples, under strategies that the other lacks: "
            "that the shared ones are the same was told by their ids alone."
        )
    if base.timeout_s != run.timeout_s:
        yield f"A call might take {base.timeout_s:g} s in the baseline and {run.timeout_s:g} s in the run."


def _shared_codes(tables: tuple[pa.Table, pa.Table]) -> tuple[list[str], list[Numbers]]:
    """The sample ids of both runs, and each table's samples as places in them."""
    columns = [table["sample_id"] for table in tables]
    codes, words = codes_of(pa.chunked_array([*columns[0].chunks, *columns[1].chunks], type=pa.string()))
    return [word for word in words if word is not None], np.split(codes, [len(columns[0])])


def _rows(folder: Path, table: pa.Table, samples: Numbers, strategies: Sequence[str], ids: Sequence[str]) -> Rows:
    wanted: dict[str | None, int] = {name: code for code, name in enumerate(strategies)}
    strategy = _codes_in(wanted, table["strategy"])
    key = strategy.astype(np.int64) * len(ids) + samples
    # Stable, so that a sample that is in two corpora of a run meets its own counterpart.
    place = np.argsort(key, kind="stable")
    place = place[np.count_nonzero(strategy < 0) :]
    key = key[place]
    verdict = _word_is(table, "verdict", VERDICTS)[place]
    latencies, measured = numbers_of(table["latency_ns"].combine_chunks())
    # A call too short for the clock took no time; it is given the least there is.
    latency = np.where(measured, np.log(np.maximum(latencies, 1)), np.nan)
    return Rows(
        key,
        verdict,
        _word_is(table, "damage", [Damage.UNASKED])[place] == 0,
        _word_is(table, "reason", [None])[place] != 0,
        latency[place],
        _texts(folder, wanted, ids, key, verdict),
        place,
    )


def _word_is(table: pa.Table, column: str, words: Sequence[str | None]) -> Numbers:
    """Each row's place in these words; -1 for any other."""
    return _codes_in({word: place for place, word in enumerate(words)}, table[column])


def _codes_in(places: Mapping[str | None, int], column: pa.ChunkedArray) -> Numbers:
    """Each row's place among the words; -1 for one that is not there."""
    codes, words = codes_of(column)
    of_words = np.array([places.get(word, -1) for word in words])
    of_rows: Numbers = of_words[codes]
    return of_rows


def _texts(
    folder: Path, wanted: Mapping[str | None, int], ids: Sequence[str], key: Numbers, verdict: Numbers
) -> Numbers:
    """A hash of what each wrong edit left behind, by row."""
    texts: Numbers = np.zeros(len(key), dtype=np.int64)
    if not (verdict == VERDICTS.index(Verdict.WRONG_EDIT)).any():
        return texts
    code_of: dict[str | None, int] = {name: code for code, name in enumerate(ids)}
    for table in wrong_edit_tables(folder, "sample_id", "strategy", "path", "line", "given", "n_omitted"):
        edits = _codes_in(wanted, table["strategy"]) * len(ids) + _codes_in(code_of, table["sample_id"])
        # Strategies often agree, so that there are fewer texts than rows.
        hashes = _hashes(table["path"]) ^ _hashes(table["given"])
        for name in ("line", "n_omitted"):
            hashes = 1_000_003 * hashes + numbers_of(table[name].combine_chunks())[0]
        rows = np.searchsorted(key, edits)
        there = key[np.minimum(rows, len(key) - 1)] == edits
        texts[rows[there]] = hashes[there]
    return texts


def _hashes(column: pa.ChunkedArray) -> Numbers:
    """A hash of each text, the same in both runs."""
    codes, words = codes_of(column)
    of_words = np.array([hash(word) for word in words], dtype=np.int64)
    of_rows: Numbers = of_words[codes]
    return of_rows


def _other_samples(base: Path, run: Path, samples: Sequence[Numbers], ids: Sequence[str]) -> UsageError:
    parts = []
    for folder, mine, theirs in ((base, samples[0], samples[1]), (run, samples[1], samples[0])):
        only = np.setdiff1d(mine, theirs)
        if len(only):
            named = ", ".join(ids[code] for code in only[:_N_NAMED])
            parts.append(f"{len(only):,} only in {folder} ({named}{', ...' if len(only) > _N_NAMED else ''})")
    told = "; ".join(parts) or "some strategies ran on more of them in one than in the other"
    return UsageError(
        f"{base} and {run} are not of the same samples: {told}",
        "Run both on the same corpora, with the same -n, -k and --seed.",
    )
