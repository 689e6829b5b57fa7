"""A comparison in the formats of CI systems: JUnit XML, GitHub annotations, JSON; `comment` has the Markdown.

Ids, messages and texts are not trusted. Characters that cannot be printed become escapes, which also removes all that
XML 1.0 forbids; the rest is quoted as each format requires.
"""

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree

from editcore import __version__
from editcore.quoting import printable
from reports.compare.comparison import Comparison, StrategyCompared, Turn
from reports.compare.gate import Failure
from reports.runs.manifest import Manifest, command_spec
from reports.views.comparison_wording import Group, columns, sentence, side_texts, turn_text
from reports.views.tables import document as measurements

SCHEMA_VERSION = 1
N_ANNOTATIONS = 10
"""Number of annotations that GitHub shows for a step."""


def junit(comparison: Comparison, failures: Sequence[Failure] | None, groups: Sequence[Group]) -> str:
    """JUnit XML with one suite for each strategy, including missing ones.

    A suite has a failed case for each sample that turned worse, and a case `all samples`, which fails if the gate
    fails for reasons other than single samples.
    """
    texts = {(group.first.sample_id, name): group for group in groups for name in group.strategies}
    root = ElementTree.Element("testsuites", name="editgauge compare")
    compared = {one.strategy: one for one in comparison.strategies}
    for name in dict.fromkeys([*compared, *(failure.strategy for failure in failures or ())]):
        suite = ElementTree.SubElement(root, "testsuite", name=printable(name))
        worse = [pair for pair in comparison.turned if pair.strategy == name and pair.turn == Turn.WORSE]
        for pair in worse:
            sides = side_texts(texts[pair.sample_id, name])
            details = "\n".join(part for side in sides for part in side if part)
            _failed(_case(suite, name, pair.sample_id), pair.run.verdict, turn_text(pair), details)
        overall = _case(suite, name, "all samples")
        reasons = [failure for failure in failures or () if failure.strategy == name and not failure.sample_ids]
        if reasons:
            lines = [f"{failure.kind}: {failure.message}" for failure in reasons]
            _failed(overall, reasons[0].kind, "; ".join(lines), "\n".join(lines))
        if one := compared.get(name):
            cells = (f"{column.heading}: {column.text(one)}" for column in columns(comparison))
            ElementTree.SubElement(overall, "system-out").text = "\n".join(map(printable, cells))
    return _finished(root)


def junit_cases(name: str, suites: Mapping[str, Iterable[str]], failed: Mapping[tuple[str, str], str]) -> str:
    """JUnit XML with a suite for each key of `suites`, its cases, and a sentence for each (suite, case) that failed."""
    root = ElementTree.Element("testsuites", name=name)
    for title, cases in suites.items():
        suite = ElementTree.SubElement(root, "testsuite", name=printable(title))
        for one in cases:
            case = _case(suite, title, one)
            if (title, one) in failed:
                _failed(case, one, failed[title, one], failed[title, one])
    return _finished(root)


def _finished(root: ElementTree.Element) -> str:
    """The document with the counts of each suite and of all, in ASCII, so that no re-encoding can change it."""
    for suite in root:
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(len(suite.findall("testcase/failure"))))
    for count in ("tests", "failures"):
        root.set(count, str(sum(int(suite.get(count, 0)) for suite in root)))
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="us-ascii", xml_declaration=True)
    return text.decode() + "\n"


def _case(suite: ElementTree.Element, strategy: str, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname=printable(strategy), name=printable(name))


def _failed(case: ElementTree.Element, kind: str, message: str, text: str) -> None:
    failure = ElementTree.SubElement(case, "failure", type=kind, message=printable(message))
    failure.text = "\n".join([printable(line) for line in text.removesuffix("\n").split("\n")])


def github_annotations(comparison: Comparison, failures: Sequence[Failure] | None) -> Iterator[str]:
    """GitHub workflow commands, one error for each failure, up to the number that GitHub shows."""
    lines = list(_annotated(comparison, failures))
    yield from lines[:N_ANNOTATIONS]


def _annotated(comparison: Comparison, failures: Sequence[Failure] | None) -> Iterator[str]:
    turned = {(pair.sample_id, pair.strategy): pair for pair in comparison.turned}
    reported: set[tuple[str, str]] = set()
    # Failures of a strategy as a whole come first: they are one line each, not hundreds.
    for failure in sorted(failures or (), key=lambda one: bool(one.sample_ids)):
        if not failure.sample_ids:
            yield _error(failure.kind, f"{failure.strategy}: {failure.message}")
        for sample_id in failure.sample_ids:
            pair = turned[sample_id, failure.strategy]
            if (sample_id, failure.strategy) not in reported:
                reported.add((sample_id, failure.strategy))
                yield _error(failure.kind, f"{failure.strategy}: {sample_id}: {turn_text(pair)}")


