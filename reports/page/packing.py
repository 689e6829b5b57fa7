"""Values -> JSON, and JSON -> compressed blocks that a page can hold as text."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec

_LEVEL = 7
"""Of zlib: higher ones take twice as long for 1 %."""


def json_text(value: Any) -> str:
    """JSON for the inside of a <script>: in ASCII, and without anything that could end the element."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def packed(value: Any) -> str:
    """The value as JSON, deflated with a zlib header, in base64: what `unpacked` of the script reads."""
    return base64.b64encode(zlib.compress(msgspec.json.encode(value), _LEVEL)).decode()


def packed_blocks(values: Iterable[Any]) -> Iterator[str]:
    """The same of several values, in order and on several threads: zlib leaves Python's lock."""
    with ThreadPoolExecutor(2) as threads:
        yield from threads.map(packed, values)
