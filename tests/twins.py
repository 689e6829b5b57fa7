"""Two runs made up for tests: the same samples, other outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any
from zlib import crc32

from reports.measurements.measurement import FAILED
from reports.runs.manifest import CorpusUsed, Manifest, StrategyUsed, write_manifest
from reports.runs.rows import Outcome, SampleUsed, WrongEdit
from tests.run_parts import write_part

RIGHT = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
_SHORT = {
    "c": "correct",
    "w": "wrong_edit",
    "m": "missed",
    "r": "refused",
    "u": "unlabelled",
    "x": "crashed",
    "t": "timed_out",
    "f": "unstable",
}


def write_run(
    folder: Path,
    verdicts: Mapping[str, str],
    *,
    given: str = RIGHT.replace("1", "3"),
    ids: Sequence[str] = (),
    repos: Sequence[str | None] = (),
    latencies: Mapping[str, Sequence[int | None]] | None = None,
    cpus: Mapping[str, Sequence[int]] | None = None,
    first_cpus: Mapping[str, Sequence[int]] | None = None,
    n_timed: Sequence[int] = (),
    repeated: Sequence[str | None] = (),
    severity: str | None = None,
    n_lines_lost: int = 2,
    fingerprints: Mapping[str, int | None] = MappingProxyType({}),
    worse: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    failed_label: str | None = None,
    samples: Sequence[SampleUsed] = (),
    **manifest: Any,
) -> Path:
    """A finished run: for each strategy a letter a sample, blank where it does not take it.

    The letters are the first of correct, wrong_edit, missed, refused, unlabelled and timed_out, x for crashed, f for
    unstable; W is a wrong edit where refusing was right. Without a severity of wrong edits or a label of failed ones it
    is as older versions wrote it. `worse` has other severities and lines lost of some samples. Samples with equal ids
    have equal fingerprints, unless others are given.
    """
    n = max(map(len, verdicts.values()), default=0)
    names = [ids[i] if ids else f"s{i:04}" for i in range(n)]
    rows, edits = [], []
    for strategy, letters in verdicts.items():
        for i, letter in enumerate(letters):
            if letter == " ":
                continue
            verdict = _SHORT[letter.lower()]
            damage = {"w": "text", "W": "unasked"}.get(letter)
            replacer = "simple" if verdict in ("correct", "wrong_edit") else None
            reason = "no_match" if verdict in ("missed", "refused") else None
            error = "ValueError: no" if verdict == "crashed" else None
            latency = 1000 if latencies is None or strategy not in latencies else latencies[strategy][i]
            bad = {"severity": severity, "n_lines_lost": n_lines_lost} if damage and severity else {}
            bad |= worse.get(names[i], {}) if bad else {}
            right: dict[str, Any] = {"equal_by": "bytes"} if severity and verdict == "correct" else {}
            if cpus and strategy in cpus:
                first = (first_cpus or cpus)[strategy][i]
                right |= {"cpu_ns": cpus[strategy][i], "first_cpu_ns": first, "n_timed": n_timed[i]}
                right["repeated"] = repeated[i] if repeated else None
            if verdict in FAILED:
                right["failed_label"] = failed_label
            rows.append(
                Outcome(names[i], strategy, verdict, damage, reason, replacer, 1, latency, error, **bad, **right)
            )
            if damage:
                edits.append(WrongEdit(names[i], strategy, damage, replacer, "a.py", 7, RIGHT, given, "edit", **bad))
    samples = samples or [
        SampleUsed(
            name, "str_replace", "apply", repo=repos[i] if repos else None,
            fingerprint=fingerprints.get(name, crc32(name.encode())),
        )
        for i, name in enumerate(names)
    ]  # fmt: skip
    counts = {"n_samples": str(n), "n_left_out": "0", "n_bad": "0", "strategy_ns": "0", "fingerprint": "0"}
    write_part(folder, "0", rows, edits, samples, metadata=counts)
    fields: dict[str, Any] = {
        "argv": [],
        "seed": 0,
        "corpora": [CorpusUsed("made", n)],
        "strategies": [StrategyUsed(name, "1") for name in verdicts],
        "timeout_s": 5.0,
        "plan": "plan",
        "created": "2026-11-21T03:00:00+00:00",
        "finished": "2026-11-21T03:01:00+00:00",
        "corpus_fingerprint": "f1",
        "n_samples": n,
    }
    write_manifest(folder, Manifest(**fields | manifest))
    return folder
