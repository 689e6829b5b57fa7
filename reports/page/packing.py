"""The contents of a page's file: JSON, compressed blocks, script and style; and the progress of making them."""

from __future__ import annotations

import base64
import ctypes
import json
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import msgspec
import pyarrow as pa

_LEVEL = 7
"""Level of zlib: higher ones take twice as long for 1 %."""


def json_text(value: Any) -> str:
    """JSON for the inside of a <script>: ASCII, and without anything that could end the element."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def packed(value: Any) -> str:
    """The value as JSON, deflated with a zlib header, in base64; `unpacked` of the script reads it."""
    return base64.b64encode(zlib.compress(msgspec.json.encode(value), _LEVEL)).decode()


def packed_blocks(values: Iterable[Any]) -> Iterator[str]:
    """`packed` of several values, in order and on several threads: zlib releases Python's lock."""
    with ThreadPoolExecutor(2) as threads:
        yield from threads.map(packed, values)


class Progress(Protocol):
    """A function called with the current step and the share of it that is done, 0 to 1."""

    def __call__(self, what: str, share: float, /) -> object: ...


def no_progress(what: str, share: float, /) -> None: ...


def give_back() -> None:
    """Return free memory to the system: of a million samples, glibc would keep 250 MB of what starting took."""
    pa.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc only.
    if trim is not None:
        trim(0)


# The script, the style and the highlighter; the highlighter is a library, with its licence beside it

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
"""The files of the script in order, each with its question in its first line; all share one scope."""


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
    return _read("style.css")


def _read(name: str) -> str:
    return (Path(__file__).parent / "script" / name).read_text(encoding="utf-8")
