"""The commands, by section of `editgauge --help`.

A command with more than 80 lines has its own file; the small ones of a section share one. The module of a command is
imported when the command is called or its help is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from keyword import iskeyword
from types import MappingProxyType

import click

SECTIONS: Mapping[str, Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "Score strategies": {
            "run": ("scoring.run", "Score strategies on corpora."),
            "compare": ("scoring.compare", "Compare two runs, or strategies of one run, sample by sample."),
            "orderings": ("scoring.orderings", "Score every ordering of a cascade's replacers or tiers."),
            "sweep": ("scoring.cascades", "Vary the thresholds of a replacer, a tier or an agent's rule."),
            "calibrate": ("scoring.cascades", "Count how often each tier is right, and check confidence."),
            "try": ("scoring.try_", "Try one edit or patch and explain its result; nothing is written."),
            "bench": ("scoring.cascades", "Measure the CPU time of replacers, patches and outputs."),
        },
        "Read runs": {
            "report": ("runs.report", "Write the page of a run, or its summary."),
            "serve": ("runs.reading", "Serve the page of a run on this machine."),
            "table": ("runs.reading", "Print a run's rates, also by group, or its wrong edits by severity."),
            "show": ("runs.show", "Show one sample of a run, or list those that went wrong."),
            "notes": ("runs.reading", "Show or write notes on samples, and which were reviewed."),
            "sql": ("runs.reading", "Query runs or a history with SQL, through duckdb."),
            "merge": ("runs.reading", "Merge the shards of a run into one run folder."),
        },
        "Run every night": {
            "nightly": ("nights.nightly", "Run strategies on corpora and compare the night with the baseline."),
            "baseline": ("nights.baseline", "Set or show the night that later nights are compared with."),
            "history": ("nights.history", "Show the nights of a history, or one sample over its nights."),
            "init": ("nights.nightly", "Write an editgauge.toml with defaults for this folder."),
        },
        "Make corpora": {
            "import": ("corpora.import_", "Turn agents' session logs into a corpus."),
            "mutate": ("corpora.mutate", "Make a corpus of damaged edits whose right answers are known."),
            "corpus": ("corpora.corpus", "List, describe, check, split and merge corpora; apply labels."),
            "label": ("corpora.label", "Label samples by reading them, in a terminal."),
            "replay": ("corpora.replay", "Re-run recorded sessions and list what differs."),
            "replies": ("corpora.replies", "List what agents did after the replies of their edit tools."),
        },
        "Ask a model": {
            "ask": ("asking.ask", "Ask a model for edits, and keep what it writes as a corpus."),
            "answer": ("asking.answer", "Say which format and which rule suit a model that was asked."),
            "repair": ("asking.repair", "Ask a model to repair what a rule refuses, and score it."),
        },
        "Fuzz": {
            "fuzz": ("fuzzing", "Search for inputs that break a property that should always hold."),
            "shrink": ("fuzzing", "Make a wrong edit of a run as small as possible."),
        },
        "Find and add strategies": {
            "ls": ("strategies.ls", "List everything of one kind, a line each."),
            "explain": (
                "strategies.explain",
                "Say what a rule forgives, what it does wrong, and its figures on CORPUS (default: house).",
            ),
            "defects": ("strategies.defects", "Which named defects a program has."),
            "matrix": ("strategies.matrix", "Programs, versions, defects and rates as one page; docs/matrix.md."),
            "protocol": ("strategies.protocol", "Check a program that should be a strategy."),
            "kit": ("strategies.ls", "Write the cases that a rewrite of our rules has to pass."),
            "peers": ("strategies.peers", "Install other people's ways to apply an edit."),
        },
        "Use the tools": {
            "mcp": ("tools", "Serve the tools to an agent, over the Model Context Protocol."),
            "apply": ("tools", "Apply edits as a service, a line of JSON each way."),
        },
    }
)
"""Section -> command -> its module below this package, and the first line of its help, in the order of `--help`."""
FIRST = ("run", "report", "compare", "nightly", "orderings", "fuzz", "try", "import", "label", "show")
"""The commands to begin with, which `editgauge --help` lists above the sections."""


class Commands(Mapping[str, click.Command]):
    """All commands by name. Each is imported when it is first looked up, so the help of the program imports none."""

    def __init__(self) -> None:
        self._listed = {name: one for section in SECTIONS.values() for name, one in section.items()}

    def __getitem__(self, name: str) -> click.Command:
        module = import_module(f"harness.commands.{self._listed[name][0]}")
        command: click.Command = getattr(module, f"{name}_" if iskeyword(name) else name)
        _name_variables(command, f"EDITGAUGE_{_in_variable(name)}")
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)


def _name_variables(command: click.Command, prefix: str) -> None:
    """Name each option's environment variable by the option's long name, whatever the code calls its parameter."""
    if isinstance(command, click.Group):
        for name, member in command.commands.items():
            _name_variables(member, f"{prefix}_{_in_variable(name)}")
    for option in command.params:
        long = next((name for name in option.opts if name.startswith("--")), None)
        if long and option.envvar is None:
            option.envvar = f"{prefix}_{_in_variable(long[2:])}"


def _in_variable(name: str) -> str:
    return name.replace("-", "_").upper()
