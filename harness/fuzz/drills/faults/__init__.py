"""Drills in which what writes is hindered: its calls to the file system fail, or it is killed."""

from __future__ import annotations

from harness.fuzz.drills.faults.injection import FAULTS
from harness.fuzz.drills.faults.strace import STRACE

__all__ = ["FAULTS", "STRACE"]
