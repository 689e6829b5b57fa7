"""The commands that score cascades' parts: their output and exit codes."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from editcore.errors import UsageError
from editcore.replacers import REPLACERS
from editcore.types import File
from editcore.variants import PARAMETERS, named_replacer
from harness.commands.scoring.cascades import settings
from reports.runs.manifest import read_manifest
from reports.runs.parts import samples_used
from tests.harness.program import Program, call, command, environment
from tests.samples import sample, write_jsonl

THRESHOLDS = [f"block_anchor@similarity={tenths / 10:g}" for tenths in range(11)]
TWO = "block_anchor@similarity=0.5,size_window=0.25"


@pytest.fixture(autouse=True)
def _undrawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plots are drawn only in tests whose name says so, because drawing takes longer than scoring."""
    if "drawn" not in request.node.name:
        monkeypatch.setattr("reports.orderings.curves.save", lambda _, path: path.touch())


def document(done: Result) -> Any:
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["schema_version"] == 1
    return found


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The smoke corpus under the nine replacers and some variants."""
    folder = tmp_path_factory.mktemp("orderings") / "run"
    chosen = [option for name in [*THRESHOLDS, TWO] for option in ("-s", f"replacer/{name}")]
    done = call("run", "smoke", "-q", "-j", 1, "-s", "replacer/*", *chosen, "-s", "cascade/exact", "-o", folder)
    assert done.exit_code == 0, done.stderr
    return folder


# orderings


@pytest.mark.slow
def test_every_ordering_of_the_nine_is_scored_on_a_corpus_and_some_run_for_real(tmp_path: Path) -> None:
    done = call("orderings", "smoke", "--verify", 3, "--json", "-q", "-j", 1, "-o", tmp_path / "run")
    found = document(done)
    assert found["replacers"] == list(REPLACERS)
    assert found["n_orderings"] == 986_409
    assert (found["n_labelled"], found["n_several"]) == (49, 2)
    assert (found["n_failed"], found["n_not_followed"]) == (0, 0)
    known = found["reference"]
    assert known["order"] == list(REPLACERS)
    # As `editgauge run` has it of cascade/reference.
    assert [known[name] for name in ("correct", "wrong", "missed", "refused")] == [24, 14, 3, 8]
    assert known["expected_ns"] > 0
    assert 1 < found["reference"]["rank"] < 986_409
    assert len(found["best"]) == 10
    assert [one["replacer"] for one in found["marginal"]] == list(REPLACERS)
    assert found["cross_validation"]["loss"] >= 0
    assert found["verified"] == {"n_orderings": 3, "n_differing": 0, "differing": []}
    assert done.stderr.endswith(f"run: {tmp_path / 'run'}\n")
    names = [used.name for used in read_manifest(tmp_path / "run").strategies]
    assert names == [f"replacer/{name}" for name in REPLACERS]


def test_a_run_is_read_again_for_any_of_its_replacers(ran: Path) -> None:
    chosen = "line_trimmed,simple,block_anchor"
    found = document(call("orderings", ran, "--replacers", chosen, "--json", "--top", 2))
    assert found["n_orderings"] == 15
    assert found["reference"]["order"] == chosen.split(",")
    assert len(found["best"]) == 2
    assert "verified" not in found
    done = call("orderings", ran, "--replacers", chosen)
    assert done.stdout.startswith("Best where a wrong edit costs 5: simple: 5 correct")
    assert "\n15 orderings of 3 replacers; 49 labelled samples (2 with several edits); " in done.stdout
    for one in found["best"]:
        assert f"{' > '.join(one['order'])} " in done.stdout
    assert done.stderr.endswith(f"run: {ran}\n")


def test_no_more_orderings_are_run_for_real_than_there_are(ran: Path) -> None:
    done = call("orderings", ran, "--replacers", "simple,context_aware", "--verify", 99, "-q", "-j", 1)
    assert done.exit_code == 0, done.stderr
    last = done.stdout.splitlines()[-1]
    assert last == "4 random orderings, run as cascades, had the predicted outcome on every sample."


def test_eleven_thresholds_may_stand_beside_others(ran: Path) -> None:
    chosen = ",".join(["simple", "line_trimmed", *THRESHOLDS])
    found = document(call("orderings", ran, "--replacers", chosen, "--json", "--verify", 2, "-q", "-j", 1))
    assert found["reference"]["rank"] is None
    assert found["best"][0]["score"] == max(one["score"] for one in found["pareto"])
    correct, wrong = ([one[what] for one in found["pareto"]] for what in ("correct", "wrong"))
    assert correct == sorted(set(correct))
    assert wrong == sorted(set(wrong))
    assert found["verified"]["n_differing"] == 0


def test_a_variant_may_have_several_parameters(ran: Path) -> None:
    found = document(call("orderings", ran, "--replacers", f"simple,{TWO},line_trimmed", "--json"))
    assert found["replacers"] == ["simple", TWO, "line_trimmed"]


def test_only_orderings_that_are_wrong_seldom_enough_are_the_best(ran: Path) -> None:
    arguments = ("orderings", ran, "--replacers", "simple,line_trimmed,context_aware", "--json", "--wrong-cost", 0)
    free, limited = (document(call(*arguments, *more)) for more in ((), ("--max-wrong-rate", 0.1)))
    assert free["best"][0]["wrong"] > 4
    assert limited["best"]
    assert all(one["wrong"] <= 4.9 for one in limited["best"])
    assert limited["aim"] == {"wrong_cost": 0.0, "max_wrong_rate": 0.1}
    assert limited["pareto"] == free["pareto"]


@pytest.mark.slow
def test_samples_that_turn_out_otherwise_are_named_and_the_gate_fails(tmp_path: Path) -> None:
    made = [replace(sample(n, before=f"x = {n}\n", old=f"x = {n}"), id=f"::error::s{n}") for n in range(3)]
    corpus = write_jsonl(tmp_path / "a.jsonl", made)
    arguments = ("orderings", "--replacers", "simple,line_trimmed", "--verify", 4, "-q", "-j", 1)
    assert call(*arguments, corpus, "-o", tmp_path / "run").exit_code == 0
    write_jsonl(corpus, [replace(made[0], before=sample().before), made[1]])
    done = call(*arguments, tmp_path / "run")
    assert done.exit_code == 1
    assert r"\x3a:error::s0 under replacer/simple: predicted a wrong edit, is refused" in done.stdout
    assert f"replacer/simple: 1 of the samples are no longer in {corpus}" in done.stdout
    assert "\n::" not in done.stdout
    assert "had the predicted outcome" not in done.stdout
    found = json.loads((again := call(*arguments, tmp_path / "run", "--json")).stdout)
    assert again.exit_code == 1
    assert found["verified"]["n_differing"] == len(found["verified"]["differing"]) == 8


def test_where_nothing_is_ever_right_there_is_a_best_all_the_same(tmp_path: Path) -> None:
    corpus = write_jsonl(tmp_path / "a.jsonl", [sample()])
    chosen = ",".join(["simple", *THRESHOLDS[:9]])
    done = call("orderings", corpus, "--replacers", chosen, "--json", "-q", "-j", 1, "-o", tmp_path / "run")
    assert [(one["order"], one["score"]) for one in document(done)["best"]] == [([THRESHOLDS[0]], 0.0)]


def mistake(done: Result) -> tuple[str, str]:
    """The two lines of a user's mistake."""
    assert done.exit_code == 2
    assert done.stdout == ""
    what, remedy = done.stderr.splitlines()
    assert what.startswith("error: ")
    return what.removeprefix("error: "), remedy.strip()


