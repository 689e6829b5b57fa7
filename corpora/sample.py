"""Samples: the files before, an edit as a model wrote it, and the right answer where it is known.

A corpus file has one JSON object per line (UTF-8), or the same as Parquet rows. Decoding is typed: errors name a wrong
field by its path.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec
import xxhash

from editcore.errors import UsageError
from editcore.formats import FORMATS
from editcore.patches.search_replace import Block, edits_of, read_blocks
from editcore.quoting import first_line, quoted
from editcore.text.encodings import ENCODINGS, faithful, shown
from editcore.types import Edit, File, Rejected

if TYPE_CHECKING:
    Format = str
else:
    Format = Literal[tuple(FORMATS)]
"""A name of `FORMATS`; readers of samples refuse any other."""
Label = Literal["apply", "refuse", "unlabelled"]
SEEN_SAME = "seen:same"
"""The tag of a sample whose model saw the files as they are in `before`."""
LARGEST_TEXTS = 32 << 20
"""The most characters of all texts of a sample together."""
MOST_ITEMS = 10_000
"""The most files before, files after, edits and tags of a sample, counted separately."""
MOST_ALTERNATIVES = 100
"""The most alternatives of a sample; a result is compared with each."""
LONGEST_NAME = 200
"""The most characters of an id, of a tag, and of any other value that reports print."""
_LONGEST_UNTYPED = 8 << 20
"""Bytes; decoding without types takes many times the memory of the line."""


T = TypeVar("T")


class SampleError(UsageError):
    """A sample that cannot be read; the message names its place and the wrong field."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a sample. None means unknown."""

    agent: str | None = None
    model: str | None = None
    repo: str | None = None
    """owner/name"""
    commit: str | None = None
    license: str | None = None
    """An SPDX identifier."""
    recorded_outcome: str | None = None
    """What the agent's own tool reported: applied, applied_with_fuzz, no_match, ambiguous, unread, stale, malformed."""
    recorded_error: str | None = None
    parent_id: str | None = None
    """The sample that a mutator made this one from."""
    mutator: str | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class SeenLines:
    """Lines of a file that the model was shown."""

    path: str
    first: int
    """1-based."""
    last: int
    """1-based, inclusive."""


class _Parsed:
    """Cached properties of a sample: they are neither compared nor written nor pickled."""

    __slots__ = ("_blocks", "_has_bytes")
    _blocks: tuple[Block, ...] | Rejected
    _has_bytes: bool


@dataclass(frozen=True, slots=True)
class Sample(_Parsed):
    """One recorded or generated edit attempt."""

    id: str
    """Stable, and unique within a corpus."""
    format: Format
    before: tuple[File, ...]
    """The files before the edit; empty if a patch only creates files."""
    label: Label
    """apply: `target` or one of `alternatives` is the right result; refuse: nothing may change; unlabelled: unknown."""
    edits: tuple[Edit, ...] | None = None
    """In order, all or nothing; for str_replace and search_replace only."""
    patch: str | None = None
    """The text as the model wrote it; for all formats but str_replace."""
    line: int | None = None
    """1-based; insert: after this line, 0 is the top; line_range: the first line replaced."""
    end_line: int | None = None
    """1-based, inclusive; for line_range only."""
    target: tuple[File, ...] | None = None
    """The files after the edit; a file of `before` that is missing here was deleted."""
    alternatives: tuple[tuple[File, ...], ...] | None = None
    """Further right results, each as complete as `target`; with the label apply only."""
    label_source: str | None = None
    """How the label was determined; the values are listed in corpora/README.md."""
    tags: tuple[str, ...] = ()
    """`key:value` or plain words."""
    provenance: Provenance = field(default_factory=Provenance)
    seen: tuple[File, ...] | None = None
    """The files as the model last saw them, if they may differ from `before`: the edit is written against them. None
    if they are equal, which the tag `seen:same` says, or if nobody knows.
    """
    seen_lines: tuple[SeenLines, ...] | None = None
    """The lines that the model was shown of files in `seen`; files that are not listed were shown whole."""

    def __post_init__(self) -> None:
        # An edit does not name its file, so blocks for several files are left to strategies that read the patch.
        if self.format == "search_replace" and self.edits is None and self.patch is not None and len(self.before) == 1:
            found = self.blocks
            if not isinstance(found, Rejected):
                object.__setattr__(self, "edits", edits_of(self.before[0].path, found))

    @property
    def blocks(self) -> tuple[Block, ...] | Rejected:
        """The search/replace blocks of the patch, parsed once; a refusal if there are none or one is malformed."""
        try:
            return self._blocks
        except AttributeError:
            object.__setattr__(self, "_blocks", read_blocks(self.patch or ""))
            return self._blocks

    @property
    def has_bytes(self) -> bool:
        """True if a file of the sample, before the edit, after it or as seen, is not plain UTF-8."""
        try:
            return self._has_bytes
        except AttributeError:
            every = [file for _, files in _named_files(self) for file in files]
            object.__setattr__(
                self, "_has_bytes", any(one.raw is not None or one.encoding is not None for one in every)
            )
            return self._has_bytes


