"""Editions of docs/study.md: what of its tables of strategies is other than in the last one.

`docs/editions.json` holds the rates of the last edition; `python -m docs.editions` makes the page as it is that.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from docs.studies import ROOT, Study, table
from reports.measurements.table import MATCH_RATE, WRONG_RATE
from reports.statistics.summary import Summary

LAST = ROOT / "docs" / "editions.json"
_FIELD = re.compile(r"<!-- begin field_(\w+) -->(.*?)<!-- end field_\1 -->", re.DOTALL)
_ROW = re.compile(r"^\| `([^`]+)` \|(?: \d+ \|){4} ([\d.]+) %[^|]*\| ([\d.]+) %", re.MULTILINE)
_LEAST = 1.0
"""Points by which a rate has to differ for a row: a corpus may have some other edits than it had."""

Rates = tuple[float, float]
"""The match rate and the wrong rate of a strategy, in percent."""


class Edition(msgspec.Struct, frozen=True):
    """The rates that an edition of the page has."""

    day: str
    corpora: dict[str, dict[str, Rates]]
    """Corpus -> strategy -> rates."""


def last_edition() -> Edition:
    """The last edition."""
    return msgspec.json.decode(LAST.read_bytes(), type=Edition)


def edition_of(text: str, day: str) -> Edition:
    """The edition that the tables of strategies in the pages' text make."""
    corpora = {
        corpus: {name: (float(match), float(wrong)) for name, match, wrong in _ROW.findall(text)}
        for corpus, text in _FIELD.findall(text)
    }
    return Edition(day, corpora)


def changed(study: Study) -> str:
    """The strategies whose rates on a corpus differ by a point or more from the last edition's, and those that came."""
    last = last_edition()
    then = last.corpora.get(study.folder.name, {})
    now = {one.strategy: _rates(one) for one in study.summaries}

    def rows() -> Iterator[Sequence[str]]:
        for name, rates in now.items():
            was = then.get(name)
            if was and rates and max(abs(one - other) for one, other in zip(was, rates, strict=True)) >= _LEAST:
                yield f"`{name}`", *(f"{one:.1f} % -> {other:.1f} %" for one, other in zip(was, rates, strict=True))

    said = {"New": now.keys() - then.keys(), "No longer there": then.keys() - now.keys()}
    lines = [f"{what}: {', '.join(f'`{name}`' for name in sorted(names))}." for what, names in said.items() if names]
    shown = table(("strategy", "match rate", "wrong rate"), rows())
    return "\n".join([f"Then: {last.day}.", *lines, "", shown])


def _rates(one: Summary) -> Rates | None:
    match, wrong = one[MATCH_RATE], one[WRONG_RATE]
    return None if match is None or wrong is None else (100 * match.value, 100 * wrong.value)


EDITION_PARTS: Mapping[str, Callable[[Study], str]] = {"changed": changed}
"""Name of a part -> what stands there."""


def main() -> None:
    pages = (ROOT / "docs" / "study").glob("*.md")
    text = sys.stdin.read() if sys.argv[1:] == ["-"] else "".join(one.read_text(encoding="utf-8") for one in pages)
    edition = edition_of(text, datetime.now(UTC).strftime("%-d %B %Y"))
    LAST.write_text(json.dumps(msgspec.to_builtins(edition), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
