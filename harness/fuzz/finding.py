"""Violations of properties, and findings: violations kept as a sample and as a text case."""

from __future__ import annotations

import builtins
import json
import re
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import msgspec
import xxhash

from corpora.defects import TAG, Defect, shown_by
from corpora.regular_file import content
from corpora.sample import LONGEST_NAME, Sample, decode, encode
from editcore.errors import UsageError
from editcore.quoting import printable, quoted
from editcore.types import EditResult, Rejected
from harness.fuzz.inputs import FORMS, Fields
from reports.runs.manifest import write_atomically

RAISES = "never_raises"
SLOW = "within_its_work_bound"
DETERMINISTIC = "deterministic"

Key = tuple[str, str, str]
"""The identity of a finding: target, property and path."""

_OURS = re.compile(r"(editcore|corpora|harness|reports)/")
_FRAMES = 3
_ID = re.compile(r"[\w-]{1,200}")
_LARGEST = 64 << 20
"""The most bytes of a file of findings, which usually has a few kB."""


@dataclass(frozen=True, slots=True)
class Violation:
    property: str
    path: str
    """The decision, or the place of the exception: it distinguishes violations of the same property."""
    detail: str


Got = dict[str, str] | str
"""The files after an edit, path -> text; or the message of a refusal."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation with its smallest input, as findings/ and known.jsonl keep it."""

    target: str
    property: str
    path: str
    detail: str
    fields: Fields
    format: str | None = None
    """The format of the sample that the fields make; None if they make none."""
    id: str = field(default="")
    got: Got | None = None
    """What was made of the input; None if the target makes no files, or where it is not known."""

    def __post_init__(self) -> None:
        if not self.id:
            name = re.sub(r"\W+", "_", f"{self.target}_{self.property}").strip("_")[:150]
            mark = xxhash.xxh3_64_hexdigest("\0".join(self.key).encode("utf-8", "surrogatepass"))[:8]
            object.__setattr__(self, "id", f"{name}-{mark}")

    @builtins.property
    def key(self) -> Key:
        return self.target, self.property, self.path


def decision(result: EditResult) -> str:
    """The cause of a result, in one word: the replacer, the tiers of the landings, or the reason of the refusal."""
    if isinstance(result, Rejected):
        return str(result.reason)
    if result.replacer:
        return result.replacer
    return "+".join(sorted({landing.equality for landing in result.landings})) or "applied"


def raised(error: BaseException) -> Violation:
    """The violation for an exception. Its path names the type and the innermost functions of this project."""
    frames = [
        f"{match[0]}{frame.filename[match.end() :]}:{frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
        if (match := _OURS.search(frame.filename)) and "/fuzz/" not in frame.filename
    ]
    path = " < ".join([type(error).__name__, *frames[: -_FRAMES - 1 : -1]])
    return Violation(RAISES, path, f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")


# In a folder: NAME.jsonl, a sample if the input makes one, and NAME.txt, a text case


def write_finding(finding: Finding, folder: Path) -> Path:
    """Write a finding to a folder, with a text case if it makes a sample; return the file for `fuzz reproduce`.

    Raises UsageError for an id that no finding can have: ids name files.
    """
    if not _ID.fullmatch(finding.id):
        raise UsageError(f"{quoted(finding.id)} cannot name a finding", "Findings without an id are given one.")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{finding.id}.jsonl"
    write_atomically(path, f"{line_of(finding)}\n".encode())
    sample = sample_of(finding)
    if sample is not None:
        write_atomically(folder / f"{finding.id}.txt", text_case(finding, sample).encode())
    return path


def sample_of(finding: Finding) -> Sample | None:
    form = FORMS.get(finding.format or "")
    sample = form.sample(finding.fields) if form else None
    if sample is None:
        return None
    tags = [f"{name}:{getattr(finding, name)}"[:LONGEST_NAME] for name in _TAGGED]
    tags += [f"{TAG}{one.id}" for one in defects_shown(finding, sample)]
    return replace(sample, id=finding.id, tags=tuple(tags))


def defects_shown(finding: Finding, sample: Sample) -> list[Defect]:
    """The named defects that a finding shows, by what was drawn and by the kind of the difference."""
    row, kind = sample.provenance.mutator, finding.detail.partition(":")[0]
    return shown_by(sample.format, frozenset((finding.property, row or "", f"{row}: {kind}")))


def line_of(finding: Finding) -> str:
    """The finding as one line of JSON: a sample, which `editgauge run` takes, if the input makes one."""
    sample = sample_of(finding)
    if sample is not None:
        return encode(sample)
    return json.dumps({name: value for name, value in asdict(finding).items() if name != "got"}, ensure_ascii=True)


def read_findings(path: Path) -> Iterator[Finding]:
    """The findings in a JSONL file. Raises UsageError if it cannot be read or a line is not a finding."""
    try:
        lines = content(path, _LARGEST).splitlines()
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror or error}", "Name a .jsonl file of findings."
        ) from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield _finding_in(line)
            except (ValueError, RecursionError, msgspec.ValidationError) as error:
                raise UsageError(
                    f"{path}:{number} is not a finding: {error}", "Name a .jsonl file that `editgauge fuzz` wrote."
                ) from None


