"""Properties of edits by search text and new text."""

from __future__ import annotations

from corpora.sample import Sample
from editcore.quoting import quoted
from editcore.replacers import REPLACERS
from editcore.replacers.size_guard import SizeGuard
from editcore.text.diff import common_prefix, common_suffix
from editcore.text.document import Document
from editcore.text.lines import BOM
from editcore.text.whitespace import trim
from editcore.types import Applied, EditResult, Rejected
from harness.fuzz.properties.patching import bom_kept
from harness.fuzz.properties.property import (
    BY_RECOMMENDED,
    Apply,
    Property,
    only_edit,
    text_after,
    texts_of,
    with_texts,
)

_DOORS = ("tool/edit", "tool/edit@*", "tool/multi_edit", "documents/str_replace")
"""Tools that find the place by a cascade."""
_REPLACES = ("tier/*", "cascade/*", "replacer/*", "search_replace/*", *_DOORS, "tool/edit_file", "cmd/*", "peer/*")
_CASCADES = ("cascade/*", "replacer/simple", "search_replace/*", *_DOORS, "cmd/*", "peer/*")
"""Strategies that decide about exact search texts themselves. A replacer alone is one rung of a cascade."""
_CAREFUL = ("tier/*", "cascade/*", "replacer/*", "search_replace/*", *_DOORS, "cmd/*", "peer/*")
"""All strategies but the tool that takes the first of several places, as its description says."""
_MERGES = (*BY_RECOMMENDED, "tier/*")
"""Strategies that merge the edit into its place: see `merging`."""
_UNIQUE = ("tier/*", "cascade/*", "replacer/*", "search_replace/*", *_DOORS)


def _n_exact(content: str, find: str) -> int:
    """The number of exact occurrences, including overlapping ones; 2 stands for more."""
    at = content.find(find)
    return 0 if at < 0 else 1 if content.find(find, at + 1) < 0 else 2


def _replaced_span(content: str, after: str, old: str, new: str) -> tuple[int, int] | None:
    """The span of the content that the new text replaced, with nothing else changed; None if there is none.

    If an occurrence of the search text explains the result, it is the span.
    """
    grown = len(after) - len(content)
    ahead, behind = common_prefix(content, after), common_suffix(content, after)
    found = None
    for start in range(ahead, -1, -1):
        end = start + len(new) - grown
        if start <= end and len(content) - end <= behind and after.startswith(new, start):
            if content[start:end] == old:
                return start, end
            found = found or (start, end)
    return found


def _span(sample: Sample, result: Applied) -> tuple[int, int] | None:
    """The replaced span; None if it was not one span."""
    if len(result.matches) == 1:
        return result.matches[0].start, result.matches[0].end
    return (
        None
        if result.matches
        else _replaced_span(texts_of(sample)[0], text_after(sample, result), *texts_of(sample)[1:])
    )


def _is_alike(sample: Sample, result: Applied) -> bool:
    """True if the replaced text is the search text but for whitespace: a tolerant reading takes one for the other."""
    content, old, _new = texts_of(sample)
    span = _span(sample, result)
    return span is not None and "".join(content[slice(*span)].split()) == "".join(old.split())


