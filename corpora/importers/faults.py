"""What became of an edit call, by its reply and its arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import xxhash

from corpora.importers.log import parts_of
from corpora.importers.session import APPLIED, Attempt, Unmade

_BY_RECORDED = {**dict.fromkeys(APPLIED, "applied"), "identical": "same_text", "declined": "permission"}
"""Recorded outcome -> outcome of the call, where the names differ."""

_FAULTS = (
    ("invented_tool", r"[Nn]o such tool|unavailable tool|[Uu]nknown tool|[Tt]ool [^\n]{0,80}not found|"
     r"unsupported call"),
    ("truncated_arguments", r"JSON pars|JSON Parse|in JSON|Unterminated|not valid JSON|EOF while parsing|[Tt]runcated|"
     r"Unexpected end|max_tokens"),
    ("wrong_nesting", r"[Ee]xpected (?:a |an )?(?:string|array|object|boolean|number|list)|must be (?:a |an )?"
     r"(?:string|array|object|boolean|number|list)|is not of type|type mismatch|provided as `"),
    ("wrong_field", r"[Mm]issing|[Rr]equired|[Uu]nexpected (?:parameter|keyword|property|field)|[Uu]nrecognized|"
     r"dditional propert|[Uu]nknown (?:field|parameter|property)|undefined|InputValidationError|invalid arguments"),
)  # fmt: skip
"""Faults, and how agents word them. The first that occurs decides."""
_PATTERNS = [(fault, re.compile(words)) for fault, words in _FAULTS]
_LONGEST = 4000
"""Number of characters of a reply that are searched for a fault."""
_EDITS = re.compile(r"edit|replace|patch|write|insert|update_file|modify", re.IGNORECASE)


def outcome_of(call: Attempt | Unmade) -> str | None:
    """The outcome of an edit call. None if arguments and reply do not show that the call was to edit."""
    if isinstance(call, Unmade):
        return _fault_in(call.reply) or call.fault or None
    if call.outcome == "malformed":
        return _fault_in(call.reply or call.error or "") or "malformed"
    return _BY_RECORDED.get(call.outcome, call.outcome)


def fault_of(arguments: Any, names: Iterable[str]) -> str:
    """The fault of arguments that have no edit. `names` are the fields of an edit that texts are expected in."""
    if not isinstance(arguments, dict):
        return "truncated_arguments"
    wanted = {name for name in names if name}
    missing = {name for name in wanted if not isinstance(arguments.get(name), str)}
    is_elsewhere = any(not missing.isdisjoint(part) for part in parts_of(arguments) if isinstance(part, dict))
    return "wrong_nesting" if is_elsewhere else "wrong_field"


def may_edit(tool: str) -> bool:
    """True if a tool by this name would edit a file."""
    return _EDITS.search(tool) is not None


def _fault_in(reply: str) -> str | None:
    head = reply[:_LONGEST]
    return next((fault for fault, words in _PATTERNS if words.search(head)), None)


def call_hash(call: Attempt | Unmade) -> int:
    """A hash that all copies of a call have."""
    what = (call.edits, call.patch, call.line) if isinstance(call, Attempt) else call.time
    return xxhash.xxh3_64_intdigest(repr((call.key, call.model, what)).encode("utf-8", "surrogatepass"))
