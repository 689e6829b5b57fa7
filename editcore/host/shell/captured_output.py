"""The output of a process so far, of which a limited part is kept."""

from __future__ import annotations

import codecs

_MAX_BYTES = 10_000_000
_MAX_SHOWN = 30_000
"""Characters that are reported while the process runs."""


class CapturedOutput:
    """Captured bytes: all of them up to 10 MB, else the first and the last 5 MB. Decoded as UTF-8, errors replaced."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._n_dropped = 0

    def add(self, data: bytes) -> None:
        """Append captured bytes."""
        self._data += data
        if len(self._data) > 2 * _MAX_BYTES:  # Rarely, because it moves the second half.
            self._drop()

    @property
    def text(self) -> str:
        """The kept text; where bytes were dropped, with a line between the halves that says how many."""
        if len(self._data) > _MAX_BYTES:
            self._drop()
        if not self._n_dropped:
            return self._data.decode("utf-8", "replace")
        head, tail = self._data[: _MAX_BYTES // 2], self._data[_MAX_BYTES // 2 :]
        note = f"\n... {self._n_dropped:,} bytes were not kept ...\n"
        return head.decode("utf-8", "replace") + note + tail.decode("utf-8", "replace")

    @property
    def end(self) -> str:
        """The last 30,000 characters, with a note if there is more. An incomplete character at the end is left out."""
        data = self._data[-4 * (_MAX_SHOWN + 1) :]
        text = codecs.getincrementaldecoder("utf-8")("replace").decode(data)
        if len(text) <= _MAX_SHOWN and len(data) == len(self._data):
            return text
        return f"... what came before is left out ...\n{text[-_MAX_SHOWN:]}"

    def _drop(self) -> None:
        """Drop bytes between the first and the last 5 MB."""
        excess = len(self._data) - _MAX_BYTES
        del self._data[_MAX_BYTES // 2 : _MAX_BYTES // 2 + excess]
        self._n_dropped += excess
