"""The end-to-end scenarios of the Codex command line: all of them by our `codex`, and by the others but for a list.

The folder, `envelope`, is not part of this repository; where it is looked for, see `tests.conformance`. A scenario is
a folder with `input` (may be absent), `patch.txt` and `expected`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from editcore import Applied, Reason, apply_begin_patch
from editcore.patches.begin_patch import READINGS, Reading
from tests.conformance import conformance
from tests.results import refused

OVERWRITES = "it overwrites a file without asking: ours refuses"
LETTER = "blanks round a marker: the grammar has none"
CARRIAGE_RETURN = "a lone carriage return ends a line there: ours is part of its line"
ALL_OR_NOTHING = "it leaves done what came before the failure: ours changes nothing"
NO_CONTEXT = "it appends lines without context to the file: ours wants to be told where"

EXCEPTIONS = {
    "strict-010_move_overwrites_existing_destination": OVERWRITES,
    "strict-011_add_overwrites_existing_file": OVERWRITES,
    "strict-015_failure_after_partial_success_leaves_changes": ALL_OR_NOTHING,
    "strict-016_pure_addition_update_chunk": NO_CONTEXT,
    "strict-017_whitespace_padded_hunk_header": LETTER,
    "strict-018_whitespace_padded_patch_markers": LETTER,
    "strict-020_whitespace_padded_patch_marker_lines": LETTER,
    "strict-024_preserves_mixed_line_endings": CARRIAGE_RETURN,
    "lenient-010_move_overwrites_existing_destination": OVERWRITES,
    "lenient-011_add_overwrites_existing_file": OVERWRITES,
    "lenient-015_failure_after_partial_success_leaves_changes": ALL_OR_NOTHING,
    "lenient-016_pure_addition_update_chunk": NO_CONTEXT,
    "lenient-024_preserves_mixed_line_endings": CARRIAGE_RETURN,
}
"""Scenarios on which a reading differs on purpose, and why. One on which it doesn't is an error too."""

FOLDER = conformance("envelope")
SCENARIOS = sorted(patch.parent for patch in FOLDER.glob("*/patch.txt")) if FOLDER else []

pytestmark = pytest.mark.skipif(
    FOLDER is None, reason="no envelope scenarios: name their folder in EDITGAUGE_CONFORMANCE to compare with them"
)


def _files(folder: Path) -> dict[str, str]:
    """The texts of a folder; their line endings as they are."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in paths}


def _pairs() -> list[object]:
    return [
        pytest.param(scenario, reading, id=f"{reading}-{scenario.name}{': ' if reason else ''}{reason}")
        for reading in READINGS
        for scenario in SCENARIOS
        for reason in [EXCEPTIONS.get(f"{reading}-{scenario.name}", "")]
    ]


@pytest.mark.parametrize(("scenario", "reading"), _pairs())
def test_every_scenario_is_reproduced_or_is_a_listed_exception(scenario: Path, reading: Reading) -> None:
    before = _files(scenario / "input")
    result = apply_begin_patch(before, (scenario / "patch.txt").read_bytes().decode(), reading=reading)
    after = before if result.files is None else dict(result.files)
    reason = EXCEPTIONS.get(f"{reading}-{scenario.name}")
    if reason is None:
        assert after == _files(scenario / "expected")
    else:
        assert after != _files(scenario / "expected"), f"no longer an exception ({reason}): take it off the list"


def test_what_codex_wrote_before_it_failed_is_told() -> None:
    scenario = next(scenario for scenario in SCENARIOS if scenario.name.startswith("015_"))
    result = refused(apply_begin_patch({}, (scenario / "patch.txt").read_bytes().decode(), reading="codex"))
    assert result.reason is Reason.NOT_FOUND
    assert result.files == _files(scenario / "expected")


def test_codex_refuses_just_what_the_scenarios_refuse() -> None:
    results = {
        scenario.name: apply_begin_patch(
            _files(scenario / "input"), (scenario / "patch.txt").read_bytes().decode(), reading="codex"
        )
        for scenario in SCENARIOS
    }
    refused = {name[:3] for name, result in results.items() if not isinstance(result, Applied)}
    assert refused == {"005", "006", "007", "008", "009", "012", "013", "015"}


def test_no_scenario_is_missing_and_every_exception_is_one() -> None:
    assert len(SCENARIOS) == 25
    assert EXCEPTIONS.keys() <= {f"{reading}-{scenario.name}" for reading in READINGS for scenario in SCENARIOS}
    # What a reading does with codex's own scenarios may differ, never what codex does.
    assert not any(name.startswith("codex-") for name in EXCEPTIONS)
