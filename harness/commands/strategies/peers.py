"""The commands for other people's programs and packages: peers ls, install, remove."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.commands.options import JSON

if TYPE_CHECKING:
    from harness.strategies.peers.peer import Package, Peer

ALL = "all"


@click.group()
def peers() -> None:
    """Other people's ways to apply an edit, to be compared with.

    Each lives in an environment of its own, and is a strategy, peer/NAME, as soon as it is installed. They lie in
    ~/.local/share/editgauge/peers, or in the folder that EDITGAUGE_PEERS names.
    """


@peers.command("ls")
@JSON
def ls(as_json: bool) -> None:
    """List the peers: which there are, and how to have those that are not installed."""
    from harness.strategies.peers import PEERS, strategy_of

    found = {name: strategy_of(peer) for name, peer in PEERS.items()}
    if as_json:
        rows = [
            {"name": name, "summary": peer.summary, "version": strategy.version if strategy else None}
            for (name, peer), strategy in zip(PEERS.items(), found.values(), strict=True)
        ]
        click.echo(json.dumps({"schema_version": 1, "peers": rows}, indent=2))
        return
    width = max(len(name) for name in PEERS)
    for name, peer in PEERS.items():
        strategy = found[name]
        click.echo(f"{name:<{width}}  {peer.summary} [{printable(strategy.version) if strategy else _remedy(peer)}]")


def _remedy(peer: Peer) -> str:
    from harness.strategies.peers import not_installed

    return not_installed(peer.name).tip.rstrip(".").lower()


@peers.command("install")
@click.argument("names", nargs=-1, required=True, metavar="NAME...|all")
def install(names: Sequence[str]) -> None:
    """Install peers from the package registries, each at the version this editgauge was tried with.

    uv does it where there is one, else pip; npm for those that come from there: each as it is set up for this user.
    This is the only command that downloads. A peer counts as installed once it has applied an edit.
    """
    from harness.strategies.peers import check_peer
    from harness.strategies.peers.environments import installation, installed

    wanted = _packages(names)
    failed = []
    for package, users in wanted.items():
        pinned = f"{package.name} {package.version}"
        if installed(package) == pinned:
            click.echo(f"{pinned} is installed already", err=True)
            continue
        click.echo(f"installing {pinned} ...", err=True)
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
            f"{len(failed)} of {len(wanted)} packages could not be installed: {', '.join(failed)}", "Above is why."
        )


@peers.command("remove")
@click.argument("names", nargs=-1, required=True, metavar="NAME...|all")
def remove(names: Sequence[str]) -> None:
    """Delete the environments of peers.

    Peers of one package share one, and go together.
    """
    from harness.strategies.peers.environments import remove_environment

    for package, users in _packages(names).items():
        gone = remove_environment(package)
        listed = ", ".join(f"peer/{peer.name}" for peer in users)
        click.echo(f"{'removed' if gone else 'not installed:'} {package.name}: {listed}", err=not gone)


def _packages(names: Sequence[str]) -> dict[Package, list[Peer]]:
    """The packages of the named peers, each with all the peers it brings. Raises UsageError for a wrong name."""
    from harness.strategies.peers import PEERS, named_peer, not_installed

    wanted = [peer for peer in PEERS.values() if peer.package] if ALL in names else [named_peer(name) for name in names]
    for peer in wanted:
        if peer.package is None:
            what = not_installed(peer.name)
            raise UsageError(f"{peer.name} is no package: {what.message}", what.tip)
    return {
        package: [peer for peer in PEERS.values() if peer.package == package]
        for package in dict.fromkeys(peer.package for peer in wanted if peer.package)
    }
