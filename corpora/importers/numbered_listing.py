"""Files with line numbers, as agents' tools show them to models -> the text itself."""

from __future__ import annotations

import re

CAT_N = re.compile(r" *(\d+)\t(.*)", re.DOTALL)
"""`     1<tab>text`"""
POINT = re.compile(r" *(\d+)\. ?(.*)", re.DOTALL)
"""`1. text`"""
COLON = re.compile(r"(\d+):(.*)", re.DOTALL)
"""`1:text`"""
BAR = re.compile(r" *(\d+) \| ?(.*)", re.DOTALL)
"""`1 | text`"""


def unnumbered(listing: str, number: re.Pattern[str]) -> tuple[int, str] | None:
    """(number of the first line, text) of the first run of consecutively numbered lines; None without one.

    Lines before and after the run are left out. A numbered empty last line means that the text ends in a line feed.
    """
    first = 0
    found: list[str] = []
    for line in listing.split("\n"):
        match = number.fullmatch(line)
        if match and len(match[1]) < 9 and (not found or int(match[1]) == first + len(found)):
            first = first if found else int(match[1])
            found.append(match[2])
        elif found:
            break
    return (first, "\n".join(found)) if found else None
