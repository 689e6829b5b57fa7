from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from corpora.sample import Provenance, Sample, encode
from corpora.scrub import scrub
from corpora.scrubbing.look import RULES, look
from corpora.scrubbing.rule import REDACTED, Rule, example_of, looks_random
from editcore.types import Edit, File

# Assembled here, so that no scanner takes them for keys.
KEY = "sk-" + "proj-a8Kd92mXqLz71PbVw04TyRn6"
TOKEN = "gh" + "p_a8Kd92mXqLz71PbVw04TyRn6Uc3EhJ5sGf0o"
RANDOM = "a8Kd92mXqLz71PbVw04TyRn6"
JWT = "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"


def of(text: str, old: str = "x = 1", new: str = "x = 2", **fields: Any) -> Sample:
    """A sample of a file with this text and x = 1, which becomes x = 2."""
    before = text + "x = 1\n"
    target = (File("a.py", before.replace(old, new, 1)),)
    return Sample("s", "str_replace", (File("a.py", before),), "apply", (Edit(old, new),), target=target, **fields)


def cleaned(text: str) -> str:
    """The scrubbed text of a file."""
    result = scrub(of(text + "\n"))
    assert result.sample, result.why_not
    return result.sample.before[0].content.removesuffix("\nx = 1\n")


CASES = Path(__file__).parents[1] / "cases" / "scrubbing"
SECRETS = {
    "@KEY@": KEY, "@TOKEN@": TOKEN, "@RANDOM@": RANDOM, "@JWT@": JWT, "@PW@": "q8Rt3vB1nM5x",
    "@X64@": example_of("{x64}", Random(1)).text,
    "@SEED@": "legal winner thank year wave sausage worth useful legal winner thank yellow",
}  # fmt: skip
"""What stands for secrets in the case files, so that no scanner takes these for keys."""


def cases(name: str) -> list[str]:
    """The cases of a file, divided by lines of three dashes, with secrets."""
    text = (CASES / name).read_text("utf-8").removesuffix("\n")
    for mark, secret in SECRETS.items():
        text = text.replace(mark, secret)
    return text.split("\n---\n")


@pytest.mark.parametrize("case", [*cases("replaced.txt"), "a\ud800b\n=>\na\ufffdb"])
def test_what_is_nobodys_business_has_a_stand_in(case: str) -> None:
    text, _, expected = case.partition("\n=>\n")
    assert cleaned(text) == expected


@pytest.mark.parametrize("text", cases("left.txt"))
def test_code_is_left_as_it_is(text: str) -> None:
    assert cleaned(text) == text


def test_a_stand_in_is_the_same_everywhere_in_a_sample() -> None:
    line = f"key = '{KEY}'"
    told = Provenance(model="/home/jane/models/m.gguf", recorded_error=f"not found in /home/jane/a.py: {KEY}")
    result = scrub(of(line + "\n", line, line + "  # /home/jane", provenance=told))
    assert result.sample
    (edit,) = result.sample.edits or ()
    assert edit == Edit(f"key = '{REDACTED}'", f"key = '{REDACTED}'  # /home/user")
    assert result.sample.target == (File("a.py", f"key = '{REDACTED}'  # /home/user\nx = 1\n"),)
    assert result.sample.provenance.model == "/home/user/models/m.gguf"
    assert result.sample.provenance.recorded_error == f"not found in /home/user/a.py: {REDACTED}"
    assert result.found["key"] == 5


def test_alternatives_are_scrubbed_like_the_target() -> None:
    made = of(f"key = '{KEY}'\n")
    (right,) = made.target or ()
    result = scrub(replace(made, alternatives=((replace(right, content=right.content + "\n"),), (right,))))
    assert result.sample
    text = f"key = '{REDACTED}'\nx = 2\n"
    assert result.sample.alternatives == ((File("a.py", text + "\n"),), (File("a.py", text),))


def test_a_sample_whose_right_answers_scrubbing_would_make_one_is_dropped() -> None:
    made = of(f"key = '{KEY}'\n")
    (right,) = made.target or ()
    other = replace(right, content=right.content.replace(KEY, KEY[:-4] + "Zq7R"))
    result = scrub(replace(made, alternatives=((other,),)))
    assert (result.sample, result.why_not) == (None, "scrubbing would change what the edit says")


