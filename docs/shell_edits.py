"""Recorded shell edits as samples, and the chapter docs/study/shell.md: `make study SHELL_EDITS=FILE`.

FILE has a JSON object for each edit (`.jsonl.gz`): command, cwd, platform, before, after, exit, meant, outcome,
checked, kinds, agent, model, date, repo, license. Such a corpus is not in the repository.
"""

from __future__ import annotations

import gzip
import json
import posixpath
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from corpora.sample import Provenance, Sample, encode, validated
from docs.studies import ROOT, Study, run, table
from editcore.errors import Unmeasured
from editcore.shell.regexes import Regex, SedError
from editcore.types import File
from reports.measurements.table import CORRECT, MISSED, REFUSED, UNMEASURED, WRONG
from reports.runs.rows import Verdict

PAGE = ROOT / "docs" / "study" / "shell.md"
STRATEGIES = ("shell/careful", "shell/sed_gnu", "shell/sed_bsd", "shell/bash")
Row = Mapping[str, Any]
_RIGHT, _UNKNOWN = "right", "unknown"
_BEGIN_TO_END = re.compile(r"(<!-- begin (\w+) -->\n).*?(<!-- end \2 -->)", re.DOTALL)
_GREP = re.compile(r"""\bgrep\s+((?:-\w+\s+)*)(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+))""")
_BUILDS = re.compile(r"\b(?:go (?:build|test|vet)|golangci-lint|pytest|cargo|npm|make|tsc)\b")
_SHOWS = re.compile(r"\b(?:sed -n|cat|head|tail|git diff)\b")