def decode(data: bytes | str) -> Sample:
    """The sample in a line of JSON. Raises ValueError naming the path of a wrong field."""
    return validated(decoded(data, _DECODER, convert, "sample"))


def decoded(data: bytes | str, decoder: msgspec.json.Decoder[T], convert: Callable[[Any], T], kind: str) -> T:
    """The value in a line of JSON; `convert` makes it of plain JSON values. Raises ValueError naming the `kind`."""
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return decoder.decode(data)
    # The other decoder accepts lone surrogates, which agents' logs contain.
    if len(data) > _LONGEST_UNTYPED:
        raise ValueError(f"not a {kind}, or with lone surrogates and over {_LONGEST_UNTYPED >> 20} MB")
    try:
        return convert(json.loads(data))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"not JSON: {error}") from None
    except RecursionError:
        raise ValueError(f"nested too deeply to be a {kind}") from None
    except ValueError as error:
        # For example, an integer with more digits than Python converts.
        raise ValueError(first_line(error)) from None


def convert(raw: Any) -> Sample:
    """The sample in a mapping from JSON or Parquet. Raises ValueError naming the path of a wrong field."""
    if isinstance(raw, dict):
        # In most rows only the outermost fields are null: removing these nulls is enough, and fast.
        with suppress(msgspec.ValidationError):
            return msgspec.convert({key: value for key, value in raw.items() if value is not None}, Sample)
    try:
        return msgspec.convert(_without_nulls(raw), Sample)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


def _without_nulls(raw: Any) -> Any:
    """The value without nulls. In Parquet, every row has the fields that any row has."""
    if isinstance(raw, dict):
        return {key: _without_nulls(value) for key, value in raw.items() if value is not None}
    return [_without_nulls(value) for value in raw] if isinstance(raw, list) else raw


def validated(sample: Sample) -> Sample:
    """The sample itself. Raises ValueError naming the path of a field that is inconsistent or too large."""
    if not sample.id:
        raise ValueError("Expected a non-empty `str` - at `$.id`")
    _check_names(sample)
    if sample.label == "apply" and sample.target is None:
        raise ValueError("Expected the right result, since the label is apply - at `$.target`")
    if sample.label != "apply" and sample.alternatives:
        raise ValueError(f"Expected no right results, since the label is {sample.label} - at `$.alternatives`")
    if sample.format == "str_replace" and not sample.edits:
        raise ValueError("Expected at least one edit - at `$.edits`")
    if sample.format != "str_replace" and sample.patch is None and not sample.edits:
        raise ValueError("Expected the patch as the model wrote it - at `$.patch`")
    if sample.edits and len(sample.before) != 1:
        raise ValueError("Expected exactly one file, since edits name none - at `$.before`")
    for name, files in _named_files(sample):
        if len(files) > 1 and len({file.path for file in files}) != len(files):
            raise ValueError(f"Expected each path once - at `$.{name}`")
    if sample.seen is not None and not {file.path for file in sample.before} & {file.path for file in sample.seen}:
        raise ValueError("Expected the files of `before` as they were seen - at `$.seen`")
    shown = {file.path for file in sample.seen or ()}
    if any(one.path not in shown or not 1 <= one.first <= one.last for one in sample.seen_lines or ()):
        raise ValueError("Expected lines of the files that were seen, counted from 1 - at `$.seen_lines`")
    _check_size(sample)
    return _with_texts(sample) if sample.has_bytes else sample


