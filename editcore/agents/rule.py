"""AgentRule: how one version of an agent applies edits, and what is known of it (`agents.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files as resources
from typing import Any, Literal, NamedTuple

from editcore.agents.habits import HABITS, ByteHabit
from editcore.errors import PatchError
from editcore.thresholds import Threshold
from editcore.types import Edit, EditResult, Rejected

Evidence = Literal["run", "read", "documented", "inferred"]
"""How the rule is known: run beside the program; read in its source; described by its authors; guessed from hints."""

Policy = Literal["first", "unique", "best", "best_with_margin", "all"]
"""Which of several places is replaced: the first; none; the most similar; the most similar if well ahead; every one."""

Rule = Callable[..., EditResult]
"""(text, edits, **thresholds) -> result, or (files, patch, **thresholds) for a patch format. May raise PatchError."""


class Source(NamedTuple):
    """Where a rule was read, and its date; None for what is not known."""

    date: str | None
    """The day, month or year of the commit or release."""
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
    name: str
    program: str
    summary: str
    rule: Rule
    evidence: Evidence = "read"
    policy: Policy = "unique"
    thresholds: tuple[Threshold, ...] = ()
    format: Literal["edits", "unified_diff", "begin_patch"] = "edits"
    """Pairs of search text and new text, or the format of its patches."""
    settings: tuple[tuple[str, float], ...] = ()
    """Thresholds that differ from the program's own."""
    source: Source | None = None
    """The source that was read or run; None if none was found."""
    on_bytes: Declared | None = None
    """What the program does with the bytes of a file; None if unknown: then the rule is not run on files of bytes."""
    basis: str = ""
    decides: str = ""
    endings: str = ""
    """The line endings of the file afterwards, in words."""
    failures: tuple[str, ...] = ()
    """What the rule does wrong. The failures are rebuilt with it."""

    def with_settings(self, settings: Mapping[str, float]) -> AgentRule:
        return replace(self, settings=tuple(settings.items()))

    def apply_edits(self, text: str, edits: Sequence[Edit]) -> EditResult:
        """Apply edits to a text, all or nothing unless the agent works otherwise. Never raises."""
        return self._applied(text, edits)

    def apply_patch(self, files: Mapping[str, str], patch: str) -> EditResult:
        """Apply a patch to files (path -> text), all or nothing unless the agent works otherwise. Never raises."""
        return self._applied(files, patch)

    def _applied(self, *inputs: Any) -> EditResult:
        try:
            return self.rule(*inputs, **dict(self.settings))
        except PatchError as error:
            return Rejected(error.reason, error.message, error.candidates)


def declared(rules: Mapping[str, Rule]) -> dict[str, AgentRule]:
    """Name -> rule with the declarations of `agents.toml`, in the order of that file."""
    table = tomllib.loads(resources("editcore.agents").joinpath("agents.toml").read_text("utf-8"))
    known: dict[str, dict[str, Any]] = {}
    for name, own in table.items():
        known[name] = known.get(own.pop("like", ""), {}) | own
    return {name: _with_fields(name, rules[name], dict(fields)) for name, fields in known.items()}


def _with_fields(name: str, rule: Rule, fields: dict[str, Any]) -> AgentRule:
    source, on_bytes = fields.pop("source", None), dict(fields.pop("bytes", ()))
    thresholds = [
        Threshold(one["name"], 0, 1, tuple(one["values"]), one["meaning"]) for one in fields.pop("thresholds", ())
    ]
    return AgentRule(
        name,
        rule=rule,
        thresholds=tuple(thresholds),
        source=_source(source) if source else None,
        on_bytes=Declared(HABITS[on_bytes.pop("habit")], _source(on_bytes)) if on_bytes else None,
        failures=tuple(fields.pop("failures")),
        **fields,
    )


def _source(fields: Mapping[str, str]) -> Source:
    return Source(fields.get("date"), fields["path"], fields.get("commit"))
