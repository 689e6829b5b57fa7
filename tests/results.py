"""What tests ask of results: that an edit was applied, or refused."""

from __future__ import annotations

from editcore import Applied, EditResult, Rejected


def applied(result: EditResult) -> Applied:
    """The result, which must have been applied."""
    assert isinstance(result, Applied), result
    return result


def refused(result: EditResult) -> Rejected:
    """The result, which must have been refused."""
    assert isinstance(result, Rejected), result
    return result


def files_after(result: EditResult) -> dict[str, str]:
    """The files of a result, which must have been applied."""
    return dict(applied(result).files or {})
