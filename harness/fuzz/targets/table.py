"""The targets that ship, by name: the built-in strategies, and what else reads or applies edits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from corpora.importers import importers
from corpora.scrubbing.look import RULES
from editcore.text.encodings import ENCODINGS
from harness.fuzz.generators import GENERATORS, Generator, generator
from harness.fuzz.generators.documents import WORDS
from harness.fuzz.generators.edits import pair
from harness.fuzz.generators.foreign import answer, log_generator, path
from harness.fuzz.generators.patches import DIFF_PIECES, ENVELOPE_PIECES
from harness.fuzz.inputs import FORMS
from harness.fuzz.target import Check, Target
from harness.fuzz.targets.byte_files import DOORS, byte_file
from harness.fuzz.targets.byte_files import PIECES as PIECES_OF_BYTES
from harness.fuzz.targets.byte_files import checking as checking_bytes
from harness.fuzz.targets.differential import reference_check, steps_keep_results
from harness.fuzz.targets.intents import CAREFUL, asked_of, checking, drawing
from harness.fuzz.targets.logs import LOGS, edits_come_back
from harness.fuzz.targets.of_strategies import ON_DISK_NS, floor, format_of, strategy_target
from harness.fuzz.targets.parsers import (
    answers_are_read,
    log_reader,
    paths_stay,
    round_trips,
)
from harness.fuzz.targets.scrubbing import secret_text, secrets_are_removed
from harness.fuzz.targets.shown_lines import calls_mean_shown_lines, session
from harness.fuzz.targets.tools import call, calls_agree, parameters_are_read, sequence
from harness.strategies.registry import strategies

_JSON = ('{"', '":', "null", "[]", "{}", "true", "-1", '""', '"type"', '"content"', '"id"', '"text"')


def all_targets() -> Mapping[str, Target]:
    """Every target, by name: strategies in the order of their table, then the others. Peers are left out."""
    found = [
        strategy_target(one, format_of(one))
        for one in strategies().values()
        if one.origin == "editgauge" and not one.name.startswith("peer/") and format_of(one) in FORMS
    ]
    return {
        target.name: target for target in (*found, *_anchored(), *_other_targets(), *_what_is_meant(), *_differential())
    }


def _named(
    name: str, summary: str, generate: Generator, check: Check, tokens: tuple[str, ...], *properties: str, **rest: Any
) -> Target:
    return Target(name, summary, generate, check, tokens, floor(name), properties=properties, **rest)


def _other_targets() -> Iterator[Target]:
    on_disk, of_logs = {"bound_ns": ON_DISK_NS}, {"bound_ns": ON_DISK_NS // 4}
    needles = tuple([needle for rule in RULES for needle in rule.needles])
    yield from (
        _named("round_trip/unified_diff", "The diff of two texts, applied and reversed.", pair, round_trips, WORDS,
               "round_trip", "reverse_restores"),
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
        _named("steps", "Steps behind a match: what is written is what the match gave.", GENERATORS["str_replace"],
               steps_keep_results, WORDS, "steps_keep_results", format="str_replace"),
        _named("parameters", "The parameters that a model sends to the tools of a host.", call, parameters_are_read,
               _JSON, "refusal_is_one_line", "parameters_are_kept", "patterns_are_narrow"),
        _named("shown_lines",
               "Calls on a file that others change: a number or a text means the lines that were shown so.",
               session, calls_mean_shown_lines, WORDS, "calls_mean_shown_lines",
               longest=4096, bound_ns=30 * ON_DISK_NS),
    )  # fmt: skip
    for name, (door, summary) in DOORS.items():
        what = f"{summary} Every byte outside the lines that an edit changes stays."
        tokens = (*PIECES_OF_BYTES, *ENCODINGS, *WORDS)
        yield _named(f"bytes/{name}", what, byte_file, checking_bytes(door), tokens, "bytes_stay", **on_disk)
    for name, importer in importers().items():
        if name != "git":  # It reads repositories, not logs.
            generate, target = log_generator(f"importer/{name}"), f"importer/{name}"
            yield _named(target, importer.summary, generate, log_reader(importer), _JSON, longest=8192, **of_logs)
    for name, agent in LOGS.items():
        yield _named(
            f"log/{name}", f"Logs of {name}: the edits of a drawn session come back.", generator("str_replace"),
            edits_come_back(importers()[name], agent), WORDS, "edits_come_back", format="str_replace", **of_logs,
        )  # fmt: skip


def _anchored() -> Iterator[Target]:
    """The rules for anchored edits in each further format that they take."""
    for one in strategies().values():
        if one.name.startswith("anchors/"):
            for format in sorted(one.formats - {format_of(one)}):
                yield strategy_target(one, format, name=f"{one.name}:{format}")


def _what_is_meant() -> Iterator[Target]:
    """Targets that ask if an edit was meant: every cascade, tier and reading. The drill `oracle` counts agents.

    Of the rules for stale and anchored edits, only the careful ones are asked.
    """
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
            "another_result", format="unified_diff", bound_ns=ON_DISK_NS,
        )  # fmt: skip