@pytest.mark.parametrize(
    ("replacers", "what", "remedy"),
    [
        (
            "simple,simpel",
            "There is no replacer 'simpel'",
            f"Did you mean simple? Choose from: {', '.join(REPLACERS)}.",
        ),
        ("simple,", "There is no replacer ''", f"Choose from: {', '.join(REPLACERS)}."),
        ("simple,simple", "--replacers names a replacer twice", "Name each once."),
        ("simple@depth=3", "simple takes no parameter 'depth'", "Choose from: line_factor."),
        (
            ",".join([*REPLACERS, *THRESHOLDS, "simple@line_factor=2"]),
            "21 replacers are too many",
            "Name at most 20 with --replacers.",
        ),
    ],
    ids=["unknown", "empty", "twice", "parameter", "too many"],
)
def test_replacers_that_cannot_be_ordered_are_the_users_mistake(
    ran: Path, replacers: str, what: str, remedy: str
) -> None:
    assert mistake(call("orderings", ran, "--replacers", replacers)) == (what, remedy)


def test_a_limit_that_no_ordering_meets_is_the_users_mistake(ran: Path) -> None:
    what, _ = mistake(call("orderings", ran, "--replacers", "line_trimmed", "--max-wrong-rate", 0))
    assert what == "Every ordering is wrong on more than 0 of the samples"


