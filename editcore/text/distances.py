"""Distances of texts and lists, by rapidfuzz; imported when the first comparison is made.

Most edits are exact and compare nothing, and importing rapidfuzz would take a third of the time of importing
editcore. Import the module, `from editcore.text import distances`: importing a function from it imports rapidfuzz at
once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rapidfuzz.distance.Indel import normalized_similarity as indel_ratio
    from rapidfuzz.distance.Indel import opcodes as indel_opcodes
    from rapidfuzz.distance.LCSseq import opcodes as common_opcodes
    from rapidfuzz.distance.Levenshtein import distance as edit_distance
    from rapidfuzz.distance.Levenshtein import normalized_similarity as edit_ratio
    from rapidfuzz.fuzz import partial_ratio as part_ratio
    from rapidfuzz.fuzz import partial_ratio_alignment as part_alignment
    from rapidfuzz.process import extract as most_alike
else:
    _FOUND_IN = {
        "common_opcodes": ("rapidfuzz.distance.LCSseq", "opcodes"),
        "edit_distance": ("rapidfuzz.distance.Levenshtein", "distance"),
        "edit_ratio": ("rapidfuzz.distance.Levenshtein", "normalized_similarity"),
        "indel_opcodes": ("rapidfuzz.distance.Indel", "opcodes"),
        "indel_ratio": ("rapidfuzz.distance.Indel", "normalized_similarity"),
        "most_alike": ("rapidfuzz.process", "extract"),
        "part_alignment": ("rapidfuzz.fuzz", "partial_ratio_alignment"),
        "part_ratio": ("rapidfuzz.fuzz", "partial_ratio"),
    }

    def __getattr__(name: str) -> object:
        if name not in _FOUND_IN:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module, function = _FOUND_IN[name]
        found = globals()[name] = getattr(import_module(module), function)
        return found


__all__ = [
    "common_opcodes", "edit_distance", "edit_ratio", "indel_opcodes", "indel_ratio", "most_alike", "part_alignment",
    "part_ratio",
]  # fmt: skip
