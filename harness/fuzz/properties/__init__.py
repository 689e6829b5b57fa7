"""The table of properties, which hold on all inputs. Each family has a file."""

from __future__ import annotations

from harness.fuzz.properties import as_meant, every_format, replacing
from harness.fuzz.properties.property import Property

PROPERTIES: tuple[Property, ...] = (
    *as_meant.PROPERTIES,
    *replacing.PROPERTIES,
    *every_format.PROPERTIES,
)


def sentences() -> dict[str, str]:
    """Name of each property -> the sentence that describes it."""
    return {one.name: one.summary for one in PROPERTIES}


def promises(strategy: str, format: str) -> list[Property]:
    """The properties that a strategy promises for samples of a format."""
    return [one for one in PROPERTIES if one.is_promised_by(strategy, format)]