def with_files(sample: Sample, change: Callable[[File], File]) -> Sample:
    """The sample with `change` applied to each file before, after and as seen."""

    def changed(files: tuple[File, ...]) -> tuple[File, ...]:
        return tuple(map(change, files))

    return replace(
        sample, before=changed(sample.before), target=None if sample.target is None else changed(sample.target),
        alternatives=sample.alternatives and tuple(map(changed, sample.alternatives)),
        seen=None if sample.seen is None else changed(sample.seen),
    )  # fmt: skip


def for_readers(sample: Sample) -> Sample:
    """The sample with U+FFFD in its texts for each invalid byte; the bytes themselves are kept beside the text."""
    return with_files(sample, lambda file: file if file.raw is None else replace(file, content=shown(file.content)))


def _with_texts(sample: Sample) -> Sample:
    """The sample with the exact text of each file that has bytes. Raises ValueError if a given text differs."""
    for name, files in _named_files(sample):
        for file in files:
            _check_bytes(file, name)
    return with_files(
        sample, lambda file: file if file.raw is None else replace(file, content=faithful(file.raw, file.encoding))
    )


def _check_bytes(file: File, name: str) -> None:
    if file.raw is None:
        if file.encoding is not None:
            raise ValueError(f"Expected no encoding of a file without bytes - at `$.{name}.encoding`")
        return
    if file.encoding is not None and file.encoding not in ENCODINGS:
        known = ", ".join(sorted(ENCODINGS))
        raise ValueError(f"Expected an encoding of {known}, not {quoted(file.encoding)} - at `$.{name}.encoding`")
    text = faithful(file.raw, file.encoding)
    if file.content not in (text, shown(text)):
        raise ValueError(f"Expected the text that the bytes have in {file.encoding} - at `$.{name}.content`")


def was_seen(sample: Sample) -> str | None:
    """`same` if the model last saw the files of `before`, `other` if it saw other texts; None if unknown."""
    return how_seen(sample.seen is not None, sample.tags)


def how_seen(differs: bool, tags: Collection[str]) -> str | None:
    """`was_seen` of a sample's parts: `differs` is True if the sample has `seen`."""
    if differs:
        return "other"
    return "same" if SEEN_SAME in tags else None


def right_answers(sample: Sample) -> tuple[tuple[File, ...], ...]:
    """The target, then the alternatives; empty without a target. The label decides what they mean."""
    return () if sample.target is None else (sample.target, *(sample.alternatives or ()))


def _named_files(sample: Sample) -> Iterator[tuple[str, tuple[File, ...]]]:
    """The lists of files of a sample, each with its path in the sample."""
    yield "before", sample.before
    yield "target", sample.target or ()
    for at, files in enumerate(sample.alternatives or ()):
        yield f"alternatives[{at}]", files
    yield "seen", sample.seen or ()


def is_name(text: str) -> bool:
    """True if a text can be an id or a tag: one printable line of at most `LONGEST_NAME` characters."""
    return len(text) <= LONGEST_NAME and text.isprintable()


