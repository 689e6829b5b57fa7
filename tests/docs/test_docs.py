"""The documentation: its commands are the program's, its links lead somewhere, its workflow is one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from editcore.host.tools import TOOLS as BUILT_IN
from harness.cli import main
from harness.commands.strategies.ls import pages
from tests.harness.program import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]
WORKFLOW = ROOT / "docs" / "examples" / "nightly.yml"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str]]:
    """What is between fences, each with its language."""
    return _BLOCK.findall(page.read_text(encoding="utf-8"))


def workflow() -> dict[Any, Any]:
    loaded: dict[Any, Any] = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    return loaded


def steps() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = workflow()["jobs"]["night"]["steps"]
    return found


def command_lines() -> Iterator[tuple[str, list[str]]]:
    """Where a command line stands, and its words after `editgauge`."""
    texts = [(page.name, text) for page in PAGES for language, text in blocks(page) if language in ("console", "cron")]
    texts += [(WORKFLOW.name, step["run"]) for step in steps() if "run" in step]
    for name, text in texts:
        # In a console only what is typed, not what comes back.
        for line in re.findall(r"^(?:\$ |.*/)?editgauge (.+)$", text, re.MULTILINE):
            yield name, list(_words(line))


def _words(line: str) -> Iterator[str]:
    """The words of a command line, up to where the shell takes over."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, "#"
    for word in lexer:
        if set(word) <= set("();<>|&"):
            return
        yield word


def subcommand(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the first words name, and the words left."""
    command: click.Command = main
    while isinstance(command, click.Group) and words:
        name, *rest = words
        if name not in command.commands and hasattr(command, "default_command"):
            name, rest = command.default_command, words
        words = rest
        assert name in command.commands, f"there is no command {name}"
        command = command.commands[name]
    return command, words


LINES = list(command_lines())


def test_the_documentation_has_commands() -> None:
    assert {name for name, _ in LINES} >= {"README.md", "nightly.md", "protocol.md", "nightly.yml"}
    assert ["nightly", "recorded", "--history", "nights", "-q"] in [words for _, words in LINES]


@pytest.mark.parametrize(("name", "words"), LINES, ids=[f"{name}: {' '.join(words)}" for name, words in LINES])
def test_every_command_line_is_one_that_the_program_takes(
    name: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # What an example is about, where the program looks whether it is there.
    Path("shop.py").touch()
    command, arguments = subcommand(words)
    command.make_context(name, list(arguments), parent=click.Context(main, **main.context_settings))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_and_option_named_in_passing_is_one_of_the_program(page: Path) -> None:
    prose = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    for text in re.findall(r"`editgauge ([^`]+)`", prose):
        names = re.split(r"\\?\|", text.split()[1] if len(text.split()) > 1 else "")
        command, _ = subcommand([word for word in text.split()[:1] if not word.startswith("-")])
        if isinstance(command, click.Group) and names != [""] and not hasattr(command, "default_command"):
            assert set(names) <= set(command.commands), text
        options = {"--help"} | {option for one in _all(command) for param in one.params for option in param.opts}
        assert set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text)) <= options, text


def _all(command: click.Command) -> Iterator[click.Command]:
    yield command
    for one in command.commands.values() if isinstance(command, click.Group) else ():
        yield from _all(one)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, heading = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), target
        if heading:
            headings = re.findall(r"^#+ (.*)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in [re.sub(r"[^\w\- ]", "", one).lower().replace(" ", "-") for one in headings], target


def test_every_page_that_a_module_names_exists() -> None:
    for package in ("editcore", "corpora", "reports", "harness"):
        for path in (ROOT / package).rglob("*.py"):
            for page in re.findall(r"(?:docs|corpora|editcore|harness)/[\w/-]+\.md\b", path.read_text("utf-8")):
                assert (ROOT / page).exists(), f"{path.relative_to(ROOT)} names {page}"


def test_every_page_can_be_found_by_its_name() -> None:
    assert pages() == {path.stem: path for path in sorted((ROOT / "docs").glob("*.md"))}


# The workflow


def test_the_workflow_runs_at_night_and_on_demand() -> None:
    found = workflow()
    # YAML 1.1 takes `on` for a truth value.
    when = found[True]
    assert re.fullmatch(r"\d+ \d+ \* \* \*", when["schedule"][0]["cron"])
    assert "accept" in when["workflow_dispatch"]["inputs"]
    assert found["permissions"] == {"contents": "read", "security-events": "write"}
    assert found["concurrency"]


def test_every_step_of_the_workflow_does_one_thing() -> None:
    for step in steps():
        assert ("uses" in step) != ("run" in step)
        assert set(step) <= {"uses", "run", "with", "if", "env", "name"}
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w/-]+@v\d+", step["uses"])
        # What a user of the workflow types must not become a command.
        assert "inputs." not in step.get("run", "")


def test_the_history_goes_from_night_to_night_whatever_became_of_one() -> None:
    by_use = {step.get("uses", step.get("run", "")).partition("@")[0]: step for step in steps()}
    restored, saved = by_use["actions/cache/restore"], by_use["actions/cache/save"]
    assert restored["with"]["path"] == saved["with"]["path"] == "history"
    assert restored["with"]["key"] == saved["with"]["key"]
    assert saved["with"]["key"].startswith(restored["with"]["restore-keys"])
    assert saved["if"] == "always()"
    histories = [words[words.index("--history") + 1] for name, words in LINES if name == WORKFLOW.name]
    assert histories == ["history", "history"]
    uploaded = by_use["actions/upload-artifact"]
    assert uploaded["if"] == "always()"
    assert set(uploaded["with"]["path"].split()) >= {f"night/{name}" for name in ("report.html", "junit.xml")}


def examples(page: Path) -> list[tuple[str, str | None]]:
    """The scripts of a page in Python, each with what it prints, where the block below is in `text`."""
    found = [*blocks(page), ("", "")]
    return [
        (text, below if kind == "text" else None)
        for (language, text), (kind, below) in pairwise(found)
        if language == "python"
    ]


TOOLS = examples(ROOT / "docs" / "tools.md")


@pytest.mark.parametrize("number", range(len(TOOLS)))
def test_what_is_said_of_the_tools_runs_as_it_stands(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script, wanted = TOOLS[number]
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "shop.py").write_text("total = 0\n")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(script, f"docs/tools.md {number}", "exec", dont_inherit=True), names)
    printed = capsys.readouterr().out
    assert wanted is None or printed == wanted
    if "WORDS" in names:
        assert "words" in names["registry"].ids
    if "documents" in names:
        assert "-Ann is tall.\n-She sings.\n+Ann is small.\n" in printed
        names["documents"].close()


def test_the_page_on_tools_has_a_call_of_each() -> None:
    text = "".join(script for script, _ in TOOLS)
    assert all(re.search(rf'"{tool}",\s', text) for tool in BUILT_IN if tool != "invalid")
    assert sum(wanted is not None for _, wanted in TOOLS) >= 2
