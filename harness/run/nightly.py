"""A night: run, compare with the last accepted night, append to the history, write down what was found."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import filelock

from editcore.errors import UsageError
from harness.run.runner import Report, Request, run
from harness.strategies.external import STDERR
from reports.compare.comparison import Comparison, compare
from reports.compare.gate import Failure, Gate, failures
from reports.compare.wording import Group, groups
from reports.history.fuzz_nights import FuzzNight, fuzz_markdown
from reports.history.nights import History, Judged
from reports.runs.manifest import write_atomically
from reports.views import ci
from reports.views.page import write_page

FIRST = "the first night"
"""Why the first night is the baseline."""


@dataclass(frozen=True, slots=True)
class Night:
    """What became of a night."""

    name: str
    folder: Path
    """Its run folder, in the history."""
    baseline: str | None
    """What it was compared with; absent for the first night, which is the baseline from then on."""
    comparison: Comparison | None = None
    failures: Sequence[Failure] | None = None
    """Absent where nothing was compared, or no gate was asked for."""
    groups: Sequence[Group] = ()
    """What turned, with the diffs."""
    not_comparable: UsageError | None = None
    """Why there is no comparison, though there is a baseline."""


def night(
    request: Request,
    history: History,
    gate: Gate,
    *,
    fuzzed: FuzzNight | None = None,
    report: Report = lambda *_: None,
    warn: Callable[[str], None] = lambda _: None,
) -> Night:
    """Run a night and add it to the history. Raises UsageError where another one is under way.

    What `fuzzed` found stands on the page and in the summary. A gate that fails is part of the night, and so is a
    baseline that it cannot be compared with. With `request.resume` a night that was interrupted is gone on with,
    otherwise what is left of it is thrown away.
    """
    tonight = history.make()
    try:
        with filelock.FileLock(history.folder / ".lock").acquire(blocking=False):
            # What was killed while it was thrown away has no manifest any more.
            if not request.resume or not (tonight / "manifest.json").exists():
                _discard(tonight)
            run(replace(request, folder=tonight), report=report, warn=warn)
            name = history.added(tonight) or history.add(tonight)
            if (tonight / STDERR).is_dir():
                shutil.move(tonight / STDERR, history.night(name) / STDERR)
            found = _judged(history, name, gate, fuzzed)
            history.remove_leftovers(name)
            _discard(tonight)  # Last of all: as long as it is there, a night that was cut short is gone on with.
            return found
    except filelock.Timeout:
        raise UsageError(f"A night is under way in {history.folder}", "Wait for it, or use another history.") from None


def _discard(tonight: Path) -> None:
    """Throw away what there is of a night's run: the manifest first, so that nobody goes on with the rest."""
    (tonight / "manifest.json").unlink(missing_ok=True)
    with suppress(OSError):  # That it ignores errors is not true of all of them.
        shutil.rmtree(tonight, ignore_errors=True)


def _judged(history: History, name: str, gate: Gate, fuzzed: FuzzNight | None) -> Night:
    """The night compared with the baseline, and all that is said of it written beside it."""
    folder, accepted = history.night(name), history.baseline() or history.accept(name, FIRST)
    found = Night(name, folder, None if accepted.night == name else accepted.night)
    if found.baseline:
        try:
            comparison = compare(history.night(found.baseline), folder)
            failed = failures(comparison, gate)
            found = replace(found, comparison=comparison, failures=failed, groups=groups(comparison))
        except UsageError as error:
            if isinstance(error.__cause__, OSError):  # The disk failed, which says nothing of the nights.
                raise
            found = replace(found, not_comparable=error)
    told = found.not_comparable.message if found.not_comparable else None
    history.judge(name, Judged(found.baseline, tuple(found.failures or ()), told))
    write_page(folder, folder / "report.html", comparison=found.comparison, failures=found.failures, fuzzed=fuzzed)
    texts = {"summary.md": fuzz_markdown(fuzzed)} if fuzzed else {}
    if found.comparison:
        compared = ci.markdown(found.comparison, found.failures, found.groups)
        texts["summary.md"] = compared + texts.get("summary.md", "")
        texts["junit.xml"] = ci.junit(found.comparison, found.failures, found.groups)
        texts["comparison.json"] = json.dumps(ci.document(found.comparison, found.failures, found.groups), indent=2)
    for file, text in texts.items():
        write_atomically(folder / file, text.encode("utf-8", "backslashreplace"))
    return found
