"""Fuzz inputs: the fields that bytes encode, and the sample that fields make.

An input is a few texts separated by the byte 0x1e, in UTF-8 (lone surrogates included). `cat` shows it, libFuzzer can
cut and splice it, and every byte sequence is an input. A drawn input has its answer behind its fields:

    fields    *** Begin Patch...    f    a\nb\n    \x1d5c1f...    {"rights": [[["f", "a\nB\n"]]], "damage": ""}
              the patch             the files       a checksum     what the patch means

An answer holds for exactly the fields in front of it. If a mutation changes one of them, the checksum says so, and the
input is one without an answer.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import xxhash

from corpora.sample import Format, Label, Provenance, Sample
from editcore import formats
from editcore.types import Edit, File

SEPARATOR = "\x1e"

Fields = tuple[str, ...]

PATH = "f"
"""The path of the only file of an input without path fields."""

_NOBODY = Provenance()


def fields_in(data: bytes) -> Fields:
    """The fields that bytes encode. Never raises."""
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "surrogateescape")
    return tuple(text.split(SEPARATOR))


def bytes_of(fields: Sequence[str]) -> bytes:
    """The bytes that encode fields. Separators within a field are removed."""
    return SEPARATOR.join([field.replace(SEPARATOR, "") for field in fields]).encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Meant:
    """The answer of a drawn input."""

    rights: tuple[tuple[File, ...], ...]
    """The right results, each with all files, in the order of preference; none for an edit that must be refused."""
    damage: str = ""
    """The row of the table that made the input hard. An input with a row and right results may be refused too."""


_ANSWER = "\x1d"
"""The first character of the field between an input and its answer."""


def answered(fields: Fields, meant: Meant) -> Fields:
    """The fields with their answer behind them."""
    rights = [[[file.path, file.content] for file in files] for files in meant.rights]
    answer = _written({"rights": rights, "damage": meant.damage})
    made = (*fields, _ANSWER + _checksum(fields, answer), answer)
    _drawn_last.append((made, meant))
    return made


_drawn_last: deque[tuple[Fields, Meant]] = deque(maxlen=4)
"""Inputs with answers that were just drawn, and need not be read again."""


def _written(answer: Mapping[str, object]) -> str:
    try:
        return msgspec.json.encode(answer).decode()  # Ten times as fast as `json`, which takes lone surrogates.
    except UnicodeEncodeError:
        return json.dumps(answer)


def question_of(fields: Fields) -> Fields:
    """The fields without an answer."""
    return fields[:-2] if len(fields) > 2 and fields[-2][:1] == _ANSWER else fields


def meant_of(fields: Fields) -> Meant | None:
    """The answer of an input; None if it has none, or if the input was changed since it was drawn."""
    for made, meant in _drawn_last:
        if made is fields:
            return meant
    question = question_of(fields)
    if question is fields or fields[-2][1:] != _checksum(question, fields[-1]):
        return None
    raw = _read(fields[-1])
    rights = tuple(tuple(File(path, content) for path, content in files) for files in raw["rights"])
    return Meant(rights, raw["damage"])


def _read(answer: str) -> Any:
    try:
        return msgspec.json.decode(answer)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return json.loads(answer)


def _checksum(fields: Fields, answer: str) -> str:
    return xxhash.xxh3_64_hexdigest(SEPARATOR.join((*fields, answer)).encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of the inputs of one format."""

    names: tuple[str, ...]
    """The name of each field. If the last two are `path` and `content`, they repeat."""
    sample: Callable[[Fields], Sample | None]
    """The sample that fields make; None if they make none."""
    fields: Callable[[Sample], Fields | None]
    """The fields of a sample; None if it cannot be expressed in fields."""


def _plain(format: Format, content: str, **rest: Any) -> Sample:
    return Sample("input", format, (File(PATH, content),), "unlabelled", provenance=_NOBODY, **rest)


def _str_replace(fields: Fields) -> Sample | None:
    if len(fields) < 3:
        return None
    pairs = zip(fields[1::3], fields[2::3], (*fields[3::3], ""), strict=False)
    return _plain("str_replace", fields[0], edits=tuple([Edit(old, new, flag == "all") for old, new, flag in pairs]))


def _from_str_replace(sample: Sample) -> Fields | None:
    if len(sample.before) != 1 or not sample.edits:
        return None
    pairs = [(one.old_string, one.new_string, "all" if one.replace_all else "") for one in sample.edits]
    fields = (sample.before[0].content, *[text for pair in pairs for text in pair])
    return fields if fields[-1] else fields[:-1]


def _patch(format: Format) -> Callable[[Fields], Sample | None]:
    def sample(fields: Fields) -> Sample | None:
        # If a path occurs twice, the last content counts: a tree holds each path once.
        files = dict(zip(fields[1::2], fields[2::2], strict=False))
        before = tuple([File(path, content) for path, content in files.items()])
        return Sample("input", format, before, "unlabelled", patch=fields[0], provenance=_NOBODY)

    return sample


