"""Fuzz targets that are strategies: built in, programs, parsers and servers of others, and pairs of strategies."""

from __future__ import annotations

from collections.abc import Iterable

from corpora.sample import Sample
from editcore.errors import UsageError
from editcore.formats import EDIT_FORMATS
from harness.fuzz.generators import generator
from harness.fuzz.generators.documents import WORDS
from harness.fuzz.generators.patches import PIECES
from harness.fuzz.inputs import FORMS, Fields
from harness.fuzz.properties import promises
from harness.fuzz.target import Target, asking_ahead, strategy_check
from harness.strategies.registry import strategy
from harness.strategies.strategy import Strategy

TOKENS = {format: (*PIECES.get(format, ()), *WORDS) for format in FORMS}

ON_DISK_NS = 2_000_000_000
"""Time that a call on files may take."""

_FLOORS = {
    "replacer": 95, "replacer/simple": 60, "replacer/multi_occurrence": 60, "cascade": 340, "cascade/exact": 60,
    "agent": 60, "begin_patch": 340, "begin_patch/codex": 170, "unified_diff": 320,
    "unified_diff/tolerant": 650, "anchors": 140, "anchors/recommended": 600, "anchors/h4_oh_my_pi": 370,
    "anchors/h2_oh_my_openagent": 225, "anchors/exhash": 100,
    "search_replace": 390, "search_replace/exact": 105, "insert": 25, "insert/split": 8, "line_range": 20,
    "tool": 160, "tool/edit": 700, "documents/str_replace": 210, "tool/edit_patch": 500, "tool/patch_file": 700,
    "intent": 100, "slips": 100, "contradiction": 60, "calls": 850, "differential": 500,
    "round_trip/unified_diff": 390,
    "paths": 18, "scrub": 320, "protocol": 28, "parameters": 45,
    "bytes": 60,
    "importer": 240, "importer/entire": 10, "importer/claude_code": 350,
}  # fmt: skip
"""Target or family -> three quarters of the edges that it reached in 8 seconds."""


def floor(name: str) -> int:
    return _FLOORS.get(name, _FLOORS.get(name.partition("/")[0], 0))


def strategy_target(one: Strategy, format: str, *, name: str | None = None, specs: tuple[str, ...] = ()) -> Target:
    """A strategy, checked against its promises for samples of a format."""
    family = one.name.partition("/")[0]
    runs_elsewhere = one.cpu_ns is not None or family in ("parse", "mcp")
    is_slow = runs_elsewhere or family in ("tool", "peer") or one.name == "shell/bash"
    known = dict[Fields, Sample]()
    return Target(
        name or one.name, one.summary, generator(format), strategy_check(one, format, known), TOKENS[format],
        floor(one.name), format, bound_ns=ON_DISK_NS if is_slow else 50_000_000,
        specs=specs, properties=tuple(property.name for property in promises(one.name, format)),
        runs_elsewhere=runs_elsewhere, ask_ahead=asking_ahead(one, format, known) if one.ask_ahead else None,
        start=one.start, apply=lambda sample: one.apply(sample, None),
    )  # fmt: skip


def format_of(one: Strategy) -> str:
    """The format in which a built-in strategy is fuzzed."""
    if one.name.startswith("search_replace/"):
        return "search_replace"
    return "str_replace" if "str_replace" in one.formats else min(one.formats)


def differential_targets(specs: Iterable[str]) -> list[Target]:
    """Targets that compare two strategies, one for each format that both take. Raises UsageError."""
    from harness.fuzz.targets.differential import same_result_check

    chosen = [strategy(spec) for spec in specs]
    if len(chosen) != 2:
        raise UsageError("differential compares two strategies", "Name both: -s NAME -s NAME.")
    one, other = chosen
    formats = [format for format in FORMS if format in one.formats & other.formats]
    formats = [format for format in formats if format != "search_replace" or len(formats) == 1]
    if not formats:
        raise UsageError(f"{one.name} and {other.name} take no format in common", "See `editgauge ls strategies`.")
    properties = ("applies_what_the_other_refuses", "refuses_what_the_other_applies", "another_result")
    is_foreign = one.cpu_ns is not None or other.cpu_ns is not None
    return [
        Target(
            f"differential:{format}" if len(formats) > 1 else "differential", f"{one.name} compared with {other.name}.",
            generator(format), same_result_check(one, other, format), TOKENS[format], 0, format, bound_ns=ON_DISK_NS,
            specs=(one.spec, other.spec), runs_elsewhere=is_foreign, properties=properties,
        )
        for format in formats
    ]  # fmt: skip


def strategy_targets(spec: str) -> list[Target]:
    """One target for each format that a strategy takes: `cmd/mine`, or `cmd/mine:str_replace` if it takes several.

    Raises UsageError if it takes no format that is fuzzed.
    """
    one = _foreign(spec) or strategy(spec)
    formats = [format for format in FORMS if format in one.formats]
    if set(EDIT_FORMATS) <= set(formats) and one.reads == "edits":
        formats.remove("search_replace")  # Its blocks are parsed to edits before the strategy gets them.
    if not formats:
        raise UsageError(f"{one.name} takes no format that is fuzzed", f"Those are {', '.join(FORMS)}.")
    several = len(formats) > 1
    return [
        strategy_target(one, format, name=f"{one.name}:{format}" if several else one.name, specs=(one.spec,))
        for format in formats
    ]


def _foreign(spec: str) -> Strategy | None:
    """The reader or the server that a spec describes; None for any other spec."""
    if spec.startswith(READER):
        from harness.fuzz.targets.readers import reader_strategy

        return reader_strategy(spec)
    if spec.startswith(SERVER):
        from harness.fuzz.targets.servers import server_strategy

        return server_strategy(spec)
    return None


READER, SERVER = "parse:", "mcp:"
