"""The commands, by section of `editgauge --help`.

A command with more than 80 lines has its own file; the small ones of a section share one.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import click

from harness.commands.asking.answer import answer
from harness.commands.asking.ask import ask
from harness.commands.asking.repair import repair
from harness.commands.corpora.corpus import corpus
from harness.commands.corpora.import_ import import_
from harness.commands.corpora.label import label
from harness.commands.corpora.mutate import mutate
from harness.commands.corpora.replay import replay
from harness.commands.corpora.replies import replies
from harness.commands.fuzzing import fuzz, shrink
from harness.commands.nights.baseline import baseline
from harness.commands.nights.history import history
from harness.commands.nights.nightly import init, nightly
from harness.commands.runs.reading import merge, notes, serve, sql, table
from harness.commands.runs.report import report
from harness.commands.runs.show import show
from harness.commands.scoring.cascades import bench, calibrate, sweep
from harness.commands.scoring.compare import compare
from harness.commands.scoring.orderings import orderings
from harness.commands.scoring.run import run
from harness.commands.scoring.try_ import try_
from harness.commands.strategies.defects import defects
from harness.commands.strategies.explain import explain
from harness.commands.strategies.ls import kit, ls
from harness.commands.strategies.matrix import matrix
from harness.commands.strategies.peers import peers
from harness.commands.strategies.protocol import protocol
from harness.commands.tools import apply, mcp

SECTIONS: Mapping[str, tuple[click.Command, ...]] = MappingProxyType(
    {
        "Score strategies": (run, compare, orderings, sweep, calibrate, try_, bench),
        "Read runs": (report, serve, table, show, notes, sql, merge),
        "Run every night": (nightly, baseline, history, init),
        "Make corpora": (import_, mutate, corpus, label, replay, replies),
        "Ask a model": (ask, answer, repair),
        "Fuzz": (fuzz, shrink),
        "Find and add strategies": (ls, explain, defects, matrix, protocol, kit, peers),
        "Use the tools": (mcp, apply),
    }
)
"""Section -> commands, in the order of `editgauge --help`."""
FIRST = ("run", "report", "compare", "nightly", "orderings", "fuzz", "try", "import", "label", "show")
"""The commands to begin with, which `editgauge --help` lists above the sections."""
