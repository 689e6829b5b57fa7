"""OpenHands' message traces, the layout of large public sets: one run a row, in Parquet or JSON lines.

A row has a list `trajectory` or `messages` of chat messages. An `assistant` message has `tool_calls`, each with `id`
and `function` (`name`, and `arguments` as JSON text); a `tool` message answers with `tool_call_id` and `content`. The
row also has `instance_id`, `repo`, and in some sets `license` and `model`. The editor is `str_replace_editor`, the
shell `execute_bash`. Traps:

- Results have nothing but texts, so only an edit that can have had one result has a label.
- The id of a call may be that of a call in another row.
- A list may also be JSON in a text.
"""

from __future__ import annotations

from collections.abc import Iterator

from corpora.importers.calls import Calls
from corpora.importers.chat_calls import ChatCalls
from corpora.importers.importer import Importer, Surroundings
from corpora.importers.log import Log, dig, embedded, items, joined_text, text
from corpora.importers.records import record_logs, records
from corpora.importers.session import Event, Opened

_FOLDER = "/workspace"


def events(log: Log, surroundings: Surroundings) -> Iterator[Event]:
    for number, row in records(log, surroundings.tally):
        messages = next((some for name in ("trajectory", "messages") if (some := items(embedded(row.get(name))))), [])
        if not messages:
            surroundings.tally.add("row without messages", f"{log.name}:{number}")
            continue
        run = text(row.get("trajectory_id")) or text(row.get("instance_id")) or f"{log.name}:{number}"
        model = text(row.get("model")) or None
        yield Opened(
            _FOLDER, afresh=True, repo=text(row.get("repo")) or None, license=text(row.get("license")) or None,
            agent="openhands",
        )  # fmt: skip
        calls, where = ChatCalls(Calls(surroundings.tally, {})), f"{log.name}:{number}"
        for n, message in enumerate(messages):
            for m, call in enumerate(items(message.get("tool_calls"))):
                key = f"{run}:{text(call.get('id')) or f'{n}#{m}'}"
                calls.call(key, text(dig(call, "function", "name")), dig(call, "function", "arguments"), where, model)
            if message.get("role") == "tool":
                key = f"{run}:{text(message.get('tool_call_id'))}"
                yield from calls.result(key, joined_text(message.get("content"), "\n"), where)
        yield from calls.unanswered()


IMPORTER = Importer(
    name="openhands_messages",
    summary="OpenHands runs as chat messages: Parquet or JSON lines with one run a row",
    logs=record_logs,
    events=events,
)
