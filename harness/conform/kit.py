"""The kit: cases of our careful rules with their answers and steps, for authors of rewrites.

The cases are a file of the package. `python -m docs.kit` writes it, and `python -m docs.kit check` compares it with
the answers of today's rules.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from corpora.sample import Sample
from editcore import __version__
from editcore.cascade import RECOMMENDED
from editcore.errors import UsageError
from editcore.tiers import TIERS
from editcore.types import Applied, Edit, EditResult, File, Rejected
from harness.conform.steps import KEYS, definitions, steps
from harness.strategies.registry import strategy
from harness.strategies.strategy import Strategy, files_after

VERSION = 1
"""The version of the files' form; the answers of rules have versions of their own."""
FILE = "kit.jsonl.xz"
VERSIONS = {
    "cascade/recommended": RECOMMENDED.version,
    "search_replace/recommended": "3",
    "unified_diff/tolerant": "4",
    "begin_patch/lenient": "4",
    "stale/recommended": "6",
    "anchors/recommended": "5",
}
"""Rule -> the version of its behaviour. It changes with any answer to a case; CHANGELOG.md tells of each change."""
RULES = {rule: "recommended" if rule.startswith("cascade/") else rule.partition("/")[0] for rule in VERSIONS}
"""Rule -> the name of its files."""
_OF_PATCHES = ("begin_patch", "unified_diff", "search_replace")
Case = Mapping[str, Any]


@cache
def cases() -> tuple[Case, ...]:
    """All cases, in their order."""
    data = files("harness.conform").joinpath(FILE).read_bytes()
    return tuple(json.loads(line) for line in lzma.decompress(data).decode("utf-8").splitlines())


def sample_of(case: Case) -> Sample:
    """The sample of a case."""
    edits = case.get("edits")
    return Sample(
        case["id"], case["format"], _files(case["before"]) or (), "unlabelled",
        edits=None if edits is None else tuple([Edit(**one) for one in edits]), patch=case.get("patch"),
        line=case.get("line"), end_line=case.get("end_line"), seen=_files(case.get("seen")),
    )  # fmt: skip


def _files(given: Any) -> tuple[File, ...] | None:
    return None if given is None else tuple([File(one["path"], one["content"]) for one in given])


def case_of(number: int, rule: str, sample: Sample, names: Mapping[str, str]) -> Case:
    """The case of a sample: the question, the answer of the rule, and the steps to it.

    `names` has the text case or the defect that the sample is from, by `text_case` and `defect`.
    """
    asked: dict[str, Any] = {"id": f"{RULES[rule]}-{number:04}", "rule": rule, "format": sample.format, **names}
    asked["before"] = [{"path": file.path, "content": file.content} for file in sample.before]
    if sample.edits is not None and sample.format == "str_replace":
        asked["edits"] = [
            {"old_string": one.old_string, "new_string": one.new_string, "replace_all": one.replace_all}
            | ({} if one.occurrence is None else {"occurrence": one.occurrence})
            for one in sample.edits
        ]
    for name in ("patch", "line", "end_line"):
        if (value := getattr(sample, name)) is not None:
            asked[name] = value
    if sample.seen is not None:
        asked["seen"] = [{"path": file.path, "content": file.content} for file in sample.seen]
    again = sample_of(asked)
    result = strategy(rule).apply(again, None)
    found = {**asked, "expected": answer_of(again, result)}
    if isinstance(result, Applied) and result.matches:
        found["places"] = [[one.start, one.end] for one in result.matches]
    if rule == "cascade/recommended":
        found["keys"] = {
            name: [key(line) for line in again.edits[0].old_string.replace("\r\n", "\n").split("\n")]
            for name, key in KEYS.items()
        } if again.edits else {}  # fmt: skip
        found["tiers"] = {name: _in_tier(again, name, found["expected"]) for name in TIERS}
    return found


def _in_tier(sample: Sample, name: str, expected: Any) -> Any:
    found = answer_of(sample, strategy(f"tier/{name}").apply(sample, None))
    return "expected" if found == expected else found


