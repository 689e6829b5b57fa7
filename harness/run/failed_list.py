"""What a strategy leaves of a list of edits of which one fails: nothing, as it should, or some of them."""

from __future__ import annotations

from corpora.sample import Sample
from editcore.types import Applied, Edit, EditResult, Rejected
from reports.runs.rows import ListLeft


class FailedList:
    """The texts that a list can be left in. Edits are taken to the letter: in turn, each text once."""

    def __init__(self, sample: Sample) -> None:
        self._before = sample.before[0].content
        self._first, self._others = _made_in_part(self._before, sample.edits or ())

    @classmethod
    def of(cls, sample: Sample) -> FailedList | None:
        """That of a sample that must be refused for one of its edits; None where it does not tell the ways apart.

        It does where edits that apply stand before and after the first one that fails.
        """
        if sample.label != "refuse" or len(sample.edits or ()) < 3:
            return None
        found = cls(sample)
        return found if len({found._before, found._first, found._others}) == 3 else None

    def left(self, result: EditResult) -> ListLeft:
        """What a result leaves of the list."""
        if isinstance(result, Rejected):
            return ListLeft.NOTHING
        text = _only_text(result)
        for known, left in (
            (self._before, ListLeft.NOTHING), (self._first, ListLeft.FIRST_EDITS), (self._others, ListLeft.OTHER_EDITS)
        ):  # fmt: skip
            if text == known:
                return left
        is_cut = any(known.startswith(text) for known in (self._before, self._first, self._others))
        return ListLeft.CUT_OFF if is_cut else ListLeft.SOMETHING_ELSE


def _made_in_part(content: str, edits: tuple[Edit, ...]) -> tuple[str, str]:
    """The text after the edits before the first that fails, and after all that do not fail."""
    first, text = None, content
    for edit in edits:
        n = text.count(edit.old_string) if edit.old_string else 0
        if n == 1 or (n and edit.replace_all):
            text = text.replace(edit.old_string, edit.new_string)
        elif first is None:
            first = text
    return text if first is None else first, text


def _only_text(result: Applied) -> str:
    if result.files is None:
        return result.content or ""
    return next(iter(result.files.values()), "")
