"""Defects with names: what programs do wrong with a model's edit, each as the smallest sample that shows it.

`EG-0005` is one of them: "A block is replaced whose first and last lines are the search text's, whatever is between."
The table is data/defects.toml, whose head explains its fields. Its samples are the corpus `defects`, in which an id is
the sample's id.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import xxhash

from corpora.cache_folder import cache_folder
from corpora.sample import Provenance, Sample, encode, validated
from editcore.text.encodings import faithful
from editcore.types import Edit, File

TABLE = Path(__file__).parent / "data" / "defects.toml"
TAG = "defect:"
"""The start of a sample's tag that names the defect which the sample shows."""
MECHANISMS: Mapping[str, str] = MappingProxyType({
    "no_uniqueness": "A comparison finds several places, and one of them is taken.",
    "anchors_of_a_block": "Only the first and the last line of a block are compared.",
    "similarity": "A text that is similar enough is taken for the search text.",
    "context_ignored": "Context lines that differ do not count.",
    "numbers_and_anchors": "A number, a line after `@@` or a mark that says where a hunk belongs is ignored.",
    "indentation": "New lines get another indentation than the lines around them.",
    "folding": "The file is compared in a simpler form, and written in it.",
    "context_rewritten": "Kept lines are written as the edit has them.",
    "escapes": "The edit was encoded once too often, and is decoded in part.",
    "replacement_pattern": "The new text is read as a pattern.",
    "endings": "Line endings, the last line feed, a byte order mark or an encoding change outside of the edit.",
    "joined_lines": "The replaced text is longer or shorter than the text that was meant.",
    "empty_text": "A search text without letters is found everywhere.",
    "pasted": "Marks of a listing are taken for text.",
    "grammar": "A line of text is taken for a part of the format.",
    "dropped_lines": "Lines of a patch are passed over in silence.",
    "files": "Sections that add, move or repeat a file lose text.",
    "half_made": "A part of the edit fails, and the rest is made.",
    "stale": "The edit is made in a text that its model never saw.",
    "needless_refusal": "An edit with one certain place is refused.",
})  # fmt: skip
"""Mechanism -> one sentence."""


@dataclass(frozen=True, slots=True)
class Defect:
    """One way to apply an edit wrongly."""

    id: str
    """`EG-` and four digits; stays, and is never given again."""
    title: str
    """One sentence about a program that has the defect."""
    mechanism: str
    """A key of `MECHANISMS`."""
    why: str
    """What is right, and why."""
    found: Literal["fuzz", "study", "peer", "source", "report"]
    """How it was found: by fuzzing, in recorded edits, beside the program, in its source, or in a project's report."""
    harm: Literal["wrong", "refused"]
    """wrong: a program has the defect if it writes wrong text. refused: also if it refuses."""
    report: str | None
    """The project's own report, if one is known."""
    fuzz: tuple[str, ...]
    """The fuzzer's rows and properties whose violations in the sample's format show the defect: `two_places`; or
    `crlf: line endings` where only one kind of difference does.
    """
    sample: Sample


@cache
def defects() -> Mapping[str, Defect]:
    """Every defect, by id, in the order of the table. Raises ValueError for a table with a mistake."""
    found: dict[str, Defect] = {}
    for row in tomllib.loads(TABLE.read_text("utf-8"))["defects"]:
        defect = _defect(row)
        if defect.id in found or defect.mechanism not in MECHANISMS or row:
            raise ValueError(f"{defect.id}: an id or a mechanism that is not right, or unknown fields {sorted(row)}")
        found[defect.id] = defect
    return MappingProxyType(found)


def _defect(row: dict[str, Any]) -> Defect:
    """The defect of a row, from which every field is taken."""
    fields = {name: row.pop(name) for name in ("id", "title", "mechanism", "why", "found")}
    return Defect(
        **fields, harm=row.pop("harm", "wrong"), report=row.pop("report", None), fuzz=tuple(row.pop("fuzz", ())),
        sample=_sample(fields, row),
    )  # fmt: skip


def _sample(fields: Mapping[str, str], row: dict[str, Any]) -> Sample:
    path, encoding = row.pop("path", "app.py"), row.pop("encoding", None)

    def files(name: str) -> tuple[File, ...] | None:
        value = row.pop(name, None)
        if value is None:
            return None
        texts = value if isinstance(value, dict) else {path: value}
        return tuple(_file(one, text, encoding) for one, text in texts.items())

    pairs = [{"old": row.pop("old"), "new": row.pop("new")}] if "old" in row else row.pop("edits", [])
    before, target, also = files("before") or (), files("after"), files("also")
    sample = Sample(
        fields["id"], row.pop("format", "str_replace"), before, "refuse" if target is None else "apply",
        edits=tuple(Edit(one["old"], one["new"], one.get("all", False)) for one in pairs) or None,
        patch=row.pop("patch", None), line=row.pop("line", None), target=target,
        alternatives=None if also is None else (also,), label_source="by_hand",
        tags=(f"{TAG}{fields['id']}", f"mechanism:{fields['mechanism']}"), provenance=Provenance(license="MIT"),
        seen=files("seen"),
    )  # fmt: skip
    return validated(sample)


def _file(path: str, text: str, encoding: str | None) -> File:
    if encoding is None:
        return File(path, text)
    raw = text.encode(encoding)
    return File(path, faithful(raw, encoding), raw=raw, encoding=encoding)


def shown_by(format: str, names: frozenset[str]) -> list[Defect]:
    """The defects that a violation by these names shows, in a sample of a format."""
    return [one for one in defects().values() if one.sample.format == format and not names.isdisjoint(one.fuzz)]


def page_of(one: Defect) -> str:
    """The place of a defect in the documentation."""
    return f"docs/defects/{one.mechanism}.md#{one.id.lower()}"


def defects_file() -> Path:
    """The corpus file of the defects' samples, in the cache folder."""
    text = "".join(f"{encode(one.sample)}\n" for one in defects().values())
    path = cache_folder() / f"defects-{xxhash.xxh3_64_hexdigest(text.encode())[:12]}.jsonl"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_text(text, "utf-8")
        partial.replace(path)
    return path
