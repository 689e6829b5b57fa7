"""How many outcomes have each verdict."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from reports.measurements.measurement import Measurement, Shown, Unit
from reports.runs.rows import Verdict

VERDICTS: Mapping[Verdict, str] = MappingProxyType(
    {
        Verdict.CORRECT: "applied, and equal to the right answer, or one of several, byte for byte",
        Verdict.WRONG_EDIT: "applied, but not the right answer; or applied although refusing was right",
        Verdict.MISSED: "refused although there is a right answer; costs a retry",
        Verdict.REFUSED: "rightly refused",
        Verdict.UNLABELLED: "the right answer is not known; not in any rate here",
        Verdict.CRASHED: "the strategy raised an exception; counts as not right",
        Verdict.TIMED_OUT: "exceeded the time limit; counts as not right",
        Verdict.UNSTABLE: "answered the same request otherwise when it was asked again; counts as wrong",
    }
)


def _verdict(
    verdict: Verdict,
    heading: str,
    *,
    shown: Shown = Shown.ALWAYS,
    better: Literal["more", "less"] | None = None,
) -> Measurement[int]:
    return Measurement(
        f"n_{heading.replace(' ', '_')}",
        heading,
        VERDICTS[verdict],
        Unit.COUNT,
        lambda counts: counts.n(verdict=verdict),
        in_table=shown,
        on_page=shown,
        better=better,
        counts={"verdict": verdict},
    )


SAMPLES: Measurement[int] = Measurement(
    "n_samples", "samples", "all outcomes", Unit.COUNT, lambda counts: counts.kinds.total(), in_table=Shown.ALWAYS
)
WITH_ANSWER: Measurement[int] = Measurement(
    "n_labelled",
    "labelled",
    "samples whose right answer is known",
    Unit.COUNT,
    lambda counts: counts.n_labelled,
)
CORRECT = _verdict(Verdict.CORRECT, "correct")
WRONG = _verdict(Verdict.WRONG_EDIT, "wrong", better="less")
MISSED = _verdict(Verdict.MISSED, "missed")
REFUSED = _verdict(Verdict.REFUSED, "refused")
UNLABELLED = _verdict(Verdict.UNLABELLED, "unlabelled", shown=Shown.WHERE_ANY)
CRASHED = _verdict(Verdict.CRASHED, "crashed", shown=Shown.WHERE_ANY)
TIMED_OUT = _verdict(Verdict.TIMED_OUT, "timed out", shown=Shown.WHERE_ANY)
UNSTABLE = _verdict(Verdict.UNSTABLE, "unstable", shown=Shown.WHERE_ANY, better="less")
