"""What is measured on growing inputs: all that applies edits, the diff, and scrubbing, each with its families."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from corpora.sample import Sample
from corpora.scrub import scrub
from corpora.scrubbing.look import forget
from editcore.agents import AGENTS, AgentRule
from editcore.anchors import apply_anchored
from editcore.anchors.views import changes_between, write_call
from editcore.cascade import CASCADES, Cascade
from editcore.patches.begin_patch import READINGS, apply_begin_patch
from editcore.patches.line_edits import insert_lines
from editcore.patches.search_replace import apply_search_replace
from editcore.patches.unified_diff import STRICTNESSES, apply_unified_diff
from editcore.replacers import REPLACERS
from editcore.text.diff import unified_diff
from editcore.text.document import Document
from editcore.tiers import TIERS
from editcore.types import Edit, File
from harness.bench.cpu_time import TimedCall
from harness.bench.growth import SizedCall
from harness.bench.growth_inputs.edits import EDIT_FAMILIES
from harness.bench.growth_inputs.intents import INTENT_FAMILIES
from harness.bench.growth_inputs.patches import BLOCK_FAMILIES, DIFF_FAMILIES, ENVELOPE_FAMILIES
from harness.bench.growth_inputs.secrets import SECRET_FAMILIES
from harness.bench.growth_inputs.texts import INSERT_FAMILIES, TEXT_FAMILIES
from harness.bench.growth_inputs.tiers import TIER_FAMILIES

_FOR_AGENTS = (
    "exact, once",
    "indentation",
    "indentation, all of the file",
    "spaces",
    "a line that differs",
    "near twins that differ",
)


def _edited(cascade: Cascade, make: Callable[[int], tuple[str, str]], n: int) -> tuple[int, TimedCall]:
    text, search = make(n)
    edit = Edit(search, "something else\n")
    return len(text) + len(search), lambda: cascade.apply(Document(text), edit)


def _merged(
    apply: Callable[[str, Edit], object], make: Callable[[int], tuple[str, str, str]], n: int
) -> tuple[int, TimedCall]:
    text, search, new = make(n)
    edit = Edit(search, new)
    return len(text) + len(search) + len(new), lambda: apply(text, edit)


def _patched(
    apply: Callable[[dict[str, str], str], object], make: Callable[[int], tuple[dict[str, str], str]], n: int
) -> tuple[int, TimedCall]:
    files, patch = make(n)
    return sum(map(len, files.values())) + len(patch), lambda: apply(files, patch)


def _compared(make: Callable[[int], tuple[str, str]], n: int) -> tuple[int, TimedCall]:
    before, after = make(n)
    return len(before) + len(after), lambda: unified_diff(before, after, path="f.py")


def _anchored(make: Callable[[int], tuple[str, str]], n: int) -> tuple[int, TimedCall]:
    """A call in H4 for a text above which another hand has put a line since."""
    before, after = make(n)
    call = write_call("hashline_h4", before, changes_between(before, after), path="f.py")
    live = {"f.py": f"new\n{before}"}
    return 2 * len(before) + len(call), lambda: apply_anchored(live, call, "hashline_h4", seen={"f.py": before})


def _inserted(make: Callable[[int], tuple[str, int, str]], n: int) -> tuple[int, TimedCall]:
    text, line, content = make(n)
    return len(text) + len(content), lambda: insert_lines(text, line, content)


def _scrubbed(make: Callable[[int], str], n: int) -> tuple[int, TimedCall]:
    text = make(n)
    edits = (Edit("x = 1", "x = 2"),)
    sample = Sample("s", "str_replace", (File("f.py", text),), "unlabelled", edits)

    def call() -> object:
        forget()
        return scrub(sample)

    return len(text), call


def operations() -> Mapping[str, Mapping[str, SizedCall]]:
    """Operation -> family of inputs -> what makes a call of a given size."""
    table: dict[str, Mapping[str, SizedCall]] = {}
    cascades = {f"replacer/{name}": Cascade(name, (name,)) for name in REPLACERS}
    cascades |= {f"cascade/{name}": cascade for name, cascade in CASCADES.items()}
    for name, cascade in cascades.items():
        table[name] = {family: partial(_edited, cascade, make) for family, make in EDIT_FAMILIES.items()}
    for name in TIERS:
        table[f"tier/{name}"] = _merging(Cascade(name, tiers=(name,)))
    table["cascade/recommended"] = {**table["cascade/recommended"], **_merging(CASCADES["recommended"])}
    appliers: dict[str, tuple[Any, Mapping[str, Any]]] = {
        "patch/search_replace": (apply_search_replace, BLOCK_FAMILIES)
    }
    for reading in READINGS:
        appliers[f"patch/begin_patch/{reading}"] = partial(apply_begin_patch, reading=reading), ENVELOPE_FAMILIES
    for strictness in STRICTNESSES:
        appliers[f"patch/unified_diff/{strictness}"] = partial(apply_unified_diff, strictness=strictness), DIFF_FAMILIES
    for name, (apply, families) in appliers.items():
        table[name] = {family: partial(_patched, apply, make) for family, make in families.items()}
    table["diff"] = {family: partial(_compared, make) for family, make in TEXT_FAMILIES.items()}
    table["scrub"] = {family: partial(_scrubbed, make) for family, make in SECRET_FAMILIES.items()}
    table["anchors/recommended"] = {family: partial(_anchored, make) for family, make in TEXT_FAMILIES.items()}
    table["insert"] = {family: partial(_inserted, make) for family, make in INSERT_FAMILIES.items()}
    return table


def _merging(cascade: Cascade) -> dict[str, SizedCall]:
    def apply(text: str, edit: Edit) -> object:
        return cascade.apply(Document(text), edit)

    return {family: partial(_merged, apply, make) for family, make in {**TIER_FAMILIES, **INTENT_FAMILIES}.items()}


def imitations() -> Mapping[str, Mapping[str, SizedCall]]:
    """The same for the rules of other agents, which grow as those agents do."""

    def applying(agent: AgentRule) -> Callable[[str, Edit], object]:
        return lambda text, edit: agent.apply_edits(text, (edit,))

    return {
        f"agent/{name}": {family: partial(_merged, applying(agent), TIER_FAMILIES[family]) for family in _FOR_AGENTS}
        for name, agent in AGENTS.items()
        if agent.format == "edits"
    }
