"""What a process has printed so far, of which no more than so much is kept."""

from __future__ import annotations

import codecs

_MOST_BYTES = 10_000_000
_MOST_SHOWN = 30_000
"""Characters that are shown while it runs."""


class CapturedOutput:
    """Bytes as they came: up to 10 MB, and of more the first and the last 5 MB. Read as UTF-8, whatever they are."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._n_dropped = 0

    def add(self, data: bytes) -> None:
        """Printed just now."""
        self._data += data
        if len(self._data) > 2 * _MOST_BYTES:  # Seldom, because all that comes later is moved.
            self._drop()

    @property
    def text(self) -> str:
        """All that is kept, with a line in the middle that says what is not."""
        if len(self._data) > _MOST_BYTES:
            self._drop()
        if not self._n_dropped:
            return self._data.decode("utf-8", "replace")
        head, tail = self._data[: _MOST_BYTES // 2], self._data[_MOST_BYTES // 2 :]
        note = f"\n... {self._n_dropped:,} bytes were not kept ...\n"
        return head.decode("utf-8", "replace") + note + tail.decode("utf-8", "replace")

    @property
    def end(self) -> str:
        """The last 30,000 characters; what comes before is named. A character of which a part is missing waits."""
        data = self._data[-4 * (_MOST_SHOWN + 1) :]
        text = codecs.getincrementaldecoder("utf-8")("replace").decode(data)
        if len(text) <= _MOST_SHOWN and len(data) == len(self._data):
            return text
        return f"... what came before is left out ...\n{text[-_MOST_SHOWN:]}"

    def _drop(self) -> None:
        """Keep the first and the last half of what may be kept."""
        excess = len(self._data) - _MOST_BYTES
        del self._data[_MOST_BYTES // 2 : _MOST_BYTES // 2 + excess]
        self._n_dropped += excess
