"""Which version of each document a model was shown: the line numbers that it sends are those of that version."""

from __future__ import annotations

from dataclasses import dataclass, field

from editcore.errors import DocumentError, ErrorCode
from editcore.host.workspace.ledger import Ledger
from editcore.quoting import shown


@dataclass(frozen=True, slots=True)
class Seen:
    """The versions that one session of a host was shown. In memory only, like the ledger of files."""

    ledger: Ledger = field(default_factory=Ledger)
    session: str = ""
    project: str = ""

    def show(self, path: str, version: str) -> None:
        """Record that the model was shown a version, or wrote all of it."""
        self.ledger.record_read(self.session, self._key(path), version)

    def edit(self, path: str, before: str, after: str) -> None:
        """Record an edit by the model: it knows the version after, where it knew the one before."""
        if self.ledger.has_read(self.session, self._key(path)) and self._is_current(path, before):
            self.show(path, after)

    def check(self, path: str, version: str) -> None:
        """Raise DocumentError where the model was shown another version; not where it was shown none."""
        if self.ledger.has_read(self.session, self._key(path)) and not self._is_current(path, version):
            raise DocumentError(
                f"{shown(path)} has changed since you viewed it, so insert_line may mean another line: view it again.",
                code=ErrorCode.CONFLICT,
            )

    def older(self, path: str, version: str) -> str | None:
        """The version that the model was shown; None where that is this one, or is not known."""
        base = self.ledger.base(self.session, self._key(path))
        return None if base is None or self._is_current(path, version) else base

    def _is_current(self, path: str, version: str) -> bool:
        return self.ledger.refusal(self.session, self._key(path), version, name=path) is None

    def _key(self, path: str) -> str:
        return f"document {self.project}:{path}"  # No absolute path of a file.