def test_a_run_stands_for_itself(ran: Path) -> None:
    for others in ([ran], ["smoke"]):
        assert mistake(call("orderings", ran, *others)) == (
            "Several places are given, and one is a run",
            "Name one run, or corpora only.",
        )
        assert mistake(call("sweep", *others, ran)) == (
            "Several places are given, and one is a run",
            "Name one run, or corpora only.",
        )


def test_what_a_run_lacks_is_run_on_its_samples(tmp_path: Path) -> None:
    edits = ["run", "smoke", "-q", "-j", 1, "-n", 2, "-k", "format:str_replace"]
    run, more = tmp_path / "run", tmp_path / "more"
    assert call(*edits, "-s", "cascade/exact", "-o", run).exit_code == 0
    done = call("orderings", run, "--replacers", "simple,line_trimmed", "-q", "-j", 1, "-o", more)
    assert done.exit_code == 0, done.output
    assert f"{run} lacks outcomes of replacer/simple and of 1 more: run now, on its samples" in done.stderr
    assert {one.sample_id for one in samples_used(more)} == {one.sample_id for one in samples_used(run)}
    again = call("sweep", more, "--replacer", "simple", "-p", "line_factor=2", "-q", "-j", 1, "-o", tmp_path / "third")
    assert again.exit_code == 0, again.output


def test_a_run_whose_edits_say_nothing_of_tiers_is_not_calibrated(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [sample(0, old="nowhere")])
    call("run", path, "-q", "-j", 1, "-s", "cascade/recommended", "-o", tmp_path / "run")
    what, _ = mistake(call("calibrate", tmp_path / "run"))
    assert what == f"In {tmp_path / 'run'}, no tier of cascade/recommended made an edit whose right answer is known"


def test_confidence_is_not_checked_where_nothing_is_held_out(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [sample(0)])
    what, _ = mistake(call("calibrate", path, "--folds", 100_000, "-q", "-j", 1, "-o", tmp_path / "run"))
    assert what.endswith("all edits of known answers are in one fold of repositories, so none are held out")


def test_no_more_orderings_are_verified_than_end(ran: Path) -> None:
    what, _ = mistake(call("orderings", ran, "--verify", 10**9))
    assert "--verify" in what


def test_a_run_of_patches_has_no_orderings(tmp_path: Path) -> None:
    run = ["run", "smoke", "-q", "-j", 1, "-n", 2, "-k", "format:unified_diff", "-s", "unified_diff/strict"]
    assert call(*run, "-o", tmp_path / "run").exit_code == 0
    for name, first in (
        ("orderings", "replacer/simple"),
        ("sweep", "replacer/simple"),
        ("calibrate", "cascade/recommended"),
    ):
        what, _ = mistake(call(name, tmp_path / "run"))
        assert what == f"{tmp_path / 'run'} has no samples that {first} takes: search_replace, str_replace"


