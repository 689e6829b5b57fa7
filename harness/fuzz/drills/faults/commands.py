"""Commands that write folders, as operations: no torn file, a true exit code, and `--resume` finishes the work."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

from corpora.load import BUNDLED
from harness.fuzz.drills.drill import Program
from harness.fuzz.drills.faults.edits import EDITS
from harness.fuzz.drills.faults.operation import FaultOutcome, Operation, run_forked

_WELL, _COULD_NOT = "exit 0", "exit 2"
_LAZY_IMPORTS = ("harness.run.nightly", "harness.run.runner", "reports.statistics.summary", "reports.views.tables")
"""Modules that the commands import only when they need them."""
_STRATEGIES = ("replacer/simple", "cascade/reference")
_N_SAMPLES = 3


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    program: Program
    arguments: Sequence[str]
    """`{}` stands for the folder."""
    runs: str
    """A glob, below the folder, of the run folders that the command writes."""
    max_faults: int
    before: Sequence[str] | None = None
    """The arguments of an earlier command, run without faults."""

    def set_up(self, folder: Path) -> None:
        """Write the corpus, and run the earlier command."""
        for module in _LAZY_IMPORTS:
            import_module(module)  # Once, here, not in each forked process.
        corpus = BUNDLED["smoke"].read_bytes().splitlines(keepends=True)[:_N_SAMPLES]
        (folder / "corpus.jsonl").write_bytes(b"".join(corpus))
        if self.before:
            ended = run_forked(partial(_run, self.program, folder, self.before))
            if ended.answer != _WELL:
                raise RuntimeError(f"`{' '.join(self.before)}` failed: {ended}")

    def prepare(self, folder: Path) -> Callable[[], str]:
        return partial(_run, self.program, folder, self.arguments)

    def state(self, folder: Path) -> object:
        """The content of the runs without times, and the names of all files."""
        return run_forked(partial(_state, folder, self.runs)).answer

    def violation(self, folder: Path, outcome: FaultOutcome, old: object, new: object) -> str | None:
        del old  # A command that was interrupted is continued, not undone.
        ended = outcome.ended
        if not ended.is_killed and ended.answer.partition("\n")[0] not in (_WELL, _COULD_NOT):
            return f"ended with {ended.how}: {ended.answer[-300:]!r}"
        if ended.answer != _WELL:
            torn = None if ended.is_killed or outcome.call in ("os.unlink", "os.rmdir") else _temporary(folder)
            if torn:
                return f"{torn} was left behind"
            resumed = run_forked(partial(_run, self.program, folder, [*self.arguments, "--resume"]))
            if resumed.answer != _WELL:
                return f"after {ended.answer or ended.how}, --resume: {resumed.how}, {resumed.answer[-300:]!r}"
        found = self.state(folder)
        return None if found == new else f"another result: {_difference(str(found), str(new))}"


def _temporary(folder: Path) -> str | None:
    return next((str(path.relative_to(folder)) for path in sorted(folder.rglob("*.tmp"))), None)


def _difference(found: str, wanted: str) -> str:
    """The first line in which the states differ."""
    ours, theirs = found.splitlines(), wanted.splitlines()
    pairs = (pair for pair in zip([*ours, ""], [*theirs, ""], strict=False) if pair[0] != pair[1])
    one, other = next(pairs, ("", ""))
    return f"{one[:200]!r} instead of {other[:200]!r}"


def _run(program: Program, folder: Path, arguments: Sequence[str]) -> str:
    """The exit code of a command, or its traceback."""
    os.environ["PATH"] = ""  # So that git is not asked for the commit of the project.
    given = [one.format(folder) for one in arguments]
    sys.argv = ["editgauge", *given]
    try:
        program(given)
    except SystemExit as left:
        return f"exit {left.code or 0}"
    except Exception:
        import traceback

        return f"traceback\n{traceback.format_exc()}"
    return "no exit"


def _state(folder: Path, runs: str) -> str:
    from reports.runs import parts
    from reports.runs.manifest import LOCK, read_manifest
    from reports.runs.rows import MEASURED
    from reports.runs.run_folder import RunFolder

    lines = []
    for number, run in enumerate(sorted(folder.glob(runs))):
        manifest = read_manifest(run)
        lines.append(f"run {number}: {manifest.n_samples}, {manifest.corpus_fingerprint}, {bool(manifest.finished)}")
        tables = {"outcomes": RunFolder(run).table("outcomes").drop(list(MEASURED)).to_pylist()}
        rows = [f"{kind} {row}" for kind, table in tables.items() for row in table]
        rows += [repr(row) for read in (parts.wrong_edits, parts.samples_used, parts.steps) for row in read(run)]
        lines += sorted(rows)
    # A lock file that could not be removed does no harm: the lock is the system's, and ends with its process.
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.name != LOCK)
    for number, run in enumerate(sorted(folder.glob(runs))):
        names = [name.replace(str(run.relative_to(folder)), f"run {number}") for name in names]
    return "\n".join([*lines, *names])


def _arguments(*first: str) -> list[str]:
    chosen = [word for strategy in _STRATEGIES for word in ("-s", strategy)]
    return [*first, *chosen, "-j", "1", "-q"]


_NIGHT = _arguments("nightly", "{}/corpus.jsonl", "--history", "{}/nights")
_NIGHTS = "nights/nights/night=*"


def commands(program: Program) -> tuple[Command, ...]:
    """The commands of a program that are put under faults."""
    return (
        Command("run", program, _arguments("run", "{}/corpus.jsonl", "-o", "{}/run"), "run", 400),
        Command("nightly, the first", program, _NIGHT, _NIGHTS, 40),
        Command("nightly", program, _NIGHT, _NIGHTS, 40, before=_NIGHT),
    )


# The operations that are put under faults, by name.


def operations(program: Program) -> Mapping[str, Operation]:
    """Name -> operation: the edits, and the commands of a program that write folders."""
    found: tuple[Operation, ...] = (*EDITS, *commands(program))
    return MappingProxyType({one.name: one for one in found})
