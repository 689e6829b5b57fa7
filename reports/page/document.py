"""The page of a run: one HTML file that opens anywhere, without a network.

The texts of samples, strategies and models are hostile. Here they are data: JSON in elements that are not run, most of
it compressed. The script sets them as text and never as HTML. The page's policy lets it run, and the highlighter, which
the script starts; nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from reports.compare.comparison import Comparison, Turn, Turned
from reports.compare.gate import Failure
from reports.history.fuzz_nights import FuzzNight
from reports.history.nights import History
from reports.page.columns import Columns, read_columns, with_reviews
from reports.page.head import head
from reports.page.packing import (
    Progress,
    highlighter_text,
    json_text,
    no_progress,
    packed,
    packed_blocks,
    script_text,
    style_text,
)
from reports.page.texts import Record, records
from reports.runs.manifest import write_atomically
from reports.runs.run_folder import RunFolder, edits_of
from reports.views.comparison_wording import side_text

MOST_EMBEDDED = 60_000
"""Samples in a page; of a larger run, the first in the order of `Columns.order`."""
_BLOCK = 64
"""Samples that are compressed together."""
_MOST_TURNED = 2_000
"""Turned samples of a page whose former text is embedded."""


def write_page(
    run: RunFolder,
    out_path: Path,
    *,
    comparison: Comparison | None = None,
    failures: Sequence[Failure] | None = None,
    fuzzed: FuzzNight | None = None,
    properties: Mapping[str, str] | None = None,
    history: History | None = None,
    not_comparable: str | None = None,
    progress: Progress = no_progress,
) -> Path:
    """Write the page of a run, and return its path; equal runs give equal bytes.

    `comparison`, or `not_comparable`, the reason why there is none, opens the page; `fuzzed` and `history` get a
    section each. `properties` maps each promise of strategies to its sentence. `progress` is called as the work goes
    on. Raises UsageError for a damaged run, and for a run whose ids stand for several samples.
    """
    columns = with_reviews(read_columns(run, progress=progress))
    progress("rates", 0)
    document = head(
        columns,
        comparison=comparison,
        failures=failures,
        fuzzed=fuzzed,
        properties=properties or {},
        history=history,
        not_comparable=not_comparable,
    )
    chosen = columns.order[:MOST_EMBEDDED].tolist()
    if comparison:
        chosen = _turned_first(columns, comparison, chosen)
    made = dict(zip(chosen, records(columns, chosen, progress=progress), strict=True))
    if comparison:
        _add_turned(columns, comparison, made)
    # Samples of one file side by side: they share text, which compresses.
    stored = sorted(chosen, key=lambda at: (made[at].get("path", ""), made[at].get("line", 0), columns.ids[at]))
    document["n_embedded"] = len(chosen)
    document["block"] = _BLOCK
    embedded = {"lists": packed(sample_lists(columns, chosen, stored, made, comparison))}
    starts = range(0, len(stored), _BLOCK)
    for at, block in enumerate(packed_blocks([made[one] for one in stored[at : at + _BLOCK]] for at in starts)):
        embedded[str(at)] = block
        progress("packing", at / len(starts))
    html = page_html(document, embedded=embedded)
    write_atomically(out_path, html)
    return out_path


def page_html(
    document: Mapping[str, Any], *, embedded: Mapping[str, str] | None = None, connects: bool = False
) -> bytes:
    """The HTML of a page: its document, and blocks of samples by name, or the right to ask its own server for them."""
    parts = [*_start(document["title"], connects), *_data(document, embedded or {}), *_end()]
    return "\n".join(parts).encode("utf-8", "backslashreplace")


def sample_lists(
    columns: Columns,
    chosen: Sequence[int],
    stored: Sequence[int],
    made: Mapping[int, Record],
    comparison: Comparison | None,
) -> dict[str, Any]:
    """The lists of all samples of a page: ids, paths, facets, and the kind of outcome of each strategy.

    Samples are numbered as they are stored; `order` has these numbers in the order of the list.
    """
    nth = {at: number for number, at in enumerate(stored)}
    paths = [made[at].get("path", "") for at in stored]
    words = sorted(set(paths))
    number = {word: at for at, word in enumerate(words)}
    turns = _turns(comparison) if comparison else {}
    return {
        "order": [nth[at] for at in chosen],
        "ids": [columns.ids[at] for at in stored],
        "paths": words,
        "path": [number[path] for path in paths],
        "facets": {name: facet.codes[list(stored)].tolist() for name, facet in columns.facets.items()},
        "kind": columns.kind[:, list(stored)].tolist(),
        "turn": [turns.get(columns.ids[at], 0) for at in stored] if turns else [],
    }


def _turns(comparison: Comparison) -> dict[str, int]:
    """Sample id -> 1 if it turned worse under any strategy, else 2 for better, else 3 for changed."""
    code = {Turn.WORSE: 1, Turn.BETTER: 2, Turn.CHANGED: 3}
    found: dict[str, int] = {}
    for one in comparison.turned:
        found[one.sample_id] = min(code[one.turn], found.get(one.sample_id, 3))
    return found


def _turned_first(columns: Columns, comparison: Comparison, chosen: list[int]) -> list[int]:
    """The samples to embed, the turned ones first."""
    turns = _turns(comparison)
    turned = sorted(turns, key=lambda name: (turns[name], name))
    first = [columns.place[name] for name in turned if name in columns.place]
    known = set(first)
    return (first + [at for at in chosen if at not in known])[:MOST_EMBEDDED]


def _add_turned(columns: Columns, comparison: Comparison, made: Mapping[int, Record]) -> None:
    """Give each record that turned: [strategy, turn, outcome in the baseline, excerpts of its wrong edit or null]."""
    shown = [one for one in comparison.turned if columns.place.get(one.sample_id, -1) in made]
    some = {one.sample_id for one in shown[:_MOST_TURNED]}
    wanted = [(one.sample_id, one.strategy) for one in shown if one.sample_id in some]
    edits = edits_of(comparison.base, wanted)
    number = {name: at for at, name in enumerate(columns.strategies)}
    for one in shown:
        if one.strategy in number:
            record = made[columns.place[one.sample_id]]
            record.setdefault("turned", []).append([number[one.strategy], *_turned(one, edits)])


def _turned(one: Turned, edits: Mapping[tuple[str, str], Any]) -> list[Any]:
    edit = edits.get((one.sample_id, one.strategy))
    excerpts = [edit.path, edit.line, edit.expected, edit.given] if edit else None
    return [one.turn.value, side_text("", one.base, edit)[0].removeprefix(": "), excerpts]


def _start(title: str, connects: bool) -> Iterator[str]:
    style, script = style_text(), script_text()
    policy = (
        f"default-src 'none'; script-src {_hash(script)} {_hash(highlighter_text())}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    policy += "; connect-src 'self'" if connects else ""
    yield "<!doctype html>"
    yield '<html lang="en">'
    yield '<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">'
    yield f"<title>{escape(printable_title(title))} · editgauge</title>"
    yield f"<style>{style}</style>"
    yield "<body>"
    yield "<noscript>This page needs JavaScript: it draws the run from the data in this file.</noscript>"


def printable_title(title: str) -> str:
    return "".join(character if character.isprintable() else "\ufffd" for character in title)


def _data(document: Mapping[str, Any], embedded: Mapping[str, str]) -> Iterator[str]:
    yield f'<script type="application/json" id="data-head">{json_text(document)}</script>'
    for name, block in {"highlighter": _packed_highlighter(), **embedded}.items():
        yield f'<script type="text/plain" id="data-{name}">{block}</script>'


@cache
def _packed_highlighter() -> str:
    return packed(highlighter_text())


def _end() -> Iterator[str]:
    yield f"<script>{script_text()}</script>"
    yield "</html>\n"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
