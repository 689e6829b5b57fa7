"""Read, compare and render runs. Nothing here makes one.

`Run` reads one as pandas DataFrames; it is imported when first asked for, since pandas takes longer to import than a
small run takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reports.run import Run

__all__ = ["Run"]


def __getattr__(name: str) -> Any:
    if name == "Run":
        from reports.run import Run

        return Run
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
