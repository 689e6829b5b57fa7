"""Links that stay inside a workspace are resolved; others are refused with the path that they lead to."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore.errors import WorkspaceError
from editcore.host.workspace import Workspace
from editcore.host.workspace.boundary import followed


@pytest.fixture
def linked(root: Path) -> Path:
    """A root with links of every kind, beside a directory outside."""
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret\n")
    (outside / "back").symlink_to(root / "real")
    (root / "real" / "below").mkdir(parents=True)
    (root / "real" / "a").write_text("a\n")
    for name, target in (
        ("file", "real/a"), ("directory", "real"), ("again", "file"), ("real/below/up", "../a"), ("new", "real/new"),
        ("absolute", root / "real" / "a"), ("dots", "./real//below/../a"), ("here", "."), ("loop", "loop"),
        ("ping", "pong"), ("pong", "ping"), ("out", outside / "secret"), ("out_directory", outside),
        ("back", outside / "back"), ("over", f"../{root.name}/real/a"), ("climb", f"{root}/../outside/secret"),
        ("sibling", f"{root}-other/a"), ("hidden", ".git/config"),
    ):  # fmt: skip
        (root / name).symlink_to(target)
    return root


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("file", "real/a"), ("again", "real/a"), ("directory", "real"), ("directory/a", "real/a"),
        ("directory/below/up", "real/a"), ("absolute", "real/a"), ("dots", "real/a"), ("new", "real/new"),
        ("real/a", "real/a"), ("no/such", "no/such"), ("here/real/a", "real/a"), ("here/here/file", "real/a"),
        ("directory/new/file", "real/new/file"),
    ],
)  # fmt: skip
def test_links_that_stay_inside_are_resolved(path: str, there: str, linked: Path) -> None:
    assert followed(str(linked), path) == there


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("out", "out is a symbolic link that stands for {out}/secret, outside of the workspace: give that path, if"),
        (
            "out_directory/x",
            "out_directory/x is below the symbolic link out_directory, and stands for {out}/x, outside",
        ),
        ("climb", "stands for {out}/secret, outside"),
        ("sibling", "stands for {root}-other/a, outside"),
        ("back", "back is a symbolic link that stands for real: give that path."),
        ("back/a", "back/a is below the symbolic link back, and stands for real/a: give that path."),
        ("over", "over is a symbolic link that stands for real/a: give that path."),
        ("loop", "loop is a symbolic link that leads in a circle: give the path of a file."),
        ("ping", "leads in a circle"),
        ("loop/x", "loop/x is below the symbolic link loop, and leads in a circle"),
    ],
)
def test_other_links_are_refused_with_the_path_that_they_stand_for(path: str, said: str, linked: Path) -> None:
    workspace = Workspace(linked)
    assert workspace.followed(path) == path
    with pytest.raises(WorkspaceError) as caught:
        workspace.read(path)
    assert said.format(out=linked.parent / "outside", root=linked) in caught.value.message


def test_a_link_that_is_exchanged_while_it_is_described_is_still_refused(
    linked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exchanged(*_: object, **__: object) -> str:  # As os.path.realpath may raise between two system calls.
        raise OSError(22, "Invalid argument")

    workspace = Workspace(linked)
    monkeypatch.setattr(os.path, "realpath", exchanged)
    with pytest.raises(WorkspaceError, match="symbolic link that stands for out: give that path"):
        workspace.read("out")


def test_no_more_links_are_followed_than_the_system_follows(root: Path) -> None:
    (root / "0").write_text("x\n")
    for n in range(1, 60):
        (root / str(n)).symlink_to(str(n - 1))
    assert followed(str(root), "40") == "0"
    assert followed(str(root), "41") == "41"


NAMES = st.sampled_from(["a", "b", "c", "d"])
TARGETS = st.lists(st.sampled_from(["a", "b", "c", "d", "..", ".", "", "x"]), min_size=1, max_size=4).map("/".join)


@given(
    st.dictionaries(NAMES, TARGETS | TARGETS.map("{{root}}/{}".format), max_size=4),
    st.lists(NAMES, min_size=1, max_size=3),
)
def test_what_a_path_stands_for_is_what_the_system_says_or_the_path_itself(
    links: dict[str, str], parts: list[str]
) -> None:
    with TemporaryDirectory() as name:
        root = Path(os.path.realpath(name), "root")
        (root / "x").mkdir(parents=True)
        for link, target in links.items():
            if target:
                (root / link).symlink_to(target.format(root=root))
        path = "/".join(parts)
        there = followed(str(root), path)
        real = os.path.realpath(root / path)
        assert there == path or f"{root}/{there}" == real
        inside = real.startswith(f"{root}/")
        if there == path and any(os.path.islink(Path(root, *parts[:n])) for n in range(1, len(parts) + 1)):
            with pytest.raises(WorkspaceError, match="symbolic link"):
                Workspace(root).read(path)
        elif not inside:
            raise AssertionError(f"{path} leads to {real}")
