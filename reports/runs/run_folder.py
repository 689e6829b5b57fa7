"""A run that was opened, its rows that somebody asks for, and the notes of its readers. Everything that is said about
a run is said of it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from corpora.expression import DAMAGE, PROPERTIES, SEEN_UNKNOWN, expression
from editcore.errors import UsageError
from editcore.quoting import quoted
from reports.runs.columns import codes_of, text
from reports.runs.manifest import NIGHT, Manifest, read_manifest
from reports.runs.parts import part_paths, part_schema, part_table, read_part, samples_used
from reports.runs.rows import Change, Outcome, SampleText, SampleUsed, WrongEdit

if TYPE_CHECKING:
    import pandas as pd


class RunFolder:
    """A run folder. Its manifest and its list of parts are read once; rows are read each time, and never kept.

    Raises UsageError where something that is needed is missing or damaged, at its first use.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._paths: dict[str, list[Path]] = {}

    def __str__(self) -> str:
        return str(self.folder)

    @cached_property
    def manifest(self) -> Manifest:
        return read_manifest(self.folder)

    @property
    def strategies(self) -> list[str]:
        """The strategies of the manifest, in its order."""
        return [one.name for one in self.manifest.strategies]

    def paths(self, kind: str) -> list[Path]:
        if kind not in self._paths:
            self._paths[kind] = part_paths(self.folder, kind)
        return self._paths[kind]

    def parts(self, kind: str) -> list[str]:
        """The names of the parts that have rows of a kind, in the order of `paths`."""
        return [path.stem.removeprefix("part-") for path in self.paths(kind)]

    def tables(self, kind: str, *columns: str, as_dictionaries: bool = False) -> Iterator[pa.Table]:
        """The rows of a kind, all columns or these, one table for each part, streamed.

        With `as_dictionaries`, columns of texts are dictionaries: a text that many rows share is in memory once.
        """
        return (read_part(path, kind, columns, as_dictionaries=as_dictionaries) for path in self.paths(kind))

    def table(self, kind: str, *columns: str) -> pa.Table:
        """All rows of a kind, all columns or these, in the order of the parts."""
        tables = list(self.tables(kind, *columns))
        return pa.concat_tables(tables).unify_dictionaries() if tables else part_schema(kind, columns).empty_table()

    def part(self, name: str, kind: str, *columns: str, as_dictionaries: bool = False) -> pa.Table:
        """The rows of one part, all columns or these; none if it has no file of that kind."""
        return part_table(self.folder, kind, name, *columns, as_dictionaries=as_dictionaries)

    def frame(self, kind: str, *columns: str) -> pd.DataFrame:
        """The rows of a kind as a DataFrame, all columns or these.

        Text columns are `string`, those of few values `category`, 64-bit integers `Int64`, in which a value may be
        missing (`pd.NA`). `tags` holds an array of strings for each row.
        """
        import pandas as pd  # `editgauge run` does without it.

        types = {pa.string(): pd.StringDtype("pyarrow"), pa.int64(): pd.Int64Dtype()}
        found: pd.DataFrame = self.table(kind, *columns).to_pandas(types_mapper=types.get)
        return found

    def refuse_shared_ids(self) -> None:
        """Raise UsageError where a sample has several outcomes under one strategy: they cannot be told apart.

        Runs refuse corpora in which an id stands for several samples; merged folders and earlier versions may not have.
        """
        table = self.table("outcomes", "sample_id", "strategy")
        samples, ids = codes_of(table["sample_id"])
        strategies, names = codes_of(table["strategy"])
        keys = np.sort(samples.astype(np.int64) * len(names) + strategies)
        again = np.flatnonzero(keys[1:] == keys[:-1])
        if len(again):
            sample, strategy = divmod(int(keys[again[0]]), len(names))
            raise UsageError(
                f"{self} has several outcomes of the sample {quoted(ids[sample] or '')} "
                f"under {quoted(names[strategy] or '')}",
                "Give each sample an id of its own and run again; `editgauge corpus check` names the shared ids.",
            )


