"""Rules of agents beside the programs themselves, where those are installed: the same text, or a refusal of both.

Each test takes two thousand damaged edits, or as many drawn calls of one to three edits on texts with odd characters
and line endings. A difference counts unless one of the reasons below explains it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import PurePosixPath
from random import Random

import pytest

from corpora.load import load
from corpora.sample import Sample
from editcore.agents.folded_lines import hunk_lines
from editcore.agents.matching import Work
from editcore.types import Applied, Edit, EditResult, File
from harness.fuzz.generators.documents import document
from harness.fuzz.generators.edits import cut, replacement
from harness.fuzz.generators.mutate import drifted
from harness.fuzz.inputs import PATH
from harness.strategies.peers import PEERS, strategy_of
from harness.strategies.registry import strategy

# The programs answer a few samples a second, and the corpus may have to be generated first.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(7200)]

N_SAMPLES = 2_000
_MARKERS = re.compile(r"^[ \t]*+(<{5,9}|={5,9}|>{5,9}|```)", re.MULTILINE)


def edits() -> Iterator[Sample]:
    """Damaged edits of one file, spread over the corpus."""
    found = (one for one in load("generated") if one.format == "str_replace" and one.edits and len(one.before) == 1)
    return islice(found, 0, 4 * N_SAMPLES, 4)


def calls() -> Iterator[Sample]:
    """Drawn calls: edits of one text, of which some find nothing, or what another one has changed."""
    for n in range(N_SAMPLES):
        rng = Random(n)
        text = document(rng)
        if rng.random() < 0.25:
            # Every line, or the first two, so that endings are mixed.
            text = text.replace("\n", "\r\n", rng.choice((-1, -1, 2)))
        pairs = []
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            old = cut(text, rng)
            old = drifted(old, rng) if rng.random() < 0.7 else old
            pairs.append(Edit(old, replacement(old, rng), rng.random() < 0.15))
        yield Sample(str(n), "str_replace", (File(PATH, text),), "unlabelled", tuple(pairs))


def in_a_block(sample: Sample) -> Sample:
    """The edit as a model writes it to aider."""
    [edit] = sample.edits or ()
    old, new = (text if not text or text.endswith("\n") else f"{text}\n" for text in (edit.old_string, edit.new_string))
    patch = f"{sample.before[0].path}\n```\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n"
    return replace(sample, format="search_replace", patch=patch)


def in_an_envelope(sample: Sample) -> Sample:
    """The edit as a model writes it to Codex: one hunk without an anchor."""
    [edit] = sample.edits or ()
    lines = hunk_lines(*(text.replace("\r\n", "\n") for text in (edit.old_string, edit.new_string)), Work("diff"))
    body = "".join(f"{line}\n" for line in lines)
    patch = f"*** Begin Patch\n*** Update File: {sample.before[0].path}\n@@\n{body}*** End Patch\n"
    return replace(sample, format="begin_patch", edits=None, patch=patch)


def holds_markers(sample: Sample) -> bool:
    """A text with the markers of a block in it cannot be sent in one."""
    return any(_MARKERS.search(text) for edit in sample.edits or () for text in (edit.old_string, edit.new_string))


def names_its_file(sample: Sample) -> bool:
    """aider drops a first line that ends with the name of the file, which a rule without files does not know."""
    name = PurePosixPath(sample.before[0].path).name
    texts = [text for edit in sample.edits or () for text in (edit.old_string, edit.new_string)]
    return any(text.strip().partition("\n")[0].strip().endswith(name) for text in texts)


def has_odd_line_breaks(sample: Sample) -> bool:
    """JavaScript's `.` stops at these too: Gemini CLI loses what stands before them. Codex sees a line's end in CR."""
    return any(one in sample.before[0].content.replace("\r\n", "\n") for one in "\r\u2028\u2029")


def is_empty_or_the_same(sample: Sample) -> bool:
    """Codex takes a hunk that changes nothing, and appends one that removes nothing."""
    return any(not edit.old_string or edit.old_string == edit.new_string for edit in sample.edits or ())


def ends_in_a_carriage_return(sample: Sample) -> bool:
    """An envelope is trimmed and its CRLF absorbed, so a line's own carriage return is lost on the way."""
    return any("\r" in text for edit in sample.edits or () for text in (edit.old_string, edit.new_string))


def splits_a_character(sample: Sample) -> bool:
    """JavaScript puts a new text between the halves of such a character, too."""
    has_one = any(ord(character) > 0xFFFF for character in sample.before[0].content)
    return has_one and any(not edit.old_string.strip() for edit in sample.edits or ())


def has_a_nul(sample: Sample) -> bool:
    """DeepSeek Harness takes a file with a NUL for a binary one, also for one that an edit before left."""
    return "\0" in sample.before[0].content or any("\0" in edit.new_string for edit in sample.edits or ())


Explanations = tuple[Callable[[Sample], bool], ...]


def text_of(sample: Sample, result: EditResult) -> str | None:
    """The text afterwards; None for a refusal."""
    if not isinstance(result, Applied):
        return None
    return result.content if result.files is None else result.files[sample.before[0].path]


@pytest.mark.parametrize(
    ("agent", "peer", "written", "explanations"),
    [
        ("gemini", "gemini_cli", None, (has_odd_line_breaks,)),
        ("pi", "pi", None, ()),
        ("pi_0_73", "pi_0_73", None, ()),
        ("aider", "aider_edit_block", in_a_block, (holds_markers, names_its_file)),
        (
            "codex",
            "codex_apply_patch",
            in_an_envelope,
            (is_empty_or_the_same, has_odd_line_breaks, ends_in_a_carriage_return),
        ),
    ],
)
def test_the_rule_does_what_the_program_does(
    agent: str, peer: str, written: Callable[[Sample], Sample] | None, explanations: Explanations
) -> None:
    assert differing(agent, peer, edits(), written, explanations) == []


@pytest.mark.parametrize(
    ("agent", "peer", "explanations"),
    [
        ("kimi", "kimi_cli", ()),
        ("mistral_vibe_2", "mistral_vibe", ()),
        ("kimi_code", "kimi_code", ()),
        ("deepseek_harness", "deepseek_harness", (has_a_nul,)),
        ("deepagents", "deepagents", ()),
        ("code_puppy", "code_puppy", ()),
        ("continue", "continue_cli", ()),
        ("freebuff", "codebuff", (splits_a_character,)),
    ],
)
@pytest.mark.parametrize("samples", [edits, calls])
def test_the_rule_answers_calls_as_the_program_does(
    agent: str, peer: str, explanations: Explanations, samples: Callable[[], Iterator[Sample]]
) -> None:
    assert differing(agent, peer, samples(), None, explanations) == []


def differing(
    agent: str, peer: str, samples: Iterator[Sample], written: Callable[[Sample], Sample] | None,
    explanations: Explanations,
) -> list[str]:  # fmt: skip
    """The ids of the samples on which rule and program differ, and nothing explains it."""
    theirs = strategy_of(PEERS[peer])
    if theirs is None:
        pytest.skip(f"peer/{peer} is not installed: `editgauge peers install {peer}`")
    ours, n_compared, found = strategy(f"agent/{agent}"), 0, []
    for sample in samples:
        n_compared += 1
        wanted = text_of(sample, theirs.apply(written(sample) if written else sample, None))
        if text_of(sample, ours.apply(sample, None)) != wanted and not any(why(sample) for why in explanations):
            found.append(sample.id)
    assert n_compared == N_SAMPLES
    return found
