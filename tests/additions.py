"""One new member of every kind, as somebody would add it: the files to write, and the lines to put into tables.

`CONTRIBUTING.md` names the same files with NAME for the member's name; `tests/test_adding.py` compares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Addition:
    """A new member of one kind."""

    name: str
    files: Mapping[str, str] = field(default_factory=dict)
    """Path -> content of each new file."""
    lines: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Path of an existing file -> pairs: a text that it has once, and what it becomes."""

    @property
    def touched(self) -> set[str]:
        """Every file, with NAME for the member's name."""
        return {path.replace(self.name, "NAME") for path in (*self.files, *self.lines)}

    def add_to(self, tree: Path) -> None:
        for path, content in self.files.items():
            (tree / path).write_text(content)
        for path, pairs in self.lines.items():
            text = (tree / path).read_text(encoding="utf-8")
            for old, new in pairs:
                assert text.count(old) == 1, f"{path} has {old!r} {text.count(old)} times"
                text = text.replace(old, new)
            (tree / path).write_text(text, encoding="utf-8")


_REPLACER = '''"""Offers the search text in capital letters."""


def shouted(document, find):
    """The search text in capital letters."""
    if find.upper() in document.text:
        yield find.upper()
'''

_TIER = '''"""The tier `shouting_lines`: the same text, but for capital letters."""

from editcore.types import Applied


def shouting_lines(query):
    """The first place that is the search text but for capital letters."""
    view, old = query.view, query.old.text
    at = view.text.lower().find(old.lower())
    if at < 0:
        return None
    span = at, at + len(old)
    return Applied(view.with_text((*span, query.new.text)), (view.match(*span, "shouting_lines"),), "shouting_lines")
'''

_AGENT = '''"""Loudmouth, an agent that knows capital letters only."""

from editcore.agents.runner import Steps, spans_of

RULES = {"loudmouth": Steps({"loud": lambda given: spans_of(given.text.upper(), given.old.upper())})}
'''

_AGENT_ROW = """[loudmouth]
program = "Loudmouth 1"
summary = "Loudmouth: one place in capital letters."
evidence = "inferred"
policy = "unique"
failures = ["It shouts."]

"""

_FORMAT = '''"""`shorthand`: one line for another, as `OLD => NEW`."""

from editcore.apply import replace
from editcore.formats.format import Format, Written, only_file, unique_pairs
from editcore.types import Rejected


def _apply(files, edit, seen, cascade):
    only = only_file(files)
    old, _, new = edit.patch.partition(" => ")
    return only if isinstance(only, Rejected) else replace(only[1], old, new, cascade=cascade)


def _write(path, before, after):
    pairs = unique_pairs(before, after)
    return Written(patch=" => ".join(pairs[0])) if len(pairs) == 1 else None


SHORTHAND = Format("shorthand", ("patch",), "shorthand/line", _apply, _write, "One line for another.")
'''

_ANCHOR_RULE = '''"""A rule that believes every number."""

from editcore.anchors.rules.rule import Given, apart, changes_in


def believing(given: Given):
    """Looks at no hash."""
    return apart(given.live, changes_in(given, given.live), "believing")
'''

_LITERAL = """

def shouted(content: str, find: str) -> Iterator[str]:
    if find.upper() in content:
        yield find.upper()

"""

_MUTATOR = '''"""Damage: the search text in small letters."""

from corpora.mutators.mutator import text_mutators


def whispered(clean, _degree, _random):
    """The search text in small letters."""
    return clean.searched(clean.old.lower())


MUTATORS = text_mutators(whispered)
'''

_IMPORTER = '''"""Notes: one JSON object per line, with path, content, old and new."""

import json

from corpora.importers.session import Attempt, Read
from editcore.types import Edit


def events(log, surroundings):
    for number, line in enumerate(log.path.read_text().splitlines()):
        note = json.loads(line)
        yield Read(note["path"], note["content"])
        yield Attempt(str(number), "str_replace", note["path"], (Edit(note["old"], note["new"]),), outcome="applied")

'''

_ADAPTER = '''"""somepackage: it takes every edit as it comes."""

from .protocol import contents, serve


if __name__ == "__main__":
    serve(contents)
'''

