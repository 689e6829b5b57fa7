"""Malformed patches, each with an id: the outcome under each of our readings, and that none does harm.

Harm is to apply something other than what was intended (wrong), to change a file and refuse (partial), or to report
success and change nothing (nothing done). Each case holds what was intended: see `tests.patch_cases`. The readings that
reproduce another program, `codex` and `fuzz`, may do harm as it does.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from editcore import Reason
from harness.fuzz.generators import GENERATORS
from harness.fuzz.inputs import bytes_of, fields_in, seeds_file, shipped_seeds
from tests.patch_cases import CASES, MALFORMATIONS, MODES, Case, Outcome, outcome_of, outcomes
from tests.programs import MISSING, PROGRAMS, run_program

OURS = {"begin_patch": ("strict", "lenient"), "unified_diff": ("strict", "offset", "tolerant")}

NEAREST = "of several places it takes the one nearest to the line number"
COUNTS = "it trusts the counts of the header, and by them the line goes there"
FIRST_DIRECTORY = "it strips the first directory, as -p1 does, whatever that is"
PROSE = "it treats lines outside of the counted ones as prose"
AT_THE_END = "it puts lines without context at the end if the header places them below the end"

TRUSTING = {
    "offset-U01f": NEAREST,
    "offset-U01g": NEAREST,
    "strict-U03b": COUNTS,
    "offset-U03b": COUNTS,
    "strict-U21b": FIRST_DIRECTORY,
    "strict-P03d": FIRST_DIRECTORY,
    "strict-U32e": PROSE,
    "offset-U32e": PROSE,
    "strict-U32f": PROSE,
    "offset-U32f": PROSE,
    "strict-U45f": PROSE,
    "offset-U45f": PROSE,
    "offset-U43c": AT_THE_END,
}
"""Reading and id of the cases in which a reading that trusts line numbers, as git and GNU patch do, does harm; and why.

