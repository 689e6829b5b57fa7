"""The script, the style and the highlighter of a page, as one text each.

The files of the script are joined in the order of `FILES`. The highlighter is a library, with its licence beside it;
the script starts it when a sample is opened.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

FILES = (
    "elements.js",
    "wording.js",
    "source.js",
    "address.js",
    "differences.js",
    "colours.js",
    "diff_view.js",
    "copying.js",
    "edit_view.js",
    "table.js",
    "drawing.js",
    "cost_chart.js",
    "rates_chart.js",
    "first_screen.js",
    "strategies.js",
    "filtering.js",
    "sample_list.js",
    "seen_view.js",
    "sample_view.js",
    "matrices.js",
    "latency.js",
    "own_order.js",
    "orders.js",
    "trends.js",
    "sections.js",
    "page.js",
)
"""Each answers one question, which its first line says; all share one scope."""


@cache
def script_text() -> str:
    """The script: strict, in a scope of its own."""
    parts = (_read(name) for name in FILES)
    return "(() => {\n'use strict';\n" + "\n".join(parts) + "\n})();"


@cache
def highlighter_text() -> str:
    """highlight.js 11.12.0 with its common languages, as its authors publish it."""
    return _read("highlight.js-11.12.0/highlight.min.js")


@cache
def style_text() -> str:
    """The style sheet."""
    return _read("style.css")


def _read(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
