"""The commands that write folders, under faults: whole files, a true exit code, and `--resume` brings it to its end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from corpora.load import BUNDLED
from harness.fuzz.drills.faults.child import forked
from harness.fuzz.drills.faults.operation import Struck

_WELL, _COULD_NOT = "exit 0", "exit 2"
_STRATEGIES = ("replacer/simple", "cascade/reference")
_N_SAMPLES = 3


@dataclass(frozen=True, slots=True)
class Command:
    """A command of editgauge, run by one worker."""

    name: str
    arguments: Sequence[str]
    """`{}` is the folder."""
    runs: str
    """A glob of the run folders that it makes, below the folder."""
    most: int
    before: Sequence[str] | None = None
    """The arguments of what comes before it, without faults."""

    def lay(self, folder: Path) -> None:
        """The corpus, and what an earlier command left."""
        _load()  # Once, here, not in each process that is forked.
        corpus = BUNDLED["smoke"].read_bytes().splitlines(keepends=True)[:_N_SAMPLES]
        (folder / "corpus.jsonl").write_bytes(b"".join(corpus))
        if self.before:
            ended = forked(partial(_called, folder, self.before))
            if ended.answer != _WELL:
                raise RuntimeError(f"`{' '.join(self.before)}` failed: {ended}")

    def ready(self, folder: Path) -> Callable[[], str]:
        return partial(_called, folder, self.arguments)

    def state(self, folder: Path) -> object:
        """What the runs say but for times, and the names of all files there are."""
        return forked(partial(_told, folder, self.runs)).answer

    def flaw(self, folder: Path, struck: Struck, old: object, new: object) -> str | None:
        del old  # What is half done is neither.
        ended = struck.ended
        if not ended.is_killed and ended.answer.partition("\n")[0] not in (_WELL, _COULD_NOT):
            return f"ended with {ended.how}: {ended.answer[-300:]!r}"
        if ended.answer != _WELL:
            torn = None if ended.is_killed or struck.call in ("os.unlink", "os.rmdir") else _temporary(folder)
            if torn:
                return f"{torn} stayed"
            resumed = forked(partial(_called, folder, [*self.arguments, "--resume"]))
            if resumed.answer != _WELL:
                return f"after {ended.answer or ended.how}, --resume: {resumed.how}, {resumed.answer[-300:]!r}"
        found = self.state(folder)
        return None if found == new else f"it did not come out the same: {_difference(str(found), str(new))}"


def _temporary(folder: Path) -> str | None:
    return next((str(path.relative_to(folder)) for path in sorted(folder.rglob("*.tmp"))), None)


def _difference(found: str, wanted: str) -> str:
    """The first line on which they differ."""
    ours, theirs = found.splitlines(), wanted.splitlines()
    pairs = (pair for pair in zip([*ours, ""], [*theirs, ""], strict=False) if pair[0] != pair[1])
    one, other = next(pairs, ("", ""))
    return f"{one[:200]!r} instead of {other[:200]!r}"


def _load() -> None:
    """Import all that commands import when they need it."""
    import harness.cli
    import harness.commands.runs.summary
    import harness.run.nightly
    import harness.run.runner  # noqa: F401


def _called(folder: Path, arguments: Sequence[str]) -> str:
    """The exit code of a command, and its traceback if it came to that."""
    from harness.cli import main

    os.environ["PATH"] = ""  # The commit of the project is not asked for.
    given = [one.format(folder) for one in arguments]
    sys.argv = ["editgauge", *given]
    try:
        main(given)
    except SystemExit as left:
        return f"exit {left.code or 0}"
    except Exception:
        import traceback

        return f"traceback\n{traceback.format_exc()}"
    return "no exit"


def _told(folder: Path, runs: str) -> str:
    from reports.runs import parts
    from reports.runs.manifest import read_manifest

    lines = []
    for number, run in enumerate(sorted(folder.glob(runs))):
        manifest = read_manifest(run)
        lines.append(f"run {number}: {manifest.n_samples}, {manifest.corpus_fingerprint}, {bool(manifest.finished)}")
        tables = {"outcomes": parts.outcome_table(run).drop(["latency_ns"]).to_pylist()}
        rows = [f"{kind} {row}" for kind, table in tables.items() for row in table]
        rows += [repr(row) for read in (parts.wrong_edits, parts.samples_used, parts.steps) for row in read(run)]
        lines += sorted(rows)
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
    for number, run in enumerate(sorted(folder.glob(runs))):
        names = [name.replace(str(run.relative_to(folder)), f"run {number}") for name in names]
    return "\n".join([*lines, *names])


def _arguments(*first: str) -> list[str]:
    chosen = [word for strategy in _STRATEGIES for word in ("-s", strategy)]
    return [*first, *chosen, "-j", "1", "-q"]


_NIGHT = _arguments("nightly", "{}/corpus.jsonl", "--history", "{}/nights")
_NIGHTS = "nights/nights/night=*"
COMMANDS = (
    Command("run", _arguments("run", "{}/corpus.jsonl", "-o", "{}/run"), "run", 400),
    Command("nightly, the first", _NIGHT, _NIGHTS, 40),
    Command("nightly", _NIGHT, _NIGHTS, 40, before=_NIGHT),
)