def _from_patch(sample: Sample) -> Fields | None:
    if sample.patch is None:
        return None
    return (sample.patch, *[text for file in sample.before for text in (file.path, file.content)])


def _numbered(format: Format, n: int) -> Callable[[Fields], Sample | None]:
    def sample(fields: Fields) -> Sample | None:
        numbers = [_number(field) for field in fields[1 : n + 1]]
        if len(fields) < n + 2 or None in numbers:
            return None
        line, end_line = numbers[0], numbers[1] if n > 1 else None
        return _plain(format, fields[0], line=line, end_line=end_line, patch=fields[n + 1])

    return sample


def _from_numbered(sample: Sample) -> Fields | None:
    if len(sample.before) != 1 or sample.patch is None:
        return None
    numbers = [str(number) for number in (sample.line, sample.end_line) if number is not None]
    return (sample.before[0].content, *numbers, sample.patch)


def _number(text: str) -> int | None:
    """The integer in a field; None for any other text, and for ten digits or more."""
    return int(text) if len(text) < 10 and text.removeprefix("-").isdecimal() else None


def _anchored(format: Format) -> Callable[[Fields], Sample | None]:
    def sample(fields: Fields) -> Sample | None:
        if len(fields) < 2:
            return None
        seen = (File(PATH, fields[2]),) if len(fields) > 2 else None
        return _plain(format, fields[1], patch=fields[0], seen=seen)

    return sample


def _from_anchored(sample: Sample) -> Fields | None:
    if len(sample.before) != 1 or sample.patch is None or len(sample.seen or ()) > 1:
        return None
    patch = sample.patch.replace(sample.before[0].path, PATH)  # The only file has this name among inputs.
    return (patch, sample.before[0].content, *(file.content for file in sample.seen or ()))


def _form(one: formats.Format) -> Form:
    """The fields of inputs in a format: a file's text and its edit, or a patch and its files."""
    if "line" in one.fields:
        numbers = [name for name in one.fields if name != "patch"]
        return Form(("content", *numbers, "text"), _numbered(one.name, len(numbers)), _from_numbered)
    if one.view:
        return Form(("call", "content", "seen"), _anchored(one.name), _from_anchored)
    return Form(("patch", "path", "content"), _patch(one.name), _from_patch)


@cache
def _by(damage: str) -> Provenance:
    return Provenance(mutator=damage or None)


def _with_answers(form: Form) -> Form:
    """The form of inputs that may have answers: their samples have labels."""

    def sample(fields: Fields) -> Sample | None:
        plain = form.sample(question_of(fields))
        meant = meant_of(fields)
        if plain is None or meant is None:
            return plain
        label: Label = "apply" if meant.rights else "refuse"
        right, others = (meant.rights or (None,))[0], meant.rights[1:] or None
        # By all of its fields: `replace` takes as long as the rest.
        return Sample(
            plain.id, plain.format, plain.before, label, plain.edits, plain.patch, plain.line, plain.end_line, right,
            alternatives=others, seen=plain.seen, provenance=_by(meant.damage),
        )  # fmt: skip

    def fields(sample: Sample) -> Fields | None:
        plain = form.fields(sample)
        if plain is None or sample.label == "unlabelled":
            return plain
        rights = () if sample.target is None else (sample.target, *(sample.alternatives or ()))
        return answered(plain, Meant(rights, sample.provenance.mutator or ""))

    return Form(form.names, sample, fields)


_STR_REPLACE = Form(("content", "old_string", "new_string", "flags"), _str_replace, _from_str_replace)

FORMS: Mapping[str, Form] = {
    name: _with_answers(_STR_REPLACE if name == "str_replace" else _form(one)) for name, one in formats.FORMATS.items()
}
"""Format -> the fields of its inputs."""


def can_be_written(fields: Fields, format: str) -> bool:
    """True if programs and tools can be given the input: files on a disk, in UTF-8, with plain ASCII names."""
    if any("\ud800" <= letter <= "\udfff" for field in fields for letter in field):
        return False
    paths = question_of(fields)[1::2] if FORMS[format].names[-2:] == ("path", "content") else ()
    return all(path.isascii() and path.replace(".", "").isalnum() for path in paths)


# The inputs that ship as a start for a target or a format: `seeds/NAME.jsonl` has an object with `name` and `fields` on
# each line.


def slug(target: str) -> str:
    """A target's name as the name of a file or folder; never a hidden name, `.` or `..`."""
    return re.sub(r"[^\w.@+-]+|^\.+", "-", target)


def seeds_file(name: str) -> Path:
    return Path(__file__).with_name("seeds") / f"{slug(name)}.jsonl"


@cache
def shipped_seeds(name: str) -> Mapping[str, Fields]:
    """Seed name -> fields, for a target or a format, in the order of the file; empty without a file."""
    path = seeds_file(name)
    rows = [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
    return MappingProxyType({row["name"]: tuple(row["fields"]) for row in rows})
