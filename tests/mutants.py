"""Count the mutants that `mutmut run` left in `mutants/`, and compare the survivors with `tests/mutants.txt`.

That file explains survivors: a reason (`## ...`), below it a function (`editcore/cascade.py replace`), and below that
each mutant as the original line, `->`, and the mutated line. Line numbers would change with every edit.

    ## Only how fast
    editcore/replacers/block_anchor.py _distance
        if length <= _ENORMOUS:
        -> if length < _ENORMOUS:
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

LEAST = 0.92
"""Least share of each group's mutants that tests must notice."""
GROUPS = ("editcore/replacers", "editcore/cascade.py", "editcore/patches")
EXPLAINED = Path(__file__).with_name("mutants.txt")

_SURVIVED, _NO_TESTS, _TIMEOUT = (0,), (5, 33), (24, -24, 36, 152, 255)


class Survivor(NamedTuple):
    """A mutant that no test notices."""

    function: str
    """`editcore/cascade.py replace`"""
    old: str
    new: str


def verdicts(folder: Path) -> dict[str, dict[str, int | None]]:
    """File -> mutant -> exit code of its tests; None if they have not run."""
    found = {}
    for meta in sorted(folder.rglob("*.py.meta")):
        codes = json.loads(meta.read_text("utf-8"))["exit_code_by_key"]
        if codes:
            found[meta.relative_to(folder).as_posix().removesuffix(".meta")] = codes
    return found


def explained(text: str) -> dict[Survivor, str]:
    """Survivor -> reason, from the text of `tests/mutants.txt`."""
    found: dict[Survivor, str] = {}
    reason = function = ""
    old: list[str] = []
    new: list[str] = []
    for line in [*text.split("\n"), "##"]:
        if new and not line.strip().startswith("->"):
            found[Survivor(function, " ".join(old), " ".join(filter(None, new)))] = reason
            old, new = [], []
        if line.startswith("##"):
            reason = line[2:].strip()
        elif line.strip().startswith("->"):
            new.append(line.strip()[2:].strip())
        elif line.startswith(" "):
            old.append(line.strip())
        elif line and not line.startswith("#"):
            function = line
    return found


def survivor(path: str, mutant: str) -> Survivor:
    """The change of a mutant as a `Survivor`."""
    from mutmut.mutation.diff_apply import get_diff_for_mutant

    changed = get_diff_for_mutant(mutant, path=path).split("\n")[2:]
    old, new = (" ".join(line[1:].strip() for line in changed if line.startswith(mark)) for mark in "-+")
    name = mutant.partition("__mutmut_")[0].rpartition(".")[2].removeprefix("x_").removeprefix("xǁ").replace("ǁ", ".")
    return Survivor(f"{path} {name}", old, new)


def _row(name: str, codes: list[int | None]) -> str:
    counts = Counter(_word(code) for code in codes)
    n_killed = counts["killed"] + counts["timeout"]
    return (
        f"{name:<45}{len(codes):>8}{counts['killed']:>8}{counts['timeout']:>9}{counts['survived']:>10}"
        f"{counts['no tests']:>10}{n_killed / max(len(codes), 1):>9.1%}"
    )


def _word(code: int | None) -> str:
    if code is None:
        return "not run"
    words = (("survived", _SURVIVED), ("no tests", _NO_TESTS), ("timeout", _TIMEOUT))
    return next((word for word, codes in words if code in codes), "killed")


def _survived(code: int | None) -> bool:
    return _word(code) in ("survived", "no tests")


def _lines(found: dict[str, dict[str, int | None]]) -> Iterator[str]:
    yield f"{'':<45}{'mutants':>8}{'killed':>8}{'timeout':>9}{'survived':>10}{'no tests':>10}{'rate':>9}"
    for group in GROUPS:
        within = {path: codes for path, codes in found.items() if path.startswith(group)}
        yield from (_row(path, list(codes.values())) for path, codes in within.items() if path != group)
        yield _row(f"{group}:", [code for codes in within.values() for code in codes.values()])


def main() -> int:
    """Print the counts; 0 if all mutants have been run and each group reaches its share, else 1."""
    found = verdicts(Path("mutants"))
    print("\n".join(_lines(found)))
    n_not_run = sum(code is None for codes in found.values() for code in codes.values())
    if n_not_run:
        print(f"{n_not_run} have not been run: `mutmut run` resumes with them", file=sys.stderr)
        return 1
    survivors = {survivor(path, key) for path, codes in found.items() for key, code in codes.items() if _survived(code)}
    reasons = explained(EXPLAINED.read_text("utf-8"))
    for one in sorted(survivors - reasons.keys()):
        print(f"\nnot explained: {one.function}\n    {one.old}\n    -> {one.new}")
    for one in sorted(reasons.keys() - survivors):
        print(f"\nno longer survives: {one.function}\n    {one.old}\n    -> {one.new}")
    print(f"\n{len(survivors)} survivors, {len(survivors & reasons.keys())} of them explained in {EXPLAINED.name}")
    for group in GROUPS:
        codes = [code for path, codes in found.items() if path.startswith(group) for code in codes.values()]
        if not codes or sum(map(_survived, codes)) > (1 - LEAST) * len(codes):
            print(f"{group}: fewer than {LEAST:.0%} are killed", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
