from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from corpora import plugins
from corpora.importers.importer import Importer, files_matching
from corpora.plugins import member_loader, with_plugins

MINE = Importer("mine", "of the plug-in", files_matching("*"), lambda _log, _surroundings: iter(()))
OTHER = "not an importer"
TABLE = {"built_in": MINE}


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, f"{__name__}:{value}" if ":" not in value else value, "editgauge.importers")


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    points: list[EntryPoint] = []
    monkeypatch.delenv("EDITGAUGE_NO_PLUGINS", raising=False)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [one for one in points if one.group == group])
    return points


def merged() -> dict[str, Importer]:
    return with_plugins(TABLE, "importer", "editgauge.importers", member_loader(Importer))


def test_members_of_other_packages_come_after_the_built_in_ones_under_their_own_names(
    installed: list[EntryPoint],
) -> None:
    installed.append(point("whatever", "MINE"))
    assert list(merged()) == ["built_in", "mine"]
    assert TABLE == {"built_in": MINE}


def test_a_broken_one_is_left_out_with_a_warning(
    installed: list[EntryPoint], capsys: pytest.CaptureFixture[str]
) -> None:
    installed += [point("a", "gone.module:X"), point("b", "OTHER"), point("c", "MINE"), point("d", "MINE")]
    assert list(merged()) == ["built_in", "mine"]
    warnings = capsys.readouterr().err.splitlines()
    assert [warning.split(" (")[0] for warning in warnings] == [
        f"warning: the importer {name}" for name in ("a", "b", "d")
    ]
    assert warnings[1].endswith(f"{__name__}:OTHER is no Importer")
    assert warnings[2].endswith("the name mine is taken")


def test_all_are_left_out_on_demand(installed: list[EntryPoint], monkeypatch: pytest.MonkeyPatch) -> None:
    installed.append(point("a", "MINE"))
    monkeypatch.setenv("EDITGAUGE_NO_PLUGINS", "1")
    assert list(merged()) == ["built_in"]