_TAGGED = ("target", "property", "path", "detail")


def _finding_in(line: bytes) -> Finding:
    raw = json.loads(line)
    if isinstance(raw, dict) and "fields" in raw:
        found = msgspec.convert(raw, Finding)
        if found.format is not None and found.format not in FORMS:
            raise ValueError(f"its format {quoted(found.format)} is not known")
        return found
    sample = decode(line)
    tagged = dict(tag.split(":", 1) for tag in sample.tags if ":" in tag)
    if not tagged.keys() >= set(_TAGGED):
        raise ValueError(f"its tags lack one of {', '.join(_TAGGED)}")
    fields = FORMS[sample.format].fields(sample)
    if fields is None:
        raise ValueError("it has more than one edit")
    return Finding(**{name: tagged[name] for name in _TAGGED}, fields=fields, format=sample.format, id=sample.id)


# Text cases, in which invisible characters are drawn


_DRAWN = str.maketrans({"\t": "␉", "\r": "␍"})


def drawn(text: str, *, is_file: bool) -> str:
    """A text as a section of a text case: trailing spaces and invisible characters are drawn as visible ones."""
    text = re.sub(r" (?=\n|\Z)|(?<=\n) (?=\n)", "␠", text)
    text = re.sub(r"^(?=--- |=== )", "<U+200B>", text.translate(_DRAWN), flags=re.MULTILINE)
    ends = text.endswith("\n")
    text = "".join([letter if letter == "\n" or letter.isprintable() else f"<U+{ord(letter):04X}>" for letter in text])
    # A CI system would obey such a line: `printable` escapes its first character.
    text = "\n".join(
        [re.sub(r"[:#]", lambda found: f"<U+{ord(found[0]):04X}>", line) if printable(line) != line else line
         for line in text.split("\n")]
    )  # fmt: skip
    if is_file:
        return text if ends or not text else f"{text}␃\n"
    return f"{text[:-1]}␊\n" if ends else f"{text}\n"


def text_case(finding: Finding, sample: Sample) -> str:
    """The text case of a finding, without its outcome, which must be decided by hand."""
    head = f"# {finding.target} breaks {finding.property}: {finding.detail}\n"
    if sample.edits and sample.format == "str_replace":
        edit = sample.edits[0]
        flags = "# replace_all\n" if edit.replace_all else ""
        body = f"--- content\n{drawn(sample.before[0].content, is_file=True)}"
        body += f"--- old\n{drawn(edit.old_string, is_file=False)}--- new\n{drawn(edit.new_string, is_file=False)}"
        return f"{head}{flags}{body}"
    files = "".join(f"=== {file.path}\n{drawn(file.content, is_file=True)}" for file in sample.before)
    where = (
        f"# line {sample.line}{f' to {sample.end_line}' if sample.end_line else ''}\n"
        if sample.line is not None
        else ""
    )
    return f"{head}{where}{files}=== patch\n{drawn(sample.patch or '', is_file=True)}"
