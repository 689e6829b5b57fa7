"""One edit through every door that takes a search text and a new text, with every cascade.

A door is a way into editcore: the library's `replace`, a tool of an agent, a stored document. Doors differ in their
checks and words. All doors write the same text, or refuse for the same reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial

from corpora.sample import Sample
from editcore.apply import replace
from editcore.cascade import CASCADES, Cascade
from editcore.host.documents.suggestions import SUFFIX
from editcore.text.lines import BOM
from editcore.types import EditResult, Reason, Rejected
from harness.fuzz.inputs import FORMS, Fields, can_be_written
from harness.strategies.registry import strategies, strategy
from harness.strategies.strategy import Strategy
from harness.strategies.tool_strategies import DOCUMENT_STRATEGY, PAIR_TOOLS


def doors_differ(fields: Fields) -> list[str]:
    """What the doors write differently; nothing for texts that no tool edits or writes."""
    sample = FORMS["str_replace"].sample(fields)
    if sample is None or any("\0" in field for field in fields) or not can_be_written(fields, "str_replace"):
        return []
    return [
        f"with {name}, {door} gives {got!a:.200}, replace {wanted!a:.200}"
        for name in CASCADES
        for door, got, wanted in differences(sample, name)
    ]


def differences(sample: Sample, name: str) -> Iterator[tuple[str, str | Reason, str | Reason]]:
    """The doors at which a sample's only edit has another result than by `replace`: door, its result, that result."""
    assert sample.edits
    cascade, content, edit = CASCADES[name], sample.before[0].content, sample.edits[0]
    if cascade.literal and BOM in content + edit.old_string + edit.new_string:
        return  # A workspace keeps the mark of a file; a cascade that rebuilds a program may take it for whitespace.
    old, new, path = edit.old_string, edit.new_string, sample.before[0].path
    by_library = partial(replace, content, old, new, replace_all=edit.replace_all, cascade=cascade)
    wanted_of_file = _left(sample, by_library(path=path))
    for door, one in _doors(cascade).items():
        is_document = door.startswith(DOCUMENT_STRATEGY)
        if edit.replace_all and is_document:
            continue  # A document's tool has no word for it.
        # A document is Markdown, whatever file its text is from: other lines are comments.
        wanted = _left(sample, by_library(path=f"{path}{SUFFIX}")) if is_document else wanted_of_file
        got = _left(sample, one.apply(sample, None))
        if got != wanted:
            yield door, got, wanted


@cache
def _doors(cascade: Cascade) -> Mapping[str, Strategy]:
    names = [f"cascade/{cascade.name}", *(f"{tool}@{cascade.name}" for tool in PAIR_TOOLS if tool in strategies())]
    return {name: strategy(name) for name in names}


def _left(sample: Sample, result: EditResult) -> str | Reason:
    """The text that a result leaves, or the reason of a refusal. A workspace refuses an edit that changes nothing."""
    if isinstance(result, Rejected):
        return result.reason
    before = sample.before[0]
    content = (result.content if result.files is None else result.files[before.path]) or ""
    return Reason.IDENTICAL if content == before.content else content