# The outcomes of a run that somebody asks for: of some verdicts, of some strategies, on samples that `-k` selects.


@dataclass(frozen=True, slots=True)
class Chosen:
    outcomes: Sequence[Outcome]
    """The first outcomes, in the order of the run's samples."""
    paths: dict[str, str]
    """Sample id -> the file of its edit, if the run recorded it."""
    n: int
    """Number of all outcomes, also those beyond the limit."""


def chosen(
    run: RunFolder, verdicts: Collection[str], strategies: Collection[str], *, ids: Collection[str] | None, limit: int
) -> Chosen:
    """The first `limit` outcomes of these verdicts under these strategies, on the samples `ids`; None means all."""
    found: list[Outcome] = []
    n = 0
    for table, rows in tables_with(run, "outcomes", verdict=verdicts, strategy=strategies, sample_id=ids):
        n += len(rows)
        found += (Outcome(**row) for row in table.take(rows[: limit - len(found)]).to_pylist())
    paths: dict[str, str] = {}
    for table, rows in tables_with(run, "texts", sample_id={one.sample_id for one in found}):
        some = table.select(["sample_id", "path"]).take(rows).to_pylist()
        paths.update((row["sample_id"], row["path"]) for row in some)
    return Chosen(found, paths, n)


def tables_with(
    run: RunFolder, kind: str, *columns: str, **wanted: Collection[str] | None
) -> Iterator[tuple[pa.Table, npt.NDArray[np.intp]]]:
    """The tables of the run's parts, each with its rows that have a wanted value in every named column."""
    for table in run.tables(kind, *columns, as_dictionaries=True):
        kept = np.ones(len(table), dtype=bool)
        for name, values in wanted.items():
            if values is not None and len(table):
                codes, words = codes_of(table[name])
                kept &= np.array([word in values for word in words], dtype=bool)[codes]
        yield table, np.flatnonzero(kept)


def ids_with(run: RunFolder, verdicts: Collection[str], strategies: Collection[str]) -> frozenset[str]:
    """The samples with one of these verdicts under one of these strategies."""
    tables = tables_with(run, "outcomes", verdict=verdicts, strategy=strategies)
    return frozenset(one for table, rows in tables for one in table["sample_id"].take(rows).to_pylist())


def selected_ids(run: RunFolder, strategies: Collection[str], matching: str) -> set[str]:
    """The ids of the run's samples that `-k` selects; damage of wrong edits by these strategies counts.

    Raises UsageError for a malformed expression, and where no sample is selected.
    """
    test = expression(matching, also=[DAMAGE])
    damages: dict[str, set[str]] = defaultdict(set)
    for table in run.tables("outcomes", "sample_id", "strategy", "damage"):
        for sample_id, strategy, damage in zip(*(column.to_pylist() for column in table.columns), strict=True):
            if damage and strategy in strategies:
                damages[sample_id].add(damage)
    found = set()
    for one in samples_used(run.folder):
        values = {name: (value,) for name in PROPERTIES if (value := getattr(one, name))}
        values.setdefault("seen", (SEEN_UNKNOWN,))
        if test(one.sample_id, one.tags, {**values, DAMAGE: damages.get(one.sample_id, ())}):
            found.add(one.sample_id)
    test.check_keys(n_selected=len(found))
    if not found:
        raise UsageError("No sample is selected", "Loosen -k, or name another run.")
    return found


# Everything that a run recorded about one sample.


@dataclass(frozen=True, slots=True)
class SampleRecord:
    """The rows of a run about one sample."""

    outcomes: tuple[Outcome, ...]
    """One for each strategy that took the sample; none for an unknown sample."""
    sample: SampleUsed | None
    """None for runs of schema version 1."""
    text: SampleText | None
    """None for runs of schema versions up to 4, which have no `changes` either."""
    changes: tuple[Change, ...]
    wrong_edits: tuple[WrongEdit, ...]


