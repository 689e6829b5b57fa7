"""What a run says of each strategy: one file per measurement, and their table.

The scoreboard, the page, the tables of wrong edits, CSV, JSON, DataFrames and the documentation read this table, in
its order. A measurement declares its name, its heading, what it means, its unit, how it is counted from outcomes, and
where it is shown; adding one is adding a file and a line here.
"""

from __future__ import annotations

from typing import Any

from reports.measurements.applied_rate import APPLIED_RATE
from reports.measurements.damage import BYTES_CHANGED, DAMAGE
from reports.measurements.equal_by import MATCH_RATE_BY_TEXT, MATCH_RATE_BY_TREE
from reports.measurements.failed_lists import FAILED_LISTS, HALF_MADE, LIST_LEFT
from reports.measurements.latency import LONGEST, P50, P90, P99
from reports.measurements.lines_lost import LINES_LOST
from reports.measurements.match_rate import MATCH_RATE
from reports.measurements.measurement import Measurement
from reports.measurements.precision import PRECISION
from reports.measurements.promises import BROKEN_PROMISES, PROMISES
from reports.measurements.refusal_rate import REFUSAL_RATE
from reports.measurements.severity import OTHER_TREE, SAME_TREE, SEVERITY, UNKNOWN, UNPARSABLE
from reports.measurements.timed_out_rate import TIMED_OUT_RATE
from reports.measurements.unmeant import APPLIED_CONTRADICTIONS, WRONG_INTENTS
from reports.measurements.verdicts import (
    CORRECT,
    CRASHED,
    MISSED,
    REFUSED,
    SAMPLES,
    TIMED_OUT,
    UNLABELLED,
    UNSTABLE,
    WITH_ANSWER,
    WRONG,
)
from reports.measurements.wrong_rate import WRONG_RATE

MEASUREMENTS: tuple[Measurement[Any], ...] = (
    SAMPLES,
    CORRECT,
    WRONG,
    SAME_TREE,
    OTHER_TREE,
    UNPARSABLE,
    UNKNOWN,
    BYTES_CHANGED,
    MISSED,
    REFUSED,
    WITH_ANSWER,
    MATCH_RATE,
    WRONG_RATE,
    PRECISION,
    P50,
    P99,
    PROMISES,
    BROKEN_PROMISES,
    WRONG_INTENTS,
    APPLIED_CONTRADICTIONS,
    FAILED_LISTS,
    HALF_MADE,
    UNLABELLED,
    CRASHED,
    TIMED_OUT,
    UNSTABLE,
    REFUSAL_RATE,
    APPLIED_RATE,
    TIMED_OUT_RATE,
    DAMAGE,
    SEVERITY,
    LINES_LOST,
    LIST_LEFT,
    MATCH_RATE_BY_TEXT,
    MATCH_RATE_BY_TREE,
    P90,
    LONGEST,
)
