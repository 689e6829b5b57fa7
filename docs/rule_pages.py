"""Write docs/rules: a page for each family of rules, with what `editgauge explain` says of them.

Its figures are of the corpus `house`, by the rules of the day it is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from corpora.load import load
from corpora.sample import Sample
from harness.commands.strategies.explain import about, figure_lines, figures
from harness.strategies.registry import strategies
from harness.strategies.strategy import Strategy

FOLDER = Path(__file__).parent / "rules"
CORPUS = "house"
TITLES: Mapping[str, str] = MappingProxyType(
    {
        "cascade": "Cascades: rungs in an order, of which the first that decides wins",
        "tier": "Tiers: the rungs of `recommended`; each forgives one thing",
        "replacer": "Replacers: the rungs of the reference cascade",
        "agent": "Agents: how other programs apply edits, rebuilt",
        "begin_patch": "Readings of Begin/End Patch",
        "unified_diff": "Readings of unified diffs",
        "stale": "Rules for an edit of a file that changed since it was seen",
        "anchors": "Rules for edits that name lines by number and hash",
    }
)
"""Family -> title of its page."""


def members(family: str) -> list[Strategy]:
    """The rules of a family, in the order of `editgauge ls strategies`."""
    return [one for name, one in strategies().items() if name.startswith(f"{family}/") and one.origin == "editgauge"]


def page(family: str, samples: Sequence[Sample]) -> Iterator[str]:
    """The lines of a family's page: a list of links, then a section for each rule."""
    rules = members(family)
    yield from (f"# {TITLES[family]}", "")
    yield "`make docs` writes this page. `editgauge explain STRATEGY [CORPUS]` prints one section, with figures of any"
    yield "corpus."
    yield from ("", *(f"- [`{one.name}`](#{anchor(one.name)}): {one.summary}" for one in rules))
    for one in rules:
        yield from ("", f"## {one.name}", "", *about(one))
        taken = [sample for sample in samples if one.is_run_on(sample)]
        yield from figure_lines(one, figures(one, taken), CORPUS)


def anchor(name: str) -> str:
    """The anchor of a heading that is the name of a strategy, as GitHub makes it."""
    return name.replace("/", "")


def main() -> None:
    samples = list(load(CORPUS))
    FOLDER.mkdir(exist_ok=True)
    for family in TITLES:
        (FOLDER / f"{family}.md").write_text("\n".join(page(family, samples)) + "\n", "utf-8")


if __name__ == "__main__":
    main()
