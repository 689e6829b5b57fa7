"""Asking a scripted server: which replies are kept, which questions are asked again, costs, and classes of replies."""

from __future__ import annotations

import email.utils
import json
import resource
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from editcore.errors import UsageError
from harness.ask.asking import Asking, Budget, Price, Sender, most_tokens
from harness.ask.clients import client
from harness.ask.clients.client import (
    LONGEST_WAIT_S,
    Call,
    Client,
    Reply,
    Request,
    Sampling,
    Usage,
    name_of,
    retry_after_s,
)
from harness.ask.questions import Refused, Settings, task_questions, template_hash
from harness.ask.replies_file import RepliesFile, write_corpus
from harness.ask.tasks import tasks
from tests.harness.ask.code import code
from tests.harness.ask.scripted_model import Model as Scripted
from tests.harness.ask.scripted_server import Asked, Fails, Says, Script, scripted_server
from tests.harness.program import call

_FORMATS = ("str_replace", "unified_diff", "hashline_h4")
_PRICE = Price(10.0, 10.0)
_SAMPLING = Sampling(max_tokens=500)


def _settings(n_tasks: int = 4, *, api: str = "openai", address: str = "x", **others: object) -> Settings:
    found = Settings(
        source=f"mutations:{code()}", levels=("copy",), model="m", api=api, address=address, style="tool",
        sampling=_SAMPLING, words=_words(*_FORMATS), n_tasks=n_tasks, n_repeats=1,
    )  # fmt: skip
    return replace(found, **others)  # type: ignore[arg-type]


def _words(*formats: str) -> dict[str, str]:
    return {name: template_hash("common", name) for name in formats}


def _scripted(settings: Settings) -> Scripted:
    return Scripted(settings.tasks(), settings.style, {})


def _asked(
    script: Script, settings: Settings, file: Path, *, api: str = "openai", concurrency: int = 3,
    budget: Budget | None = None, address: str | None = None, timeout_s: float = 20.0,
) -> tuple[Asking, list[Asked]]:  # fmt: skip
    """Ask a scripted server. Returns the asking and the server's questions. The settings name `address`, not the
    server's own.
    """
    with scripted_server(script) as server:
        made = client(api, server.url + ("/v1" if api == "openai" else ""), None, timeout_s)
        with RepliesFile(file) as replies:
            asking = _begun(replies, replace(settings, address=address or made.address), made, budget, concurrency)
            asking.ask(task_questions(settings))
            write_corpus(task_questions(settings), replies, file.with_suffix(".jsonl"))
        return asking, server.asked


def _begun(
    replies: RepliesFile, settings: Settings, client: Client, budget: Budget | None = None, concurrency: int = 3
) -> Asking:
    replies.begin(settings)
    return Asking(client, replies, budget or Budget(None, None, 0.0), concurrency=concurrency)


@pytest.mark.parametrize("api", ["openai", "anthropic"])
@pytest.mark.parametrize("stream", [False, True])
def test_every_question_is_asked_once_and_kept(api: str, stream: bool, tmp_path: Path) -> None:
    settings = _settings(api=api, sampling=replace(_SAMPLING, stream=stream, temperature=0.0, effort="low"))
    done, asked = _asked(_scripted(settings), settings, tmp_path / "a.replies", api=api, address="here")
    assert done.classes.total() == len(asked)
    assert done.classes.keys() <= {"answered", "no_call"}  # One task is done already.
    body = asked[0].body
    assert body["temperature"] == 0.0
    assert bool(body.get("stream")) == stream
    with RepliesFile(tmp_path / "a.replies") as replies:
        entries = [replies.entry(key) for key in replies.places]
    assert len(entries) == len(asked)
    for entry in entries:
        assert entry
        assert entry.reply
        assert (entry.reply.usage.input, entry.reply.usage.output, entry.reply.model) == (100, 10, "scripted-1")
        assert entry.template == template_hash("common", entry.format)
    again, none = _asked(_scripted(settings), settings, tmp_path / "a.replies", api=api, address="here")
    assert (again.n_known, again.n_sent, none) == (len(asked), 0, [])


