"""`peers`: list, install, check and remove other people's programs and packages."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import JSON, TIMEOUT, seed
from harness.commands.strategies.protocol import print_classes
from harness.conform.peer_versions import Checked, check
from harness.strategies.peers import PEERS, check_peer, named_peer, not_installed, strategy_of
from harness.strategies.peers.environments import Package, Peer, installation, installed, remove_environment
from harness.terminal import print_json, tell

ALL = "all"


@click.group()
def peers() -> None:
    """Install other people's ways to apply an edit.

    Each becomes the strategy peer/NAME once it is installed, in an environment of its own. The environments are in
    ~/.local/share/editgauge/peers, or in the folder that EDITGAUGE_PEERS names.
    """


@peers.command("ls")
@JSON
def ls(as_json: bool) -> None:
    """List all peers, with their versions or how to install them."""
    found = {name: strategy_of(peer) for name, peer in PEERS.items()}
    if as_json:
        rows = [
            {"name": name, "summary": peer.summary, "version": strategy.version if strategy else None}
            for (name, peer), strategy in zip(PEERS.items(), found.values(), strict=True)
        ]
        print_json({"schema_version": 1, "peers": rows})
        return
    width = max(len(name) for name in PEERS)
    for name, peer in PEERS.items():
        strategy = found[name]
        click.echo(f"{name:<{width}}  {peer.summary} [{printable(strategy.version) if strategy else _remedy(peer)}]")


def _remedy(peer: Peer) -> str:
    return not_installed(peer.name).tip.rstrip(".").lower()


@peers.command("install")
@click.argument("names", nargs=-1, required=True, metavar="NAME...|all")
def install(names: Sequence[str]) -> None:
    """Install peers, each at the version that this editgauge was tested with.

    Says first how much each will take on disk. Uses npm for packages from there, otherwise uv if it is installed,
    otherwise pip, with this user's configuration. No other command downloads anything. A peer counts as installed once
    it has applied an example edit.
    """
    wanted = _packages(names)
    failed = []
    there = [package for package in wanted if installed(package) == f"{package.name} {package.version}"]
    _tell_sizes([package for package in wanted if package not in there])
    for package, users in wanted.items():
        pinned = f"{package.name} {package.version}"
        if package in there:
            tell(f"{pinned} is already installed")
            continue
        tell(f"installing {pinned} ...")
        try:
            with installation(package):
                for peer in users:
                    check_peer(peer)
        except UsageError as error:
            if len(wanted) == 1:
                raise
            click.echo(f"not installed: {printable(error.message)}\n  {printable(error.tip)}", err=True)
            failed.append(package.name)
        else:
            click.echo(f"installed {pinned}: {', '.join(f'peer/{peer.name}' for peer in users)}")
    if failed:
        raise UsageError(
            f"{len(failed)} of {len(wanted)} packages could not be installed: {', '.join(failed)}", "See above why."
        )


@peers.command("check")
@click.argument("names", nargs=-1, metavar="[NAME...|all]")
@TIMEOUT
@seed("Seed of the drawn edits.")
@JSON
def check_(names: Sequence[str], timeout: float, seed: int, as_json: bool) -> None:
    """Compare peers with the versions that are published today. Default: all installed peers.

    Asks the registries that pip and npm are configured for. Installs a newer version beside the pinned one, gives both
    the kit, the corpus house and 2,000 drawn edits, and says what changed, with the smallest input of each change. The
    newer version is removed afterwards. Exit code 1 if anything changed.
    """
    chosen = (
        _packages(names)
        if names
        else {one.package: [] for one in PEERS.values() if one.package and installed(one.package)}
    )
    if not chosen:
        raise UsageError("No peer is installed", "Name some: editgauge peers check whatthepatch jsdiff.")
    rows = []
    for one in check(chosen, seed=seed, timeout_s=timeout):
        rows.append(_check_row(one))
        if as_json:
            continue
        pinned, newer = f"{one.package.name} {one.package.version}", f"{one.package.name} {one.published}"
        if one.published in (None, one.package.version):
            click.echo(f"{pinned}: {'it is the newest' if one.published else 'no registry answered'}")
        elif one.problem:
            click.echo(printable(f"{pinned} -> {one.published}: not compared: {one.problem}"))
        for name, found in one.found.items():
            n = f"{found.n_differ:,} of {found.n_all:,} answers differ"
            click.echo(printable(f"{pinned} -> {one.published}: peer/{name}: {n}"))
            print_classes(sorted(found.classes.values(), key=lambda one: -one.n), ours=pinned, theirs=newer)
    if as_json:
        print_json({"schema_version": 1, "packages": rows})
    sys.exit(any(found["n_differ"] for row in rows for found in row["peers"].values()))


def _check_row(one: Checked) -> dict[str, Any]:
    peers = {
        name: {"n": it.n_all, "n_differ": it.n_differ, "classes": {kind.name: kind.n for kind in it.classes.values()}}
        for name, it in one.found.items()
    }
    package = {"package": one.package.name, "pinned": one.package.version, "published": one.published}
    return {**package, "problem": one.problem, "peers": peers}


def _tell_sizes(packages: Sequence[Package]) -> None:
    """Print the size on disk of each package to stderr, before anything is downloaded."""
    for package in packages:
        tell(f"{package.name} {package.version}: about {package.megabytes} MB")
    if len(packages) > 1:
        tell(f"together about {sum(package.megabytes for package in packages)} MB")


@peers.command("remove")
@click.argument("names", nargs=-1, required=True, metavar="NAME...|all")
def remove(names: Sequence[str]) -> None:
    """Delete the environments of peers.

    Peers of the same package share an environment, and are removed together.
    """
    for package, users in _packages(names).items():
        gone = remove_environment(package)
        listed = ", ".join(f"peer/{peer.name}" for peer in users)
        click.echo(f"{'removed' if gone else 'not installed:'} {package.name}: {listed}", err=not gone)


def _packages(names: Sequence[str]) -> dict[Package, list[Peer]]:
    """Packages of the named peers, each with all peers it provides. Raises UsageError for a wrong name."""
    wanted = [peer for peer in PEERS.values() if peer.package] if ALL in names else [named_peer(name) for name in names]
    for peer in wanted:
        if peer.package is None:
            raise UsageError(
                f"{peer.name} is not a package: peer/{peer.name} runs the program {peer.command[0]}",
                "It needs only that program; `editgauge peers ls` says whether it is there.",
            )
    return {
        package: [peer for peer in PEERS.values() if peer.package == package]
        for package in dict.fromkeys(peer.package for peer in wanted if peer.package)
    }