def sample_record(run: RunFolder, sample_id: str) -> SampleRecord:
    """The rows of a run about one sample, from the parts that have outcomes of it."""
    wanted = text(sample_id)
    parts = list(_parts_with(run, wanted))

    def rows(kind: str) -> Iterator[dict[str, Any]]:
        for part in parts:
            table = run.part(part, kind)
            found: list[dict[str, Any]] = table.filter(pc.equal(table["sample_id"], wanted)).to_pylist()
            yield from found

    outcomes = tuple(Outcome(**row) for row in rows("outcomes"))
    samples = [SampleUsed(**row | {"tags": tuple(row["tags"])}) for row in rows("samples")]
    texts = [SampleText(**row) for row in rows("texts")]
    changes = (Change(**row | {"strategies": tuple(row["strategies"])}) for row in rows("changes"))
    wrong = (WrongEdit(**row) for row in rows("wrong_edits"))
    return SampleRecord(
        outcomes, samples[0] if samples else None, texts[0] if texts else None, tuple(changes), tuple(wrong)
    )


def _parts_with(run: RunFolder, sample_id: pa.StringScalar) -> Iterator[str]:
    """The parts with outcomes of the sample, and perhaps others: a dictionary may have words that no row uses."""
    tables = run.tables("outcomes", "sample_id", as_dictionaries=True)
    for part, table in zip(run.parts("outcomes"), tables, strict=True):
        if any(pc.index(column.dictionary, sample_id).as_py() >= 0 for column in table["sample_id"].chunks):
            yield part


# The wrong edits of a run, by sample and strategy.


def edits_of(run: RunFolder, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], WrongEdit]:
    """(sample id, strategy) -> wrong edit, for at least the wanted pairs that have one."""
    ids = {sample_id for sample_id, _ in wanted}
    tables = tables_with(run, "wrong_edits", sample_id=ids) if ids else ()
    edits = (WrongEdit(**row) for table, rows in tables for row in table.take(rows).to_pylist())
    return {(one.sample_id, one.strategy): one for one in edits}


# Readers' notes on samples: a mark that one was reviewed, and a text. Kept beside the run, so that later runs show
# them.
#
#     HISTORY/notes.jsonl     of all nights of a history
#     RUN.notes.jsonl         of any other run, and of what is written to the same folder later
#
# A sample is identified by its id. The last line about a sample counts.

NOTES = "notes.jsonl"


@dataclass(frozen=True, slots=True)
class Review:
    """A reader's note on one sample."""

    sample_id: str
    is_reviewed: bool
    """True if nobody needs to look at the sample again."""
    note: str
    written: str
    """ISO 8601, UTC."""


def reviews_path(run: Path) -> Path:
    """The file with the reviews of a run, which may not exist."""
    whole = run.resolve()
    if whole.name.startswith(NIGHT) and whole.parent.name == "nights":
        return whole.parents[1] / NOTES
    return whole.with_name(f"{whole.name}.{NOTES}")


def read_reviews(run: Path) -> dict[str, Review]:
    """Sample id -> its review, for all reviews of a run. Raises UsageError for a damaged file."""
    path = reviews_path(run)
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "Repair it or move it away; the run needs none.") from None
    found = {}
    for number, line in enumerate(lines, 1):
        try:
            read = [msgspec.convert(json.loads(line), Review)] if line.strip() else []
        except (ValueError, RecursionError, msgspec.ValidationError) as error:
            raise UsageError(
                f"Line {number} of {path} cannot be read: {error}", "Repair or remove it; each line is one review."
            ) from None
        found.update({one.sample_id: one for one in read})
    return found


def write_review(run: Path, review: Review) -> Path:
    """Append a review, which replaces earlier ones of its sample; returns the file. Raises UsageError if that fails."""
    path = reviews_path(run)
    try:
        # Whoever writes at the same time appends as well, and nothing is lost.
        with path.open("ab") as file:
            file.write(json.dumps(asdict(review)).encode() + b"\n")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error}", "Copy the run to a folder that is yours.") from None
    return path
