"""Which lines and branches of each rule the cases of the kit reach: `python -m docs.kit coverage`.

A table of coverage.py for each rule, of the files of editcore that are about it. What stays out is mostly of other
rules that share a file, of limits that only long texts reach, and of files that are not UTF-8.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from tempfile import TemporaryDirectory

from docs.studies import ROOT
from harness.conform.kit import RULES, cases, sample_of
from harness.strategies.registry import strategy

_PAIRS = (
    r"tiers/(?!confidence)|"
    r"text/(?:comments|endings|folds|indentation|keys|lines|shared_ends|view|whitespace|within_line)"
)
_PATCHES = (
    r"patches/(?:sections|other_readings|placing/(?:anchors|candidates|place_by_content|refusals|reindenting|slips|"
    r"splicing|spread))"
)
_FILES = {
    "cascade/recommended": _PAIRS,
    "search_replace/recommended": r"patches/search_replace",
    "unified_diff/tolerant": rf"{_PATCHES}|patches/(?:unified_diff|placing/(?:alignment|place_by_number)|"
    r"reading/(?:cut_off|file_headers|file_names|unified_))",
    "begin_patch/lenient": rf"{_PATCHES}|patches/(?:begin_patch|placing/closers|"
    r"reading/(?:envelope|lenient|wrapping))",
    "stale/recommended": r"stale/(?:alignment|edited|files|made|recommended|reformatted|reindented|rule)\b",
    "anchors/recommended": r"anchors/(?:apply|blocks|call|change|hashes|views|reading/(?!gptme|exhash)|"
    r"rules/(?:recommended|rule|strict|texts))",
}
"""Rule -> the files of editcore that are about it, as a pattern of their paths."""


def print_coverage() -> None:
    """Print a table for each rule, then the share of each."""
    shares = dict(_measured())
    print("\n| rule | cases | lines and branches reached |\n|---|--:|--:|")
    for rule, share in shares.items():
        n = sum(case["rule"] == rule for case in cases())
        print(f"| `{rule}` | {n:,} | {share:.1f} % |")


def _measured() -> Iterator[tuple[str, float]]:
    from coverage import Coverage

    for rule in RULES:
        with TemporaryDirectory() as folder:
            data = f"{folder}/coverage"
            # In a process of its own, since the lines of a module that is imported before are not seen.
            words = ["coverage", "run", "--branch", f"--data-file={data}", "--source=editcore", "-m", "docs.kit"]
            subprocess.run([sys.executable, "-m", *words, "answer", rule], check=True, cwd=ROOT)
            measured = Coverage(data_file=data)
            measured.load()
            pattern = re.compile(rf"/editcore/(?:{_FILES[rule]})")
            found = [path for path in measured.get_data().measured_files() if pattern.search(path)]
            print(f"\n{rule}")
            yield rule, measured.report(morfs=found, show_missing=True, skip_covered=True)


def answer(rule: str) -> None:
    """Answer the cases of a rule; where pairs are decided, by each tier alone too."""
    tiers = [strategy(f"tier/{name}") for name in cases()[0]["tiers"]] if rule == "cascade/recommended" else []
    for case in cases():
        if case["rule"] == rule:
            for one in (strategy(rule), *tiers):
                one.apply(sample_of(case), None)
