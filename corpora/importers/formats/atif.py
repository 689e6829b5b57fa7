"""ATIF, the Agent Trajectory Interchange Format: one JSON document per run; v1.0 to v1.8, known from its description.

`steps` is a list. A step with the source `agent` has `tool_calls` (`tool_call_id`, `function_name`, `arguments`) and
an `observation`, whose `results` name their call by `source_call_id`; `content` is a text or a list of parts. The agent
and its version are in `agent`, the model there and in steps. `subagent_trajectories` are further runs. Traps:

- A step with `is_copied_context` repeats a step of another trajectory: it is left out.
- Results have nothing but texts, so only an edit that can have had one result has a label.
- A call may be of any agent's tool (`corpora.importers.chat_calls`).

A file of JSON lines, or rows of Parquet, may have a document each, also as text under `trajectory`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corpora.importers.calls import Calls, at_time
from corpora.importers.chat_calls import ChatCalls
from corpora.importers.importer import Surroundings, records
from corpora.importers.log import Log, Tally, dig, embedded, items, joined_text, text
from corpora.importers.session import Event, Opened

_DEEPEST = 8
"""Depth down to which the trajectories of sub-agents are read."""


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    for number, record in records(log, surroundings.tally):
        inner = embedded(record.get("trajectory"))
        document = inner if "steps" not in record and isinstance(inner, dict) else record
        if isinstance(document.get("steps"), list):
            yield from _trajectory(document, record, f"{log.name}:{number}", surroundings.tally)
        else:
            surroundings.tally.add("document is not a trajectory", f"{log.name}:{number}")


def _trajectory(document: Any, record: Any, where: str, tally: Tally, depth: int = 0) -> Iterator[Event]:
    agent = dig(document, "agent")
    yield Opened(
        cwd=text(dig(document, "extra", "cwd")) or None, version=text(dig(agent, "version")) or None, afresh=True,
        repo=text(dig(record, "repo")) or None, license=text(dig(record, "license")) or None,
        agent=text(dig(agent, "name")) or None,
    )  # fmt: skip
    calls = ChatCalls(Calls(tally, {}))
    name = text(dig(document, "session_id")) or where
    for step in items(dig(document, "steps")):
        if step.get("is_copied_context") is True:
            continue
        model = text(step.get("model_name")) or text(dig(agent, "model_name")) or None
        made = _step(step, name, model, calls, where)
        yield from at_time(made, step.get("timestamp"))
    yield from calls.unanswered()
    for part in items(dig(document, "subagent_trajectories")) if depth < _DEEPEST else ():
        yield from _trajectory(part, record, where, tally, depth + 1)


def _step(step: dict[str, Any], name: str, model: str | None, calls: ChatCalls, where: str) -> Iterator[Event]:
    asked = items(step.get("tool_calls"))
    for n, call in enumerate(asked):
        key = text(call.get("tool_call_id")) or f"#{n}"
        calls.call(f"{name}:{key}", text(call.get("function_name")), call.get("arguments"), where, model)
    for n, result in enumerate(items(dig(step, "observation", "results"))):
        # A step with one call need not name it.
        only = text(asked[0].get("tool_call_id")) or "#0" if len(asked) == 1 and n == 0 else ""
        if key := text(result.get("source_call_id")) or only:
            yield from calls.result(f"{name}:{key}", joined_text(result.get("content"), "\n"), where)
