"""Tasks: changes of files with one right answer, expressed in words and not yet in any format."""

from __future__ import annotations

from harness.ask.tasks.draw import tasks
from harness.ask.tasks.task import LEVELS, Level, Task

__all__ = ["LEVELS", "Level", "Task", "tasks"]
