"""Make the kit: `python -m docs.kit` chooses its cases anew, `python -m docs.kit check` compares them with the rules.

    python -m docs.kit coverage      which lines and branches of each rule its cases reach

An answer that changes makes another version of its rule: raise that (`RECOMMENDED` in editcore/cascade.py, else
`VERSIONS` in harness/conform/kit.py), tell of it in CHANGELOG.md, and make the kit anew. `check` asks for all three,
and no kit is made with another answer and the same version.

Candidates are the text cases of the tests, the named defects, samples of `house` with short files, and drawn edits:
intents and contradictions, changes since a text was seen, generated documents. Of each rule first those are chosen that
reach a branch of editcore which no case before them does, short ones first; then others, so that every answer has its
share.
"""

from __future__ import annotations

import json
import lzma
import sqlite3
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from random import Random

import coverage

from corpora.defects import defects
from corpora.generation.pairs import written_as
from corpora.generation.recipes import drawn
from corpora.load import load
from corpora.sample import Format, Sample
from docs.kit_cases import text_cases
from docs.studies import ROOT
from editcore.formats import ANCHORED_FORMATS, FORMATS
from harness.conform.kit import FILE, RULES, VERSIONS, Case, answer_of, case_of, cases, sample_of
from harness.fuzz.generators import GENERATORS
from harness.fuzz.inputs import FORMS, can_be_written
from harness.fuzz.targets.intents import drawn_as, files, made
from harness.strategies.registry import strategy

KIT = ROOT / "harness" / "conform" / FILE
MADE = KIT.with_name("kit_versions.json")
"""The version of each rule of which the stored answers are."""
_QUOTAS = {
    "cascade/recommended": 1600, "search_replace/recommended": 250, "unified_diff/tolerant": 350,
    "begin_patch/lenient": 350, "stale/recommended": 350, "anchors/recommended": 350,
}  # fmt: skip
_FORMATS = {rule: tuple(name for name, one in FORMATS.items() if one.careful == rule) for rule in RULES}
_FORMATS["stale/recommended"] = ("str_replace", "unified_diff", "begin_patch")
_NAMES = ("text_case", "defect")
"""The fields of a case that name it."""
_LONGEST = 3_000
"""Characters of all texts of a case."""
_DRAWS = 6
"""Candidates of a kind, per case of the quota."""


def main() -> None:
    match sys.argv[1:]:
        case ["check"]:
            found = complaints()
            print("\n".join(found) or f"{len(cases()):,} cases have the answers that the kit has")
            sys.exit(bool(found))
        case ["coverage"]:
            print_coverage()
        case ["answer", rule]:
            answer(rule)
        case _:
            make()


def make() -> None:
    """Choose the cases anew. Raises SystemExit where answers changed and the version of their rule did not."""
    known = made_versions()
    changed = [rule for rule in differing() if known.get(rule) == VERSIONS[rule]]
    if changed:
        sys.exit(f"Other answers, but the same version: {', '.join(changed)}. Raise it first.")
    chosen = [case for rule in RULES for case in _chosen(rule)]
    lines = [json.dumps(case, ensure_ascii=True, separators=(",", ":")) for case in chosen]
    KIT.write_bytes(lzma.compress("\n".join(lines).encode("ascii"), preset=9 | lzma.PRESET_EXTREME))
    MADE.write_text(json.dumps(VERSIONS, indent=1) + "\n", encoding="ascii")
    print(f"{len(chosen):,} cases, {KIT.stat().st_size:,} bytes")


def made_versions() -> dict[str, str]:
    """Rule -> the version of which the stored answers are."""
    found: dict[str, str] = json.loads(MADE.read_text("ascii"))
    return found


def complaints() -> list[str]:
    """What is wrong with the kit, a line each."""
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    known = made_versions()
    found = [
        f"{rule} has {len(ids)} other answers ({', '.join(ids[:10])}): that is another version than {known.get(rule)}"
        for rule, ids in differing().items()
    ]
    for rule, version in VERSIONS.items():
        if known.get(rule) != version:
            found.append(f"{rule} is of version {version}, the kit of {known.get(rule)}: python -m docs.kit")
        if f"`{rule} {version}`" not in changelog:
            found.append(f"CHANGELOG.md does not tell of `{rule} {version}`")
    return found


def differing() -> dict[str, list[str]]:
    """Rule -> the ids of its cases to which it gives another answer, or finds another on the way."""
    found = defaultdict[str, list[str]](list)
    for case in cases():
        names = {key: case[key] for key in _NAMES if key in case}
        if case_of(_number(case), case["rule"], sample_of(case), names) != case:
            found[case["rule"]].append(case["id"])
    return dict(found)


def _number(case: Case) -> int:
    return int(case["id"].rpartition("-")[2])


