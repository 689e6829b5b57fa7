"""The questions of an asking as a task of inspect_ai: what its solver sends, and how a reply is judged.

`editgauge ask --export-inspect DIR` writes the settings and a `task.py` (`inspect_task.py.txt`), which asks through
inspect_ai and judges here. The tasks are drawn again from the settings, so the folder holds none of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from functools import cached_property
from pathlib import Path

import msgspec

from corpora.regular_file import content
from editcore.errors import UsageError
from editcore.formats import FORMATS
from harness.ask.clients.client import Call, Reply, Request, Sampling, Usage
from harness.ask.formats import Unreadable
from harness.ask.questions import Settings, TaskQuestion, task_questions
from harness.run.scoring import Judge
from harness.strategies.registry import strategy
from reports.runs.rows import Verdict

SETTINGS, TASK = "settings.json", "task.py"
_MOST_BYTES = 1 << 20
_TEMPLATE = Path(__file__).with_name("inspect_task.py.txt")


def export(settings: Settings, folder: Path) -> list[str]:
    """Write the folder, and return the names of its files. Raises UsageError if it is not empty or not writable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty", "Name a new folder.")
        (folder / SETTINGS).write_text(json.dumps(asdict(settings), indent=1) + "\n", encoding="utf-8")
        (folder / TASK).write_bytes(_TEMPLATE.read_bytes())
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}", "Name another folder.") from None
    return [SETTINGS, TASK]


class Exported:
    """The questions that an exported folder holds."""

    def __init__(self, folder: Path) -> None:
        """Read the settings. Raises UsageError if they cannot be read."""
        try:
            raw = json.loads(content(folder / SETTINGS, _MOST_BYTES))
            self.settings = msgspec.convert(raw, Settings)
        except (OSError, ValueError, RecursionError) as error:
            raise UsageError(f"{folder / SETTINGS} cannot be read: {error!s:.200}", "Export it again.") from None

    @cached_property
    def questions(self) -> dict[str, TaskQuestion]:
        """Id (task and format) -> question. Repetitions are left to inspect_ai's epochs."""
        return {f"{one.task.id}/{one.format}": one for one in task_questions(self.settings) if not one.repeat}

    def request(self, name: str) -> Request:
        """The request that a question sends."""
        return self.questions[name].request(self.settings.model, Sampling(self.settings.sampling.max_tokens))

    def verdict(self, name: str, text: str, calls: Iterable[tuple[str, str]], rule: str | None = None) -> str:
        """Verdict of a reply: correct, wrong_edit, missed or refused. `calls` are names and arguments as JSON."""
        question = self.questions[name]
        try:
            sample = question.read(Reply(text, tuple(Call(*call) for call in calls), "end", Usage()), id="reply")
        except Unreadable:
            return Verdict.MISSED
        if sample is None:
            return Verdict.MISSED if question.must_change else Verdict.REFUSED
        result = strategy(rule or FORMATS[sample.format].careful).apply(sample, None)
        return Judge(sample).score(result).verdict