An entry that does no harm is an error too. The default readings have none.
"""

SEED_BYTES = 4096
"""Larger cases are not seeds."""

VERDICTS = ("as intended", "rejected", "wrong", "partial", "nothing done")


def verdict(outcome: Outcome, before: dict[str, str], intended: dict[str, str] | None) -> str:
    """The verdict on an outcome; if nothing is intended, a refusal is as intended."""
    if outcome.reason:
        if outcome.files != before:
            return "partial"
        return "as intended" if intended is None else "rejected"
    if outcome.files == intended:
        return "as intended"
    return "wrong" if outcome.files != before else "nothing done"


def named(ident: str) -> str:
    return f"{ident}_{MALFORMATIONS[ident][0].stem}"


@pytest.mark.parametrize("ident", sorted(MALFORMATIONS), ids=named)
def test_malformation(ident: str) -> None:
    path, case = MALFORMATIONS[ident]
    found = outcomes(path.parent.name, case)
    assert found == case.outcomes
    for mode in OURS[path.parent.name]:
        judged = verdict(found[mode], case.files, case.intended)
        assert judged in (("wrong",) if f"{mode}-{ident}" in TRUSTING else ("as intended", "rejected")), mode


def test_every_kind_is_there() -> None:
    assert len(MALFORMATIONS) == len([case for case in CASES.values() if case.malformation]), "an id stands twice"
    kinds = {ident[:3] for ident in MALFORMATIONS}
    assert {f"{format}{number:02}" for format in "EU" for number in range(1, 51)} <= kinds
    harmless = MALFORMATIONS.keys() - {key.partition("-")[2] for key in TRUSTING}
    assert len(harmless) >= 150
    assert {key.partition("-")[2] for key in TRUSTING} <= MALFORMATIONS.keys()
    assert not any(key.startswith(("lenient-", "tolerant-")) for key in TRUSTING)


# Cases that are too large for files

BEGIN, END = "*** Begin Patch\n", "*** End Patch\n"
FILES = {"a.txt": "one\ntwo\n"}
N_LINES = N_SECTIONS = 100_000
N_HUNKS = 5_000
LINE = "x" * 1_000_000
DEEP = "/".join(["d"] * 10_000)


def ten_megabytes() -> Case:
    lines = ("+" + "x" * 99 + "\n") * N_LINES
    return Case(
        FILES, f"{BEGIN}*** Add File: new.txt\n{lines}{END}", intended=FILES | {"new.txt": lines.replace("+", "")}
    )


def ten_megabytes_of_diff() -> Case:
    lines = ("+" + "x" * 99 + "\n") * N_LINES
    diff = f"--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,{N_LINES} @@\n{lines}"
    return Case(FILES, diff, intended=FILES | {"new.txt": lines.replace("+", "")})


def a_hundred_thousand_sections() -> Case:
    paths = [f"d/{number}" for number in range(N_SECTIONS)]
    patch = "".join(f"*** Add File: {path}\n+a\n" for path in paths)
    return Case(FILES, BEGIN + patch + END, intended=FILES | dict.fromkeys(paths, "a\n"))


def a_hundred_thousand_sections_of_a_diff() -> Case:
    paths = [f"d/{number}" for number in range(N_SECTIONS)]
    patch = "".join(f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+a\n" for path in paths)
    return Case(FILES, patch, intended=FILES | dict.fromkeys(paths, "a\n"))


def a_hundred_thousand_sections_of_one_file() -> Case:
    return Case(FILES, BEGIN + "*** Update File: a.txt\n@@\n-one\n+one\n" * N_SECTIONS + END)


def a_hundred_thousand_sections_of_one_file_in_a_diff() -> Case:
    return Case(FILES, "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+ONE\n" * N_SECTIONS)


def five_thousand_hunks() -> Case:
    file = "".join(f"line {number}\nx\n" for number in range(N_HUNKS))
    hunks = "".join(f"@@\n-line {number}\n+LINE {number}\n" for number in range(N_HUNKS))
    patch = f"{BEGIN}*** Update File: a.txt\n{hunks}{END}"
    return Case({"a.txt": file}, patch, intended={"a.txt": file.replace("line", "LINE")})


def five_thousand_hunks_without_numbers() -> Case:
    file = "".join(f"line {number}\nx\n" for number in range(N_HUNKS))
    hunks = "".join(f"@@ @@\n-line {number}\n+LINE {number}\n" for number in range(N_HUNKS))
    return Case({"a.txt": file}, f"--- a/a.txt\n+++ b/a.txt\n{hunks}", intended={"a.txt": file.replace("line", "LINE")})


def a_line_of_a_megabyte() -> Case:
    patch = f"{BEGIN}*** Update File: a.txt\n@@\n {LINE}\n-two\n+2\n{END}"
    return Case({"a.txt": f"{LINE}\ntwo\n"}, patch, intended={"a.txt": f"{LINE}\n2\n"})


def a_line_of_a_megabyte_in_a_diff() -> Case:
    patch = f"--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n {LINE}\n-two\n+2\n"
    return Case({"a.txt": f"{LINE}\ntwo\n"}, patch, intended={"a.txt": f"{LINE}\n2\n"})


def an_anchor_of_a_megabyte() -> Case:
    patch = f"{BEGIN}*** Update File: a.txt\n@@ {LINE}\n-two\n+2\n{END}"
    return Case(FILES, patch, intended={"a.txt": "one\n2\n"})


def a_path_of_a_megabyte() -> Case:
    return Case(FILES, f"{BEGIN}*** Update File: {LINE}\n@@\n-two\n+2\n{END}")


def a_number_of_a_megabyte() -> Case:
    patch = f"--- a/a.txt\n+++ b/a.txt\n@@ -{'1' * 1_000_000},2 +1,2 @@\n one\n-two\n+2\n"
    return Case(FILES, patch, intended={"a.txt": "one\n2\n"})


def a_name_with_a_megabyte_of_blanks() -> Case:
    patch = f"--- a/a.txt{' ' * 1_000_000}x\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    return Case(FILES, patch, intended={"a.txt": "one\n2\n"})


def a_path_of_ten_thousand_directories() -> Case:
    patch = f"{BEGIN}*** Add File: {DEEP}/new.txt\n+a\n{END}"
    return Case(FILES, patch, intended=FILES | {f"{DEEP}/new.txt": "a\n"})


def a_move_below_ten_thousand_directories() -> Case:
    patch = f"{BEGIN}*** Update File: a.txt\n*** Move to: {DEEP}/a.txt\n{END}"
    return Case(FILES, patch, intended={f"{DEEP}/a.txt": FILES["a.txt"]})


def a_name_of_ten_thousand_directories() -> Case:
    patch = f"--- /dev/null\n+++ b/{DEEP}/new.txt\n@@ -0,0 +1 @@\n+a\n"
    return Case(FILES, patch, intended=FILES | {f"{DEEP}/new.txt": "a\n"})


LARGE: dict[str, tuple[str, Callable[[], Case]]] = {
    "L01a": ("begin_patch", ten_megabytes),
    "L01b": ("unified_diff", ten_megabytes_of_diff),
    "L02a": ("begin_patch", a_hundred_thousand_sections),
    "L02b": ("unified_diff", a_hundred_thousand_sections_of_a_diff),
    "L02c": ("begin_patch", a_hundred_thousand_sections_of_one_file),
    "L02d": ("unified_diff", a_hundred_thousand_sections_of_one_file_in_a_diff),
    "L02e": ("begin_patch", five_thousand_hunks),
    "L02f": ("unified_diff", five_thousand_hunks_without_numbers),
    "L03a": ("begin_patch", a_line_of_a_megabyte),
    "L03b": ("unified_diff", a_line_of_a_megabyte_in_a_diff),
    "L03c": ("begin_patch", an_anchor_of_a_megabyte),
    "L03d": ("begin_patch", a_path_of_a_megabyte),
    "L03e": ("unified_diff", a_number_of_a_megabyte),
    "L03f": ("unified_diff", a_name_with_a_megabyte_of_blanks),
    "L04a": ("begin_patch", a_path_of_ten_thousand_directories),
    "L04b": ("begin_patch", a_move_below_ten_thousand_directories),
    "L04c": ("unified_diff", a_name_of_ten_thousand_directories),
}
"""Id -> its format, and the function that makes it."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "ident",
    [
        pytest.param(
            ident,
            id=f"{ident}_{make.__name__}",
            marks=[pytest.mark.slow] if ident in ("L02a", "L02b", "L02c", "L02d") else [],
        )
        for ident, (_, make) in LARGE.items()
    ],
)
def test_large_malformation(ident: str) -> None:
    format, make = LARGE[ident]
    case = make()
    for mode in OURS[format]:
        result = MODES[format][mode](dict(case.files), case.patch)
        judged = verdict(outcome_of(result, case.files), case.files, case.intended)
        allowed = ("as intended",) if mode in ("lenient", "tolerant") else ("as intended", "rejected")
        assert judged in allowed, mode


