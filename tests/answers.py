"""What real programs made of the text cases of patches, recorded in `tests/cases/answers/PEER.json`.

    {"program": "aider-chat 0.86.2",
     "answers": {"unified_diff/some_case": {"input": "1f3a5c77", "after": {"a.txt": "..."}}}}

`after` has the files that changed, null for one that is gone; it is null itself for a refusal. `input` is a checksum of
the case's files and patch: an answer to a case that was changed since is no answer. Recorded are all cases of what
agents do, and a third of our own; `python -m tests.answers PEER` records anew, with the peer installed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from zlib import crc32

from corpora.sample import Format, Sample
from editcore.types import Applied, EditResult, File, Rejected
from harness.strategies.peers import PEERS, strategy_of
from tests.patch_cases import FOLDER, Case, case_of

RECORDED = FOLDER / "answers"
_EVERY = 3
_FOLDERS: Mapping[Format, tuple[tuple[str, int], ...]] = {
    "unified_diff": (("agent_diffs", 1), ("unified_diff", _EVERY)),
    "begin_patch": (("agent_envelopes", 1), ("begin_patch", _EVERY)),
}
"""Format -> folders of cases, and how many of each there are to one that is recorded."""

ENDLESS: Mapping[str, frozenset[str]] = {
    "cline_apply_patch": frozenset(
        {
            "agent_envelopes/a_blank_line_where_a_hunk_should_begin_is_read_for_ever_by_cline",
            "agent_envelopes/three_stars_alone_are_read_for_ever_by_copilot_and_cline",
            "begin_patch/a_header_without_the_blank_before_its_text_is_read_in_lenient",
            "begin_patch/an_empty_at_line_before_a_hunk_that_fits_twice_is_refused",
            "begin_patch/blank_lines_after_at_lines_and_between_hunks_are_overlooked_in_lenient",
        }
    )
}
"""Peer -> cases that the program does not come back from."""

After = Mapping[str, str | None] | None
"""The files that changed, None for one that is gone; None for a refusal."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program made of a case."""

    name: str
    case: Case
    after: After


def after_of(case: Case, result: EditResult) -> After:
    """The result as an answer says it."""
    if isinstance(result, Rejected) or result.files is None:
        return None
    paths = sorted({*case.files, *result.files})
    return {path: result.files.get(path) for path in paths if result.files.get(path) != case.files.get(path)}


def sample_of(name: str, case: Case, form: Format) -> Sample:
    """The case as a sample."""
    files = tuple(File(path, text) for path, text in case.files.items())
    return Sample(name, form, files, "unlabelled", patch=case.patch)


def cases(form: Format, known: Container[str] | None) -> Iterator[tuple[str, Case]]:
    """(name, case) of those to record: of our own, the known ones, or every third if none are known."""
    for folder, every in _FOLDERS[form]:
        for n, path in enumerate(sorted((FOLDER / folder).glob("*.txt"))):
            name = f"{folder}/{path.stem}"
            if every == 1 or (name in known if known is not None else n % every == 0):
                yield name, case_of(path)


def answers(peer: str) -> list[Answer]:
    """The recorded answers to cases that are as they were."""
    found = []
    for name, answer in json.loads((RECORDED / f"{peer}.json").read_text("utf-8"))["answers"].items():
        path = FOLDER / f"{name}.txt"
        case = case_of(path) if path.exists() else None
        if case and _checksum(case) == answer["input"]:
            found.append(Answer(name, case, answer["after"]))
    return found


def program_of(peer: str) -> str:
    """Name and version of the program that answered."""
    return str(json.loads((RECORDED / f"{peer}.json").read_text("utf-8"))["program"])


def record(peer: str) -> None:
    """Ask an installed peer all cases, and write its answers."""
    strategy, form = strategy_of(PEERS[peer]), PEERS[peer].formats[0]
    assert strategy, f"peer/{peer} is not installed"
    found = {}
    path = RECORDED / f"{peer}.json"
    known = json.loads(path.read_text("utf-8"))["answers"] if path.exists() else None
    for name, case in cases(form, known):
        if name in ENDLESS.get(peer, ()):
            continue
        result = strategy.apply(sample_of(name, case, form), None)
        assert isinstance(result, Applied | Rejected)
        found[name] = {"input": _checksum(case), "after": after_of(case, result)}
    text = json.dumps({"program": strategy.version, "answers": found}, indent=0, ensure_ascii=True)
    path.write_text(f"{text}\n", "utf-8")


def _checksum(case: Case) -> str:
    return f"{crc32(json.dumps([case.files, case.patch], sort_keys=True).encode()):08x}"


if __name__ == "__main__":
    for one in sys.argv[1:]:
        record(one)
