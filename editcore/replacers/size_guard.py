"""The size guard: candidates out of proportion to the search text."""

from __future__ import annotations

from dataclasses import dataclass

from editcore.text.whitespace import trim


@dataclass(frozen=True, slots=True)
class SizeGuard:
    extra_lines: int = 3
    line_factor: float = 2
    """Candidates of max(lines + extra_lines, lines * line_factor) lines or more are refused."""
    extra_characters: int = 500
    character_factor: int = 4
    """Longer ones than max(length + extra_characters, length * character_factor) are refused, unless it is one line."""

    def refuses(self, candidate: str, find: str) -> bool:
        n_lines = find.count("\n") + 1
        if candidate.count("\n") + 1 >= max(n_lines + self.extra_lines, n_lines * self.line_factor):
            return True
        if n_lines == 1:
            return False
        length = len(trim(find))
        return len(trim(candidate)) > max(length + self.extra_characters, length * self.character_factor)
