"""The samples of a run that `editgauge serve` pages: filtered in memory, texts read from the run folder on demand."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from editcore.errors import UsageError
from reports.page.columns import Codes, Columns, Mask, read_columns
from reports.page.document import page_html
from reports.page.head import head
from reports.page.texts import record_in
from reports.runs.parts import kind_tables, part_paths
from reports.runs.rows import Verdict
from reports.statistics.metrics import LABELLED

_MOST_ROWS = 500
"""Rows of one answer."""
_MOST_WORDS = 8
_LONGEST_WORD = 200
_KEPT = 16
"""Filters whose samples are kept."""
_SEARCHED = {
    "texts": ("edit", "path", "place"),
    "changes": ("after",),
    "wrong_edits": ("edit", "path", "given"),
    "outcomes": ("message", "error"),
}
"""Kind of rows -> the columns that words are sought in, besides ids."""


class Filter(msgspec.Struct, frozen=True):
    """What the page's script asks for; the fields are those of its typedef `Filter`."""

    strategy: int = -1
    verdict: str = ""
    damage: str = ""
    severity: str = ""
    reason: str = ""
    replacer: str = ""
    turn: int = 0
    than: int = -1
    facets: dict[str, int] = {}
    words: list[str] = []


class ServedRun:
    """A run whose outcomes are in memory."""

    def __init__(self, folder: Path, *, properties: dict[str, str], token: str) -> None:
        self._columns: Columns = read_columns(folder)
        document = head(self._columns, comparison=None, failures=None, fuzzed=None, properties=properties)
        self.html = page_html(document | {"token": token, "n_embedded": len(self._columns.ids)}, connects=True)
        self._parts, self._part = _parts(self._columns)
        self._paths = _paths(self._columns)
        self._found: OrderedDict[bytes, Codes] = OrderedDict()
        self._with: OrderedDict[str, Mask] = OrderedDict()

    def count(self, raw: str) -> int:
        """The number of samples that a filter, in JSON, leaves."""
        return len(self._matching(raw))

    def rows(self, raw: str, start: int, stop: int) -> list[dict[str, Any]]:
        """Rows of the list that a filter leaves, from start to stop, 0-based; at most 500."""
        start = max(0, start)
        return [self._row(at) for at in self._matching(raw)[start : min(stop, start + _MOST_ROWS)].tolist()]

    def sample(self, sample_id: str) -> dict[str, Any] | None:
        """The row of a sample."""
        at = self._columns.place.get(sample_id)
        return None if at is None else self._row(at)

    def texts(self, sample_id: str) -> dict[str, Any] | None:
        """The record of a sample, read from the run folder."""
        at = self._columns.place.get(sample_id)
        if at is None:
            return None
        part = self._parts[int(self._part[at])] if self._part[at] >= 0 else ""
        return record_in(part, self._columns, at) if part else {}

    def _row(self, at: int) -> dict[str, Any]:
        columns = self._columns
        facets = {name: int(facet.codes[at]) for name, facet in columns.facets.items()}
        return {
            "id": columns.ids[at],
            "path": self._paths[at],
            "turn": 0,
            "kinds": columns.kind[:, at].tolist(),
            "facets": facets,
        }

    def _matching(self, raw: str) -> Codes:
        """The samples that a filter leaves, in the order of the list. Raises UsageError for what is no filter."""
        try:
            wanted = msgspec.json.decode(raw, type=Filter)
        except (msgspec.DecodeError, UnicodeError) as error:
            raise UsageError(f"That is no filter: {error}", "Use the page.") from None
        key = msgspec.json.encode(wanted)
        if key not in self._found:
            keep = self._mask(wanted)
            self._found[key] = self._columns.order[keep[self._columns.order]]
            if len(self._found) > _KEPT:
                self._found.popitem(last=False)
        return self._found[key]

    def _mask(self, wanted: Filter) -> Mask:
        columns = self._columns
        n = len(columns.strategies)
        keep: Mask = np.ones(len(columns.ids), dtype=np.bool_)
        if wanted.strategy >= n or wanted.strategy < -1 or not -1 <= wanted.than < n or wanted.turn:
            return np.zeros_like(keep)
        for name, code in wanted.facets.items():
            facet = columns.facets.get(name)
            keep &= False if facet is None else facet.codes == code
        kinds = np.array([self._wants(wanted, at) for at in range(len(columns.kinds))])
        if wanted.strategy >= 0:
            keep &= kinds[columns.kind[wanted.strategy]]
            if wanted.than >= 0:
                labelled, right = columns.where(*LABELLED), columns.where(Verdict.CORRECT, Verdict.REFUSED)
                keep &= right[wanted.strategy] & labelled[wanted.than] & ~right[wanted.than]
        elif wanted.verdict or wanted.damage or wanted.severity or wanted.reason or wanted.replacer:
            keep &= kinds[columns.kind].any(axis=0)
        for word in wanted.words[:_MOST_WORDS]:
            keep &= self._holding(word[:_LONGEST_WORD].lower())
        return keep

    def _wants(self, wanted: Filter, code: int) -> bool:
        kind = self._columns.kinds[code]
        values: Sequence[tuple[str, str | None]] = (
            (wanted.verdict, kind.verdict), (wanted.damage, kind.damage), (wanted.severity, kind.severity),
            (wanted.reason, kind.reason), (wanted.replacer, kind.replacer),
        )  # fmt: skip
        return code > 0 and all(not one or one == value for one, value in values)

    def _holding(self, word: str) -> Mask:
        """(n_samples,) whether a word is in the id or any text of the sample, in any case."""
        if word in self._with:
            return self._with[word]
        columns = self._columns
        found: Mask = np.array([word in name.lower() for name in columns.ids], dtype=np.bool_)
        for kind, names in _SEARCHED.items():
            for table in kind_tables(columns.folder, kind, "sample_id", *names):
                hits = _rows_with(table, names, word)
                for sample_id in table["sample_id"].take(pa.array(hits)).to_pylist() if len(hits) else ():
                    if sample_id in columns.place:
                        found[columns.place[sample_id]] = True
        self._with[word] = found
        if len(self._with) > _KEPT:
            self._with.popitem(last=False)
        return found


def _parts(columns: Columns) -> tuple[list[str], Codes]:
    """The names of a run's parts, and (n_samples,) the part that each sample is in; -1 where that is not recorded."""
    names = [path.stem.removeprefix("part-") for path in part_paths(columns.folder, "samples")]
    found = np.full(len(columns.ids), -1, dtype=np.int32)
    for at, table in enumerate(kind_tables(columns.folder, "samples", "sample_id")):
        for sample_id in table["sample_id"].to_pylist():
            if sample_id in columns.place:
                found[columns.place[sample_id]] = at
    return names, found


def _paths(columns: Columns) -> list[str]:
    """(n_samples,) the file of each sample; "" where it is not recorded."""
    found = [""] * len(columns.ids)
    for table in kind_tables(columns.folder, "texts", "sample_id", "path"):
        for sample_id, path in zip(table["sample_id"].to_pylist(), table["path"].to_pylist(), strict=True):
            if sample_id in columns.place:
                found[columns.place[sample_id]] = path
    return found


def _rows_with(table: pa.Table, names: Sequence[str], word: str) -> npt.NDArray[np.intp]:
    """The rows in any of whose columns the word occurs."""
    masks = [
        pc.match_substring(table[name], pattern=word, ignore_case=True).fill_null(False).to_numpy() for name in names
    ]
    return np.flatnonzero(np.logical_or.reduce(masks))
