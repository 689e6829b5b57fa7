"""The client of `/chat/completions`, for OpenAI's server and every other that speaks it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from editcore.errors import importing
from harness.ask.clients.client import Call, ProviderError, Reply, Request, Stop, Turn, Usage, name_of, provider_errors

_STOPS: dict[str, Stop] = {"length": "length", "content_filter": "refused"}
_NO_KEY = "none"
"""The key for servers that need none: the SDK always sends one."""


class ChatClient:
    """A client that sends the key to this server and no other."""

    def __init__(self, base_url: str, key: str | None, timeout_s: float) -> None:
        with importing("models", needed_by="editgauge ask"):
            import openai
        self._sdk = openai
        self._client = openai.OpenAI(api_key=key or _NO_KEY, base_url=base_url, timeout=timeout_s, max_retries=0)
        self._create: Any = self._client.chat.completions.create

    @property
    def address(self) -> str:
        return str(self._client.base_url)

    def complete(self, request: Request) -> Reply:
        arguments = _arguments(request, is_own="api.openai.com" in self.address)
        with provider_errors(self._sdk):
            if request.sampling.stream:
                options = {"include_usage": True}
                return _streamed(self._create(**arguments, stream=True, stream_options=options))
            return _whole(self._create(**arguments))


def _arguments(request: Request, *, is_own: bool) -> dict[str, Any]:
    sampling = request.sampling
    found: dict[str, Any] = {
        "model": request.model,
        "messages": [{"role": "system", "content": request.system}, *map(_message, request.turns)],
        # Only OpenAI's own models take the newer name; other servers know the older one.
        "max_completion_tokens" if is_own else "max_tokens": sampling.max_tokens,
    }
    if request.tool:
        function = {
            "name": request.tool.name,
            "description": request.tool.description,
            "parameters": dict(request.tool.schema),
        }
        found["tools"] = [{"type": "function", "function": function}]
    named = {"temperature": sampling.temperature, "seed": sampling.seed, "reasoning_effort": sampling.effort}
    return found | {name: value for name, value in named.items() if value is not None}


def _message(turn: Turn) -> dict[str, Any]:
    if turn.role == "result":
        return {"role": "tool", "tool_call_id": turn.call_id, "content": turn.text}
    if turn.role == "user":
        return {"role": "user", "content": turn.text}
    calls = [
        {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": one.arguments}}
        for one in turn.calls
    ]
    return {"role": "assistant", "content": turn.text} | ({"tool_calls": calls} if calls else {})


def _whole(answer: Any) -> Reply:
    choice = answer.choices[0]
    message = choice.message
    calls = tuple(
        Call(one.function.name or "", one.function.arguments or "", one.id or "") for one in message.tool_calls or ()
    )
    is_refused = bool(getattr(message, "refusal", None))
    stop = "refused" if is_refused else _STOPS.get(choice.finish_reason or "", "end")
    return Reply(
        message.content or "",
        calls,
        stop,
        _usage(answer.usage),
        name_of(answer.model),
        name_of(answer.system_fingerprint),
    )


def _streamed(chunks: Iterable[Any]) -> Reply:
    """Join the chunks of a stream to a reply. Raises ProviderError for a stream that was cut."""
    text, refusal, reason, model, fingerprint = "", "", "", "", ""
    usage, calls = Usage(), dict[int, Call]()
    for chunk in chunks:
        model, fingerprint = name_of(chunk.model) or model, name_of(chunk.system_fingerprint) or fingerprint
        usage = _usage(chunk.usage) if chunk.usage else usage
        for choice in chunk.choices[:1]:
            reason = choice.finish_reason or reason
            text += choice.delta.content or ""
            refusal += choice.delta.refusal or ""
            for piece in choice.delta.tool_calls or ():
                known = calls.get(piece.index, Call("", ""))
                function = piece.function
                calls[piece.index] = Call(
                    known.name or (function and function.name) or "",
                    known.arguments + ((function and function.arguments) or ""),
                    known.id or piece.id or "",
                )
    if not reason:
        raise ProviderError("connection cut", is_lost=True)
    stop = "refused" if refusal else _STOPS.get(reason, "end")
    return Reply(text, tuple(calls[n] for n in sorted(calls)), stop, usage, model, fingerprint)


def _usage(given: Any) -> Usage:
    if given is None:
        return Usage()
    prompt, completion = given.prompt_tokens_details, given.completion_tokens_details
    cached, reasoning = prompt and prompt.cached_tokens, completion and completion.reasoning_tokens
    return Usage.reported(given.prompt_tokens, cached, given.completion_tokens, reasoning)