def one_span(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """The result is content[:start] + new + content[end:], with the new text exactly as given."""
    if isinstance(result, Rejected) or only_edit(sample).replace_all:
        return None
    content, old, new = texts_of(sample)
    after = text_after(sample, result)
    if result.matches:
        match = result.matches[0]
        if len(result.matches) == 1 and after == content[: match.start] + new + content[match.end :]:
            return None
    elif _replaced_span(content, after, old, new):
        return None
    return f"the result is not the content with the new text in one place: {quoted(after, limit=60)}"


def every_match(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """With replace_all, the result is the content with every match replaced, in order and without overlap."""
    if isinstance(result, Rejected) or not only_edit(sample).replace_all or not result.matches:
        return None
    content, _old, new = texts_of(sample)
    at, pieces = 0, []
    for match in result.matches:
        if not at <= match.start <= match.end <= len(content):
            return f"the matches overlap or leave the content at {match.start}"
        pieces += [content[at : match.start], new]
        at = match.end
    return (
        None
        if "".join(pieces) + content[at:] == text_after(sample, result)
        else "the result is not what the matches say"
    )


def exact_wins(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A search text that occurs exactly once is replaced exactly there."""
    content, old, new = texts_of(sample)
    if not old.strip(BOM) or old == new or _n_exact(content, old) != 1:
        return None  # A byte order mark is no part of the text.
    if isinstance(result, Rejected):
        return f"refused, although the search text occurs exactly once: {result.message}"
    at = content.find(old)
    if text_after(sample, result) == content[:at] + new + content[at + len(old) :]:
        return None
    return f"not replaced at {at}, where the search text occurs"


def exact_ambiguity_refused(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A search text that occurs exactly more than once is refused; no fuzzy replacer decides it."""
    content, old, new = texts_of(sample)
    if (
        isinstance(result, Rejected)
        or only_edit(sample).replace_all
        or not old
        or old == new
        or _n_exact(content, old) < 2
    ):
        return None
    return f"replaced {_replaced_text(sample, result)}, although the search text occurs in several places"


def one_place(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """The replacer that decided offers one text only."""
    if isinstance(result, Rejected) or only_edit(sample).replace_all or result.replacer is None:
        return None
    if result.replacer not in REPLACERS:
        return None
    content, old, _new = texts_of(sample)
    document = Document(content)
    offered = dict.fromkeys(REPLACERS[result.replacer](document, old))
    there = [text for text in offered if text and text in content]
    if len(there) > 1:
        return f"replaced {_replaced_text(sample, result)}, one of {len(there)} texts that {result.replacer} offers"
    return None


def _is_empty(text: str) -> bool:
    """True if a text has nothing but byte order marks."""
    return not text.strip(BOM)


def no_change_refused(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """An edit that changes nothing is refused: an empty search text in a file with text, or a new text equal to it."""
    content, old, new = texts_of(sample)
    if isinstance(result, Rejected) or (old != new and (old or _is_empty(content))):
        return None
    return (
        "applied, although the search text is empty"
        if not old
        else "applied, although the new text equals the search text"
    )


def blank_find_refused(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A search text of whitespace only is refused unless it occurs exactly."""
    content, old, _new = texts_of(sample)
    if isinstance(result, Rejected) or BOM in old or not old or trim(old) or old in content:
        return None
    return f"replaced {_replaced_text(sample, result)} for a search text of whitespace"


def blank_not_taken(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """Blank text is replaced only if the search text is blank."""
    content, old, _new = texts_of(sample)
    if isinstance(result, Rejected) or not trim(old) or only_edit(sample).replace_all:
        return None
    span = _span(sample, result)
    if span is None or trim(content[slice(*span)]):
        return None
    return "replaced whitespace for a search text that has words"


def in_proportion(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """The replaced text is in proportion to the search text, in lines and characters."""
    if isinstance(result, Rejected) or only_edit(sample).replace_all:
        return None
    content, old, _new = texts_of(sample)
    span = _span(sample, result)
    if span is None or not SizeGuard().refuses(content[slice(*span)], old):
        return None
    lines = content[slice(*span)].count("\n") + 1
    return f"replaced {lines} lines for a search text of {old.count(chr(10)) + 1}"


def middle_shared(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """For a search text of three or more lines, the replaced text shares a line of its middle."""
    if isinstance(result, Rejected) or only_edit(sample).replace_all:
        return None
    content, old, _new = texts_of(sample)
    middle = {line for line in map(_squeezed, trim(old).split("\n")[1:-1]) if line}
    span = _span(sample, result)
    if not middle or span is None or old in content:
        return None
    if middle & {_squeezed(line) for line in content[slice(*span)].split("\n")}:
        return None
    return f"replaced {_replaced_text(sample, result)}, which has no line of the middle of the search text"


def _squeezed(line: str) -> str:
    return "".join(line.split()).replace("\\", "")


def final_newline_kept(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A text that ends in a line feed still does, unless the search text ends in whitespace."""
    content, old, new = texts_of(sample)
    if isinstance(result, Rejected) or not content.endswith("\n") or old != old.rstrip():
        return None
    after = text_after(sample, result)
    if after.endswith("\n") or not after or old.endswith("\\n") or new == after:
        return None
    return "the final line feed is gone"


def replaces_all_only_exactly(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """With replace_all, only exact occurrences are replaced."""
    content, old, _new = texts_of(sample)
    if isinstance(result, Rejected) or not only_edit(sample).replace_all or (old and old in content):
        return None
    if _is_empty(content) and _is_empty(old):
        return None
    return f"replaced {len(result.matches)} places, none of which is the search text"


# Relations: a changed sample is applied too


_STRANGERS = "".join(f"unrelated_{n} := stranger({n});\n" for n in range(20))


def unrelated_below(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """Unrelated lines below do not change the result."""
    content, old, new = texts_of(sample)
    if not content.endswith("\n") or not _cannot_match_strangers(content, old):
        return None
    return _same_but_for(apply(with_texts(sample, content + _STRANGERS, old, new)), sample, result, "", _STRANGERS)


def unrelated_above(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """Unrelated lines above do not change the result."""
    content, old, new = texts_of(sample)
    if content[:1] == "\ufeff" or old[:1] in ("\n", "\r") or not _cannot_match_strangers(content, old):
        return None
    return _same_but_for(apply(with_texts(sample, _STRANGERS + content, old, new)), sample, result, _STRANGERS, "")


def _cannot_match_strangers(content: str, old: str) -> bool:
    """True if the unrelated lines cannot match the search text."""
    if "unrelated" in content + old or "stranger" in content + old:
        return False
    return any(trim(line) not in _STRANGERS for line in old.split("\n"))


def _same_but_for(other: EditResult, sample: Sample, result: EditResult, above: str, below: str) -> str | None:
    if isinstance(result, Rejected):
        return None if isinstance(other, Rejected) else "applied among unrelated lines, refused without them"
    if isinstance(other, Rejected):
        return f"refused among unrelated lines: {other.message}"
    if text_after(sample, other) == above + text_after(sample, result) + below:
        return None
    return "replaces another text among unrelated lines"


def indented_copy(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """With a copy of the target at other indentation, the edit is refused or stays at its place.

    The target is what the result says. A span that explains the result may be another one, as where lines repeat.
    """
    if isinstance(result, Rejected) or only_edit(sample).replace_all or len(result.matches) != 1:
        return None
    content, old, new = texts_of(sample)
    target = content[result.matches[0].start : result.matches[0].end]
    if not trim(target):
        return None
    copy = "\n".join([f"      {line}" for line in target.split("\n")])
    other = apply(with_texts(sample, f"{content}\n{copy}\n", old, new))
    if isinstance(other, Rejected):
        return None
    if text_after(sample, other) != f"{text_after(sample, result)}\n{copy}\n":
        return "moves to a copy of its target with other indentation"
    if target != old:
        return "takes one of two places that differ in indentation only, neither of which is the search text"
    return None


def indented_together(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """If file text, search text and new text are indented, the result is the indented result."""
    content, old, new = texts_of(sample)
    texts = (content, old, new)
    if any("\r" in text or text != text.lstrip("\n\t ") or not text.strip(BOM) for text in texts):
        return None
    if old.endswith("\n") != new.endswith("\n") or not _are_lines(content, old):
        return None
    other = apply(with_texts(sample, *map(_indented, texts)))
    if isinstance(result, Rejected):
        return None if isinstance(other, Rejected) else "applied if indented, refused if not"
    if isinstance(other, Rejected):
        return f"refused if indented, applied if not: {other.message}"
    if text_after(sample, other) != _indented(text_after(sample, result)):
        return "makes another change to the indented file"
    return None


def _are_lines(content: str, old: str) -> bool:
    """True if the search text is whole lines wherever it occurs: indenting then keeps its meaning."""
    return f"\n{content}\n".count(old) == f"\n{content}\n".count("\n" + old.removesuffix("\n") + "\n") > 0


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" if line else line for line in text.split("\n"))


def removed_target_refused(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """If the only exact occurrence is removed from the file, the edit takes no place that differs in its words."""
    content, old, new = texts_of(sample)
    if isinstance(result, Rejected) or not trim(old) or old == new or _n_exact(content, old) != 1:
        return None
    at = content.find(old)
    without = content[:at] + content[at + len(old) :]
    if old in without:
        return None
    removed = with_texts(sample, without, old, new)
    other = apply(removed)
    if isinstance(other, Rejected) or _is_alike(removed, other):
        return None
    return f"with its target gone, the edit takes {_replaced_text(removed, other)}"


def more_context_kept(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """An exact, unique search text stays so if the next line is added to it and to the new text."""
    content, old, new = texts_of(sample)
    if isinstance(result, Rejected) or not old or old == new or _n_exact(content, old) != 1:
        return None
    end = content.find(old) + len(old)
    more = content[end : content.find("\n", end + 1) + 1 or len(content)]
    if not more:
        return None
    other = apply(with_texts(sample, content, old + more, new + more))
    if isinstance(other, Applied) and text_after(sample, other) == text_after(sample, result):
        return None
    return "more context changes the result"


def second_refused(apply: Apply, sample: Sample, result: EditResult) -> str | None:
    """An edit whose search text is gone is refused on its own result, unless a place is alike but for whitespace."""
    content, old, new = texts_of(sample)
    if isinstance(result, Rejected) or old == new:
        return None
    after = text_after(sample, result)
    if old in after or after == content:
        return None
    again = with_texts(sample, after, old, new)
    other = apply(again)
    if isinstance(other, Rejected) or _is_alike(again, other):
        return None
    return f"applied a second time, to {_replaced_text(again, other)}, although the search text is not in the result"


_FORMATS = frozenset({"str_replace"})


def _replaced_text(sample: Sample, result: Applied) -> str:
    span = _span(sample, result)
    return "several places" if span is None else quoted(sample.before[0].content[slice(*span)], limit=40)


PROPERTIES = (
    Property(one_span, _FORMATS, _REPLACES, except_for=_MERGES),
    Property(every_match, _FORMATS, _REPLACES, except_for=_MERGES),
    Property(exact_wins, _FORMATS, _CASCADES, except_for=_MERGES),
    Property(exact_ambiguity_refused, _FORMATS, _CAREFUL, except_for=_MERGES),
    Property(one_place, _FORMATS, _UNIQUE),
    Property(no_change_refused, _FORMATS, _REPLACES),
    Property(blank_find_refused, _FORMATS, _REPLACES),
    Property(blank_not_taken, _FORMATS, _REPLACES),
    Property(in_proportion, _FORMATS, _REPLACES, except_for=_MERGES),
    Property(middle_shared, _FORMATS, _REPLACES, except_for=_MERGES),
    Property(final_newline_kept, _FORMATS, _REPLACES, except_for=_MERGES),
    Property(replaces_all_only_exactly, _FORMATS, _REPLACES, except_for=_MERGES),
    Property(bom_kept, _FORMATS, _REPLACES),
    Property(unrelated_below, _FORMATS, _CAREFUL, except_for=_MERGES, applies_again=True),
    Property(unrelated_above, _FORMATS, _CAREFUL, except_for=_MERGES, applies_again=True),
    Property(indented_copy, _FORMATS, _CAREFUL, except_for=_MERGES, applies_again=True),
    Property(indented_together, _FORMATS, _CASCADES, except_for=_MERGES, applies_again=True),
    Property(removed_target_refused, _FORMATS, _REPLACES, except_for=_MERGES, applies_again=True),
    Property(more_context_kept, _FORMATS, _CASCADES, except_for=_MERGES, applies_again=True),
    Property(second_refused, _FORMATS, _REPLACES, except_for=_MERGES, applies_again=True),
)
