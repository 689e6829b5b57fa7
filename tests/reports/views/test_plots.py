from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from reports.runs.rows import Outcome
from reports.runs.run_folder import RunFolder
from reports.statistics.breakdown import Decided, deciders
from reports.statistics.grid import read_grid
from reports.statistics.summary import Summary, summaries
from reports.views import plots
from tests.run_parts import write_part


def _figures(folder: Path) -> dict[str, Figure]:
    run = RunFolder(folder)
    found = summaries(run.table("outcomes"))
    decided = deciders(read_grid(run))
    return {
        "rates": plots.rates(found), "latencies": plots.latencies(found), "decisions": plots.decisions(decided)
    }  # fmt: skip


@pytest.mark.slow  # The test of the page compares the same files.
@pytest.mark.parametrize("name", ["rates", "latencies", "decisions"])
def test_the_same_run_gives_the_same_bytes(run_folder: Path, tmp_path: Path, name: str) -> None:
    for attempt in ("one", "two"):
        for suffix in (".svg", ".png"):
            plots.save(_figures(run_folder)[name], tmp_path / f"{attempt}{suffix}")
    for suffix in (".svg", ".png"):
        assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"two{suffix}").read_bytes()


@pytest.mark.parametrize("name", ["rates", "latencies", "decisions"])
def test_a_picture_is_well_formed_text_without_a_date(run_folder: Path, name: str) -> None:
    text = plots.svg(_figures(run_folder)[name])
    ET.fromstring(text)
    assert "cascade/reference" in text
    assert "metadata" not in text
    assert "http" not in text.replace("http://www.w3.org/", "")


def test_nothing_measured_is_said(tmp_path: Path) -> None:
    for figure in _figures(tmp_path).values():
        assert "nothing measured" in plots.svg(figure)
    write_part(tmp_path, "0", [Outcome("s", "cascade/x", "timed_out")], [], metadata={})
    for figure in _figures(tmp_path).values():
        assert "nothing measured" in plots.svg(figure)
        plots.save(figure, tmp_path / "picture.png")


def test_the_pictures_leave_nothing_global_behind(run_folder: Path) -> None:
    before = dict(mpl.rcParams)
    for figure in _figures(run_folder).values():
        plots.svg(figure)
    assert dict(mpl.rcParams) == before


def _strategy(tmp_path: Path, rates: dict[str, tuple[int, int]]) -> list[Summary]:
    rows = [
        Outcome("s", name, verdict, "text" if verdict == "wrong_edit" else None, latency_ns=5)
        for name, (n_correct, n_wrong) in rates.items()
        for verdict in ["correct"] * n_correct + ["wrong_edit"] * n_wrong + ["missed"] * (50 - n_correct - n_wrong)
    ]
    write_part(tmp_path, "0", rows, [], metadata={})
    return summaries(RunFolder(tmp_path).table("outcomes"))


def test_labels_do_not_touch_even_where_the_points_coincide(tmp_path: Path) -> None:
    same = {f"replacer/with_a_long_name_{i}": (40, 2) for i in range(12)}
    corners = {"cascade/all": (50, 0), "cascade/none": (0, 0), "cascade/wrong": (0, 50)}
    figure = plots.rates(_strategy(tmp_path, same | corners))
    renderer = FigureCanvasAgg(figure).get_renderer()
    (axes,) = figure.axes
    names = {*same, *corners}
    boxes = {text.get_text(): text.get_window_extent(renderer) for text in axes.texts}
    labels = [box for name, box in boxes.items() if name in names]
    assert len(labels) == len(names)
    for one, other in combinations(labels, 2):
        assert not one.padded(-0.5).overlaps(other.padded(-0.5))
    for box in labels:
        assert axes.bbox.padded(1).containsx(box.x0)
        assert axes.bbox.padded(1).containsx(box.x1)


def test_of_very_many_points_those_that_no_other_of_their_family_beats_are_named(tmp_path: Path) -> None:
    agents = {f"agent/a{number:02}": (number, 40 - number) for number in range(40)}
    (axes,) = plots.rates(_strategy(tmp_path, agents | {"tier/only": (1, 9)})).axes
    assert {text.get_text() for text in axes.texts} == {"agent/a39", "tier/only"}
    assert "no other of its family" in axes.get_xlabel()


def test_a_name_with_dollars_is_no_formula(tmp_path: Path) -> None:
    assert "plugin/$a$ &lt;b&gt;" in plots.svg(plots.rates(_strategy(tmp_path, {"plugin/$a$ <b>": (1, 1)})))


def test_a_decider_without_labels_is_not_called_right() -> None:
    text = plots.svg(plots.decisions({"cascade/x": {"simple": Decided(0, 0, 3)}, "cascade/y": {}}))
    assert "not labelled" in text
    assert "cascade/y" not in text
