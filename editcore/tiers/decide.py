"""The rule of cascades of tiers: the first tier that is certain decides; several exact places refuse everything.

The problem. A search text differs a little from the file. Each kind of difference has a rule that forgives it, and
each rule that forgives also finds places that were not meant. Asking one rule after the other until one has an answer
is as wrong as the most forgiving rule, since that one gets the edits that all others gave up:

    file  |    total = 0         search text  |total = 0
          |    total = 0 + 1                                a rule that compares words offers both lines, the first wins

The idea. A tier has three answers, not two: an edit merged into the only place that fits, a refusal of what it found,
or nothing. A refusal is remembered: if no later tier is certain, it is the answer, since it says most about the text.
One case is refused before any tier is asked: a search text with several exact places, since nothing says which is
meant.

The invariant. Every tier is certain by itself: it names one place, and refuses where the file has two. So the order
of tiers changes the name of a result, and seldom the text written. A tier can be left out, or used alone. An
insertion made by a tier below `exact` does not fit the text that it produced, so it is not made twice.

What does not work, by recorded edits:

- Choosing among several exact places: of 234 such edits 92 meant one of them, 142 had to be refused. Choosing the place
  that consists of whole lines: 5 right, 15 wrong.
- Asking whether the edit was made before anywhere in the file: that refuses right edits. Only the place is asked.
- Replacing a line that differs from the search text: half of these edits had to be refused.

To add a tier: write a function for one kind of difference, and add its line to the table of tiers. Once it is wrong
in no drawn edit and right in recorded ones, add it to `recommended` with a new version (CONTRIBUTING.md).
"""

from __future__ import annotations

from collections.abc import Iterable

from editcore.diagnosis import empty, identical
from editcore.text.whitespace import trim
from editcore.tiers import Query, Tier
from editcore.tiers.confidence import certain, weighed
from editcore.tiers.exact import exact, numbered
from editcore.tiers.merging.outcome import several
from editcore.types import Applied, Edit, EditResult, Reason, Rejected

_BLANK = Rejected(Reason.EMPTY, "old_string is blank: give lines that hold some text, or write the whole file.")


def decide(
    tiers: Iterable[tuple[str, Tier]], content: str, edit: Edit, *, whole_lines: bool = False, version: str = "",
    path: str | None = None, literal: bool = False,
) -> EditResult:  # fmt: skip
    """The result of the first tier that applies the edit; otherwise the first refusal by a tier that found something.

    `whole_lines`: search text and new text are whole lines by their format, as in search/replace blocks. An empty
    search text then appends, as in aider; otherwise it fills an empty file. `version` is the cascade's version,
    `path` the name of the file, if known; `literal` as in `Query`.
    """
    query = Query(content, edit, whole_lines=whole_lines, version=version, path=path, literal=literal)
    refusal = _refused_by_all(query)
    if refusal is not None:
        is_appended = not query.old.text and (whole_lines or not content)
        return _appended(query) if is_appended and refusal.reason is Reason.EMPTY else refusal
    if edit.occurrence is not None and not edit.replace_all:
        result = numbered(query, edit.occurrence)
        if result is not None:
            return result
    for _, tier in tiers:
        result = tier(query)
        if isinstance(result, Applied):
            if result.replacer == "exact":
                return result
            if not _fits_again(query, result):
                return weighed(query, result)
            result = _fitting_again(result)
        if result and result.reason is Reason.IDENTICAL:
            # Where the edit was made before, no later tier looks for another place.
            return result
        refusal = refusal or result
    if refusal:
        return refusal
    from editcore.tiers.advice import not_found  # Nine of ten edits are applied.

    return not_found(query)


def _fits_again(query: Query, result: Applied) -> bool:
    """True if an insertion's search text, which was not exact, is exact in the text after the edit.

    The same edit, sent again, would then be made a second time.
    """
    core = query.old.text.strip("\n")
    if query.whole_lines or result.content is None or core not in query.new.text:
        return False
    return isinstance(exact(Query(result.content, query.edit)), Applied)


def _fitting_again(result: Applied) -> Rejected:
    return Rejected(
        Reason.NO_MATCH,
        "old_string was found only by forgiving how it is written, and after the edit it would fit there again: copy "
        "it exactly, with lines around it.",
        result.matches,
    )


def _refused_by_all(query: Query) -> Rejected | None:
    """The refusal of an edit that no tier may apply."""
    old, places = query.old.text, query.exact_places
    if old == query.new.text:
        return identical()
    if not old:
        return empty()
    if not trim(old):
        return _BLANK
    if query.is_ambiguous and not query.edit.replace_all and query.edit.occurrence is None:
        from editcore.tiers.advice import with_advice

        spans = [(at, at + len(old)) for at in places]
        return with_advice(query, several(query, spans, "exact"), spans)
    return None


def _appended(query: Query) -> EditResult:
    """The new lines below the last line; for an edit that is not of whole lines, the content of an empty file."""
    view, new = query.view, query.new.text
    end = len(view.text)
    if ((view.text or query.whole_lines) and not trim(view.text)) or not trim(new):
        return empty()
    ends_its_line = not view.text or view.text.endswith("\n")
    content = view.with_text((end, end, new if ends_its_line else "\n" + new))
    return Applied(content, (view.match(end, end, "append"),), "append", evidence=certain("append", query.version))
