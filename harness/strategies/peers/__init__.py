"""Peers: other people's programs and packages as strategies `peer/NAME`, if they are installed.

`peers.toml` lists them. A program runs in a folder with the sample's files and reads the patch. A package for Python or
Node.js runs in an environment of its own, behind an adapter in `adapters/`.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from editcore.errors import EditgaugeError, UsageError, did_you_mean
from editcore.types import Applied, Rejected
from harness.strategies.external import external_strategy
from harness.strategies.peers.environments import Package, Peer, adapter_command, environment_of, installed
from harness.strategies.peers.programs import apply_with_program, merge_edits, program_version
from harness.strategies.strategy import Strategy, by_path, example_sample

_TABLE = tomllib.loads((Path(__file__).parent / "peers.toml").read_text("utf-8"))


_PAIRS = ("str_replace", "search_replace")


def _peer(row: dict[str, Any]) -> Peer:
    package = _TABLE["packages"].get(row.get("package", row["name"]))
    return msgspec.convert({"formats": _PAIRS, **row, "package": package}, Peer)


PEERS = {row["name"]: _peer(row) for row in _TABLE["peers"]}
"""Name -> peer, installed or not."""


def peer_strategies() -> Iterator[Strategy]:
    for peer in PEERS.values():
        strategy = strategy_of(peer)
        if strategy:
            yield strategy


def strategy_of(peer: Peer) -> Strategy | None:
    """The peer as a strategy; None if it is not installed."""
    if peer.package is None:
        program = shutil.which(peer.command[0])
        return _program(peer, peer.command, program_version(peer.command[0])) if program else None
    version = installed(peer.package)
    if version is None:
        return None
    if peer.command:
        program, *arguments = peer.command
        return _program(peer, (str(environment_of(peer.package) / program), *arguments), version)
    return _adapted(peer, peer.package, version)


def _program(peer: Peer, command: Sequence[str], version: str) -> Strategy:
    name, formats = f"peer/{peer.name}", frozenset(peer.formats)
    if "str_replace" in formats:
        return Strategy(name, formats, merge_edits, peer.summary, version, version)
    apply = partial(apply_with_program, command)
    return Strategy(name, formats, apply, peer.summary, version, version, reads="patch", bytes_by="itself")


def _adapted(peer: Peer, package: Package, version: str) -> Strategy:
    words, environment = adapter_command(peer.name, package)
    return external_strategy(
        f"peer/{peer.name}",
        words,
        formats=peer.formats,
        version=version,
        summary=peer.summary,
        origin=version,
        environment=environment,
    )


def check_peer(peer: Peer) -> None:
    """Apply an example edit with an installed peer. Raises UsageError if the result is wrong."""
    strategy, sample = strategy_of(peer), example_sample(peer.formats[0], whole=peer.needs_context)
    reason = "it cannot be run"
    if strategy:
        try:
            result = strategy.apply(sample, None)
        except (EditgaugeError, OSError) as error:
            reason = str(error)
        else:
            after = result.files if isinstance(result, Applied) else None
            if after == by_path(sample.target or ()):
                return
            reason = result.message if isinstance(result, Rejected) else "it applied an edit wrongly"
    raise UsageError(f"peer/{peer.name} does not work here: {reason}", "Nothing was left behind.")


def named_peer(name: str) -> Peer:
    """The peer of that name. Raises UsageError if there is none."""
    if name not in PEERS:
        raise UsageError(f"There is no peer {name!r}", f"{did_you_mean(name, PEERS)}Choose from: {', '.join(PEERS)}.")
    return PEERS[name]


def not_installed(name: str) -> UsageError:
    """The error for a peer that is not installed; its tip says how to install it."""
    peer = named_peer(name)
    if peer.package is None:
        return UsageError(
            f"peer/{name} needs the program {peer.command[0]}", "Install it with your system's package manager."
        )
    return UsageError(f"peer/{name} is not installed", f"Run `editgauge peers install {name}`.")
