"""Write docs/rules: a page for each family of rules, with what `editgauge explain` says of them.

Agents are many: their page is a table, and a short section for each without examples. The figures are of the corpus
`house`, by the rules of the day it is run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from corpora.load import load
from corpora.sample import Sample
from editcore.agents.rule import AgentRule
from harness.commands.strategies.explain import about, figure_lines, figures
from harness.run.scoring import Judge
from harness.strategies.registry import strategies
from harness.strategies.strategy import Strategy
from reports.runs.rows import Verdict

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
    """The lines of a family's page: a list of links or a table, then a section for each rule."""
    rules = members(family)
    yield from (f"# {TITLES[family]}", "")
    yield "`make docs` writes this page. `editgauge explain STRATEGY [CORPUS]` prints one section, with figures of any"
    if family == "agent":
        yield from _agents(rules, samples)
        return
    yield "corpus."
    yield from ("", *(f"- [`{one.name}`](#{anchor(one.name)}): {one.summary}" for one in rules))
    for one in rules:
        yield from ("", f"## {one.name}", "", *about(one))
        taken = [sample for sample in samples if one.is_run_on(sample)]
        yield from figure_lines(one, figures(one, taken), CORPUS)


def _agents(rules: Sequence[Strategy], samples: Sequence[Sample]) -> Iterator[str]:
    """The rest of the page of agents: a table with figures, then what is known of each rule."""
    yield "corpus, an edit that the rule makes and the shortest that it gets wrong."
    yield from (
        "",
        "`run`: compared with the program; `read`: its source was read; `documented`: by its authors' words;",
    )
    yield "`inferred`: guessed. The figures are right, wrong, missed and refused edits of `house`."
    yield from ("", "| rule | program | known | several places | right | wrong | missed | refused |")
    yield "|---|---|---|---|---:|---:|---:|---:|"
    for one in rules:
        agent = _agent(one)
        counts = Counter(Judge(sample).verdict(one.call(sample, None)()) for sample in samples if one.is_run_on(sample))
        date = agent.source.date if agent.source and agent.source.date else "undated"
        name = f"[`{agent.name}`](#{anchor(one.name)})"
        row = (name, f"{agent.program}, {date}", agent.evidence, agent.policy, *(counts[name] for name in _FIGURES))
        yield f"| {' | '.join(map(str, row))} |"
    for n, one in enumerate(rules):
        yield from ("", f"## {one.name}", "", *_section(_agent(one), [_agent(other) for other in rules[:n]]))


_FIGURES = (Verdict.CORRECT, Verdict.WRONG_EDIT, Verdict.MISSED, Verdict.REFUSED)


def _agent(one: Strategy) -> AgentRule:
    assert one.agent
    return one.agent


def _known(agent: AgentRule) -> tuple[str, str, str]:
    return agent.basis, agent.decides, agent.endings


def _section(agent: AgentRule, above: Sequence[AgentRule]) -> Iterator[str]:
    """What is known of an agent's rule; what it shares with a rule above is left to that one."""
    like = next((one for one in above if _known(one) == _known(agent)), None)
    commit = f"@{agent.source.commit}" if agent.source and agent.source.commit else ""
    source = f" Source: {agent.source.path}{commit}." if agent.source else ""
    if like:
        source = source if like.source != agent.source else ""
        yield f"{agent.summary} Else as [`{like.name}`](#{anchor(f'agent/{like.name}')}).{source}"
    else:
        yield f"{agent.summary} {agent.basis}{source}"
        yield from ("", f"{agent.decides} {agent.endings}")
    if agent.thresholds:
        yield from (
            "",
            "Thresholds: " + "; ".join(f"`{one.name}`, the {one.meaning}" for one in agent.thresholds) + ".",
        )
    failures = [one for one in agent.failures if not like or one not in like.failures]
    yield from ("", *(f"- {one}" for one in failures)) if failures else ()


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
