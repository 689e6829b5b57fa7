"""AgentRule: how an agent of one version applies edits, as far as that is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Literal, NamedTuple

from editcore.agents.habits import ByteHabit
from editcore.errors import PatchError
from editcore.quoting import first_line
from editcore.thresholds import Threshold
from editcore.types import Applied, Edit, EditResult, Match, Rejected

Evidence = Literal["run", "read", "documented", "inferred"]
"""How the rule is known: the program was run beside it; its source was read; it is described; it follows from hints."""

Policy = Literal["first", "unique", "best", "best_with_margin", "all"]
"""Which of several places is taken: the first; none; the most similar; that, if well ahead; every one."""

OneEdit = Callable[..., EditResult]
"""(text, edit, **thresholds) -> result. May raise PatchError for a refusal."""
Rule = Callable[..., EditResult]
"""(text, edits, **thresholds) -> result, or (files, patch, **thresholds) for a patch format. May raise PatchError."""


class Source(NamedTuple):
    """Where a rule was read, and when that was the program's; what is not known is absent."""

    date: str | None
    """Of the commit or of the release: a day, a month or a year."""
    path: str
    """owner/repository and the file in it, or a package."""
    commit: str | None
    """The commit that was read, or the version of the package."""

    def __str__(self) -> str:
        at = f"{self.path}@{self.commit}" if self.commit else self.path
        return f"{at}, {self.date}" if self.date else at


class Declared(NamedTuple):
    """What a program does with the bytes of a file, and where its source says so."""

    habit: ByteHabit
    source: Source


@dataclass(frozen=True, slots=True)
class AgentRule:
    """How an agent of one version applies edits."""

    name: str
    program: str
    """Program and version."""
    evidence: Evidence
    policy: Policy
    rule: Rule
    thresholds: tuple[Threshold, ...] = ()
    format: Literal["edits", "unified_diff", "begin_patch"] = "edits"
    """What it reads: pairs of search text and new text, or a patch of that format."""
    settings: tuple[tuple[str, float], ...] = ()
    """Thresholds that differ from the program's own."""
    source: Source | None = None
    """What was read or run; None where no source was found."""
    on_bytes: Declared | None = None
    """What it does with the bytes of a file; None where that is not known: then it is not run on files of bytes."""

    @property
    def summary(self) -> str:
        """One line for listings."""
        return first_line(self.rule.__doc__ or "")

    def with_settings(self, settings: Mapping[str, float]) -> AgentRule:
        """The same rule with other thresholds."""
        return replace(self, settings=tuple(settings.items()))

    def apply_edits(self, text: str, edits: Sequence[Edit]) -> EditResult:
        """Apply edits to a text, all or nothing unless the agent works otherwise. Never raises."""
        return self._applied(text, edits)

    def apply_patch(self, files: Mapping[str, str], patch: str) -> EditResult:
        """Apply a patch to files (path -> text), all or nothing. Never raises."""
        return self._applied(files, patch)

    def _applied(self, *inputs: Any) -> EditResult:
        try:
            return self.rule(*inputs, **dict(self.settings))
        except PatchError as error:
            return Rejected(error.reason, error.message, error.candidates)


def in_turn(rule: OneEdit) -> Rule:
    """The rule for several edits that applies each to what the ones before it left, all or nothing."""

    @wraps(rule)
    def apply(text: str, edits: Sequence[Edit], **thresholds: float) -> EditResult:
        matches: tuple[Match, ...] = ()
        step = None
        for edit in edits:
            result = rule(text, edit, **thresholds)
            if isinstance(result, Rejected):
                return result
            text, step = result.content or "", result.replacer
            matches += result.matches
        return Applied(text, matches, step)

    return apply
