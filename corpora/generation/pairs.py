"""Samples rewritten in an anchored format, for paired comparisons of formats: the intended change is the same.

A sample can be rewritten if its right answer is certain and all its files exist before the edit. The call changes as
few lines as the diff does, and has the anchors of the files before. A call is dropped unless the rule `strict` makes
the target of it, byte for byte.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from corpora.sample import Format, Sample, validated
from editcore.anchors import apply_anchored
from editcore.anchors.views import changes_between, write_call
from editcore.errors import UsageError
from editcore.formats import ANCHORED_FORMATS
from editcore.types import Rejected

_LONGEST_ID = 180
"""The most characters of an id to which a format's name is appended."""


def anchored_format(name: str) -> Format:
    """The anchored format of that name. Raises UsageError."""
    found = next((format for format in ANCHORED_FORMATS if format == name), None)
    if found is None:
        raise UsageError(f"There is no anchored format {name!r}", f"Choose from: {', '.join(ANCHORED_FORMATS)}.")
    return found


def pairs(samples: Iterable[Sample], formats: Iterable[Format], dropped: Counter[str]) -> Iterator[Sample]:
    """Each sample in each of some formats; `dropped` counts the samples that could not be rewritten, by reason."""
    formats = tuple(formats)
    for sample in samples:
        for format in formats:
            found = written_as(sample, format)
            if isinstance(found, str):
                dropped[found] += 1
            else:
                yield found


def written_as(sample: Sample, format: Format) -> Sample | str:
    """The sample with its change as a call in an anchored format; or the reason why it has none."""
    if sample.label != "apply" or sample.target is None:
        return "no certain target"
    if sample.has_bytes:
        return "files that are not UTF-8"
    before, target = ({file.path: file.content for file in files} for files in (sample.before, sample.target))
    changed = [path for path in before if before[path] != target.get(path)]
    if before.keys() != target.keys() or not changed:
        return "files are made, moved or deleted"
    if len(changed) > 1 and format != "hashline_h4":
        return "several files"
    if len(sample.id) > _LONGEST_ID:
        return "a long id"
    calls = [
        write_call(format, before[path], changes_between(before[path], target[path]), path=path) for path in changed
    ]
    patch = "".join(calls)
    result = apply_anchored(before, patch, format, rule="strict")
    if isinstance(result, Rejected):
        return "not in whole lines"
    if (result.files or {**before, changed[0]: result.content or ""}) != target:
        return "not in whole lines"
    origin = replace(sample.provenance, parent_id=sample.id, mutator=f"as_{format}", recorded_outcome=None)
    return validated(
        replace(
            sample, id=f"{sample.id}:{format}", format=format, edits=None, patch=patch, line=None, end_line=None,
            seen=None, seen_lines=None, provenance=replace(origin, recorded_error=None),
        )
    )  # fmt: skip