# Seeds


@pytest.mark.parametrize("format", OURS)
def test_every_small_malformation_is_a_seed(format: str) -> None:
    """To write the seeds, run with EDITGAUGE_WRITE_SEEDS=1."""
    wanted = {}
    for ident, (path, case) in MALFORMATIONS.items():
        seed = bytes_of([case.patch, *(field for file in case.files.items() for field in file)])
        if path.parent.name == format and len(seed) < SEED_BYTES:
            wanted[named(ident)] = seed
    if os.environ.get("EDITGAUGE_WRITE_SEEDS"):
        rows = [json.dumps({"name": name, "fields": fields_in(seed)}) for name, seed in sorted(wanted.items())]
        seeds_file(format).write_text("".join(f"{row}\n" for row in rows), encoding="ascii", newline="\n")
        shipped_seeds.cache_clear()
    assert {name: bytes_of(fields) for name, fields in shipped_seeds(format).items()} == wanted


# Compared with other programs


@pytest.mark.slow
@pytest.mark.skipif(bool(MISSING), reason="; ".join(MISSING.values()))
def test_other_programs_do_harm_where_ours_does_not() -> None:
    """Prints a table with -s."""
    table: dict[str, Counter[str]] = {}
    for path, case in MALFORMATIONS.values():
        format = path.parent.name
        found = outcomes(format, case)
        if format == "unified_diff":
            for name, command in PROGRAMS.items():
                applied, after = run_program(command, case.files, case.patch)
                found[name] = Outcome(None if applied else Reason.MALFORMED, files=after)
        for mode, outcome in found.items():
            judged = verdict(outcome, case.files, case.intended)
            table.setdefault(f"{format}/{mode}", Counter())[judged] += 1
    print()
    print(f"{'':24}" + "".join(f"{name:>14}" for name in VERDICTS))
    for mode, counts in table.items():
        print(f"{mode:24}" + "".join(f"{counts[name]:14}" for name in VERDICTS))
    for mode in ("begin_patch/strict", "begin_patch/lenient", "unified_diff/tolerant"):
        assert not any(table[mode][harm] for harm in VERDICTS[2:])
    for program in PROGRAMS:
        assert table[f"unified_diff/{program}"]["as intended"] < table["unified_diff/tolerant"]["as intended"]
        assert sum(table[f"unified_diff/{program}"][harm] for harm in VERDICTS[2:])


def test_generated_diffs_name_files_whose_names_end_alike() -> None:
    drawn = [GENERATORS["unified_diff"](Random(seed))[1::2] for seed in range(600)]
    assert any(f"d/{path}" in paths for paths in drawn for path in paths)