def test_what_was_seen_is_scrubbed_like_the_files() -> None:
    seen = (File("a.py", f"# was\nkey = '{KEY}'\n"),)
    result = scrub(replace(of(f"key = '{KEY}'\nx = 1\n"), seen=seen))
    assert result.sample
    assert result.sample.seen == (File("a.py", f"# was\nkey = '{REDACTED}'\n"),)
    only = scrub(replace(of("x = 1\n"), seen=seen))
    assert only.sample
    assert KEY not in encode(only.sample)


def test_a_sample_whose_change_since_it_was_seen_is_a_secret_alone_is_dropped() -> None:
    made = of(f"key = '{KEY}'\n")
    other = KEY[:-4] + "Zq7R"
    result = scrub(replace(made, seen=(File("a.py", f"key = '{other}'\nx = 1\n"),)))
    assert (result.sample, result.why_not) == (None, "scrubbing would change what the edit says")


def test_a_secret_is_replaced_also_where_its_name_is_not_beside_it() -> None:
    result = scrub(of(f'token = "{RANDOM}"\n', f'"{RANDOM}"', '"x"'))
    assert result.sample
    assert result.sample.edits == (Edit(f'"{REDACTED}"', '"x"'),)


def test_a_patch_and_its_file_are_scrubbed_alike() -> None:
    patch = f"*** Begin Patch\n*** Update File: a.py\n@@\n key = '{KEY}'\n-x = 1\n+x = 2\n*** End Patch"
    sample = of(f"key = '{KEY}'\n")
    result = scrub(replace(sample, format="begin_patch", edits=None, patch=patch))
    assert result.sample
    assert result.sample.patch == patch.replace(KEY, REDACTED)


@pytest.mark.parametrize("cut", [12, 20, 28])
def test_a_secret_that_an_edit_cuts_in_half_costs_the_sample(cut: int) -> None:
    line = f"key = '{KEY}'"
    for old in (line[:cut], line[cut:]):
        result = scrub(of(line + "\n", old, "y"))
        assert result.sample is None, old


def test_an_edit_between_two_people_costs_the_sample() -> None:
    result = scrub(of("jane@firm.com\n", "jane@firm.com", "bob@firm.com"))
    assert (result.sample, result.why_not) == (None, "scrubbing would change what the edit says")


@pytest.mark.parametrize("escape", [lambda text: text, json.dumps, lambda text: json.dumps(json.dumps(text))])
@pytest.mark.parametrize(
    "part", [slice(None), slice(None, -1), slice(1, None)], ids=["whole", "no footer", "no header"]
)
@pytest.mark.parametrize("kind", ["RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
def test_a_private_key_loses_its_lines_and_keeps_their_number(
    kind: str, part: slice, escape: Callable[[str], str]
) -> None:
    body = [example_of("{B64}", Random(n)).text for n in range(5)] + ["MIIE"]
    block = "\n".join([f"-----BEGIN {kind}-----", *body, f"-----END {kind}-----"][part])
    result = scrub(of(escape(block) + "\n"))
    assert result.sample
    left = encode(result.sample)
    assert not [line for line in body[:5] if line in left]
    assert result.sample.before[0].content.count("\n") == (escape(block) + "\nx = 1\n").count("\n")


def test_an_edit_of_one_line_of_a_private_key_costs_the_sample() -> None:
    lines = [example_of("{B64}", Random(n)).text for n in range(2)]
    block = "\n".join(["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----\n"])
    assert scrub(of(block, lines[0], "y")).why_not == "scrubbing would change what the edit says"


def test_lone_surrogates_are_told_of() -> None:
    result = scrub(of("a\ud800\n"))
    assert result.sample
    assert result.sample.tags == ("surrogates:replaced",)


def test_a_sample_with_nothing_to_hide_is_itself() -> None:
    sample = of("y = 1\n", tags=("language:python",))
    result = scrub(sample)
    assert (result.sample, dict(result.found), result.why_not) == (sample, {}, "")


def test_scrubbing_twice_changes_no_more_than_once() -> None:
    once = scrub(of(f"{KEY} jane@firm.com /home/jane http://jane:hunter2@db.firm.com\n")).sample
    assert once
    assert scrub(once).sample == once


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (RANDOM, True),
        ("6da9a43058a5d1b9f3353153921fb04d", True),
        ("short1", False),
        ("only_letters_in_a_long_name", False),
        ("1234567890123456789", False),
        ("aaaaaaaaaaaaaaaaaaaa1111", False),
        ("api.v2.auth.handlers.login2", False),
        ("2024-01-01T10:00:00", False),
    ],
)
def test_random_is_what_has_no_words_in_it(value: str, expected: bool) -> None:
    assert looks_random(value) is expected