def test_every_part_of_a_question_is_in_its_key() -> None:
    settings = _settings(1)
    question = next(task_questions(settings))
    other = next(tasks(f"mutations:{code()}", levels=("copy",), seed=5))
    keys = [
        settings.key(question),
        *(settings.key(one) for one in (
            replace(question, repeat=1), replace(question, style="text"), replace(question, format="multi_edit"),
            replace(question, task=other),
        )),
        *(replace(settings, sampling=one).key(question) for one in (
            Sampling(501), Sampling(500, 0.0), Sampling(500, seed=1), Sampling(500, effort="low"),
            Sampling(500, stream=True),
        )),
        replace(settings, model="n").key(question),
        replace(settings, api="anthropic").key(question),
        replace(settings, address="http://127.0.0.1:8/v1").key(question),
    ]  # fmt: skip
    assert len({*keys}) == len(keys) == 13
    assert keys[0] == settings.key(question)


def _flaky(inner: Script, *failures: Says | Fails) -> Script:
    """A script that fails each question in all these ways before it answers."""
    n_seen = Counter[str]()

    def script(asked: Asked) -> Says | Fails:
        key = json.dumps(asked.body, sort_keys=True)
        n_seen[key] += 1
        return failures[n_seen[key] - 1] if n_seen[key] <= len(failures) else inner(asked)

    return script


@pytest.mark.parametrize("api", ["openai", "anthropic"])
@pytest.mark.parametrize(
    "failure",
    [
        Fails(429, "0"), Fails(500, "0.01"), Fails(529, "0"), Says("x" * 500, cut=True), Says("cut", cut=True),
        Fails(200, None, "{{not json"), Fails(200, None, '{"a": 1}'), Fails(429, "soon"),
    ],
)  # fmt: skip
def test_what_passes_is_tried_again(
    api: str, failure: Says | Fails, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.ask.asking._FIRST_WAIT_S", 0.0)
    monkeypatch.setattr(Sender.__init__, "__kwdefaults__", {"first_wait_s": 0.001, "seed": 0})
    settings = _settings(1, words=_words("unified_diff"), api=api)
    done, asked = _asked(_flaky(_scripted(settings), failure), settings, tmp_path / "a.replies", api=api)
    assert (done.classes, len(asked)) == ({"answered": 1}, 2)


@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_that_is_cut_in_a_stream_is_lost(stream: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sender.__init__, "__kwdefaults__", {"first_wait_s": 0.001, "seed": 0})
    settings = _settings(1, sampling=replace(_SAMPLING, stream=stream), words=_words("unified_diff"))
    budget = Budget(_PRICE, None, 0.0)
    request = settings.request(next(task_questions(settings)))
    cut = _flaky(_scripted(settings), Says("x" * 400, cut=True))
    done, _ = _asked(cut, settings, tmp_path / "a.replies", budget=budget)
    assert done.classes == {"answered": 1}
    # The reply that came, and the most that the lost one can have cost.
    assert budget.spent_usd == pytest.approx(_PRICE.cost(most_tokens(request)) + 110 * 10 / 1e6)


def test_replies_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sender.__init__, "__kwdefaults__", {"first_wait_s": 0.001, "seed": 0})
    settings = _settings(8, words=_words("unified_diff"))
    right, n = _scripted(settings), iter(range(100))

    def script(asked: Asked) -> Says | Fails:
        seen.setdefault(asked.text, next(n))
        match seen[asked.text]:
            case 0:
                return right(asked)
            case 1:
                return Says("I will not.", stop="refused")
            case 2:
                return Says("--- a", stop="length")
            case 3:
                return Says(calls=(("apply_diff", '{"patch"'),))
            case 4:
                return Says("here you are")
            case 5:
                return Fails(400)
            case 6:
                return Fails(503, "0")
        return right(asked)

    seen: dict[str, int] = {}
    done, asked = _asked(script, settings, tmp_path / "a.replies", concurrency=1)
    assert done.classes == {"answered": 2, "refused": 1, "length": 1, "malformed": 1, "no_call": 1, "failed": 2}
    assert len(asked) == 7 + 6  # What is passing is tried six times.
    with pytest.raises(UsageError, match="another address"):  # Another port is one.
        _asked(right, settings, tmp_path / "a.replies", concurrency=1)