def _chosen(rule: str) -> list[Case]:
    found = sorted(_candidates(rule), key=_size)
    reached, all_arcs = _arcs(rule, found)
    covered: set[tuple[int, int, int]] = set()
    first, rest = list[Sample](), defaultdict[str, list[Sample]](list)
    for at, sample in enumerate(found):
        if reached[at] - covered:
            covered |= reached[at]
            first.append(sample)
        else:
            answer = answer_of(sample, strategy(rule).apply(sample, None))
            rest[answer.get("replacer") or answer.get("reason") or answer["status"]].append(sample)
    for some in rest.values():
        Random(0).shuffle(some)
    more = [sample for row in zip_longest(*rest.values()) for sample in row if sample is not None]
    chosen = [*first, *more][: max(_QUOTAS[rule], len(first))]
    print(f"{rule}: {len(chosen)} of {len(found)} candidates; {len(first)} cover {len(covered)} of {all_arcs} branches")
    # The kit has all text cases and defects: cases that are not chosen come last.
    names: dict[str, dict[str, str]] = {}
    last: dict[str, Sample] = {}
    for key, name, sample in _named(rule):
        names.setdefault(_whole_key(sample), {}).setdefault(key, name)
        last.setdefault(_whole_key(sample), sample)
    for sample in chosen:
        last.pop(_whole_key(sample), None)
    return [case_of(n, rule, sample, names.get(_whole_key(sample), {}))
            for n, sample in enumerate([*chosen, *last.values()])]  # fmt: skip


def _named(rule: str) -> Iterator[tuple[str, str, Sample]]:
    """(key, name, sample) of the text cases of a rule, and of the defects that it could have."""
    yield from (("text_case", name, sample) for name, sample in text_cases(rule) if _is_plain(sample))
    for one in defects().values():
        is_stale = one.sample.seen is not None
        if one.sample.format in _FORMATS[rule] and is_stale == (rule == "stale/recommended") and _is_plain(one.sample):
            yield "defect", one.id, one.sample


def _candidates(rule: str) -> Iterator[Sample]:
    one, seen = strategy(rule), set[str]()
    for sample in _all(rule):
        key = _key(sample)
        if _is_plain(sample) and key not in seen and one.takes(sample):
            seen.add(key)
            yield sample


def _key(sample: Sample) -> str:
    return repr((sample.format, _texts(sample)))


def _whole_key(sample: Sample) -> str:
    before = [(file.path, file.content) for file in (*sample.before, *(sample.seen or ()))]
    return repr((_key(sample), before, [(one.replace_all, one.occurrence) for one in sample.edits or ()]))


def _is_plain(sample: Sample) -> bool:
    """True if a sample is short, and of texts that every JSON reader reads."""
    texts = _texts(sample)
    if sample.has_bytes or sum(map(len, texts)) > _LONGEST:
        return False
    return not any("\ud800" <= one <= "\udfff" for text in texts for one in text)


def _texts(sample: Sample) -> list[str]:
    texts = [*(file.content for file in (*sample.before, *(sample.seen or ()))), sample.patch or ""]
    return texts + [text for edit in sample.edits or () for text in (edit.old_string, edit.new_string)]


def _size(sample: Sample) -> int:
    return sum(len(file.content) for file in sample.before) + len(sample.patch or "")


def _all(rule: str) -> Iterator[Sample]:
    for number, format in enumerate(_FORMATS[rule]):
        n = _QUOTAS[rule] * _DRAWS // len(_FORMATS[rule])
        if format == "str_replace" and rule == "cascade/recommended":
            yield from _pairs_of_tiers()
        yield from (sample for sample in load("house") if sample.format == format and _is_about(rule, sample))
        kinds = ("stale",) if rule == "stale/recommended" else ("intent", "contradiction")
        for at in range(n):
            for kind in kinds if format not in ANCHORED_FORMATS else ():
                recipe = drawn(Random(f"kit/{rule}/{kind}/{number}/{at}"), kind, drawn_as(format), files())
                if (sample := made(recipe, format)) is not None:
                    yield sample
            if rule != "stale/recommended":
                yield from _generated(format, Random(f"kit/{rule}/{number}/{at}"))
        if format in ANCHORED_FORMATS:
            yield from _paired(format)


def _is_about(rule: str, sample: Sample) -> bool:
    return (sample.seen is not None) or rule != "stale/recommended"


def _generated(format: Format, random: Random) -> Iterator[Sample]:
    fields = GENERATORS[format](random)
    sample = FORMS[format].sample(fields) if can_be_written(fields, format) else None
    if sample is not None:
        yield sample


def _paired(format: Format) -> Iterator[Sample]:
    for sample in load("house"):
        found = written_as(sample, format)
        if isinstance(found, Sample):
            yield found


def _pairs_of_tiers() -> Iterator[Sample]:
    """The text cases of tiers; those that are not chosen here are added with all others."""
    for name, sample in text_cases("cascade/recommended"):
        if name.startswith("tiers/") and not any(one.occurrence for one in sample.edits or ()):
            yield replace(sample, id=name.removeprefix("tiers/"))


