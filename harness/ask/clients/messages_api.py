"""The client of `/v1/messages`, for Anthropic's server and others that speak it."""

from __future__ import annotations

import json
from typing import Any

from editcore.errors import importing
from harness.ask.clients.client import Call, Reply, Request, Stop, Turn, Usage, name_of, provider_errors

_STOPS: dict[str, Stop] = {
    "max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "refused",
}  # fmt: skip


class MessagesClient:
    """A client that sends the key to this server and no other."""

    def __init__(self, base_url: str, key: str | None, timeout_s: float) -> None:
        with importing("models", needed_by="editgauge ask"):
            import anthropic
        self._sdk = anthropic
        self._client = anthropic.Anthropic(api_key=key or "none", base_url=base_url, timeout=timeout_s, max_retries=0)

    @property
    def address(self) -> str:
        return str(self._client.base_url)

    def complete(self, request: Request) -> Reply:
        arguments = _arguments(request)
        with provider_errors(self._sdk):
            if request.sampling.stream:
                with self._client.messages.stream(**arguments) as stream:
                    return _reply(stream.get_final_message())
            return _reply(self._client.messages.create(**arguments))


def _arguments(request: Request) -> dict[str, Any]:
    sampling = request.sampling
    found: dict[str, Any] = {
        "model": request.model,
        "max_tokens": sampling.max_tokens,
        "system": request.system,
        "messages": _messages(request.turns),
    }
    if request.tool:
        found["tools"] = [
            {
                "name": request.tool.name,
                "description": request.tool.description,
                "input_schema": dict(request.tool.schema),
            }
        ]
    if sampling.effort is not None:
        found["output_config"] = {"effort": sampling.effort}
    if sampling.temperature is not None:
        # The SDK has no parameter for it, because newer models refuse it.
        found["extra_body"] = {"temperature": sampling.temperature}
    return found


def _messages(turns: tuple[Turn, ...]) -> list[dict[str, Any]]:
    found = list[dict[str, Any]]()
    for turn in turns:
        if turn.role == "result":
            part = {"type": "tool_result", "tool_use_id": turn.call_id, "content": turn.text, "is_error": True}
            if found and found[-1]["role"] == "user" and isinstance(found[-1]["content"], list):
                found[-1]["content"].append(part)  # All results of one answer belong to one message.
            else:
                found.append({"role": "user", "content": [part]})
        elif turn.role == "user":
            found.append({"role": "user", "content": turn.text})
        else:
            parts: list[dict[str, Any]] = [{"type": "text", "text": turn.text}] if turn.text else []
            parts += [{"type": "tool_use", "id": one.id, "name": one.name, "input": _object(one)} for one in turn.calls]
            found.append({"role": "assistant", "content": parts})
    return found


def _object(call: Call) -> dict[str, Any]:
    try:
        value = json.loads(call.arguments)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _reply(message: Any) -> Reply:
    calls = tuple(
        Call(part.name, json.dumps(part.input, ensure_ascii=False), part.id)
        for part in message.content
        if part.type == "tool_use"
    )
    text = "".join(part.text for part in message.content if part.type == "text")
    given = message.usage
    # This server counts apart what it reads from its cache, and what it writes there.
    fresh, cached, written = (
        given.input_tokens,
        given.cache_read_input_tokens or 0,
        given.cache_creation_input_tokens or 0,
    )
    is_sum = all(isinstance(one, int) and one >= 0 for one in (fresh, cached, written))
    usage = Usage.reported(fresh + cached + written if is_sum else None, cached, given.output_tokens, 0)
    return Reply(text, calls, _STOPS.get(message.stop_reason or "", "end"), usage, name_of(message.model))