_PEER = """
[[peers]]
name = "somepackage"
formats = ["str_replace"]
summary = "Takes all."
package = "somepackage"

[packages.somepackage]
name = "a"
version = "1"
"""

_COMMAND = '''"""`greet`: say hello."""

import click


@click.command()
def greet() -> None:
    """Say hello to a run."""
    click.echo("hello")
'''

_TOOL = '''"""`wave`: wave at the user."""

from dataclasses import dataclass

from editcore.host.registry import BuiltIn
from editcore.host.tool import Result


@dataclass(frozen=True)
class Parameters:
    """Nothing to say."""


WAVE = BuiltIn("wave", "Waves at the user.", Parameters, lambda host, context, params: Result("Waved", "waved", {}))
'''

_PROPERTY = '''

def result_has_a_type(_: Apply, sample: Sample, result: EditResult) -> str | None:
    """A result is of a type."""
    del sample
    return None if result else "no result"

'''

_TARGET = '''"""Target: texts that are read backwards."""

from harness.fuzz.target import Target
from harness.fuzz.generators.edits import pair

MIRROR = Target("mirror", "Texts read backwards.", pair, lambda fields, thorough: ())
'''

_DRILL = '''"""Drill: nothing happens, twice."""

from harness.fuzz.drills.drill import Drill, Trial

YAWN = Drill("yawn", "Nothing happens.", lambda settings: iter([Trial("yawns", "one"), Trial("yawns", "two")]))
'''

_UNTIL = "from __future__ import annotations\n"
"""Every module has this line: an import goes below it."""


def _import(line: str) -> tuple[str, str]:
    return _UNTIL, f"{_UNTIL}\n{line}\n"


_MEASUREMENT = """WRECKAGE = share(
    "wreckage",
    "wreckage",
    "wrong edits after which the file does not parse / all wrong edits",
    lambda counts: (counts.n(severity=Severity.BROKEN), counts.n(verdict=Verdict.WRONG_EDIT)),
    in_table=Shown.ALWAYS,
    on_page=Shown.ALWAYS,
    better="less",
)
"""

