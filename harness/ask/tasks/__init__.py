"""Tasks: changes of files with one right answer, expressed in words and not yet in any format."""

from __future__ import annotations

from harness.ask.tasks.draw import LEVELS, Level, Task, tasks

__all__ = ["LEVELS", "Level", "Task", "tasks"]