def _check_names(sample: Sample) -> None:
    """Raise ValueError for an id, a tag or another printed value that is no name."""
    if is_name(sample.id) and all(map(is_name, sample.tags)) and all(map(is_name, _printed(sample))):
        return
    names = [("id", sample.id), *((f"tags[{at}]", tag) for at, tag in enumerate(sample.tags))]
    names += [("label_source or provenance", value) for value in _printed(sample)]
    where, bad = next((where, name) for where, name in names if not is_name(name))
    raise ValueError(f"Expected at most {LONGEST_NAME} characters, all printable, not {quoted(bad)} - at `$.{where}`")


def _printed(sample: Sample) -> list[str]:
    """The values, besides id and tags, by which reports group samples."""
    origin = sample.provenance
    values = (
        sample.label_source, origin.agent, origin.model, origin.repo, origin.commit, origin.license,
        origin.recorded_outcome, origin.parent_id, origin.mutator,
    )  # fmt: skip
    return [value for value in values if value]


def text_size(sample: Sample) -> int:
    """The number of characters of a sample's files, edits and patch."""
    size = len(sample.patch or "")
    for _, files in _named_files(sample):
        for file in files:
            size += len(file.path) + len(file.content) + len(file.raw or b"")
    for edit in sample.edits or ():
        size += len(edit.old_string) + len(edit.new_string)
    return size


def _check_size(sample: Sample) -> None:
    """Raise ValueError for a sample that is too large to be run."""
    if len(sample.alternatives or ()) > MOST_ALTERNATIVES:
        raise ValueError(
            f"Expected at most {MOST_ALTERNATIVES} items, not {len(sample.alternatives or ())} - at `$.alternatives`"
        )
    lists = (("edits", sample.edits or ()), ("tags", sample.tags), ("seen_lines", sample.seen_lines or ()))
    for name, items in (*_named_files(sample), *lists):
        if len(items) > MOST_ITEMS:
            raise ValueError(f"Expected at most {MOST_ITEMS} items, not {len(items)} - at `$.{name}`")
    size = text_size(sample)
    if size > LARGEST_TEXTS:
        raise ValueError(f"the texts have {size} characters; the limit for a sample is {LARGEST_TEXTS}")


_DECODER = msgspec.json.Decoder(Sample)


def encode(sample: Sample) -> str:
    """The sample as one line of JSON without the line feed, in ASCII so that any text survives any program."""
    return json.dumps(plain(sample), ensure_ascii=True, separators=(",", ":"))


def plain(value: Any) -> dict[str, Any]:
    """A dataclass that contains files as JSON data: bytes are base64, and UTF-8 files have none."""
    return asdict(value, dict_factory=_without_absent_bytes)


def _without_absent_bytes(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(fields)
    if "raw" not in found:
        return found
    raw, encoding = found.pop("raw"), found.pop("encoding")
    if raw is None:
        return found
    return found | {"content": shown(found["content"]), "raw": b64encode(raw).decode(), "encoding": encoding}


def fingerprint(sample: Sample) -> int:
    """A 128-bit hash of everything that decides an outcome; tags, provenance and label source are left out."""
    state = xxhash.xxh3_128()
    parts: list[str] = [sample.id, sample.format, sample.label, repr((sample.line, sample.end_line, sample.patch))]
    for edit in sample.edits or ():
        parts += ("edit", edit.old_string, edit.new_string, repr((edit.replace_all, edit.occurrence)))
    for kind, files in _named_files(sample):
        if kind.startswith("alternatives"):
            parts.append(kind)  # An alternative without files is a right result, too.
        for file in files:
            parts += (kind, file.path, file.content)
            if file.raw is not None:
                parts += (file.encoding or "", file.raw.decode("latin-1"))
    if sample.seen_lines:
        parts.append(repr([(one.path, one.first, one.last) for one in sample.seen_lines]))
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.intdigest()


def text_hash(text: str) -> int:
    """A 64-bit hash of a text, which may have lone surrogates."""
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))


def combined_fingerprint(fingerprints: Iterable[int]) -> int:
    """One 128-bit hash of many samples, independent of their order and grouping."""
    return sum(fingerprints) % (1 << 128)
