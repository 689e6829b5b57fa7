"""Rules with a model behind them, whose replies are in a file: `repair/SHAPE#DRAW@RULE=FILE.replies`.

    repair/gemini_cli@cascade/recommended=mine.replies      the first reply to each question
    repair/gemini_cli#2@cascade/recommended=mine.replies    the third
    repair/whole_file@nothing=mine.replies                  every edit goes to the model

The rule decides first. If it refuses, the reply that `editgauge repair` kept is read and applied. No model is asked:
a refusal without a reply stays. The name leaves out the file, so runs over two files can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import xxhash

from corpora.sample import Sample
from editcore.errors import UsageError, did_you_mean
from editcore.formats import EDIT_FORMATS
from editcore.text.document import Document
from editcore.text.endings import written_like
from editcore.types import Applied, EditResult, Rejected
from harness.ask.formats import SHAPES, Repaired, Unreadable, Whole
from harness.ask.questions import NOTHING, UNTRIED, RepairQuestion, broken_of, template_hash
from harness.ask.replies_file import RepliesFile
from harness.strategies.strategy import Strategy

FAMILY = "repair/"
_SPEC = re.compile(r"repair/(?P<shape>[^#@=]+)(?:#(?P<draw>[0-9]{1,2}))?@(?P<rule>.+)=(?P<file>[^=]+)", re.DOTALL)


def described_repair_strategy(spec: str, find: Callable[[str], Strategy]) -> Strategy | None:
    """The strategy that `repair/SHAPE#DRAW@RULE=FILE` describes; None for another name.

    `find` returns the strategy of a name. Raises UsageError for a shape, rule or file that does not exist.
    """
    if not spec.startswith(FAMILY):
        return None
    parts = _SPEC.fullmatch(spec)
    if parts is None:
        raise UsageError(
            f"{spec!r} is not repair/SHAPE@RULE=FILE", "For instance: repair/gemini_cli@cascade/exact=FILE."
        )
    shape, draw, rule, path = parts["shape"], int(parts["draw"] or 0), parts["rule"], Path(parts["file"])
    check_shape(shape)
    base = None if rule == NOTHING else find(rule)
    replies = _Replies(path)
    name = f"{FAMILY}{shape}{f'#{draw}' if parts['draw'] else ''}@{rule}"
    apply_with = find(SHAPES[shape].rule) if SHAPES[shape].rule else base or find("cascade/exact")

    def apply(sample: Sample, document: Document | None) -> EditResult:
        result = base.apply(sample, document) if base else UNTRIED
        if not isinstance(result, Rejected):
            return result
        return _repaired(sample, result, shape, draw, replies, apply_with) or result

    return Strategy(
        name, frozenset(EDIT_FORMATS), apply, f"{rule}, and behind it a model: {SHAPES[shape].summary}",
        replies.version(shape), written=spec,
    )  # fmt: skip


def check_shape(shape: str) -> None:
    if shape not in SHAPES:
        near = did_you_mean(shape, SHAPES)
        raise UsageError(f"There is no shape of repair {shape!r}", f"{near}Choose from: {', '.join(SHAPES)}.")


def _repaired(
    sample: Sample, refusal: Rejected, shape: str, draw: int, replies: _Replies, apply_with: Strategy
) -> EditResult | None:
    """The result of the kept reply to a refused edit; None without a usable reply."""
    broken = broken_of(sample, refusal)
    found = replies.repaired(RepairQuestion(sample.id, shape, broken, draw)) if broken else None
    if broken is None or found is None:
        return None
    if isinstance(found, Whole):
        return Applied(written_like(found.text, sample.before[0].content), replacer=shape)
    if SHAPES[shape].keeps_replace_all:
        found = replace(found, replace_all=broken.edit.replace_all)
    # The model has seen the text of now.
    result = apply_with.apply(replace(sample, edits=(found,), patch=None, format="str_replace", seen=None), None)
    return replace(result, replacer=shape) if isinstance(result, Applied) else None


class _Replies:
    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.is_file():
            raise UsageError(f"There is no replies file {path}", "`editgauge repair ... -o FILE` writes one.")

    def version(self, shape: str) -> str:
        """A hash of the file's replies and of the words of a shape."""
        with self.path.open("rb") as file:
            state = xxhash.xxh3_64(template_hash(f"repairs/{shape}").encode())
            while chunk := file.read(1 << 20):
                state.update(chunk)
        return state.hexdigest()

    @cached_property
    def _file(self) -> RepliesFile:
        return RepliesFile(self.path, is_only_read=True).__enter__()

    def repaired(self, question: RepairQuestion) -> Repaired:
        """The edit that the model corrected; None if it was not asked, did not finish, or let the refusal stand."""
        settings = self._file.settings
        if settings is None:
            raise UsageError(f"{self.path} has no replies", "`editgauge repair ... -o FILE` writes them.")
        entry = self._file.entry(settings.key(question))
        try:
            return question.read(entry.reply) if entry and entry.reply and entry.reply.stop == "end" else None
        except Unreadable:
            return None