def test_options_of_a_run_are_refused_where_all_outcomes_are_there(ran: Path, tmp_path: Path) -> None:
    for name in ("orderings", "sweep"):
        chosen = ["-p", "similarity=0,1"] if name == "sweep" else []
        what, remedy = mistake(call(name, ran, *chosen, "-n", 5, "-k", "right", "-o", tmp_path / "out"))
        assert what == f"{ran} has all outcomes, and nothing is run: -n and -k and -o would do nothing"
        assert remedy == "Leave that out, or name corpora in place of the run."


def test_what_is_neither_a_run_nor_a_corpus_is_the_users_mistake() -> None:
    what, _ = mistake(call("orderings", "nowhere"))
    assert what == "There is no corpus 'nowhere'"


@pytest.mark.slow
def test_a_reader_who_has_had_enough_gets_no_traceback(ran: Path) -> None:
    arguments = ["orderings", ran, "--replacers", "simple,context_aware"]
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(
        command(*arguments), env=environment(), stdout=theirs, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(theirs)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


# sweep


def test_a_parameter_is_tried_over_its_range_and_drawn(tmp_path: Path) -> None:
    arguments = ("-q", "-j", 1, "-p", "similarity=1,0,0.5")
    done = call("sweep", "smoke", *arguments, "--json", "-o", tmp_path / "run")
    (found,) = document(done)["curves"]
    assert (found["replacer"], found["parameter"]) == ("block_anchor", "similarity")
    assert [one["value"] for one in found["settings"]] == [0.0, 0.5, 1.0]
    assert [one["variant"] for one in found["settings"]] == [
        "block_anchor@similarity=0",
        "block_anchor@similarity=0.5",
        "block_anchor@similarity=1",
    ]
    for one in found["settings"]:
        assert one["alone"]["order"] == [one["variant"]]
        assert one["in_order"]["order"] == [one["variant"] if name == "block_anchor" else name for name in REPLACERS]
        assert one["in_order"]["score"] == one["in_order"]["correct"] - 5 * one["in_order"]["wrong"]
    correct = [one["alone"]["correct"] for one in found["settings"]]
    assert correct == sorted(correct, reverse=True)
    assert found["chosen_low"] <= found["chosen"] <= found["chosen_high"]
    assert [found["reference"][name] for name in ("correct", "wrong")] == [24, 14]
    pictures = [tmp_path / "run" / "plots" / f"sweep-block_anchor-similarity.{ending}" for ending in ("svg", "png")]
    assert done.stderr.splitlines() == [*(f"plot: {path}" for path in pictures), f"run: {tmp_path / 'run'}"]
    assert all(path.stat().st_size for path in pictures)

    # The run has all that another look at it needs.
    done = call("sweep", tmp_path / "run", *arguments)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert "block_anchor: similarity" in lines
    rows = [line.split() for line in lines if line[:1].isdigit() or line.startswith("*")]
    assert [row[0].strip("*") for row in rows] == ["0", "0.5", "1"]
    assert [row[1:5] for row in rows] == [
        [str(one[place][what]) for place in ("alone", "in_order") for what in ("correct", "wrong")]
        for one in found["settings"]
    ]
    assert [row[0].startswith("*") for row in rows] == [one["value"] == found["chosen"] for one in found["settings"]]


def test_another_replacer_has_its_own_parameter(tmp_path: Path) -> None:
    done = call(
        *("sweep", "smoke", "-n", 20, "-q", "-j", 1, "--json", "-o", tmp_path / "run"),
        *("--replacer", "line_trimmed", "-p", "line_factor=2"),
    )
    (found,) = document(done)["curves"]
    assert [one["variant"] for one in found["settings"]] == ["line_trimmed@line_factor=2"]
    assert found["chosen"] == found["chosen_low"] == found["chosen_high"] == 2


def test_tiers_are_ordered_like_replacers_though_some_refuse_for_all_after_them(tmp_path: Path) -> None:
    before = "if x:\n    a = 1\n    b = 2\n"
    edits = [
        ("    a = 1", "    a = 3", before.replace("1", "3")),
        ("a = 1\nb = 2", "a = 1\nb = 3", before.replace("2", "3")),
        ("    a  = 1\n    b = 2", "    a  = 1\n    b = 3", before.replace("2", "3")),
        # The tier `indentation` finds nothing to change, and ends a cascade there.
        ("    a = 1", "    a = 1\n", before.replace("1", "1\n")),
    ]
    samples = [
        sample(number, before, old, new, label="apply", target=(File("a.py", after),))
        for number, (old, new, after) in enumerate(edits)
    ]
    corpus = write_jsonl(tmp_path / "c.jsonl", samples)
    chosen = "exact,indentation,spacing,drift@score=0.9"
    done = call("orderings", corpus, "--tiers", chosen, "--verify", 64, "--json", "-q", "-j", 1, "-o", tmp_path / "run")
    found = document(done)
    assert found["replacers"] == chosen.split(",")
    assert found["verified"] == {"n_orderings": 64, "n_differing": 0, "differing": []}
    done = call("orderings", corpus, "--tiers", "exact", "--replacers", "simple")
    assert (done.exit_code, done.stderr.partition("\n")[0]) == (2, "error: --replacers and --tiers are given")


def test_a_tiers_threshold_is_varied_at_its_place(tmp_path: Path) -> None:
    lines = [f"    total = check_value(total, {n})\n" for n in range(6)]
    file = "".join(["# check the limit\n", *lines, "    return store(total)\n"])
    old = file.replace("the limit", "its limit")
    target = (File("a.py", file.replace("store", "keep")),)
    one = sample(0, file, old, old.replace("store", "keep"), label="apply", target=target)
    corpus = write_jsonl(tmp_path / "c.jsonl", [one])
    done = call(
        "sweep", corpus, "--tier", "drift", "-p", "differing=0,1", "--json", "-q", "-j", 1, "-o", tmp_path / "r"
    )
    (found,) = document(done)["curves"]
    assert (found["replacer"], found["parameter"], found["chosen"]) == ("drift", "differing", 1)
    assert [setting["in_order"]["correct"] for setting in found["settings"]] == [0, 1]
    done = call("sweep", corpus, "--tier", "drift", "--agent", "zed")
    assert (done.exit_code, done.stderr.partition("\n")[0]) == (2, "error: --tier and --agent are given")


def test_an_agents_threshold_is_varied_alone(tmp_path: Path) -> None:
    done = call(
        *("sweep", "smoke", "-q", "-j", 1, "--json", "-o", tmp_path / "run"),
        *("--agent", "qbit", "-p", "similarity=0.85,1"),
    )
    (found,) = document(done)["curves"]
    assert [one["variant"] for one in found["settings"]] == ["qbit@similarity=0.85", "qbit@similarity=1"]
    assert [one["in_order"]["order"] for one in found["settings"]] == [[one["variant"]] for one in found["settings"]]
    assert found["settings"][0]["alone"]["wrong"] > found["settings"][1]["alone"]["wrong"]
    assert found["reference"]["order"] == ["qbit"]
    assert mistake(call("sweep", "smoke", "--agent", "qbit", "-p", "shape"))[0] == "qbit has no parameter 'shape'"


@pytest.mark.parametrize(
    ("parameter", "what"),
    [
        ("nonsense", "block_anchor has no parameter 'nonsense'"),
        ("", "block_anchor has no parameter ''"),
        ("similarity=high", "-p similarity=high cannot be read"),
        ("similarity=0,,1", "-p similarity=0,,1 cannot be read"),
        ("similarity=2", "similarity of block_anchor must be a number from 0 to 1, not '2'"),
        ("similarity=nan", "similarity of block_anchor must be a number from 0 to 1, not 'nan'"),
    ],
)
def test_a_parameter_that_cannot_be_tried_is_the_users_mistake(parameter: str, what: str) -> None:
    assert mistake(call("sweep", "smoke", "-p", parameter))[0] == what


def test_without_a_choice_all_parameters_of_the_replacer_are_tried() -> None:
    found = settings("block_anchor", [])
    assert list(found) == list(PARAMETERS)
    for name, pairs in found.items():
        assert tuple(value for value, _ in pairs) == PARAMETERS[name].values
        assert all(named_replacer(variant) for _, variant in pairs)
    assert list(settings("simple", [])) == ["line_factor"]
    with pytest.raises(UsageError, match="simple has no parameter 'similarity'"):
        settings("simple", ["similarity"])


def test_values_are_tried_once_each_in_their_order() -> None:
    assert settings("block_anchor", ["similarity=1,0.5,1", "size_window"]) == {
        "similarity": [(0.5, "block_anchor@similarity=0.5"), (1.0, "block_anchor@similarity=1")],
        "size_window": [(value, f"block_anchor@size_window={value:g}") for value in PARAMETERS["size_window"].values],
    }


# Rungs of one's own

RUNGS = """
def exact(content, edit):
    return content.replace(edit.old_string, edit.new_string) if content.count(edit.old_string) == 1 else None


def unstrips(content, edit):
    old = edit.old_string.strip()
    return content.replace(old, edit.new_string.strip()) if old and content.count(old) == 1 else None


def first_line(content, edit):
    return edit.new_string + content.partition("\\n")[2]
"""


@pytest.fixture
def rungs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(RUNGS)
    return tmp_path


@pytest.mark.usefixtures("rungs")
def test_of_rungs_in_a_python_file_the_planted_best_order_is_found() -> None:
    some = ("house", "-n", 150, "-k", "format=str_replace", "-q")
    done = call("orderings", *some, "--rungs", "mine.py", "-o", "run")
    first, *_ = done.stdout.splitlines()
    assert first.startswith("Best where a wrong edit costs 5: exact"), done.output
    assert "first_line" not in first
    found = document(call("orderings", "run", "--rungs", "mine.py", "--json"))
    assert found["n_orderings"] == 15
    assert found["n_several"] > 0  # Lists of edits are followed step by step through these rungs, too.
    by_order = {tuple(one["order"]): one for one in found["best"]}
    alone = document(
        call(
            "run",
            "house",
            "-n",
            150,
            "-k",
            "format=str_replace",
            "-s",
            "rung:mine.py:exact",
            "-q",
            "--json",
            "-o",
            "r2",
        )
    )
    assert by_order["exact",]["correct"] == alone["strategies"][0]["n_correct"]
    assert by_order["exact",]["wrong"] == alone["strategies"][0]["n_wrong"]


def test_other_strategies_are_rungs_too_and_an_edited_file_has_another_version(rungs: Path, editgauge: Program) -> None:
    words = ("orderings", "smoke", "-q", "--rungs", "mine.py", "--rungs", "replacer/simple", "-o")
    assert editgauge(*words, "run", extra={}).returncode == 0
    (rungs / "mine.py").write_text(f"{RUNGS}\n# edited\n")
    assert editgauge(*words, "again", extra={}).returncode == 0
    before, after = (
        {one.name: one.version for one in read_manifest(rungs / name).strategies} for name in ("run", "again")
    )
    assert before.keys() == after.keys() == {
        "rung/exact", "rung/unstrips", "rung/first_line", "rung/replacer/simple",
    }  # fmt: skip
    assert [name for name in before if before[name] == after[name]] == ["rung/replacer/simple"]


@pytest.mark.parametrize(
    ("text", "named", "what"),
    [
        (RUNGS, "nowhere.py", "There is no nowhere.py"),
        ("x = 1\n", "mine.py", "mine.py has no rung"),
        ("x = (\n", "mine.py", "mine.py cannot be imported: SyntaxError"),
        (RUNGS, "cascade/nothing", "There is no strategy 'cascade/nothing'"),
    ],
)
def test_what_is_no_rung_is_refused_in_two_lines(rungs: Path, text: str, named: str, what: str) -> None:
    (rungs / "mine.py").write_text(text)
    done = call("orderings", "smoke", "--rungs", named)
    assert done.exit_code == 2
    assert what in done.stderr
    assert len(done.stderr.splitlines()) == 2
