"""Scrubbing: remove secrets, e-mail addresses, home paths, host names and lone surrogates from samples.

Each match of a rule of `corpora.scrubbing` is replaced by a stand-in, and the same secret is replaced in the whole
sample, so that an edit still matches its file. A sample is dropped if that would change the meaning of the edit, or
if a rule still matches afterwards.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import xxhash

from corpora.sample import Provenance, Sample, right_answers, with_files
from corpora.scrubbing.look import look
from corpora.scrubbing.rule import REDACTED, looks_random
from editcore.text.encodings import is_kept, kept_apart, with_text
from editcore.types import Edit, File

_CUT = 8
"""The number of characters by which a secret is recognized that an edit cuts off."""
_MOST_SECRETS = 100
"""The greatest number of distinct secrets of a sample. Each is searched for in every text; more are a dump."""
_MOST_TEXT = 64_000_000
"""The number of characters up to which edits may let a file grow while relations are compared."""


class Scrubbed(NamedTuple):
    """The result of scrubbing a sample."""

    sample: Sample | None
    """None if the sample must be dropped."""
    found: Counter[str]
    """The number of replacements, by kind."""
    why_not: str = ""
    n_placeholders: int = 0
    """The number of distinct values that look like passwords, and are kept as placeholders."""


def scrub(sample: Sample) -> Scrubbed:
    """The sample without secrets and personal data, or the reason why it is dropped."""
    looks = [look(text) for text in texts_of(sample)]
    found = Counter(kind for one in looks for kind in one.found)
    n_placeholders = len(frozenset[str]().union(*(one.placeholders for one in looks)))
    if not found:
        return Scrubbed(sample, found, n_placeholders=n_placeholders)
    secrets = sorted({secret for one in looks for secret in one.secrets}, key=len, reverse=True)
    if len(secrets) > _MOST_SECRETS:
        return Scrubbed(None, found, f"over {_MOST_SECRETS} secrets")

    # A random text is a secret within a word, too.
    patterns = [(one, None if looks_random(one) else re.compile(rf"(?<!\w){re.escape(one)}(?!\w)")) for one in secrets]

    def clean(text: str) -> str:
        text = look(text).text
        for secret, words in patterns:
            text = text.replace(secret, REDACTED) if words is None else words.sub(REDACTED, text)
        return text

    cleaned = _each_text(sample, clean)
    if found["surrogate"]:
        cleaned = replace(cleaned, tags=(*cleaned.tags, "surrogates:replaced"))
    if any(_is_cut(secret, text) for secret in secrets for text in _ends(sample)):
        return Scrubbed(None, found, "a secret is cut off")
    if _relations(sample) != _relations(cleaned):
        return Scrubbed(None, found, "scrubbing would change what the edit says")
    if left := next((kind for text in texts_of(cleaned) for kind in look(text).found), None):
        return Scrubbed(None, found, f"still looks secret: {left}")
    return Scrubbed(cleaned, found, n_placeholders=n_placeholders)


def _ends(sample: Sample) -> Iterator[str]:
    """The texts whose ends the model chose."""
    for edit in sample.edits or ():
        yield edit.old_string
        yield edit.new_string
    yield from (sample.patch or "").split("\n")


def _is_cut(secret: str, text: str) -> bool:
    """True if a text begins or ends within a secret."""
    head, tail = secret[:_CUT], secret[-_CUT:]
    begins, ends = text.rfind(head), text.find(tail)
    in_the_end = begins >= 0 and secret not in text[begins:] and secret.startswith(text[begins:])
    in_the_beginning = ends >= 0 and secret not in text[: ends + _CUT] and secret.endswith(text[: ends + _CUT])
    return in_the_end or in_the_beginning


def texts_of(sample: Sample) -> list[str]:
    """Every text of a sample: files and their paths, edits, patch, id, tags, provenance."""
    found: list[str] = []

    def keep(text: str) -> str:
        found.append(text)
        return text

    _each_text(sample, keep)
    return found


def _each_text(sample: Sample, change: Callable[[str], str]) -> Sample:
    """The sample in which every text is replaced by `change(text)`."""

    def changed_file(file: File) -> File:
        path = change(file.path)
        if file.raw is None:
            return File(path, change(file.content))
        pieces = [piece if piece and is_kept(piece[0]) else change(piece) for piece in kept_apart(file.content)]
        return replace(with_text(file, "".join(pieces)), path=path)

    def edits(given: tuple[Edit, ...]) -> tuple[Edit, ...]:
        return tuple(
            Edit(change(edit.old_string), change(edit.new_string), edit.replace_all, edit.occurrence) for edit in given
        )

    return replace(
        with_files(sample, changed_file), id=_changed_id(sample.id, change),
        seen_lines=sample.seen_lines and tuple(replace(one, path=change(one.path)) for one in sample.seen_lines),
        edits=sample.edits and edits(sample.edits), patch=None if sample.patch is None else change(sample.patch),
        label_source=sample.label_source and change(sample.label_source),
        tags=tuple(_changed_tag(tag, change) for tag in sample.tags),
        provenance=_changed_provenance(sample.provenance, change),
    )  # fmt: skip


def _changed_provenance(provenance: Provenance, change: Callable[[str], str]) -> Provenance:
    names = ("agent", "model", "repo", "commit", "license", "recorded_outcome", "recorded_error", "mutator")
    values: dict[str, Any] = {name: change(value) for name in names if (value := getattr(provenance, name))}
    if provenance.parent_id:
        values["parent_id"] = _changed_id(provenance.parent_id, change)
    return replace(provenance, **values)


def _changed_tag(tag: str, change: Callable[[str], str]) -> str:
    word, colon, rest = tag.partition(":")
    return word + colon + _changed_id(rest, change) if word == "twin" else change(tag)


def _changed_id(name: str, change: Callable[[str], str]) -> str:
    """The changed id, followed by a hash of the original: distinct ids stay distinct."""
    changed = change(name)
    return name if changed == name else f"{changed}-{xxhash.xxh3_64_hexdigest(name.encode('utf-8', 'surrogatepass'))}"


def _relations(sample: Sample) -> list[object]:
    """The relations between the texts of a sample that scrubbing must preserve."""
    found: list[object] = []
    for file in sample.before:
        text = file.content
        for edit in sample.edits or ():
            n = text.count(edit.old_string) if edit.old_string else -1
            found.append((n, edit.old_string == edit.new_string))
            if n * max(len(edit.new_string) - len(edit.old_string), 0) + len(text) > _MOST_TEXT:
                break
            text = text.replace(edit.old_string, edit.new_string) if edit.old_string else text
            found.append([text == after.content for files in right_answers(sample) for after in files])
    before = {file.path: file.content.count("\n") for file in sample.before}
    found.append(list(before.values()))
    found += [[(after.content.count("\n"), after.path in before) for after in files] for files in right_answers(sample)]
    results = [frozenset(files) for files in right_answers(sample)]
    found.append([results.index(one) for one in results])
    for file in sample.seen or ():
        counts = [file.content.count(edit.old_string) if edit.old_string else -1 for edit in sample.edits or ()]
        same = [file == one for one in sample.before]
        found.append((file.content.count("\n"), file.path in before, same, counts))
    if sample.patch:
        lines = {line for file in sample.before for line in file.content.split("\n")}
        found.append([line[1:] in lines for line in sample.patch.split("\n")])
    return found