def read_rows(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def sample_of(row: Row) -> Sample:
    """The sample of a recorded edit. A command that did not do what was meant must be refused."""
    cwd = row["cwd"]
    files = [one["path"] for one in (*row["before"], *(row["after"] or ()))]
    absolute = {path: path if _is_absolute(path) else posixpath.join(cwd, path) for path in files}
    root = posixpath.commonpath([cwd, *map(posixpath.dirname, absolute.values())])

    def these(given: Iterable[Mapping[str, str]]) -> tuple[File, ...]:
        return tuple(File(posixpath.relpath(absolute[one["path"]], root), one["content"]) for one in given)

    tags = [f"root:{root}", f"platform:{row['platform']}", *(f"kind:{kind}" for kind in row["kinds"])]
    tags += [f"cwd:{posixpath.relpath(cwd, root)}"] if cwd != root else []
    tags += [f"meant:{re.sub(r'[^ -~]', ' ', row['meant'])[:190]}"] if row["meant"] else []
    label = "apply" if row["outcome"] == _RIGHT else "unlabelled" if row["outcome"] == _UNKNOWN else "refuse"
    origin = Provenance(
        agent=row["agent"], model=row["model"], repo=row["repo"], license=row["license"],
        recorded_outcome=row["outcome"],
    )  # fmt: skip
    target = these(row["after"]) if label == "apply" else None
    return validated(
        Sample(
            row["id"], "shell", these(row["before"]), label, patch=row["command"], target=target, tags=tuple(tags),
            label_source=row["how_after_known"], provenance=origin,
        )
    )  # fmt: skip


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or path[1:2] == ":"


def write_corpus(rows: Iterable[Row], path: Path) -> Path:
    path.write_text("".join(f"{encode(sample_of(row))}\n" for row in rows), encoding="utf-8")
    return path


# Tables


def outcomes(rows: Sequence[Row], _: Study) -> str:
    """Outcomes of the recorded edits, by agent, model and month."""

    def lines() -> Iterator[Sequence[str]]:
        groups: list[tuple[str, Callable[[Row], str]]] = [
            ("agent", lambda row: row["agent"]), ("model", lambda row: row["model"]),
            ("month", lambda row: row["date"][:7]), ("way", lambda row: row["kinds"][0]),
        ]  # fmt: skip
        for name, of in groups:
            for value in sorted({of(row) for row in rows}):
                yield name, f"`{value}`", *_counts([row for row in rows if of(row) == value])
        yield "all", "", *_counts(rows)

    return table(("by", "", "edits", "right", "nothing changed", "failed", "garbled", "exit 0 though not right",
                  "no word of it", "looked at in the same or the next two calls"), lines())  # fmt: skip


def _counts(rows: Sequence[Row]) -> Iterator[str]:
    found = Counter(row["outcome"] for row in rows)
    yield str(len(rows))
    for outcome in (_RIGHT, "no_op", "failed", "garbled"):
        yield str(found[outcome])
    bad = [row for row in rows if row["outcome"] not in (_RIGHT, _UNKNOWN)]
    yield str(sum(row["exit"] == 0 for row in bad))
    yield str(sum(row["exit"] == 0 and not row["error_shown"] for row in bad))
    yield str(sum(row["checked"] is not None for row in rows))


def checks(rows: Sequence[Row], _: Study) -> str:
    """What was looked at afterwards, and whether it would have shown that nothing had changed."""
    order = (
        "grep: no line without the edit", "grep: lines without the edit, too", "build or tests only",
        "text of the file shown", "something else", "another call read it", "nothing",
    )  # fmt: skip
    found = {kind: [row for row in rows if _check(row) == kind] for kind in order}
    could = dict(
        zip(order, ("yes", "to who reads them", "seldom", "to who reads it", "no", "to who reads it", "-"), strict=True)
    )

    def lines() -> Iterator[Sequence[str]]:
        for kind, those in found.items():
            bad = [row for row in those if row["outcome"] not in (_RIGHT, _UNKNOWN)]
            yield kind, could[kind], str(len(those)), str(len(bad))

    return table(("checked by", "a change of nothing would have shown", "edits", "of these not right"), lines())


def _check(row: Row) -> str:
    if row["checked"] is None:
        return "nothing"
    if row["checked"] != "same call":
        return "another call read it"
    # What follows the last edit of the command.
    rest = re.split(r"\n(?:EOF|PY|E)\n|\bsed -i|\bperl -", row["command"])[-1]
    if greps := _GREP.findall(rest):
        patterns = [(double or single or plain, "E" in flags) for flags, double, single, plain in greps]
        is_there = any(_stands(row, *one) for one in patterns)
        return "grep: lines without the edit, too" if is_there else "grep: no line without the edit"
    if _SHOWS.search(rest) and not _BUILDS.search(rest):
        return "text of the file shown"
    return "build or tests only" if _BUILDS.search(rest) else "something else"


def _stands(row: Row, pattern: str, extended: bool) -> bool:
    """True if a pattern matches a line of the files before the edit."""
    try:
        regex = Regex(pattern.replace('\\"', '"'), extended=extended, gnu=True)
        return any(regex.search(line) for one in row["before"] for line in one["content"].encode().split(b"\n"))
    except (Unmeasured, SedError):
        return True


def strategies(_: Sequence[Row], study: Study) -> str:
    """The strategies on the recorded edits."""
    rows = ((f"`{one.strategy}`", *(str(one[what]) for what in (CORRECT, WRONG, MISSED, REFUSED, UNMEASURED)))
            for one in study.summaries)  # fmt: skip
    return table(("strategy", "correct", "wrong", "missed", "refused", "unmeasured"), rows)


def refusals(rows: Sequence[Row], study: Study) -> str:
    """What `shell/careful` makes of the recorded edits, by their outcome."""
    verdicts = study.outcomes[study.outcomes["strategy"] == "shell/careful"].set_index("sample_id")["verdict"]
    refused = {Verdict.MISSED, Verdict.REFUSED}

    def lines() -> Iterator[Sequence[str]]:
        for outcome in (_RIGHT, "no_op", "failed", "garbled"):
            found = [verdicts[row["id"]] for row in rows if row["outcome"] == outcome]
            n_refused = sum(one in refused for one in found)
            n_unmeasured = sum(one == Verdict.UNMEASURED for one in found)
            yield (
                outcome,
                str(len(found)),
                str(n_refused),
                str(len(found) - n_refused - n_unmeasured),
                str(n_unmeasured),
            )

    return table(("recorded outcome", "edits", "refused", "made", "unmeasured"), lines())


def unmeasured(_: Sequence[Row], study: Study) -> str:
    """Why strategies did not work a command out, or did not run it."""
    found = study.outcomes[study.outcomes["verdict"] == Verdict.UNMEASURED]
    words = (
        found["error"]
        .astype(str)
        .str.replace(r"(?s)the path .* is (?:not|outside).*", "a path outside the folder", regex=True)
    )
    counted = Counter(zip(found["strategy"].astype(str), words.str.slice(0, 70), strict=True))
    rows = (
        (f"`{name}`", why, str(n)) for (name, why), n in sorted(counted.items(), key=lambda one: (one[0][0], -one[1]))
    )
    return table(("strategy", "why", "commands"), rows)


_PARTS: Mapping[str, Callable[[Sequence[Row], Study], str]] = {
    "outcomes": outcomes, "checks": checks, "strategies": strategies, "refusals": refusals, "unmeasured": unmeasured,
}  # fmt: skip


def main(path: Path) -> None:
    rows = read_rows(path)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = run(str(write_corpus(rows, folder / "recorded.jsonl")), folder / "run", strategies=STRATEGIES)
        text = PAGE.read_text(encoding="utf-8")
        text = _BEGIN_TO_END.sub(lambda found: f"{found[1]}\n{_PARTS[found[2]](rows, study)}\n{found[3]}", text)
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