ADDITIONS: Mapping[str, Addition] = {
    "measurement": Addition(
        "wreckage",
        {},
        {
            "reports/measurements/table.py": (
                ("MEASUREMENTS: tuple", f"{_MEASUREMENT}\nMEASUREMENTS: tuple"),
                ("LINES_LOST, LIST_LEFT,", "LINES_LOST, WRECKAGE, LIST_LEFT,"),
            ),
        },
    ),
    "replacer": Addition(
        "shouted",
        {"editcore/replacers/shouted.py": _REPLACER},
        {
            "editcore/replacers/__init__.py": (
                ('"multi_occurrence": "exact_text",', '"multi_occurrence": "exact_text", "shouted": "shouted",'),
            ),
            "harness/bench/literal_port.py": (
                ("LITERAL: dict", f"{_LITERAL}\nLITERAL: dict"),
                ('"multi_occurrence": multi_occurrence,', '"multi_occurrence": multi_occurrence, "shouted": shouted,'),
            ),
        },
    ),
    "cascade": Addition(
        "shouting",
        lines={
            "editcore/cascade.py": (
                ("CASCADES: Mapping", 'SHOUTING = Cascade("shouting", ("simple", "shouted"))\n\nCASCADES: Mapping'),
                ("OPENCODE_1_17, EXACT)", "OPENCODE_1_17, EXACT, SHOUTING)"),
            ),
        },
    ),
    "tier": Addition(
        "shouting_lines",
        {"editcore/tiers/shouting_lines.py": _TIER},
        {
            "editcore/tiers/__init__.py": (
                ('"drift": "drift",', '"drift": "drift", "shouting_lines": "shouting_lines",'),
            ),
        },
    ),
    "format": Addition(
        "shorthand",
        {"editcore/formats/shorthand.py": _FORMAT},
        {
            "editcore/formats/__init__.py": (
                _import("from editcore.formats.shorthand import SHORTHAND"),
                (" EXHASH, SHELL,\n", " EXHASH, SHELL,\n    SHORTHAND,\n"),
            ),
        },
    ),
    "rule of an agent": Addition(
        "loudmouth",
        {"editcore/agents/loudmouth.py": _AGENT},
        {
            "editcore/agents/__init__.py": (("_NAMES = (", '_NAMES = (\n    "loudmouth",'),),
            "editcore/agents/agents.toml": (("[aider]\n", f"{_AGENT_ROW}[aider]\n"),),
        },
    ),
    "rule for anchored edits": Addition(
        "believing",
        {"editcore/anchors/rules/believing.py": _ANCHOR_RULE},
        {
            "editcore/anchors/rules/__init__.py": (
                _import("from editcore.anchors.rules.believing import believing"),
                (
                    '"strict": AnchorRule(strict, READINGS),',
                    '"strict": AnchorRule(strict, READINGS), "believing": AnchorRule(believing, READINGS),',
                ),
            ),
        },
    ),
    "mutator": Addition(
        "whispered",
        {"corpora/mutators/text/whispered.py": _MUTATOR},
        {
            "corpora/mutators/__init__.py": (
                _import("from corpora.mutators.text import whispered"),
                ("*refusals.MUTATORS,\n", "*refusals.MUTATORS,\n    *whispered.MUTATORS,\n"),
            ),
        },
    ),
    "importer": Addition(
        "notes",
        {"corpora/importers/formats/notes.py": _IMPORTER},
        {
            "corpora/importers/__init__.py": (
                _import("from corpora.importers.formats import notes"),
                (
                    '        Importer("git",',
                    '        Importer("notes", "Notes of edits.", files_matching("*.notes"), notes.events),\n'
                    '        Importer("git",',
                ),
            ),
        },
    ),
    "peer": Addition(
        "somepackage",
        {"harness/strategies/peers/adapters/somepackage.py": _ADAPTER},
        {
            "harness/strategies/peers/peers.toml": (("[packages.aider]\n", f"{_PEER}\n[packages.aider]\n"),),
        },
    ),
    "command": Addition(
        "greet",
        {"harness/commands/runs/greet.py": _COMMAND},
        {
            "harness/commands/__init__.py": (
                (
                    '        "Read runs": {',
                    '        "Read runs": {\n            "greet": ("runs.greet", "Say hello to a run."),',
                ),
            ),
        },
    ),
    "report section": Addition(
        "weather",
        lines={
            "reports/page/head.py": (
                ('        "facts": list', '        "weather": "fine & dry",\n        "facts": list'),
            ),
            "reports/page/script/sections.js": (
                (
                    "function aboutSection() {",
                    'function weatherSection() {\n  return section("weather", "Weather", HEAD.weather);\n}\n\n'
                    "function aboutSection() {",
                ),
            ),
            "reports/page/script/page.js": (("termsSection(),", "termsSection(), weatherSection(),"),),
        },
    ),
    "tool": Addition(
        "wave",
        {"editcore/host/tools/wave.py": _TOOL},
        {
            "editcore/host/tools/__init__.py": (
                _import("from editcore.host.tools.wave import WAVE"),
                ("            TASK,", "            TASK, WAVE,"),
            ),
        },
    ),
    "property": Addition(
        "result_has_a_type",
        lines={
            "harness/fuzz/properties/every_format.py": (
                (
                    "PROPERTIES = (",
                    f'{_PROPERTY}PROPERTIES = (Property(result_has_a_type, frozenset({{"insert"}}), ("insert/*",)),',
                ),
            ),
        },
    ),
    "fuzz target": Addition(
        "mirror",
        {"harness/fuzz/targets/mirror.py": _TARGET},
        {
            "harness/fuzz/targets/table.py": (
                _import("from harness.fuzz.targets.mirror import MIRROR"),
                (
                    "def _other_targets() -> Iterator[Target]:",
                    "def _other_targets() -> Iterator[Target]:\n    yield MIRROR",
                ),
            ),
        },
    ),
    "drill": Addition(
        "yawn",
        {"harness/fuzz/drills/yawn.py": _DRILL},
        {
            "harness/fuzz/drills/__init__.py": (
                _import("from harness.fuzz.drills.yawn import YAWN"),
                ("for drill in (", "for drill in (YAWN, "),
            ),
            "harness/commands/fuzzing.py": (
                ("A DRILL is one of these, or all: ", "A DRILL is one of these, or all: yawn (nothing happens), "),
            ),
        },
    ),
}
"""Kind -> a new member of it, in the order of the table in CONTRIBUTING.md."""
