"""Strategies for shell commands: run on a copy, worked out as a dialect of sed has it, or refused where hardly meant.

A sample's tags say where its command ran, if its paths need it: `root:/home/me/project` is the absolute folder that the
paths of its files are relative to, `cwd:src` the folder below it. `meant:...` is the command's own description. What
the text of a command does not say raises `Unmeasured`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from corpora.sample import Sample
from editcore import __version__
from editcore.errors import Unmeasured
from editcore.host.shell.on_a_copy import run_on_a_copy
from editcore.quoting import shown
from editcore.shell.careful import Machine, careful
from editcore.shell.programs import Place
from editcore.shell.simulation import simulate
from editcore.text.document import Document
from editcore.types import Applied, EditResult, Reason, Rejected
from harness.strategies.strategy import Apply, Strategy, by_path


def shell_strategies() -> Iterator[Strategy]:
    """The strategies of the family `shell`."""
    yield _strategy("careful", _careful, "Works out the command's edits; refuses what was hardly meant.")
    yield _strategy("sed_gnu", partial(_worked_out, True), "The command worked out with GNU sed; not run.")
    yield _strategy(
        "sed_bsd", partial(_worked_out, False), "The command worked out with BSD sed, as on macOS; not run."
    )
    yield _strategy("bash", _bash, "The command run on a copy in a sandbox, if it consists of file commands.")


def _strategy(member: str, apply: Apply, summary: str) -> Strategy:
    return Strategy(f"shell/{member}", frozenset({"shell"}), apply, summary, __version__, reads="patch")


def tag(sample: Sample, name: str) -> str:
    """The value of a sample's tag `NAME:VALUE`; "" without such a tag."""
    return next((one.removeprefix(f"{name}:") for one in sample.tags if one.startswith(f"{name}:")), "")


def place_of(sample: Sample) -> Place:
    return Place(tag(sample, "cwd"), tag(sample, "root"))


def _careful(sample: Sample, _: Document | None) -> EditResult:
    return careful(
        by_path(sample.before), sample.patch or "", meant=tag(sample, "meant"), machine=Machine(place=place_of(sample))
    )


def _worked_out(gnu: bool, sample: Sample, _: Document | None) -> EditResult:
    found = simulate(by_path(sample.before), sample.patch or "", gnu=gnu, place=place_of(sample))
    if found.is_unchanged and found.failures and found.status is not True:
        return Rejected(Reason.NOT_FOUND, f"The command fails: {shown(found.failures[0], limit=200)}.")
    if found.ends_with:
        raise Unmeasured(f"{found.ends_with} runs, too, and may change files itself")
    return Applied(files=found.files)


def _bash(sample: Sample, _: Document | None) -> EditResult:
    code, files, error = run_on_a_copy(by_path(sample.before), sample.patch or "", place_of(sample))
    if code and files == by_path(sample.before):
        return Rejected(Reason.NOT_FOUND, f"The command ends with exit code {code}: {shown(error, limit=200)}.")
    return Applied(files=files)
