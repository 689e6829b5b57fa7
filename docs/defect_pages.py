"""Write docs/defects: a page a mechanism and an index, of the table of defects and a run of every built-in rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import groupby
from typing import NamedTuple

from corpora.defects import MECHANISMS, Defect, defects
from docs.studies import ROOT
from harness.defects import built_in, defects_of, lines_about
from harness.strategies.registry import strategies
from reports.matrix import age

FOLDER = ROOT / "docs" / "defects"
_RULES = ("cascade/", "agent/", "begin_patch/", "unified_diff/", "search_replace/", "insert/", "stale/")
"""The families that are whole rules and the same on every machine."""


class Status(NamedTuple):
    """The rules that a defect was run under, by whether they have it."""

    had: list[str]
    had_not: list[str]


@cache
def _run() -> Mapping[str, Status]:
    """Id -> the rules that have the defect, and the rules without it."""
    chosen = [one for name, one in strategies().items() if name.startswith(_RULES)]
    found = {id: Status([], []) for id in defects()}
    for one in defects_of(chosen):
        for id in one.tried:
            found[id][id not in one.found].append(one.strategy)
    return found


@cache
def _programs() -> Mapping[str, tuple[str, str, str]]:
    """Rule -> program, version and date, by program, each program's versions from old to new."""
    found = built_in(list(strategies().values()))
    return dict(sorted(found.items(), key=lambda one: (one[1][0].lower().lstrip("@"), age(*one[1][1:]))))


def pages() -> dict[str, str]:
    """File name -> text of every page."""
    by_mechanism = {name: [one for one in defects().values() if one.mechanism == name] for name in MECHANISMS}
    texts = {f"{name}.md": "".join(_page(name, members)) for name, members in by_mechanism.items()}
    return {"README.md": "".join(_index(by_mechanism)), **texts}


def _index(by_mechanism: Mapping[str, list[Defect]]) -> Iterator[str]:
    yield (
        "# Defects with names\n\n"
        f"{len(defects())} ways in which programs apply a model's edit wrongly. Each has an id that stays, the "
        "smallest input that shows it, and the right answer. Which rules have it, in which versions, was run, not "
        "claimed: `make docs` runs every built-in rule and writes these pages.\n\n"
        "```console\n"
        "$ editgauge defects 'cmd:mine=node edit.js'                     # which of them your program has, in seconds\n"
        "$ editgauge defects 'cmd:mine=node edit.js' --known EG-0022     # exit code 1 for any but these\n"
        "$ editgauge defects 'cmd:mine=node edit.js' --junit report.xml --sarif defects.sarif\n"
        "$ editgauge defects EG-0005                                     # one of them, with its input\n"
        "$ editgauge run defects -s 'agent/*'                            # the same as a corpus, with a page\n"
        "```\n\n"
        "A rule has a defect if it writes wrong text. A refusal is no defect, but for the mechanism "
        "[needless_refusal](needless_refusal.md) and where a page says so.\n"
    )
    for name, members in by_mechanism.items():
        yield f"\n## [{name}]({name}.md)\n\n{MECHANISMS[name]}\n\n| id | the program | rules here |\n|---|---|--:|\n"
        for one in members:
            yield f"| [{one.id}]({name}.md#{one.id.lower()}) | {one.title} | {len(_run()[one.id].had)} |\n"


def _page(name: str, members: list[Defect]) -> Iterator[str]:
    yield f"# {name}\n\n{MECHANISMS[name]} [All defects](README.md).\n"
    for one in members:
        yield f'\n<a id="{one.id.lower()}"></a>\n\n## {one.id}\n\n{one.title}\n\n'
        yield f"Right: {one.why}\n\n```text\n"
        skipped = 3 if one.report else 2
        yield "".join(f"{line[2:]}\n".lstrip(" ") if not line.strip() else f"{line[2:]}\n"
                      for line in list(lines_about(one))[skipped:])  # fmt: skip
        yield "```\n"
        yield from (f"\n{part}\n" for part in _said(one))


def _said(one: Defect) -> Iterator[str]:
    """Who has the defect, in which versions, and who reported it."""
    status = _run()[one.id]
    rules = [f"`{name}`" for name in status.had if name not in _programs()]
    if not status.had:
        yield "No rule here has it."
    rows = list(_versions(status))
    if rows:
        yield "\n".join(["| program | has it | has it not |", "|---|---|---|", *rows])
    if rules:
        yield f"Other rules that have it: {', '.join(rules)}."
    parts = ["A refusal counts."] if one.harm == "refused" else []
    if one.report:
        repository, number = one.report.split("#")
        parts.append(f"Reported: [{one.report}](https://github.com/{repository}/issues/{number}).")
    yield " ".join([*parts, f"Found by: {_FOUND[one.found]}."])


def _versions(status: Status) -> Iterator[str]:
    """A row for each program that has the defect in a version: the versions with it and without it, old ones first."""
    tried = [name for name in _programs() if name in (*status.had, *status.had_not)]
    for program, names in groupby(tried, key=lambda name: _programs()[name][0]):
        parts: Status = Status([], [])
        for name in names:
            version = _programs()[name][1].replace("?", "unknown")
            parts[name in status.had_not].append(f"{version} (`{name}`)")
        if parts.had:
            yield f"| {program} | {', '.join(parts.had)} | {', '.join(parts.had_not)} |"


_FOUND = {
    "fuzz": "fuzzing",
    "study": "recorded and generated edits",
    "peer": "running a rule beside its program",
    "source": "reading a program's source",
    "report": "a project's own report",
}


def write() -> None:
    """Write every page, and remove the pages of mechanisms that are no more."""
    FOLDER.mkdir(exist_ok=True)
    texts = pages()
    for path in FOLDER.glob("*.md"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