def answer_of(sample: Sample, result: EditResult) -> dict[str, Any]:
    """A result as an answer of the protocol, without `id` and message."""
    if isinstance(result, Rejected):
        return {"status": "rejected", "reason": str(result.reason)}
    left = files_after(sample, result)
    found: dict[str, Any] = {"status": "applied", "after": [{"path": path, "content": left[path]} for path in left]}
    return found | ({} if result.replacer is None else {"replacer": result.replacer})


def samples_for(one: Strategy) -> Iterator[Sample]:
    """The cases of the kit that a strategy takes, whichever rule they are for."""
    return (sample for sample in map(sample_of, cases()) if one.takes(sample))


def write_kit(folder: Path) -> list[str]:
    """Write the kit as JSON files: one for each rule, and one for each tier of `cascade/recommended`.

    Returns their names. Raises UsageError if the folder is not empty or cannot be written.
    """
    with _new(folder):
        found: dict[str, list[Case]] = {}
        for case in cases():
            found.setdefault(_file_of(case), []).append(case)
        for name, some in found.items():
            with_steps = [{**one, "steps": to_builtins(steps(one["rule"], sample_of(one)))} for one in some]
            rule = some[0]["rule"]
            document = {"kit": VERSION, "editgauge": __version__, "rule": rule, "version": VERSIONS[rule]}
            document["cases"] = with_steps
            (folder / name).write_text(json.dumps(document, ensure_ascii=True, indent=1) + "\n", encoding="ascii")
        texts = files("harness.conform").joinpath("texts")
        schema = json.loads(texts.joinpath("schema.json").read_text("utf-8"))
        schema["$defs"] |= definitions()
        (folder / "schema.json").write_text(json.dumps(schema, indent=1) + "\n", encoding="ascii")
        for name in ("README.md", "LICENSE"):
            (folder / name).write_bytes(texts.joinpath(name).read_bytes())
    return [*found, "README.md", "schema.json", "LICENSE"]


def write_scenarios(folder: Path) -> list[str]:
    """Write the cases of patches as folders: FORMAT/ID/patch.txt, FORMAT/ID/input/ and FORMAT/ID/expected/.

    ID is the defect's id where a case shows one, `begin_patch/EG-0041`. A refusal leaves the files as they are. Cases
    whose paths lead outside, and edits that are no patch, are left out. Returns the folders' names. Raises UsageError
    if the folder is not empty or cannot be written.
    """
    written = []
    with _new(folder):
        for case in cases():
            left = case["expected"].get("after", case["before"])
            named = [(part, one) for part, some in (("input", case["before"]), ("expected", left)) for one in some]
            if case["format"] not in _OF_PATCHES or "seen" in case or not all(_is_plain(one) for _, one in named):
                continue
            place = folder / case["format"] / case.get("defect", case["id"])
            place.mkdir(parents=True)
            (place / "patch.txt").write_bytes(case["patch"].encode())
            for part, one in named:
                path = place / part / one["path"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(one["content"].encode())
            written.append(str(place.relative_to(folder)))
        (folder / "LICENSE").write_bytes(files("harness.conform").joinpath("texts", "LICENSE").read_bytes())
    return written


def _is_plain(file: Mapping[str, str]) -> bool:
    """True if a file's path leads nowhere but below its folder, and can be a name on every system."""
    parts = file["path"].split("/")
    return all(
        part not in ("", ".", "..") and part.isprintable() and not set(part) & set('\\:*?"<>|') for part in parts
    )


@contextmanager
def _new(folder: Path) -> Iterator[None]:
    """Make a folder to write into. Raises UsageError if it is not empty, or if the block cannot write."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty", "Name a new folder.")
        yield
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}", "Name another folder.") from None


def _file_of(case: Case) -> str:
    name = RULES[case["rule"]]
    if name != "recommended":
        return f"{name}.json"
    return f"recommended_{case['expected'].get('replacer') or 'refused'}.json"
