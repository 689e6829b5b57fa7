"""The table of fuzz targets, by name. `editgauge ls targets` lists them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from corpora.sample import Sample
from corpora.scrubbing import RULES
from editcore.errors import UsageError, did_you_mean
from editcore.formats import EDIT_FORMATS, FORMATS
from editcore.text.encodings import ENCODINGS
from harness.fuzz.generators import GENERATORS, Generator, generator
from harness.fuzz.generators.documents import WORDS
from harness.fuzz.generators.edits import pair
from harness.fuzz.generators.foreign import answer, log_generator, path
from harness.fuzz.generators.patches import BLOCK_PIECES, DIFF_PIECES, ENVELOPE_PIECES, PIECES, torn_only
from harness.fuzz.inputs import FORMS, Fields
from harness.fuzz.mcp_client import SERVER
from harness.fuzz.properties import promises
from harness.fuzz.target import Check, Target, asking_ahead, strategy_check
from harness.fuzz.targets.byte_files import DOORS, byte_file
from harness.fuzz.targets.byte_files import PIECES as PIECES_OF_BYTES
from harness.fuzz.targets.byte_files import checking as checking_bytes
from harness.fuzz.targets.differential import doors_agree, reference_check, same_result_check
from harness.fuzz.targets.document_histories import history, sessions_agree
from harness.fuzz.targets.parsers import (
    answers_are_read,
    diff_parses,
    envelope_parses,
    envelope_round_trips,
    log_reader,
    paths_stay,
    round_trips,
)
from harness.fuzz.targets.readers import READER, reader_strategy
from harness.fuzz.targets.scrubbing import secret_text, secrets_are_removed
from harness.fuzz.targets.servers import server_strategy
from harness.fuzz.targets.shown_lines import calls_mean_shown_lines, session
from harness.fuzz.targets.tools import call, calls_agree, output, output_is_cut, parameters_are_read, sequence
from harness.strategies.registry import matching_names, strategies, strategy
from harness.strategies.strategy import Strategy

TOKENS = {format: (*PIECES.get(format, ()), *WORDS) for format in FORMATS}

_JSON = ('{"', '":', "null", "[]", "{}", "true", "-1", '""', '"type"', '"content"', '"id"', '"text"')
_ON_DISK_NS = 2_000_000_000
"""Time that a call on files may take."""

_FLOORS = {
    "replacer": 95, "replacer/simple": 60, "replacer/multi_occurrence": 60, "cascade": 340, "cascade/exact": 60,
    "agent": 60, "begin_patch": 340, "begin_patch/codex": 170, "unified_diff": 320,
    "unified_diff/tolerant": 650, "anchors": 140, "anchors/recommended": 600, "anchors/h4_oh_my_pi": 370,
    "anchors/h2_oh_my_openagent": 225, "anchors/exhash": 100,
    "search_replace": 390, "search_replace/exact": 105, "insert": 25, "insert/split": 8, "line_range": 20,
    "tool": 160, "tool/edit": 700, "documents/str_replace": 210, "tool/edit_patch": 500, "tool/patch_file": 700,
    "intent": 100, "slips": 100, "contradiction": 60, "calls": 850, "doors": 900, "differential": 500,
    "parse/begin_patch": 210, "parse/unified_diff": 260, "round_trip/unified_diff": 390, "round_trip/begin_patch": 270,
    "paths": 18, "scrub": 320, "protocol": 28, "parameters": 45, "truncation": 60, "sessions": 270,
    "bytes": 60,
    "importer": 240, "importer/entire": 10, "importer/claude_code": 350,
}  # fmt: skip
"""Target or family -> three quarters of the edges that it reached in 8 seconds."""


def _floor(name: str) -> int:
    return _FLOORS.get(name, _FLOORS.get(name.partition("/")[0], 0))


def strategy_target(one: Strategy, format: str, *, name: str | None = None, specs: tuple[str, ...] = ()) -> Target:
    """A strategy, checked against its promises for samples of a format."""
    family = one.name.partition("/")[0]
    runs_elsewhere = one.cpu_ns is not None or family in ("parse", "mcp")
    is_slow = runs_elsewhere or family in ("tool", "peer")
    known = dict[Fields, Sample]()
    return Target(
        name or one.name, one.summary, generator(format), strategy_check(one, format, known), TOKENS[format],
        _floor(one.name), format, bound_ns=_ON_DISK_NS if is_slow else 50_000_000,
        specs=specs, properties=tuple(property.name for property in promises(one.name, format)),
        runs_elsewhere=runs_elsewhere, ask_ahead=asking_ahead(one, format, known) if one.ask_ahead else None,
        start=one.start, apply=lambda sample: one.apply(sample, None),
    )  # fmt: skip


def _format(one: Strategy) -> str:
    """The format in which a built-in strategy is fuzzed."""
    if one.name.startswith("search_replace/"):
        return "search_replace"
    return "str_replace" if "str_replace" in one.formats else min(one.formats)


def _named(
    name: str, summary: str, generate: Generator, check: Check, tokens: tuple[str, ...], *properties: str, **rest: Any
) -> Target:
    return Target(name, summary, generate, check, tokens, _floor(name), properties=properties, **rest)


def _other_targets() -> Iterator[Target]:
    from corpora.importers import importers  # Half a second, which a worker for a strategy does not need.

    on_disk, of_logs = {"bound_ns": _ON_DISK_NS}, {"bound_ns": _ON_DISK_NS // 4}
    patches = (*ENVELOPE_PIECES, *DIFF_PIECES, *BLOCK_PIECES)
    needles = tuple([needle for rule in RULES for needle in rule.needles])
    yield from (
        _named("parse/begin_patch", "The three readings of a Begin/End Patch.", torn_only, envelope_parses, patches,
               "parse_of_rendered", "refusal_is_one_line"),
        _named("parse/unified_diff", "Both parsers of unified diffs, on any bytes.", torn_only, diff_parses,
               DIFF_PIECES, "parse_of_rendered", "refusal_is_one_line"),
        _named("round_trip/unified_diff", "The diff of two texts, applied and reversed.", pair, round_trips, WORDS,
               "round_trip", "reverse_restores"),
        _named("round_trip/begin_patch", "The Begin/End Patch of two texts, applied.", pair, envelope_round_trips,
               WORDS, "round_trip"),
        _named("paths", "The boundary of a workspace.", path, paths_stay, ("..", "/", "~", "C:", "\\"),
               "refusal_is_one_line", "paths_stay_inside"),
        _named("scrub", "Scrubbing: secrets in any text.", secret_text, secrets_are_removed, (*needles, *WORDS),
               "near_miss_is_kept", "secret_is_removed", "scrubbing_is_idempotent", "clean_text_is_kept",
               "edits_still_match"),
        _named("protocol", "The answers of external strategies.", answer, answers_are_read, _JSON,
               "refusal_is_one_line"),
        _named("calls", "Tool calls on a real workspace, compared with the same calls in memory.", sequence,
               calls_agree, (*WORDS, *ENVELOPE_PIECES, *DIFF_PIECES),
               "disk_equals_memory", "paths_stay_inside", "line_endings_hold", **on_disk),
        _named("doors",
               "One edit through every door, with every cascade: the same text, or a refusal for the same reason.",
               GENERATORS["str_replace"], doors_agree, WORDS, "doors_agree", format="str_replace", **on_disk),
        _named("parameters", "The parameters that a model sends to the tools of a host.", call, parameters_are_read,
               _JSON, "refusal_is_one_line", "parameters_are_kept", "patterns_are_narrow"),
        _named("sessions", "Calls on a stored document, compared with the same in memory.", history, sessions_agree,
               WORDS, "database_equals_memory", **on_disk),
        _named("shown_lines",
               "Calls on a file that others change: a number or a text means the lines that were shown so.",
               session, calls_mean_shown_lines, WORDS, "calls_mean_shown_lines",
               longest=4096, bound_ns=30 * _ON_DISK_NS),
        _named("truncation", "Outputs shortened to what a model can read.", output, output_is_cut, WORDS,
               "output_is_cut", **on_disk),
    )  # fmt: skip
    for name, (door, summary) in DOORS.items():
        what = f"{summary} Every byte outside the lines that an edit changes stays."
        tokens = (*PIECES_OF_BYTES, *ENCODINGS, *WORDS)
        yield _named(f"bytes/{name}", what, byte_file, checking_bytes(door), tokens, "bytes_stay", **on_disk)
    for name, importer in importers().items():
        if name != "git":  # It reads repositories, not logs.
            generate, target = log_generator(f"importer/{name}"), f"importer/{name}"
            yield _named(target, importer.summary, generate, log_reader(importer), _JSON, longest=8192, **of_logs)


@cache
def targets() -> Mapping[str, Target]:
    """Every target, by name: strategies in the order of their table, then the others. Peers are left out."""
    found = [
        strategy_target(one, _format(one))
        for one in strategies().values()
        if one.origin == "editgauge" and not one.name.startswith("peer/") and _format(one) in FORMS
    ]
    return {
        target.name: target for target in (*found, *_anchored(), *_other_targets(), *_what_is_meant(), *_differential())
    }


def _anchored() -> Iterator[Target]:
    """The rules for anchored edits in each further format that they take."""
    for one in strategies().values():
        if one.name.startswith("anchors/"):
            for format in sorted(one.formats - {_format(one)}):
                yield strategy_target(one, format, name=f"{one.name}:{format}")


def _what_is_meant() -> Iterator[Target]:
    """Targets that ask if an edit was meant: every cascade, tier and reading. The drill `oracle` counts agents.

    Of the rules for stale and anchored edits, only the careful ones are asked.
    """
    from harness.fuzz.targets.intents import CAREFUL, asked_of, checking, drawing  # Slow to import, as above.

    for one in strategies().values():
        if one.name.startswith("agent/") or one.origin != "editgauge":
            continue
        for kind, format in asked_of(one):
            is_anchored = one.name.startswith("anchors/")
            if (kind in ("slips", "stale") or is_anchored) and not any(fnmatchcase(one.name, glob) for glob in CAREFUL):
                continue  # Each of them guesses in a way that its docstring names.
            name, what = f"{kind}/{one.name}" + (f":{format}" if is_anchored else ""), f"{kind}s"
            if kind == "stale":
                name = f"intent/{one.name}" + ("" if format == "str_replace" else f":{format}")
                what = f"stale edits in the format {format}"
            summary = f"Drawn {what}: {one.name} writes nothing that was not meant."
            draw, check = drawing(kind, format), checking(one, kind, format)
            yield _named(name, summary, draw, check, (), "nothing_unmeant", is_drawn=True)


def _differential() -> Iterator[Target]:
    """Our readings compared with GNU patch and git apply, if both are installed."""
    table = strategies()
    if "peer/gnu_patch" in table and "peer/git_apply" in table:
        references = [table["peer/gnu_patch"], table["peer/git_apply"]]
        ours = [table["unified_diff/offset"], table["unified_diff/tolerant"]]
        yield _named(
            "differential", "Where GNU patch and git apply agree, unified_diff/offset and /tolerant do too, or refuse.",
            GENERATORS["unified_diff"], reference_check(references, ours, "unified_diff"), DIFF_PIECES,
            "another_result", format="unified_diff", bound_ns=_ON_DISK_NS,
        )  # fmt: skip


def differential_targets(specs: Iterable[str]) -> list[Target]:
    """Targets that compare two strategies, one for each format that both take. Raises UsageError."""
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
            generator(format), same_result_check(one, other, format), TOKENS[format], 0, format, bound_ns=_ON_DISK_NS,
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
        return reader_strategy(spec)
    return server_strategy(spec) if spec.startswith(SERVER) else None


def select_targets(patterns: Sequence[str], *, similar: Iterable[str] = ()) -> list[Target]:
    """The targets that names or globs stand for, in the order of the table.

    Raises UsageError for a pattern that matches nothing; its tip suggests similar names of targets and of `similar`.
    """
    table = targets()
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in table):
            if pattern.startswith("cmd:") or "@" in pattern:
                raise UsageError(
                    f"There is no fuzz target {pattern!r}",
                    f"A strategy is fuzzed by -s: editgauge fuzz -s {shlex.quote(pattern)}",
                )
            near = did_you_mean(pattern, [*table, *similar])
            raise UsageError(f"There is no fuzz target {pattern!r}", f"{near}See `editgauge ls targets`.")
    return [table[name] for name in matching_names(list(table), patterns)]


def target_by_name(name: str, specs: Sequence[str]) -> Target:
    """The target of that name, from the table or made of the given strategies. Worker processes call this too."""
    if not specs:
        one = strategies().get(name)
        return select_targets([name])[0] if one is None else strategy_target(one, _format(one))
    made = differential_targets(specs) if name.startswith("differential") else strategy_targets(specs[0])
    return next(target for target in made if target.name == name)
