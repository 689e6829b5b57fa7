"""Properties of scrubbing: secrets of every rule are removed from any text, and near misses are kept."""

from __future__ import annotations

from random import Random

from corpora.sample import Sample, encode
from corpora.scrub import Scrubbed, scrub
from corpora.scrubbing.look import RULES, look
from corpora.scrubbing.rule import Example, Rule, example_of
from editcore.types import Edit, File
from harness.fuzz.finding import Violation
from harness.fuzz.generators.documents import document
from harness.fuzz.inputs import Fields

_TABLE = {rule.name: rule for rule in RULES}


def secret_text(rng: Random) -> Fields:
    """A text before a secret and one after it, the rule of the secret, and the seed that it is drawn with."""
    seed = rng.randrange(1_000_000)
    # Not from `rng`: an engine that records each draw would have too many of them.
    drawn = Random(seed)
    neighbour = example_of(drawn.choice(RULES).example, drawn).text
    above = drawn.choice(("", document(drawn), neighbour[: drawn.randint(0, len(neighbour))]))
    return (above, document(rng), rng.choice(RULES).name, str(seed))


def secrets_are_removed(fields: Fields, _: bool) -> tuple[Violation, ...]:
    """A secret on a line of any text does not survive, scrubbing is idempotent, and near misses are unchanged."""
    rule = _TABLE.get(fields[2]) if len(fields) > 3 else None
    if rule is None or not fields[3].isdecimal() or not fields[3].isascii():
        return ()
    rng = Random(fields[3])
    example = example_of(rule.example, rng)
    if example.secret in fields[0] or example.secret in fields[1]:
        return ()
    found = _of_text(f"{fields[0]}\n{example.text}\n{fields[1]}", rule, example)
    found += _of_sample(fields, rule, example)
    plain = f"{document(rng)}\n{rule.near_miss}\n"
    if look(plain).text != plain:
        found.append(Violation("near_miss_is_kept", rule.name, f"{rule.near_miss!a:.80} is changed"))
    return tuple(found)


def _of_text(text: str, rule: Rule, example: Example) -> list[Violation]:
    seen = look(text)
    found = []
    if example.secret in seen.text:
        found.append(Violation("secret_is_removed", rule.name, f"{example.secret!a:.80} survives"))
    if look(seen.text).found and seen.left is None:
        found.append(Violation("scrubbing_is_idempotent", rule.name, "a scrubbed text is changed again"))
    if not seen.found and seen.text != text:
        found.append(Violation("clean_text_is_kept", rule.name, "a text in which nothing was found is changed"))
    return found


def _of_sample(fields: Fields, rule: Rule, example: Example) -> list[Violation]:
    """The same check for a sample whose edit replaces the secret."""
    content = f"{fields[0]}\n{example.text}\n{fields[1]}"
    edit = Edit(f"{example.text}\n", "x\n")
    sample = Sample("s", "str_replace", (File("f", content),), "unlabelled", (edit,))
    done: Scrubbed = scrub(sample)
    if done.sample is None:
        return []
    found = []
    if example.secret in encode(done.sample):
        found.append(Violation("secret_is_removed", f"sample: {rule.name}", f"{example.secret!a:.80} survives"))
    if scrub(done.sample).sample != done.sample:
        found.append(Violation("scrubbing_is_idempotent", f"sample: {rule.name}", "a scrubbed sample is changed again"))
    (after,) = done.sample.edits or (edit,)
    if content.count(edit.old_string) != done.sample.before[0].content.count(after.old_string):
        found.append(Violation("edits_still_match", rule.name, "the edit of a scrubbed sample matches elsewhere"))
    return found