def _arcs(rule: str, samples: Sequence[Sample]) -> tuple[list[set[tuple[int, int, int]]], int]:
    """The branches that each sample reaches under a rule, and the number of those that any of them does."""
    one = strategy(rule)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "coverage"
        measured = coverage.Coverage(data_file=str(data), branch=True, source_pkgs=["editcore"], config_file=False)
        measured.start()
        for at, sample in enumerate(samples):
            measured.switch_context(f"case {at}")
            one.apply(sample, None)
        measured.stop()
        measured.save()
        return _read_arcs(data, len(samples))


def _read_arcs(data: Path, n: int) -> tuple[list[set[tuple[int, int, int]]], int]:
    reached: list[set[tuple[int, int, int]]] = [set() for _ in range(n)]
    connection = sqlite3.connect(data)
    try:
        contexts = dict(connection.execute("select id, context from context"))
        rows: Iterable[tuple[int, int, int, int]]
        rows = connection.execute("select file_id, context_id, fromno, tono from arc")
        for file, context, start, end in rows:
            name = contexts[context]
            if name.startswith("case "):
                reached[int(name.removeprefix("case "))].add((file, start, end))
    finally:
        connection.close()
    return reached, len(set().union(*reached))


# Coverage: what stays out is mostly of other rules that share a file, of limits that only long texts reach, and of
# files that are not UTF-8.

_PATCHES = (
    "patches/sections", "patches/other_readings", "patches/placing/anchors", "patches/placing/candidates",
    "patches/placing/place_by_content", "patches/placing/policy", "patches/placing/refusals",
    "patches/placing/reindenting", "patches/placing/slips", "patches/placing/spread",
    "patches/reading/cut_off", "patches/reading/unwrapping",
)  # fmt: skip
_FILES = {
    "cascade/recommended": (
        "tiers/[!c]*", "tiers/merging/*", "text/comments", "text/endings", "text/keys", "text/lines", "text/view",
        "text/whitespace",
    ),
    "search_replace/recommended": ("patches/search_replace", "patches/block_paths", "patches/whole_lines"),
    "unified_diff/tolerant": (
        *_PATCHES, "patches/unified_diff", "patches/hunk_numbers", "patches/placing/alignment",
        "patches/placing/place_by_number", "patches/reading/file_*", "patches/reading/unified_*",
    ),
    "begin_patch/lenient": (
        *_PATCHES, "patches/begin_patch", "patches/placing/closers", "patches/reading/envelope",
        "patches/reading/lenient", "patches/reading/wrapping",
    ),
    "stale/recommended": (
        "stale/alignment", "stale/edited", "stale/everywhere", "stale/formatted", "stale/places", "stale/recommended",
        "stale/rule", "stale/trail",
    ),
    "anchors/recommended": (
        "anchors/apply", "anchors/*calls", "anchors/corrections", "anchors/rules/recommended", "anchors/rules/rule",
    ),
}  # fmt: skip
"""Rule -> the files of editcore that are about it."""


def _files_of(rule: str) -> list[str]:
    """The files that are about a rule. Raises SystemExit for a name that no file has any more."""
    found = {glob: [str(path) for path in (ROOT / "editcore").glob(f"{glob}.py")] for glob in _FILES[rule]}
    if gone := [glob for glob, paths in found.items() if not paths]:
        sys.exit(f"docs/kit.py names files that are gone: {', '.join(gone)}")
    return [path for paths in found.values() for path in paths]


def print_coverage() -> None:
    """Print a table for each rule, then the share of each."""
    shares = dict(_measured())
    print("\n| rule | cases | lines and branches reached |\n|---|--:|--:|")
    for rule, share in shares.items():
        n = sum(case["rule"] == rule for case in cases())
        print(f"| `{rule}` | {n:,} | {share:.1f} % |")


def _measured() -> Iterator[tuple[str, float]]:
    for rule in RULES:
        with tempfile.TemporaryDirectory() as folder:
            data = f"{folder}/coverage"
            # In a process of its own, since the lines of a module that is imported before are not seen.
            words = ["coverage", "run", "--branch", f"--data-file={data}", "--source=editcore", "-m", "docs.kit"]
            subprocess.run([sys.executable, "-m", *words, "answer", rule], check=True, cwd=ROOT)
            measured = coverage.Coverage(data_file=data)
            measured.load()
            print(f"\n{rule}")
            yield rule, measured.report(morfs=_files_of(rule), show_missing=True, skip_covered=True)


def answer(rule: str) -> None:
    """Answer the cases of a rule; where pairs are decided, by each tier alone too."""
    tiers = [strategy(f"tier/{name}") for name in cases()[0]["tiers"]] if rule == "cascade/recommended" else []
    for case in cases():
        if case["rule"] == rule:
            for one in (strategy(rule), *tiers):
                one.apply(sample_of(case), None)


if __name__ == "__main__":
    main()
