"""What results of tiers say: what was repaired, which lines were kept, what contradicts, and advice that succeeds."""

from __future__ import annotations

import pytest

from editcore import Applied, Cascade, Reason, Rejected, UsageError, apply_search_replace, replace
from editcore.tiers.confidence import CONFIDENCE, confidence
from editcore.types import Contradiction, KeptLine


def _applied(content: str, old: str, new: str) -> Applied:
    result = replace(content, old, new)
    assert isinstance(result, Applied)
    return result


def _rejected(content: str, old: str, new: str) -> Rejected:
    result = replace(content, old, new)
    assert isinstance(result, Rejected)
    return result


def test_an_exact_place_has_nothing_repaired() -> None:
    evidence = _applied("a = 1\nb = 2\n", "a = 1", "a = 3").evidence
    assert evidence
    assert (evidence.margin, evidence.runner_up, evidence.repaired, evidence.kept) == (1.0, None, (), ())


def test_lines_that_were_kept_against_the_edit_are_named() -> None:
    result = _applied("f(a, b)\ng()\n", "f( a,b )\ng()", "f( a,b )\nh()")
    assert result.content == "f(a, b)\nh()\n"
    assert result.replacer == "spacing"
    assert result.evidence
    assert result.evidence.repaired == ("spaces",)
    assert result.evidence.kept == (KeptLine(1, "f(a, b)", "f( a,b )"),)


def test_indentation_that_was_changed_is_named() -> None:
    result = _applied("if x:\n    f()\n    g()\n", "f()\ng()", "f()\nh()")
    assert result.content == "if x:\n    f()\n    h()\n"
    assert result.evidence
    assert result.evidence.repaired == ("indentation",)


def test_the_match_is_the_place_in_the_file_with_its_mark_and_carriage_returns() -> None:
    content = "\ufeffx\r\nf(a, b)\r\ng()\r\n"
    result = _applied(content, "f( a,b )\ng()", "f( a,b )\nh()")
    assert result.content == "\ufeffx\r\nf(a, b)\r\nh()\r\n"
    (match,) = result.matches
    assert content[match.start : match.end] == "f(a, b)\r\ng()"


def test_the_first_line_that_contradicts_is_named() -> None:
    content = "def f(x):\n    check(x)\n    limit = 20\n    return x\n"
    result = _rejected(content, content.replace("20", "10"), content.replace("20", "30"))
    assert result.reason is Reason.NO_MATCH
    assert result.contradiction == Contradiction(3, "    limit = 20", "    limit = 10")
    assert "line 3 has 'limit = 20' where" in result.message
    assert result.candidates[0].similarity < 1


def test_an_edit_of_an_empty_file_is_refused_as_one_of_any_other() -> None:
    old = "".join(f"value = {n}\n" for n in range(30))
    assert _rejected("", old, old.replace("7", "8")).reason is Reason.NO_MATCH


def test_a_line_with_characters_that_look_alike_is_named_by_its_number_in_a_long_file() -> None:
    above = "".join(f"value_{n} = compute({n})\n" for n in range(400))
    content = f'{above}say("hello", first)\ngo(alpha)\nreturn gamma\n'
    old = "say(\u201chello\u201d, first)\ngo(delta)\nreturn gamma"
    assert "and line 401 has other characters, which look alike" in _rejected(content, old, f"{old}x").message


def test_a_line_that_the_file_lacks_contradicts() -> None:
    content = "def f(x):\n    check(x)\n    limit = 20\n    return x\n"
    result = _rejected(content, content.replace("    return", "    log(x)\n    return"), "")
    assert result.contradiction == Contradiction(4, "", "    log(x)")


def test_advice_that_is_followed_literally_succeeds() -> None:
    content = "a:\n  go()\nb:\n  go()\nc:\n  stop()\n"
    result = _rejected(content, "go()", "run()")
    assert result.reason is Reason.AMBIGUOUS
    made = [replace(content, edit.old_string, edit.new_string) for edit in result.advice]
    assert [one.content for one in made if isinstance(one, Applied)] == [
        "a:\n  run()\nb:\n  go()\nc:\n  stop()\n",
        "a:\n  go()\nb:\n  run()\nc:\n  stop()\n",
    ]


