"""The commands as people and scripts use them: their output and exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from editcore import __version__
from harness.cli import main
from harness.commands import FIRST, SECTIONS
from harness.commands.strategies.ls import KINDS
from tests.harness.program import ROOT, call, command, environment, mistake
from tests.twins import write_run


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.py"
    path.write_text("total = 0\nfor item in basket:\n    total = 0\n    total += item\n")
    return path


# Help


@pytest.mark.parametrize("name", main.commands)
def test_every_command_and_option_has_help(name: str) -> None:
    found = main.commands[name]
    assert found.help
    summaries = {name: summary for section in SECTIONS.values() for name, (_, summary) in section.items()}
    assert found.get_short_help_str(1_000) == summaries[name]
    for parameter in found.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
    done = call(name, "--help")
    assert done.exit_code == 0
    assert done.output.startswith(f"Usage: main {name} ")


def test_the_help_of_the_program_says_what_every_command_does_in_whole_sentences() -> None:
    done = call("-h")
    first, *sections = done.output.split("\n\n")[-len(SECTIONS) - 1 :]
    assert [section.splitlines()[0] for section in sections] == [f"{title}:" for title in SECTIONS]
    # A line that is indented further goes on with the sentence of the line above.
    lines = [
        line for section in (first, *sections) for line in re.sub(r"\n {10,}", " ", section).splitlines()[1:] if line
    ]
    assert [line.split()[0] for line in lines[: len(FIRST)]] == list(FIRST)
    assert sorted(line.split()[0] for line in lines) == sorted(main.commands)
    assert all(line.endswith(".") and not line.endswith("...") for line in lines)


@pytest.mark.parametrize("name", main.commands)
def test_every_command_is_documented(name: str) -> None:
    assert f"### editgauge {name}\n" in (ROOT / "docs" / "commands.md").read_text()


def test_the_variable_of_an_option_has_its_long_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITGAUGE_RUN_STRATEGY", "cascade/exact cascade/reference")
    monkeypatch.setenv("EDITGAUGE_RUN_JSON", "1")
    monkeypatch.setenv("EDITGAUGE_CORPUS_LS_JSON", "1")
    done = call("run", "smoke", "-k", "simple-right", "-q", "-j", 1, "-o", tmp_path / "run")
    assert [one["strategy"] for one in json.loads(done.stdout)["strategies"]] == ["cascade/reference", "cascade/exact"]
    assert json.loads(call("corpus", "ls").stdout)


def test_the_version_is_that_of_the_package() -> None:
    assert call("--version").output == f"editgauge {__version__}\n"


def test_the_program_alone_shows_its_help() -> None:
    done = call()
    assert "Score strategies:" in done.output
    assert done.exit_code == 2


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "harness", "--help"], env=environment(), cwd=tmp_path,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "click" in imported
    heavy = {"pandas", "matplotlib", "datasets", "scipy", "hypothesis", "pyarrow", "numpy", "rich", "jinja2", "msgspec"}
    assert not imported & heavy


# Mistakes


@pytest.mark.parametrize(
    "arguments",
    [
        ["nope"],
        ["--nope"],
        ["run", "--nope"],
        ["run", "-j", "0"],
        ["run", "-n", "many"],
        ["run", "--timeout", "0"],
        ["run", "nowhere.jsonl"],
        ["run", "empty"],
        ["run", "smoke", "-s", "cascade/exakt"],
        ["run", "smoke", "-k", "a b"],
        ["run", "smoke", "-k", ""],
        ["run", "smoke", "-k", "a (b)"],
        ["run", "smoke", "-k", "nothing-like-it"],
        ["run", "smoke", "-o", "shop.py"],
        ["run", "smoke", "--resume"],
        ["run", "smoke", "--replace"],
        ["run", "smoke", "--resume", "--replace", "-o", "run"],
        ["report"],
        ["report", "empty"],
        ["report", "nowhere"],
        ["show", "empty", "x"],
        ["show", "empty"],
        ["ls"],
        ["ls", "wishes"],
        ["try", "shop.py"],
        ["try", "nowhere.py", "--old", "a", "--new", "b"],
        ["try", "empty", "--old", "a", "--new", "b"],
        ["try", "shop.py", "--old", "a", "--new", "b", "--cascade", "waterfall"],
        ["try", "shop.py", "--old", "@latin.py", "--new", "b"],
    ],
    ids=" ".join,
)
def test_a_mistake_is_two_lines_on_stderr_and_exit_code_2(
    arguments: list[str], shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.parent)
    Path("empty").mkdir()
    Path("latin.py").write_bytes(b"caf\xe9\n")
    done = call(*arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    what, remedy = done.stderr.splitlines()
    assert what.startswith("error: ")
    assert remedy.startswith("  ")
    assert remedy.strip()[0].isupper()
    assert remedy.endswith((".", "?"))


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        ("run smoke -s cascade/refrence", "cascade/reference"),
        ("run smoke -s cascde/*", "cascade/*"),
        ("run smoke -s exact", "tier/exact or cascade/exact or search_replace/exact"),
        ("run smoke -s peer/opnhands", "peer/openhands"),
        ("run smoke -s replacer/simpel@line_factor=2", "simple"),
        ("run smoke -s tool/edit@refrence", "reference"),
        ("run smoke -s cmd:mine[unifed_diff]=cat", "unified_diff"),
        ("try shop.py --old a --new b --cascade refrence", "cascade/reference"),
        ("peers install whatthepach", "whatthepatch"),
        ("ls strategie", "strategies"),
        ("sweep --replacer block_ancor", "block_anchor"),
        ("sweep -p similarty", "similarity"),
        ("orderings --replacers simple,line_trimed", "line_trimmed"),
    ],
)
def test_a_wrong_name_proposes_those_that_are_near(
    arguments: str, near: str, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.parent)
    done = call(*arguments.split())
    assert done.exit_code == 2
    _, remedy = done.stderr.splitlines()
    assert remedy.startswith(f"  Did you mean {near}")


def test_a_proposed_glob_matches_something(tmp_path: Path) -> None:
    proposed = call("run", "smoke", "-s", "replcer/sim*").stderr.splitlines()[1].split()[3].rstrip("?")
    assert proposed == "replacer/sim*"
    assert call("run", "smoke", "-q", "-n", 2, "-s", proposed, "-o", tmp_path / "run").exit_code == 0


def test_a_missing_choice_lists_all_on_one_line() -> None:
    what = call("ls").stderr.splitlines()[0]
    assert what == f"error: Missing argument 'KIND'. Choose from: {', '.join(KINDS)}"


@pytest.mark.parametrize("arguments", [("sweep", "--seed"), ("run", "--lmit", "3"), ("ls", "wishes")])
def test_the_help_that_a_mistake_refers_to_is_that_of_its_command(arguments: tuple[str, ...]) -> None:
    assert call(*arguments).stderr.splitlines()[1].endswith(f"See `main {arguments[0]} --help`.")


def test_a_scheduler_without_its_extra_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = call("run", "smoke", "-q", "-s", "cascade/exact", "--scheduler", "tcp://127.0.0.1:1", "-o", tmp_path / "run")
    what, remedy = done.stderr.splitlines()
    assert what.startswith("error: --scheduler needs ")
    assert "distributed" in what
    assert remedy == "  Install it: pip install 'editgauge[cluster]'."


def test_a_mistake_never_sends_raw_control_characters(tmp_path: Path) -> None:
    done = call("run", f"{tmp_path}/\x1b[2J\n\ud800.jsonl")
    assert r"\x1b[2J\n\ud800" in done.stderr
    assert "\x1b" not in done.stderr
    assert len(done.stderr.splitlines()) == 2


def _float_options(command: click.Command) -> Iterator[click.Parameter]:
    for option in command.params:
        if isinstance(option.type, click.types.FloatParamType):
            yield option
    for inner in getattr(command, "commands", {}).values():
        yield from _float_options(inner)


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "-1", "1e999", "NaN", "x"])
def test_no_number_of_any_command_is_infinite_or_none(text: str) -> None:
    options = list(_float_options(main))
    assert len(options) > 10
    for option in options:
        with pytest.raises(click.BadParameter):
            option.type.convert(text, option, None)


def test_a_duration_is_one_that_timers_take() -> None:
    assert "1e300 is more than 10,000,000 seconds" in mistake("run", "smoke", "--timeout", "1e300")


# ls, report


def test_a_disk_that_fails_is_two_lines_and_no_failed_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "runs/x")

    monkeypatch.setattr("harness.commands.scoring.run.run_all", fail)
    done = call("run", "smoke", "-q")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "error: runs/x: No space left on device",
        "  Free some space and try again; a run resumes with --resume.",
    ]


def test_a_full_disk_is_told_with_the_file_and_no_option_that_the_command_lacks(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert call("run", "smoke", "-q", "-s", "cascade/exact", "-o", run).exit_code == 0
    page = tmp_path / "page.html"
    # A limit on the size of files fails as a full disk does, in the write, which knows no name.
    limited = [
        "sh", "-c", 'ulimit -f 1; exec "$@"', "sh", *command("report", run, "-o", page),
    ]  # fmt: skip
    no_bytecode = {"PYTHONDONTWRITEBYTECODE": "1"}  # Else the files of modules are cut off too, and stay.
    done = subprocess.run(limited, env=environment(no_bytecode), cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-2:] == [f"error: {page}: File too large", "  Free some space and try again."]
    assert not page.exists()


def test_a_full_standard_output_is_named() -> None:
    with open("/dev/full", "w") as full:
        words = command("ls", "corpora")
        done = subprocess.run(words, env=environment(), cwd=ROOT, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("error: standard output: No space left on device\n  Free some space")


@pytest.mark.parametrize(
    ("what", "first"), [("strategies", "replacer/simple"), ("corpora", "house"), ("cascades", "recommended")]
)
def test_ls_lists_what_there_is_a_line_each(what: str, first: str) -> None:
    lines = call("ls", what).stdout.splitlines()
    document: dict[str, Any] = json.loads(call("ls", what, "--json").stdout)
    assert lines[0].split()[0] == first == document[what][0]["name"]
    assert [line.split()[0] for line in lines] == [row["name"] for row in document[what]]


def test_ls_says_where_the_rule_of_an_agent_was_read() -> None:
    rows = {row["name"]: row for row in json.loads(call("ls", "strategies", "--json").stdout)["strategies"]}
    assert rows["agent/kimi"]["source"] == {
        "date": "2026-09",
        "path": "MoonshotAI/kimi-cli src/kimi_cli/tools/file/replace.py",
        "commit": "1.52.0",
    }
    assert "source" not in rows["cascade/exact"]
    line = next(line for line in call("ls", "strategies").stdout.splitlines() if line.startswith("agent/kimi "))
    assert line.endswith("[MoonshotAI/kimi-cli src/kimi_cli/tools/file/replace.py@1.52.0, 2026-09]")


def test_ls_counts_the_samples_of_each_corpus() -> None:
    house, smoke, *_ = call("ls", "corpora").stdout.splitlines()
    assert house.split(maxsplit=1) == ["house", "1,431 samples (the default)"]
    assert smoke.split(maxsplit=1) == ["smoke", "60 samples"]


def test_report_writes_the_page_and_says_where(smoke_run: Path) -> None:
    done = call("report", smoke_run)
    assert done.exit_code == 0
    assert done.stdout == f"{smoke_run / 'report.html'}\n"
    assert "cascade/reference" in (smoke_run / "report.html").read_text()


def test_report_has_other_formats(smoke_run: Path, tmp_path: Path) -> None:
    assert call("report", smoke_run, "--format", "md").stdout.count("| `cascade/reference` |") == 1
    assert call("report", smoke_run, "--format", "csv").stdout.startswith("strategy,n_samples,n_correct,")
    compared = call("report", smoke_run, "--against", smoke_run, "--format", "md", "-o", tmp_path / "x.md")
    assert compared.stdout == f"{tmp_path / 'x.md'}\n"
    assert "The gate passes" in (tmp_path / "x.md").read_text()
    assert call("report", smoke_run, smoke_run, "-o", tmp_path / "x.html").exit_code == 2
    assert call("report", smoke_run, "--against", smoke_run, "--format", "csv").exit_code == 2
    done = call("report", smoke_run, "--format", "png", "-o", tmp_path / "x.md")
    assert done.stderr.splitlines() == [
        f"error: {tmp_path / 'x.md'} is a file, and png is written to a folder", "  Name a folder with -o."
    ]  # fmt: skip
    done = call("report", smoke_run, "-o", tmp_path)
    assert done.stderr.startswith(f"error: {tmp_path} is a folder, and html is written to a file\n")


@pytest.mark.slow
def test_report_draws_plots(smoke_run: Path, tmp_path: Path) -> None:
    done = call("report", smoke_run, "--format", "png", "-o", tmp_path / "plots")
    paths = [Path(line) for line in done.stdout.splitlines()]
    assert {path.suffix for path in paths} == {".png", ".svg"}
    assert all(path.is_file() for path in paths)


# Pipes


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        pytest.param(["ls", "strategies"], marks=pytest.mark.slow),
        ["run", "smoke", "-q", "-n", "2", "-s", "cascade/exact", "-o", "run"],
        pytest.param(
            ["run", "smoke", "-q", "-n", "2", "-s", "cascade/exact", "-o", "run", "--json"], marks=pytest.mark.slow
        ),
        pytest.param(["try", "shop.py", "--old", "basket", "--new", "cart"], marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_a_reader_who_has_had_enough_gets_no_traceback(arguments: list[str], shop: Path) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(
        command(*arguments), env=environment(), cwd=shop.parent, stdout=theirs, stderr=subprocess.PIPE, text=True,
        check=False,
    )  # fmt: skip
    os.close(theirs)
    assert done.returncode == 0
    assert not [line for line in done.stderr.splitlines() if not line.startswith("left out: ")]


# Texts of others, which a CI job's log would obey


HOSTILE_ID = "::stop-commands::x ##[set-env name=PATH]y ##vso[task.complete]z \x1b[2J"


def test_no_line_is_a_command_of_a_ci_system(tmp_path: Path) -> None:
    """Checked for every command that prints ids, tags or texts of samples."""
    runs = {}
    for name, letters in (("a", "cm"), ("b", "wc")):
        runs[name] = write_run(
            tmp_path / name, {"::error::/x": letters}, ids=[HOSTILE_ID, "plain"], repos=[HOSTILE_ID] * 2
        )
    for arguments in (
        ("compare", runs["a"], runs["b"]),
        *(("compare", runs["a"], runs["b"], "--output-format", form) for form in ("json", "markdown", "junit")),
        ("show", runs["b"], HOSTILE_ID),
        ("table", runs["b"], "--by", "repo"),
        ("table", runs["b"], "--by", "repo", "--json"),
        ("sql", "select sample_id, strategy from outcomes", runs["b"]),
        ("sql", "select sample_id, strategy from outcomes", runs["b"], "--json"),
    ):
        done = call(*arguments)
        assert done.exit_code in (0, 1), (arguments, done.stderr)
        for line in f"{done.stdout}\n{done.stderr}".split("\n"):
            assert not re.match(r"\s*::", line), (arguments, line)
            assert not re.search(r"##(\[|vso\[)", line), (arguments, line)
            assert "\x1b" not in line
