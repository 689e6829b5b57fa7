"""Rules for anchored edits beside the programs themselves, where those are installed: the same files, or refusals.

Each test draws three thousand calls, of which some are torn, and some for a text that has changed since. The files have
no suffix: where a parser knows their language, oh-my-pi repairs what `h4_oh_my_pi` does not model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from random import Random

import pytest

from corpora.sample import Format, Sample
from editcore.anchors.views import gptme_tag, h4_tag
from editcore.types import Applied, EditResult, File
from harness.fuzz.generators import GENERATORS
from harness.fuzz.generators.edits import changed
from harness.fuzz.inputs import PATH
from harness.strategies.peers import PEERS, strategy_of
from harness.strategies.registry import strategy

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

N_CALLS = 3_000


def drawn(form: Format) -> Iterator[Sample]:
    """Calls of a format."""
    for n in range(N_CALLS):
        rng = Random(n)
        call, seen = GENERATORS[form](rng)
        live = seen if rng.random() < 0.6 else changed(seen, rng)
        files = (File(PATH, seen),) if seen != live else None
        yield Sample(str(n), form, (File(PATH, live),), "unlabelled", patch=call, seen=files)


def with_tags_of_gptme(sample: Sample) -> Sample:
    """The sample with the tag that gptme has for the text of which the call has H4's; with a wrong one else."""
    text = (sample.seen or sample.before)[0].content
    plain, known = text.replace("\r\n", "\n").replace("\r", "\n"), f"#{h4_tag(text)}]"
    tag = gptme_tag(plain) if known in (sample.patch or "").partition("\n")[0] else "00000000"
    return replace(sample, patch=re.sub(r"#[0-9A-F]{4}\]", f"#{tag}]", sample.patch or "", count=1))


def is_not_an_object_of_known_fields(sample: Sample) -> bool:
    """The program is called with what the host's parser has made of the call; it ignores what it does not know."""
    try:
        call = json.loads(sample.patch or "")
    except ValueError:
        return True
    if sample.format == "exhash":
        return not call.keys() <= {"path", "cmds"}
    edits = call.get("edits", [])
    known = all(isinstance(one, dict) and one.keys() <= {"op", "pos", "end", "lines"} for one in edits)
    if not known or any(not isinstance(line, str) for one in edits for line in one.get("lines") or ()):
        return True
    return not call.keys() <= {"filePath", "path", "edits", "delete", "rename", "move"}


def is_written(pattern: str) -> Callable[[Sample], bool]:
    """The call has such a text."""
    return lambda sample: re.search(pattern, sample.patch or "", re.MULTILINE) is not None


def has_copies_in_a_changed_file(sample: Sample) -> bool:
    """Two diffs may take another copy of a line for the one that was there."""
    texts = [file.content.split("\n") for file in (*sample.before, *(sample.seen or ()))]
    return len(texts) > 1 and any(len({*lines}) < len(lines) for lines in texts)


OF_RANGES = "range_end+range_start"
RULES: Mapping[tuple[str, Format, str], tuple[Callable[[Sample], bool], ...]] = {
    ("anchors/h2_oh_my_openagent", "hashline_h2", "oh_my_openagent"): (is_not_an_object_of_known_fields,),
    (f"anchors/h2_oh_my_pi@without={OF_RANGES}", "hashline_h2", "oh_my_pi_13"): (is_not_an_object_of_known_fields,),
    ("anchors/exhash", "exhash", "exhash"): (is_not_an_object_of_known_fields,),
    ("anchors/h4_gptme", "hashline_h4", "gptme"): (has_copies_in_a_changed_file,),
    ("anchors/h4_oh_my_pi", "hashline_h4", "oh_my_pi"): (
        is_written(r"^(?:PUT|CUT) >?\d+\*"),  # The parser of blocks is the host's.
        is_written(r"^\[f#0000\]|^# a"),  # Sections without a hunk and comments are passed over.
        is_written(r"^\*\*\* Begin"),  # And this is, in the middle of a body.
        is_written("@r|^PUT >2$"),  # A register that has no lines is pasted as none.
        is_written(r"[<>= ]0[.:]"),  # A line 0 is no header, and so a row of the body above.
        is_written("\r\r"),  # Of several carriage returns at the end of a row none is left.
        has_copies_in_a_changed_file,
    ),
}
"""(our strategy, format, peer) -> what explains a difference."""


def outcome(result: EditResult) -> Mapping[str, str | None] | None:
    """The files; None for a refusal."""
    if not isinstance(result, Applied):
        return None
    return {PATH: result.content} if result.files is None else result.files


@pytest.mark.parametrize(("name", "form", "peer"), RULES)
def test_the_rule_does_what_the_program_does(name: str, form: Format, peer: str) -> None:
    theirs, ours = strategy_of(PEERS[peer]), strategy(name)
    if theirs is None:
        pytest.skip(f"peer/{peer} is not installed: `editgauge peers install {peer}`")
    explained = RULES[name, form, peer]
    differ = [
        (sample.patch, sample.before, sample.seen, found)
        for sample in (map(with_tags_of_gptme, drawn(form)) if peer == "gptme" else drawn(form))
        if not any(explains(sample) for explains in explained)
        and (found := (outcome(ours.apply(sample, None)), outcome(theirs.apply(sample, None))))[0] != found[1]
    ]
    assert not differ, f"{len(differ)} differ, the first: {differ[0]}"