def test_where_a_line_that_is_kept_differs_the_edit_is_advised_with_the_lines_of_the_file() -> None:
    content = "def f(x):\n    limit = 20\n    check(x)\n    store(x)\n    return x\n"
    old = "def f(x):\n    limit = 10\n    check(x)\n    store(x)\n    return x\n"
    refusal = _rejected(content, old, old.replace("store(x)", "keep(x)"))
    (edit,) = refusal.advice
    assert _applied(content, edit.old_string, edit.new_string).content == content.replace("store(x)", "keep(x)")


def test_where_a_line_that_is_replaced_differs_nothing_is_advised() -> None:
    content = "def f(x):\n    limit = 20\n    check(x)\n    store(x)\n    return x\n"
    assert _rejected(content, content.replace("20", "10"), content.replace("20", "30")).advice == ()


def test_nothing_is_advised_where_no_few_lines_tell_places_apart() -> None:
    assert _rejected("go()\n" * 100, "go()", "run()").advice == ()


def test_confidence_is_the_share_of_right_edits_drawn_towards_that_of_all_loose_tiers() -> None:
    counts = {"exact": (990, 0), "loose": (98, 0), "rare": (0, 2)}
    assert (
        confidence("exact", counts) > confidence("loose", counts) > confidence("", counts) > confidence("rare", counts)
    )
    assert all(0 < one < 1 for one in CONFIDENCE.values())


def test_a_tier_that_writes_what_was_not_meant_in_drawn_edits_is_less_certain() -> None:
    counts = {"exact": (50, 0), "loose": (50, 0)}
    sure, unsure = (confidence("loose", counts, {"loose": (900, n_wrong)}) for n_wrong in (0, 100))
    assert sure == pytest.approx(confidence("loose", counts, {}))
    assert unsure == pytest.approx(sure * 901 / 1001)


def test_a_costly_wrong_edit_holds_back_what_is_less_certain() -> None:
    content, old, new = "a = 1\n\nb = 2\n", "a = 1\nb = 2", "a = 1\nb = 3"
    applied = replace(content, old, new, wrong_cost=2)
    assert isinstance(applied, Applied)
    assert applied.evidence
    assert applied.evidence.confidence == CONFIDENCE["blank_lines"]
    held = replace(content, old, new, wrong_cost=1000)
    assert isinstance(held, Rejected)
    assert held.proposed == applied
    assert isinstance(replace(content, "a = 1", "a = 3", wrong_cost=100), Applied)


def test_a_place_below_exact_names_its_runner_up() -> None:
    block = "    check(value)\n    store(value)\n    report(value)\n"
    content = f"def f(value):\n{block}    first()\n\ndef g(value):\n{block}    second()\n"
    old = "check(value)\nstore(value)\nreport(value)\nsecond()"
    evidence = _applied(content, old, old.replace("second", "third")).evidence
    assert evidence
    assert evidence.runner_up
    assert content.startswith("    check", evidence.runner_up.start)
    assert 0 < evidence.margin < 1


@pytest.mark.parametrize("content", ["a = 1\n", "a = 1"])
def test_a_block_without_search_text_is_appended_to_the_file(content: str) -> None:
    block = "a.py\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n"
    result = apply_search_replace({"a.py": content}, block, cascade="recommended")
    assert isinstance(result, Applied)
    assert result.files == {"a.py": "a = 1\nx = 1\n"}
    assert [landing.equality for landing in result.landings] == ["append"]


@pytest.mark.parametrize(("content", "new"), [("\n \n", "x = 1"), ("a = 1\n", " ")])
def test_nothing_is_appended_to_blank_text_and_no_blank_text(content: str, new: str) -> None:
    block = f"a.py\n<<<<<<< SEARCH\n=======\n{new}\n>>>>>>> REPLACE\n"
    result = apply_search_replace({"a.py": content}, block, cascade="recommended")
    assert isinstance(result, Rejected)
    assert result.reason is Reason.EMPTY


def test_an_unknown_tier_proposes_one_that_is_near() -> None:
    with pytest.raises(UsageError, match="There is no tier 'exat'") as caught:
        Cascade("mine", tiers=("exat",))
    assert "Did you mean exact?" in str(caught.value.tip)
