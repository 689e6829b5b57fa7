"""What a newer version of a peer's package does otherwise: the published one beside the pinned one, on equal edits."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from corpora.load import DEFAULT, load
from corpora.sample import Sample
from editcore.errors import UsageError
from editcore.text.document import Document
from editcore.types import EditResult, Reason, Rejected
from harness.conform.conforming import Conformed, Pair, compare, draws, shrunk
from harness.conform.kit import samples_for
from harness.run.latency import Stopwatch
from harness.strategies.peers import PEERS, check_peer, strategy_of
from harness.strategies.peers.environments import (
    Package,
    Peer,
    environment_of,
    installation,
    installed,
    remove_environment,
)
from harness.strategies.protocol import CommandError
from harness.strategies.strategy import Strategy

N_DRAWN = 2_000
"""The drawn edits on which two versions are compared."""
_TIMEOUT_S = 60
_SHRINK_S = 5.0
_MOST_SHRUNK = 5


@dataclass(frozen=True, slots=True)
class Checked:
    """A package beside its published version."""

    package: Package
    published: str | None
    """None if no registry answered."""
    problem: str | None = None
    """Why the published version was not compared."""
    found: dict[str, Conformed] = field(default_factory=dict)
    """Peer -> how its answers differ."""

    @property
    def n_differ(self) -> int:
        return sum(one.n_differ for one in self.found.values())


def check(packages: Iterable[Package], *, seed: int = 0, timeout_s: float = 5.0) -> Iterator[Checked]:
    """Compare each package with its published version, which is installed beside it and removed afterwards."""
    for package in packages:
        found, problem, published = dict[str, Conformed](), None, published_version(package)
        if published not in (None, package.version):
            besides = tuple(one.replace(package.version, published) for one in package.beside)
            folder = f"{environment_of(package).name}-newer"
            newer = replace(package, version=published, beside=besides, folder=folder)
            try:
                found = _beside(package, newer, seed, timeout_s)
            except UsageError as error:
                problem = f"{error.message}. {error.tip}"
            finally:
                remove_environment(newer)
        yield Checked(package, published, problem, found)


def _beside(package: Package, newer: Package, seed: int, timeout_s: float) -> dict[str, Conformed]:
    """The peers of a package, each beside itself in the newer version. Raises UsageError if one cannot be run."""
    users = [peer for peer in PEERS.values() if peer.package == package]
    if installed(package) != f"{package.name} {package.version}":
        with installation(package):
            for peer in users:
                check_peer(peer)
    with installation(newer):
        return {one.name: _compared(one, replace(one, package=newer), seed, timeout_s) for one in users}


def published_version(package: Package) -> str | None:
    """The newest version that a registry has; None if none answers, for example without a network."""
    if package.client == "npm":
        command = [shutil.which("npm") or "npm", "view", package.name, "version", "--json"]
    else:
        command = [sys.executable, "-m", "pip", "index", "versions", package.name, "--disable-pip-version-check"]
        command += ["--python-version", f"3.{max(package.minors[0], sys.version_info.minor)}"]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace", check=True,
            timeout=_TIMEOUT_S,
        )  # fmt: skip
        answer = json.loads(done.stdout) if package.client == "npm" else _in_brackets(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return answer if isinstance(answer, str) and answer else None


def _in_brackets(text: str) -> str:
    """`1.0.7` of pip's first line, `whatthepatch (1.0.7)`."""
    return text.split("\n", 1)[0].partition("(")[2].partition(")")[0]


def _compared(pinned: Peer, newer: Peer, seed: int, timeout_s: float) -> Conformed:
    """The answers of both versions to the kit, to the corpus that ships, and to drawn edits."""
    ours, theirs = strategy_of(pinned), strategy_of(newer)
    if ours is None or theirs is None:
        raise UsageError(f"peer/{pinned.name} cannot be run", "See `editgauge peers install`.")
    found = Conformed()
    with Stopwatch() as stopwatch:
        pair = Pair(_without_crashes(ours), _without_crashes(theirs), stopwatch, timeout_s=timeout_s)
        compare("kit", samples_for(ours), pair, found)
        compare(DEFAULT, load(DEFAULT), pair, found)
        compare("drawn", islice(draws(pair, seed), N_DRAWN), pair, found)
        for one in sorted(found.classes.values(), key=lambda one: -one.n)[:_MOST_SHRUNK]:
            shrunk(one, pair, seconds=_SHRINK_S)
    return found


def _without_crashes(one: Strategy) -> Strategy:
    """The strategy with a refusal in place of each crash: two versions that crash on an edit do the same."""

    def apply(sample: Sample, document: Document | None) -> EditResult:
        try:
            return one.apply(sample, document)
        except CommandError as error:
            return Rejected(Reason.MALFORMED, f"It crashed: {error}")

    return replace(one, apply=apply)
