"""Write what README.md and docs/ quote from the program: `make docs`.

A generated part stands between `<!-- begin NAME -->` and `<!-- end NAME -->`. Every part is deterministic, so tests
compare the pages with what the program says today; latencies, which are not, are in no part.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import click

from corpora.edition import EDITION
from docs import defect_pages, specification
from harness.cli import main as main_program
from harness.commands import SECTIONS
from harness.conform.kit import VERSION as KIT
from harness.conform.kit import VERSIONS
from reports.measurements.measurement import Unit
from reports.measurements.table import DAMAGES, EQUALITIES, LINES_LOST, LISTS_LEFT, MEASUREMENTS, SEVERITIES

ROOT = Path(__file__).parents[1]
_DOCS = sorted(
    page for page in (ROOT / "docs").glob("*.md") if page.name != "study.md"
)  # `make study` writes that one.
PAGES = (ROOT / "README.md", *_DOCS, ROOT / "corpora" / "README.md")
PICTURE = ROOT / "docs" / "images" / "report.png"
_PART = re.compile(r"(<!-- begin (\w+) -->\n).*?(<!-- end \2 -->)", re.DOTALL)
_SHOWN_FIRST = ("cascade/recommended", "cascade/exact", "agent/opencode_2", "agent/gemini", "cascade/reference")


def filled(text: str, only: frozenset[str] | None = None) -> str:
    """The text of a page with its generated parts as the program has them now; `only` those parts."""

    def fill(match: re.Match[str]) -> str:
        begin, name, end = match.groups()
        return match.group() if only is not None and name not in only else f"{begin}{PARTS[name]()}{end}"

    return _PART.sub(fill, text)


def parts_in(text: str) -> list[str]:
    """The names of the generated parts of a page."""
    return [name for _, name, _ in _PART.findall(text)]


# Commands


def commands() -> str:
    """Every command under its section, with its help."""
    return "".join(_commands())


def _commands() -> Iterator[str]:
    for title, members in SECTIONS.items():
        yield f"\n## {title}\n"
        for name in members:
            yield from _command(main_program.commands[name], "editgauge")


def _command(command: click.Command, above: str) -> Iterator[str]:
    path = f"{above} {command.name}"
    context = click.Context(command, info_name=path, terminal_width=100, **main_program.context_settings)
    yield f"\n### {path}\n\n```text\n{command.get_help(context).rstrip()}\n```\n"
    if isinstance(command, click.Group):
        for member in command.commands.values():
            yield from _command(member, path)


# Figures


@cache
def _scores() -> tuple[dict[str, Any], ...]:
    """The rows of `editgauge run house`: all built-in strategies, no peers, since those differ by machine."""
    with tempfile.TemporaryDirectory() as folder:
        line = [sys.executable, "-m", "harness", "run", "house", "--all", "-q", "--json", "-o", f"{folder}/run"]
        done = subprocess.run(line, capture_output=True, check=True, cwd=ROOT)
    rows = json.loads(done.stdout)["strategies"]
    return tuple(row for row in rows if not row["strategy"].startswith(("peer/", "cmd/")))


def scoreboard() -> str:
    """The rows of five strategies that take the same samples."""
    table = _table([row for name in _SHOWN_FIRST for row in _scores() if row["strategy"] == name])
    n_samples = next(row["n_samples"] for row in _scores() if row["strategy"] == _SHOWN_FIRST[0])
    return f"Five strategies on the {n_samples} search/replace edits of the corpus that ships, `house`:\n\n{table}"


def all_scores() -> str:
    """The rows of every built-in strategy."""
    return _table(_scores())


def _table(rows: tuple[dict[str, Any], ...] | list[dict[str, Any]]) -> str:
    lines = [
        "| strategy | samples | correct | wrong | missed | refused | match rate | wrong rate | broken |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        counts = " | ".join(str(row[f"n_{name}"]) for name in ("samples", "correct", "wrong", "missed", "refused"))
        broken = "-" if row["n_promised"] is None else f"{row['n_broken']} of {row['n_promised']}"
        rates = f"{_percent(row['match_rate'])} | {_percent(row['wrong_rate'])}"
        lines.append(f"| `{row['strategy']}` | {counts} | {rates} | {broken} |")
    return "\n".join(lines) + "\n"


# Definitions


def _definitions(heading: str, meaning: str, table: Mapping[Any, str]) -> str:
    rows = "".join(f"| `{word}` | {text} |\n" for word, text in table.items())
    return f"| {heading} | {meaning} |\n|---|---|\n{rows}"


def damages() -> str:
    """What each kind of damage means."""
    return _definitions("damage", "the result", DAMAGES)


def severities() -> str:
    """What each severity means."""
    return _definitions("severity", "the file", SEVERITIES)


def equalities() -> str:
    """When a result counts as right by each comparison."""
    return _definitions("by", "where it equals the right answer", EQUALITIES)


def lists_left() -> str:
    """What can be left of a list of edits of which one fails."""
    return _definitions("left", "of the list was made", LISTS_LEFT)


def rates() -> str:
    """What each rate is, with its denominator."""
    found = {one.name: one.meaning for one in MEASUREMENTS if one.unit == Unit.SHARE}
    return _definitions("rate", "numerator / denominator", found)


def lines_lost() -> str:
    """What counts as a lost line."""
    return f"{LINES_LOST.meaning}.\n"


def _percent(rate: dict[str, float] | None) -> str:
    return "-" if rate is None else f"{100 * rate['value']:.1f} %"


PARTS: Mapping[str, Callable[[], str]] = {
    "commands": commands,
    "scoreboard": scoreboard,
    "all_scores": all_scores,
    "damages": damages,
    "severities": severities,
    "equalities": equalities,
    "lists_left": lists_left,
    "rates": rates,
    "lines_lost": lines_lost,
    **specification.PARTS,
}
"""Name -> what stands there. Adding a part is adding a function and a line here."""


# The citation

CITATION = ROOT / "CITATION.cff"


def citation() -> str:
    """CITATION.cff with the edition of today: of the suite, of the kit and of each rule."""
    rules = ", ".join(f"{rule} {version}" for rule, version in VERSIONS.items())
    line = f'version: "{EDITION} kit@{KIT}; {rules}"'
    return re.sub(r"^version: .*$", line, CITATION.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE)


# The picture


def take_picture() -> None:
    """Draw the page of a run on house as `PICTURE`, where there is a Chromium."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("no Chromium: the picture of the page stays as it is", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        for line in (["run", "house", "-q", "-o", f"{folder}/run"], ["report", f"{folder}/run"]):
            subprocess.run([sys.executable, "-m", "harness", *line], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
        flags += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
        flags += [
            f"--user-data-dir={folder}/profile",
            "--window-size=1280,900",
            "--virtual-time-budget=4000",
            f"--screenshot={PICTURE}",
        ]
        subprocess.run([browser, *flags, f"file://{folder}/run/report.html"], check=True, capture_output=True)


def main() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if (new := filled(text)) != text:
            page.write_text(new, encoding="utf-8")
            print(page.relative_to(ROOT))
    CITATION.write_text(citation(), encoding="utf-8")
    defect_pages.write()
    take_picture()


if __name__ == "__main__":
    main()