def test_only_what_failed_is_asked_again(tmp_path: Path) -> None:
    settings = _settings(3, words=_words("unified_diff"))
    right, n_asked = _scripted(settings), Counter[str]()

    def script(asked: Asked) -> Says | Fails:
        n_asked[asked.text] += 1
        return Fails(400) if len(n_asked) == 2 and n_asked[asked.text] == 1 else right(asked)

    for expected in ({"answered": 2, "failed": 1}, {"answered": 1}):
        done, _ = _asked(script, settings, tmp_path / "a.replies", concurrency=1, address="here")
        assert done.classes == expected


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_provider_that_refuses_on_principle_ends_it_at_once(status: int, tmp_path: Path) -> None:
    settings = _settings()
    with pytest.raises(UsageError, match=str(status)):
        _asked(lambda _: Fails(status), settings, tmp_path / "a.replies")
    assert "sk-secret" not in (tmp_path / "a.replies").read_text()


def test_a_model_that_makes_no_edits_is_found_out_by_the_first_questions(tmp_path: Path) -> None:
    asked: list[Asked] = []

    def script(question: Asked) -> Says:
        asked.append(question)
        return Says("What a fine file.")

    with pytest.raises(UsageError, match="None of the first 3 replies has an edit"):
        _asked(script, _settings(20), tmp_path / "a.replies")
    assert len(asked) == 3


@pytest.mark.parametrize("api", ["openai", "anthropic"])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("tokens", [(-1000, -1000), (0, 10), (100, -1), (100, 0), (10**12, 10)])
def test_a_reply_without_believable_counts_costs_the_most_that_it_can(
    tokens: Any, stream: bool, api: str, tmp_path: Path
) -> None:
    settings = _settings(1, api=api, sampling=replace(_SAMPLING, stream=stream), words=_words("unified_diff"))
    right, budget = _scripted(settings), Budget(_PRICE, None, 0.0)
    done, _ = _asked(lambda asked: replace(right(asked), tokens=tokens), settings, tmp_path / "a.replies", api=api,
                     budget=budget)  # fmt: skip
    assert done.classes == {"answered": 1}
    most = _PRICE.cost(most_tokens(settings.request(next(task_questions(settings)))))
    assert budget.spent_usd == pytest.approx(most)


def test_counts_are_whole_numbers_and_names_are_cut() -> None:
    assert Usage.reported(100, 500, 10, 20) == Usage(100, 100, 10, 10)
    assert Usage.reported(100, -5, 10, "x") == Usage(100, 0, 10, 0)
    assert Usage.reported(None, 0, 10, 0) == Usage.reported(1.5, 0, 10, 0) == Usage()
    assert (len(name_of("m" * 10_000)), name_of(["m"])) == (200, "")


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_budget_is_never_passed(concurrency: int, tmp_path: Path) -> None:
    settings = _settings(12)
    right = _scripted(settings)

    def costly(asked: Asked) -> Says:
        # As many tokens as the question can have at most.
        n = len(json.dumps(asked.body["messages"])) // 3
        return replace(right(asked), tokens=(n, 500))

    spent = 0.0
    for limit in (1.0, 2.0):
        budget = Budget(_PRICE, limit, spent)
        done, asked = _asked(
            costly, settings, tmp_path / "a.replies", budget=budget, concurrency=concurrency, address="here"
        )
        with RepliesFile(tmp_path / "a.replies") as replies:
            assert replies.cost_usd == pytest.approx(budget.spent_usd)
        assert spent < budget.spent_usd <= limit
        assert done.is_stopped
        assert 0 < len(asked) < 36
        spent = budget.spent_usd


def test_questions_in_flight_are_bounded(tmp_path: Path) -> None:
    settings = _settings(6)
    right = _scripted(settings)
    slow = scripted_server(lambda asked: replace(right(asked), slow_s=0.02))
    with slow as server, RepliesFile(tmp_path / "a.replies") as replies:
        made = client("openai", f"{server.url}/v1", None, 5.0)
        _begun(replies, settings, made, concurrency=2).ask(task_questions(settings))
    assert server.most_at_once <= 2


def test_a_wait_that_the_provider_asks_for_holds_all_back() -> None:
    sent: list[Request] = []

    class Busy:
        address = "x"

        def complete(self, request: Request) -> object:
            sent.append(request)
            raise AssertionError("nothing is sent while all wait")

    stopped = Event()
    sender = Sender(Busy(), Budget(None, None, 0.0), stopped)  # type: ignore[arg-type]
    sender._pause.ask_for(1000)
    stopped.set()
    request = Request("m", "", (), None, _SAMPLING)
    assert sender.send(request) is None
    assert not sent