# Rules.

PLACES: dict[str, Callable[[str], str]] = {
    "bare": lambda text: text,
    "assigned": lambda text: f"x = {text}",
    "double quotes": lambda text: f'call("{text}")',
    "single quotes": lambda text: f"call('{text}')",
    "URL": lambda text: f"https://host.io/path?q={text}",
    "JSON": lambda text: json.dumps({"a": f"line\n{text}\nend"}),
    "JSON in JSON": lambda text: json.dumps(json.dumps({"a": f"line\n{text}\nend"})),
    "YAML": lambda text: f"a:\n  b: {text}\n",
    "here-document": lambda text: f"cat <<EOF\n{text}\nEOF\n",
    "patch": lambda text: "\n".join(f"+{line}" for line in text.split("\n")),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_an_example_of_a_rule_does_not_survive_anywhere(rule: Rule) -> None:
    for (place, laid), seed in product(PLACES.items(), range(5)):
        example = example_of(rule.example, Random(seed))
        text = laid(example.text)
        at = text.index(example.secret)
        assert any(span.start <= at < span.end for span in rule.find(text)), place
        found = look(text)
        assert example.secret not in found.text, place
        assert json.dumps(example.secret)[1:-1] not in found.text, place
        assert look(found.text).found == (), place


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_near_miss_of_a_rule_stays_everywhere(rule: Rule) -> None:
    for place, laid in PLACES.items():
        text = laid(rule.near_miss)
        assert look(text)[:4] == (text, (), frozenset(), None), place


def test_rules_have_names_of_their_own() -> None:
    names = [rule.name for rule in RULES]
    assert len(set(names)) == len(names)
    assert all(needle == needle.lower() for rule in RULES for needle in rule.needles)


SECRET = example_of("ghp_{A36}", Random(1)).text


@pytest.mark.parametrize(
    "sample",
    [
        replace(of(""), before=(File(f"{SECRET}/a.py", "x = 1\n"),)),
        replace(of(""), target=(File("a.py", f"x = 2\n{SECRET}\n"),)),
        replace(of(""), edits=(Edit(SECRET, "y"),)),
        replace(of(""), edits=(Edit("x", SECRET),)),
        replace(of(""), patch=f"+{SECRET}", edits=None, format="unified_diff"),
        replace(of(""), id=f"log/{SECRET}"),
        replace(of(""), tags=(f"folder:{SECRET}",)),
        *(
            of("", provenance=Provenance(**{field: f"x {SECRET} y"}))
            for field in (
                "agent",
                "model",
                "repo",
                "commit",
                "license",
                "recorded_outcome",
                "recorded_error",
                "parent_id",
            )
        ),
    ],
)
def test_every_text_of_a_sample_is_scrubbed(sample: Sample) -> None:
    result = scrub(sample)
    assert result.sample is None or SECRET not in encode(result.sample)


def test_samples_keep_ids_of_their_own() -> None:
    one, other = (scrub(replace(of(""), id=f"/home/{name}/log")).sample for name in ("jane", "jack"))
    assert one
    assert other
    assert one.id != other.id
    assert "jane" not in one.id
    twin = scrub(
        replace(of(""), tags=("twin:/home/jane/log",), provenance=Provenance(parent_id="/home/jane/log"))
    ).sample
    assert twin
    assert (twin.tags, twin.provenance.parent_id) == ((f"twin:{one.id}",), one.id)


def test_values_that_are_kept_as_placeholders_are_counted() -> None:
    text = "password = 'changeme123'\nDB_PASSWORD: example-42x\npassword = get_password2()\npassword = 'changeme123'\n"
    result = scrub(of(text))
    assert (result.sample, result.n_placeholders) == (of(text), 2)
    with_secret = scrub(of(f"{text}key = '{KEY}'\n"))
    assert (with_secret.sample is None, with_secret.n_placeholders) == (False, 2)


def test_a_dump_of_secrets_is_left_out() -> None:
    keys = "\n".join(example_of("ghp_{A36}", Random(n)).text for n in range(101))
    assert scrub(of(keys + "\n")).why_not == "over 100 secrets"


def test_edits_that_let_a_text_explode_do_not() -> None:
    edits = tuple(Edit("a", "aaaaaaaaaa", replace_all=True) for _ in range(40))
    assert scrub(replace(of(f"a {SECRET}\n"), edits=edits)).found["key"]
