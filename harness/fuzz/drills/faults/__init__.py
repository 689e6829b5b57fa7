"""Drills in which the file-system calls of an operation fail, or its process is killed."""

from __future__ import annotations

from harness.fuzz.drills.faults.injection import FAULTS

__all__ = ["FAULTS"]