def test_a_key_goes_to_its_own_server_only_unless_it_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine-1")
    monkeypatch.setenv("OTHER_KEY", "sk-other-2")
    settings = _settings(1)
    _, asked = _asked(_scripted(settings), settings, tmp_path / "a.replies")
    assert "sk-mine-1" not in str(asked)
    with scripted_server(_scripted(settings)) as server:
        done = call(
            "ask", "--tasks", settings.source, "--model", "m", "--base-url", f"{server.url}/v1", "--yes",
            "--key-env", "OTHER_KEY", "-n", 1, "--repeat", 1,
            "--formats", ",".join(_FORMATS), "-o", tmp_path / "b.jsonl", "-q",
        )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert server.asked[0].headers["authorization"] == "Bearer sk-other-2"
    written = "".join(path.read_text() for path in tmp_path.iterdir())
    assert "sk-other" not in written + done.output
    monkeypatch.delenv("OPENAI_API_KEY")
    missing = call("ask", "--model", "m", "-o", tmp_path / "c.jsonl")
    assert (missing.exit_code, "OPENAI_API_KEY" in missing.output) == (2, True)


@pytest.mark.parametrize("api", ["openai", "anthropic"])
def test_a_refusal_is_the_result_of_every_call(api: str) -> None:
    settings = _settings(1, words=_words("str_replace"))
    calls = (Call("edit", '{"path": "a"}', "id_1"), Call("edit", "{broken", "id_2"))
    first = next(task_questions(settings))
    refused = Refused("cascade/exact", "a is nowhere: $1", Reply("well", calls, "end", Usage()), "")
    with scripted_server(_scripted(settings)) as server:
        url = server.url + ("/v1" if api == "openai" else "")
        client(api, url, None, 5.0).complete(settings.request(replace(first, refused=refused)))
    _, said, *results = [one for one in server.asked[0].body["messages"] if one["role"] != "system"]
    assert said["role"] == "assistant"
    if api == "openai":
        assert [one["id"] for one in said["tool_calls"]] == [one["tool_call_id"] for one in results] == ["id_1", "id_2"]
        assert {one["content"] for one in results} == {"Nothing was changed. a is nowhere: $1"}
    else:
        (result,) = results
        assert [one.get("id") for one in said["content"]] == [None, "id_1", "id_2"]
        assert [one["tool_use_id"] for one in result["content"]] == ["id_1", "id_2"]
        assert {one["content"] for one in result["content"]} == {"Nothing was changed. a is nowhere: $1"}


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_ten_thousand_tasks_take_bounded_memory(tmp_path: Path) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    for nth in range(80):
        lines = [f"    value_{n}_{nth} = compute_{n}(alpha_{n}, {n * nth}) + {nth}" for n in range(50)]
        (folder / f"part_{nth}.py").write_text("\n".join(lines) + "\n")
    settings = _settings(10_000, source=f"mutations:{folder}", words=_words("str_replace"))
    reply = Reply(
        "", (Call("edit", json.dumps({"path": "?", "old_string": "x" * 500, "new_string": "y"})),), "end", Usage(1, 1)
    )

    class Constant:
        address = "x"

        def complete(self, _: Request) -> Reply:
            return reply

    peaks = list[int]()

    def report(found: Asking) -> None:
        if found.n_sent in (1_000, 10_000):
            peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)

    with RepliesFile(tmp_path / "a.replies") as replies:
        replies.begin(settings)
        asking = Asking(Constant(), replies, Budget(None, None, 0.0), concurrency=4, report=report)
        asking.ask(task_questions(settings))
        assert len(replies.places) > 9_000
        write_corpus(task_questions(settings), replies, tmp_path / "a.jsonl")
    end = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert peaks
    assert end - peaks[0] < 60_000  # kB


# How long a provider asks to wait.


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None), ({"retry-after": "2"}, 2.0), ({"retry-after": "1.5"}, 1.5), ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after": "-3"}, 0.0), ({"retry-after": "1e9"}, LONGEST_WAIT_S), ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None), ({"retry-after": "soon"}, None), ({"retry-after": "9" * 400}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
)  # fmt: skip
def test_what_a_header_says(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds


def test_a_date_is_a_wait_until_then() -> None:
    found = retry_after_s({"retry-after": email.utils.formatdate(time.time() + 100, usegmt=True)})
    assert found
    assert 95 < found <= 100
