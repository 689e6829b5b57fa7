"""The text cases of the tests as samples, for the kit: of each rule those in its folders, by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from corpora.sample import Format, Sample
from docs.studies import ROOT
from editcore.types import Edit, File
from tests.editcore.anchors.test_cases import call_of
from tests.editcore.replacers.test_cases import read_case as read_pair
from tests.patch_cases import case_of
from tests.rule_cases import read_rule_case

_PATH = "f"


def text_cases(rule: str) -> Iterator[tuple[str, Sample]]:
    """(`FOLDER/NAME`, sample) of the text cases of a rule; of ambiguous ones also with the number of a place."""
    for folder, read in _FOLDERS.get(rule, ()):
        for path in sorted((ROOT / "tests" / "cases" / folder).glob("*.txt")):
            sample, name = read(path), f"{folder}/{path.stem}"
            yield name, sample
            yield from ((name, one) for one in _numbered(sample))


def _numbered(sample: Sample) -> Iterator[Sample]:
    """The sample with its only edit for one of several exact places."""
    for edit in sample.edits or ():
        if edit.old_string and sample.before[0].content.count(edit.old_string) > 1 and not edit.replace_all:
            for number in (1, 2, -1, 9):
                yield replace(sample, edits=(replace(edit, occurrence=number),))


def _pair(path: Path) -> Sample:
    case = read_pair(path.read_text("utf-8"))
    edit = Edit(case.texts["old"], case.texts["new"], case.replace_all)
    return Sample("", "str_replace", (File(_PATH, case.texts["content"]),), "unlabelled", edits=(edit,))


def _stale(path: Path) -> Sample:
    comments, texts, _ = read_rule_case(path.read_text("utf-8"), files=("seen", "content"), strings=("old", "new"))
    edit = Edit(texts["old"], texts["new"], "replace_all" in comments)
    before, seen = ((File(_PATH, texts[name]),) for name in ("content", "seen"))
    return Sample("", "str_replace", before, "unlabelled", edits=(edit,), seen=seen)


def _anchored(path: Path) -> Sample:
    comments, texts, _ = read_rule_case(path.read_text("utf-8"), files=("seen", "content"), strings=("call",))
    format: Format = comments[0]  # type: ignore[assignment]
    seen = (File("a.py", texts["seen"]),) if "seen" in texts else None
    call = call_of(format, texts["call"], texts.get("seen", texts["content"]))
    return Sample("", format, (File("a.py", texts["content"]),), "unlabelled", patch=call, seen=seen)


def _patch(format: Format) -> Callable[[Path], Sample]:
    def read(path: Path) -> Sample:
        case = case_of(path)
        before = tuple(File(name, text) for name, text in case.files.items())
        return Sample("", format, before, "unlabelled", patch=case.patch)

    return read


_FOLDERS: Mapping[str, tuple[tuple[str, Callable[[Path], Sample]], ...]] = {
    "cascade/recommended": (("tiers", _pair), ("replace", _pair)),
    "unified_diff/tolerant": (("unified_diff", _patch("unified_diff")),),
    "begin_patch/lenient": (("begin_patch", _patch("begin_patch")),),
    "stale/recommended": (("stale", _stale),),
    "anchors/recommended": (("anchors", _anchored),),
}
