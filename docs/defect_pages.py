"""Write docs/defects: a page a mechanism and an index, of the table of defects and a run of every built-in rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from corpora.defects import MECHANISMS, Defect, defects
from docs.studies import ROOT
from editcore.agents import AGENTS
from harness.defects import defects_of, lines_about
from harness.strategies.registry import strategies

FOLDER = ROOT / "docs" / "defects"
_RULES = ("cascade/", "agent/", "begin_patch/", "unified_diff/", "search_replace/", "insert/", "stale/")
"""The families that are whole rules and the same on every machine."""


@cache
def _had() -> Mapping[str, list[str]]:
    """Id -> the rules that have the defect."""
    chosen = [one for name, one in strategies().items() if name.startswith(_RULES)]
    found: dict[str, list[str]] = {id: [] for id in defects()}
    for one in defects_of(chosen):
        for id in one.found:
            found[id].append(one.strategy)
    return found


def pages() -> dict[str, str]:
    """File name -> text of every page."""
    by_mechanism = {name: [one for one in defects().values() if one.mechanism == name] for name in MECHANISMS}
    texts = {f"{name}.md": "".join(_page(name, members)) for name, members in by_mechanism.items()}
    return {"README.md": "".join(_index(by_mechanism)), **texts}


def _index(by_mechanism: Mapping[str, list[Defect]]) -> Iterator[str]:
    yield (
        "# Defects with names\n\n"
        f"{len(defects())} ways in which programs apply a model's edit wrongly. Each has an id that stays, the "
        "smallest input that shows it, and the right answer. Which rules have it was run, not claimed: `make docs` "
        "runs every built-in rule and writes these pages.\n\n"
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
            yield f"| [{one.id}]({name}.md#{one.id.lower()}) | {one.title} | {len(_had()[one.id])} |\n"


def _page(name: str, members: list[Defect]) -> Iterator[str]:
    yield f"# {name}\n\n{MECHANISMS[name]} [All defects](README.md).\n"
    for one in members:
        yield f'\n<a id="{one.id.lower()}"></a>\n\n## {one.id}\n\n{one.title}\n\n'
        yield f"Right: {one.why}\n\n```text\n"
        skipped = 3 if one.report else 2
        yield "".join(f"{line[2:]}\n".lstrip(" ") if not line.strip() else f"{line[2:]}\n"
                      for line in list(lines_about(one))[skipped:])  # fmt: skip
        yield f"```\n\n{_said(one)}\n"


def _said(one: Defect) -> str:
    """Who has the defect, who had it, and who reported it."""
    had = _had()[one.id]
    parts = [f"Rules that have it: {', '.join(map(_dated, had))}." if had else "No rule here has it."]
    if one.harm == "refused":
        parts.append("A refusal counts.")
    if one.report:
        repository, number = one.report.split("#")
        parts.append(f"Reported: [{one.report}](https://github.com/{repository}/issues/{number}).")
    return " ".join([*parts, f"Found by: {_FOUND[one.found]}."])


_FOUND = {
    "fuzz": "fuzzing",
    "study": "recorded and generated edits",
    "peer": "running a rule beside its program",
    "source": "reading a program's source",
    "report": "a project's own report",
}


def _dated(name: str) -> str:
    agent = AGENTS.get(name.removeprefix("agent/")) if name.startswith("agent/") else None
    if agent is None:
        return f"`{name}`"
    date = agent.source.date if agent.source else None
    return f"`{name}` ({agent.program}{f', {date}' if date and date not in agent.program else ''})"


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
