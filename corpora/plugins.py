"""Members of tables that other installed packages add through entry points."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from editcore.quoting import first_line

Member = TypeVar("Member")


def with_plugins(
    table: Mapping[str, Member], kind: str, group: str, load_member: Callable[[EntryPoint], tuple[str, Member]]
) -> dict[str, Member]:
    """The table, followed by the members of a group of entry points. No entry point replaces a member of the table.

    `kind` names a member in warnings. `load_member` returns the name and the member of an entry point; an entry point
    that fails is left out with a warning. EDITGAUGE_NO_PLUGINS leaves out all of them.
    """
    merged = dict(table)
    if os.environ.get("EDITGAUGE_NO_PLUGINS"):
        return merged
    for point in entry_points(group=group):
        try:
            name, member = load_member(point)
            if name in merged:
                raise ValueError(f"the name {name} is taken")
        except Exception as error:
            reason = first_line(error)
            print(f"warning: the {kind} {point.name} ({point.value}) was left out: {reason}", file=sys.stderr)
        else:
            merged[name] = member
    return merged


def member_loader(kind: type[Member]) -> Callable[[EntryPoint], tuple[str, Member]]:
    """A loader of entry points for members of a type; the attribute `name` of a member is its name."""

    def load_member(point: EntryPoint) -> tuple[str, Member]:
        member = point.load()
        if not isinstance(member, kind):
            raise TypeError(f"{point.value} is no {kind.__name__}")
        return str(getattr(member, "name", point.name)), member

    return load_member
