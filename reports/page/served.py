"""The samples of a run that `editgauge serve` pages: filtered in memory, texts read from the run folder on demand."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from editcore.errors import UsageError
from reports.page.columns import Columns, read_columns, with_reviews
from reports.page.document import page_html
from reports.page.head import head
from reports.page.packing import Progress, give_back, no_progress
from reports.page.search import Search
from reports.page.texts import record_in
from reports.runs.run_folder import RunFolder
from reports.statistics.grid import Codes, Mask

_MOST_ROWS = 500
"""Rows of one answer."""
_MOST_WORDS = 8
_LONGEST_WORD = 200
_KEPT = 16
"""Number of filters whose samples are remembered."""
_MOMENT = 0.4
"""Seconds of searching before an answer."""


class Filter(msgspec.Struct, frozen=True):
    """A filter that the page's script sends; the fields equal its typedef `Filter`."""

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


class Count(NamedTuple):
    """The number of samples that match a filter."""

    n: int
    is_complete: bool
    """True if the search is over."""
    share: float
    """The share of the texts that was searched, 0 to 1."""


class _Found(NamedTuple):
    samples: Codes
    """In the order of the list."""
    is_complete: bool
    share: float


class ServedRun:
    """A run with its outcomes in memory."""

    def __init__(
        self, run: RunFolder, *, properties: dict[str, str], token: str, progress: Progress = no_progress
    ) -> None:
        self._columns: Columns = with_reviews(read_columns(run, progress=progress))
        progress("rates", 0)
        document = head(self._columns, comparison=None, failures=None, fuzzed=None, properties=properties)
        self.html = page_html(document | {"token": token, "n_embedded": len(self._columns.ids)}, connects=True)
        self._parts = run.parts("samples")
        self._search = Search(run, self._columns.ids, self._columns.part)
        self._found: OrderedDict[bytes, _Found] = OrderedDict()
        give_back()

    def count(self, raw: str) -> Count:
        """The number of samples that match a filter, given in JSON; asking again resumes a search."""
        found = self._matching(raw, seconds=_MOMENT)
        return Count(len(found.samples), found.is_complete, round(found.share, 4))

    def rows(self, raw: str, start: int, stop: int) -> list[dict[str, Any]]:
        """Rows start to stop, 0-based, of the list that a filter leaves; at most 500."""
        start = max(0, start)
        found = self._matching(raw, seconds=0.0).samples
        return [self._row(at) for at in found[start : min(stop, start + _MOST_ROWS)].tolist()]

    def sample(self, sample_id: str) -> dict[str, Any] | None:
        """The row of a sample."""
        at = self._columns.ids.find(sample_id)
        return None if at is None else self._row(at)

    def texts(self, sample_id: str) -> dict[str, Any] | None:
        """The record of a sample, read from the run folder."""
        at = self._columns.ids.find(sample_id)
        if at is None:
            return None
        part = int(self._columns.part[at])
        return record_in(self._parts[part], self._columns, at) if 0 <= part < len(self._parts) else {}

    def _row(self, at: int) -> dict[str, Any]:
        columns = self._columns
        facets = {name: int(facet.codes[at]) for name, facet in columns.facets.items()}
        return {
            "id": columns.ids[at],
            "path": columns.path[at].as_py(),
            "turn": 0,
            "kinds": columns.kind[:, at].tolist(),
            "facets": facets,
        }

    def _matching(self, raw: str, *, seconds: float) -> _Found:
        """The samples that match a filter, in the order of the list. Raises UsageError for a malformed filter."""
        try:
            wanted = msgspec.json.decode(raw, type=Filter)
        except (msgspec.DecodeError, UnicodeError) as error:
            raise UsageError(f"That is no filter: {error}", "Use the page.") from None
        key = msgspec.json.encode(wanted)
        if key in self._found:
            return self._found[key]
        keep, is_complete, share = self._mask(wanted), True, 1.0
        words = [word[:_LONGEST_WORD] for word in wanted.words[:_MOST_WORDS]]
        for word in words:
            hits = self._search.holding(word, seconds=seconds / len(words))
            keep, is_complete, share = keep & hits.samples, is_complete and hits.is_complete, min(share, hits.share)
        found = _Found(self._columns.order[keep[self._columns.order]], is_complete, share)
        if is_complete:
            self._found[key] = found
            if len(self._found) > _KEPT:
                self._found.popitem(last=False)
        return found

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
                right = columns.right
                keep &= right[wanted.strategy] & columns.labelled[wanted.than] & ~right[wanted.than]
        elif wanted.verdict or wanted.damage or wanted.severity or wanted.reason or wanted.replacer:
            keep &= kinds[columns.kind].any(axis=0)
        return keep

    def _wants(self, wanted: Filter, code: int) -> bool:
        kind = self._columns.kinds[code]
        values: Sequence[tuple[str, str | None]] = (
            (wanted.verdict, kind.verdict), (wanted.damage, kind.damage), (wanted.severity, kind.severity),
            (wanted.reason, kind.reason), (wanted.replacer, kind.replacer),
        )  # fmt: skip
        return code > 0 and all(not one or one == value for one, value in values)
