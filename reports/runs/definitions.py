"""What the words for wrong edits mean: the one text that the page and the documentation have."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from reports.runs.rows import Court, Damage, Severity

DAMAGES: Mapping[Damage, str] = MappingProxyType(
    {
        Damage.INDENTATION: "the right lines with other indentation",
        Damage.WHITESPACE: "differs from the right answer in whitespace only",
        Damage.PLACE: "changes other lines, and none of those that the right answer changes",
        Damage.EXTENT: "changes some of the lines that the right answer changes and misses others, or changes more",
        Damage.TEXT: "changes just the lines that the right answer changes, to another text",
        Damage.UNASKED: "applied, although the edit should have been refused",
    }
)
"""The lines that a result changes are those from the first to the last that differ from the file before."""

SEVERITIES: Mapping[Severity, str] = MappingProxyType(
    {
        Severity.SAME_TREE: "has the syntax tree of the right answer: differs in layout and comments only",
        Severity.OTHER_TREE: "parses, and means something else: the silent kind",
        Severity.BROKEN: "does not parse although the right answer does, or has more errors",
        Severity.UNKNOWN: "no grammar for the file, or it had errors all along, or is too large or too hard to parse",
    }
)

COURTS: Mapping[Court, str] = MappingProxyType(
    {
        Court.BYTES: "byte for byte; this is the match rate",
        Court.TEXT: "or differs in whitespace at the ends of lines and line feeds at the end of the file only",
        Court.TREE: "or has the severity same_tree",
    }
)
"""When a result counts as right; each is looser than the one before."""

LINES_LOST = "lines of the file that are gone although neither the edit as written nor the right answer removes them"