def _error(kind: str, message: str) -> str:
    title = _command_data(f"editgauge {kind}").replace(":", "%3A").replace(",", "%2C")
    return f"::error title={title}::{_command_data(message)}"


def _command_data(text: str) -> str:
    return printable(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def document(comparison: Comparison, failures: Sequence[Failure] | None, groups: Sequence[Group]) -> dict[str, Any]:
    """A comparison as a JSON document; rates with denominator 0 are null, and so is `passed` without a gate."""
    return {
        "schema_version": SCHEMA_VERSION,
        "base": str(comparison.base),
        "run": str(comparison.run),
        "n_samples": comparison.n_samples,
        "sentence": sentence(comparison),
        "passed": None if failures is None else not failures,
        "failures": [asdict(failure) for failure in failures or ()],
        "strategies": [_strategy_document(one, comparison) for one in comparison.strategies],
        "turned": [_group_document(group) for group in groups],
        "only_base": comparison.only_base,
        "only_run": comparison.only_run,
        "notes": comparison.notes,
    }


def _strategy_document(one: StrategyCompared, comparison: Comparison) -> dict[str, Any]:
    sides = zip(("base", "run"), comparison.measured.get(one.strategy, ()), strict=False)
    measured = {name: {key: value for key, value in measurements(side).items() if key != "strategy"}
                for name, side in sides}  # fmt: skip
    return asdict(one) | {"status": one.status, "measured": measured}


def _group_document(group: Group) -> dict[str, Any]:
    return {
        "sample_id": group.first.sample_id,
        "turn": group.first.turn,
        "strategies": group.strategies,
        **{
            name: {**asdict(side), "wrong_edit": edit and {key: getattr(edit, key) for key in _TEXTS}}
            for name, side, edit in zip(("base", "run"), (group.first.base, group.first.run), group.edits, strict=True)
        },
    }


_TEXTS = ("path", "line", "expected", "given", "n_omitted")


# SARIF 2.1.0, which code hosts show beside a file

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_COMMAND = re.compile(r"cmd:[^=\[]*(?:\[[^]]*\])?=")
"""The part of the argument before the command line."""
_MOST_RESULTS = 1_000
_LONGEST = 1_000


def sarif(failures: Sequence[Failure], files: Mapping[str, str]) -> dict[str, Any]:
    """The SARIF document; `files` maps a strategy to its program's path, relative to the repository."""
    results = [
        (
            str(one.kind),
            f"{one.strategy}: {one.message}" + (f" ({', '.join(one.sample_ids[:5])})" if one.sample_ids else ""),
            files.get(one.strategy),
        )
        for one in failures
    ]
    return sarif_document(dict.fromkeys(sorted({rule for rule, _, _ in results}), ""), results)


def sarif_document(rules: Mapping[str, str], results: Sequence[tuple[str, str, str | None]]) -> dict[str, Any]:
    """The SARIF document of rules (id -> what it is about, or "") and of results: rule, text, and file if known."""
    found = []
    for rule, text, file in results[:_MOST_RESULTS]:
        result: dict[str, Any] = {
            "ruleId": rule, "level": "error", "message": {"text": printable(text)[:_LONGEST]},
        }  # fmt: skip
        if file is not None:
            place = {"artifactLocation": {"uri": file}, "region": {"startLine": 1}}
            result["locations"] = [{"physicalLocation": place}]
        found.append(result)
    described = [{"id": rule} | ({"shortDescription": {"text": text}} if text else {}) for rule, text in rules.items()]
    driver = {"name": "editgauge", "version": __version__, "rules": described}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": found}]}


def program_files(manifest: Manifest, folder: Path) -> dict[str, str]:
    """Strategy -> the file of its program, if its command names one below a folder; the file need not be executable.

    If a command names several, the first: `./edit`, or `edit.js` of `node edit.js`.
    """
    found: dict[str, str] = {}
    for one in manifest.strategies:
        spec = command_spec(manifest, one.name)
        try:
            words = shlex.split(_COMMAND.sub("", spec or "", count=1))
        except ValueError:
            continue
        for word in words:
            path = PurePosixPath(os.path.normpath(word))
            if not path.is_absolute() and ".." not in path.parts and (folder / path).is_file():
                found[one.name] = path.as_posix()
                break
    return found
