"""Members that other installed packages add to a table, through entry points."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from editcore.quoting import first_line

Member = TypeVar("Member")


def with_plugins(
    table: Mapping[str, Member], kind: str, group: str, made: Callable[[EntryPoint], tuple[str, Member]]
) -> dict[str, Member]:
    """The table, and after it the members of a group of entry points; none replaces one that is there.

    `kind` says what they are. A broken one is left out with a warning. EDITGAUGE_NO_PLUGINS leaves all of them out.
    """
    merged = dict(table)
    if os.environ.get("EDITGAUGE_NO_PLUGINS"):
        return merged
    for point in entry_points(group=group):
        try:
            name, member = made(point)
            if name in merged:
                raise ValueError(f"there is a {name} already")
        except Exception as error:
            reason = first_line(error)
            print(f"warning: the {kind} {point.name} ({point.value}) was left out: {reason}", file=sys.stderr)
        else:
            merged[name] = member
    return merged


def loaded_as(kind: type[Member]) -> Callable[[EntryPoint], tuple[str, Member]]:
    """Makes a member of an entry point that names one, whose `name` is its name in the table."""

    def made(point: EntryPoint) -> tuple[str, Member]:
        member = point.load()
        if not isinstance(member, kind):
            raise TypeError(f"{point.value} is no {kind.__name__}")
        return str(getattr(member, "name", point.name)), member

    return made
