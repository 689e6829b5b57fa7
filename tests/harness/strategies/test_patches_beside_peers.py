"""Rules for patches beside the programs themselves, where those are installed: the same files, or a refusal of both.

Each test draws a thousand damaged patches from the text cases. A difference counts unless one of the reasons below
explains it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import NamedTuple

import pytest

from corpora.sample import Format, Sample
from editcore.types import Applied, EditResult, Rejected
from harness.strategies.peers import PEERS, strategy_of
from harness.strategies.registry import strategy
from tests.answers import sample_of
from tests.patch_cases import FOLDER, case_of

# The programs answer a hundred patches a second.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

N_PATCHES = 1_000
_FOLDERS: Mapping[Format, tuple[str, ...]] = {
    "unified_diff": ("unified_diff", "agent_diffs"),
    "begin_patch": ("begin_patch", "agent_envelopes"),
}
_LOOK_ALIKES = str.maketrans({"-": "\u2013", '"': "\u201c", "'": "\u2019", " ": "\u00a0"})


def damaged(lines: list[str], random: Random) -> list[str]:
    """The lines with one of them changed."""
    at, other = (random.randrange(len(lines)) for _ in range(2))
    line = lines[at]
    new: tuple[list[str], ...] = (
        [], [line, line], [lines[other]], [line, lines[other]], [line[1:]], [f" {line}"], [f"{line} "],
        [line[:1] + " " * random.randint(1, 4) + line[1:]], [line[:1] + line[1:].lstrip()], [line[: len(line) // 2]],
        ["", line], [line[:1] + line[1:].translate(_LOOK_ALIKES)], [line.replace("    ", "\t")], [f"{line}\r"],
        [random.choice("+- @*") + line[1:]], ["@@", line],
    )  # fmt: skip
    return [*lines[:at], *random.choice(new), *lines[at + 1 :]]


def drawn(form: Format) -> Iterator[Sample]:
    """The patches of text cases, each as it is or with some of its lines changed."""
    paths = [path for folder in _FOLDERS[form] for path in sorted((FOLDER / folder).glob("*.txt"))]
    for n in range(N_PATCHES):
        random = Random(n)
        path = random.choice(paths)
        sample = sample_of(f"{path.stem}-{n}", case_of(path), form)
        lines = (sample.patch or "").split("\n")
        for _ in range(random.randrange(4)):
            lines = damaged(lines, random) or [""]
        patch = "\n".join(lines)
        yield Sample(sample.id, form, sample.before, "unlabelled", patch=patch)


class Difference(NamedTuple):
    """A patch of which we and a program make something else."""

    patch: str
    ours: EditResult
    theirs: EditResult


Explanation = Callable[[Difference], bool]


def theirs_says(pattern: str) -> Explanation:
    """The program refuses with such a message."""
    return lambda one: isinstance(one.theirs, Rejected) and re.search(pattern, one.theirs.message) is not None


def is_written(pattern: str) -> Explanation:
    """The patch has such a text."""
    return lambda one: re.search(pattern, one.patch, re.MULTILINE) is not None


def we_refuse(one: Difference) -> bool:
    """Our own readings refuse what is half understood."""
    return isinstance(one.ours, Rejected)


def has_hunk_without_context(one: Difference) -> bool:
    """git apply wants context unless asked otherwise; ours wants the number to be right."""
    hunks = re.split(r"^@@.*\n", one.patch, flags=re.MULTILINE)[1:]
    return any(not re.search(r"^ .*\S", hunk, re.MULTILINE) for hunk in hunks)


_NAMES = r"^rename |^deleted file|^(?:---|\+\+\+) (?!a/|b/|/dev/null)|^\+\+\+ a/|^diff --git b/"
"""Names that GNU patch reads otherwise under -p1, or not at all: renamings, those without a prefix, empty files."""
_BETWEEN = r"^@@[\s\S]*^(?!diff |index |rename |new |old |deleted |similarity )[a-z`]"
"""Lines below a hunk that are none of it: a further hunk below them has no file for GNU patch."""

RULES: Mapping[tuple[str, str], tuple[Explanation, ...]] = {
    ("agent/openai_agents", "openai_agents"): (),
    ("agent/cline_patch", "cline_apply_patch"): (),
    ("agent/aider_udiff", "aider_udiff"): (is_written("\r"),),
    ("begin_patch/codex", "codex_apply_patch"): (
        # The reading leaves the disk, and what is outside of it, to its caller.
        theirs_says("outside the folder|is invalid on|Failed to write|is a directory"),
    ),
    ("unified_diff/strict", "git_apply"): (
        we_refuse,
        has_hunk_without_context,
        is_written(r"^@@ -\d+,0 \+"),  # The same by its counts.
        # It wants every header to be right, and the last line to end.
        theirs_says(
            "header|bad git-diff|filename|mode on line|No such file|depends on old|No valid patches|corrupt patch"
        ),
    ),
    ("unified_diff/fuzz", "gnu_patch"): (
        we_refuse,
        is_written(_NAMES),
        is_written(_BETWEEN),
        is_written("\r"),  # It strips them off a diff, or not, by its first lines.
        is_written("[ab]/dev/null"),  # Models mean a deletion; it leaves an empty file.
        theirs_says("leading up to this|is too large|ends in middle of line|Only garbage|would create the file"),
    ),
}
"""(our strategy, peer) -> what explains a difference."""


@pytest.mark.parametrize(("name", "peer"), RULES)
def test_the_rule_does_what_the_program_does(name: str, peer: str) -> None:
    theirs = strategy_of(PEERS[peer])
    if theirs is None:
        pytest.skip(f"peer/{peer} is not installed: `editgauge peers install {peer}`")
    ours, applied, differing = strategy(name), 0, []
    for sample in drawn(PEERS[peer].formats[0]):
        result = ours.apply(sample, None)
        if isinstance(result, Rejected) and "for ever" in result.message:
            continue
        wanted = theirs.apply(sample, None)
        applied += isinstance(wanted, Applied)
        one = Difference(sample.patch or "", result, wanted)
        if files(result) != files(wanted) and not any(explains(one) for explains in RULES[name, peer]):
            differing.append(sample.id)
    assert applied > N_PATCHES / 10
    assert differing == []


def files(result: EditResult) -> Mapping[str, str] | None:
    """The files afterwards; None for a refusal."""
    return result.files if isinstance(result, Applied) else None
