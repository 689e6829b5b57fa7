"""Entire: agents' logs in git, on the branches `entire/checkpoints/*` or the refs `refs/entire/checkpoints/*`.

`<aa>/<rest of the id>/<n>/` contains `full.jsonl`, an agent's log in its own format, and `metadata.json`, which names
the agent. Each log is read by that agent's importer. The path to import is the folder of the repository, which also has
the file texts that the logs lack. Traps:

- A session is in many checkpoints, each time with a longer log; equal logs are read once.
- Secrets were replaced by REDACTED, which damages texts. Such events are left out, and their files are unknown after
  them.
- `transcript.jsonl` beside a log contains no file texts.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from corpora.importers.formats import claude_code, codex, copilot_cli, gemini_cli, opencode, pi
from corpora.importers.git_history.repository import Repository
from corpora.importers.importer import Surroundings
from corpora.importers.log import LARGEST_DOCUMENT, Log, dig, embedded, text
from corpora.importers.rebuilding import paths
from corpora.importers.session import Attempt, Event, Opened, Read, SeenUnknown, Wrote
from corpora.sample import Sample

_REFS = ("refs/heads/entire/checkpoints", "refs/remotes/*/entire/checkpoints", "refs/entire/checkpoints")
_FULL = "full.jsonl"
_METADATA = "metadata.json"
_PLACE = re.compile(r"([0-9a-f]{2})/([0-9a-f]+)/(.*)")
_REDACTED = "REDACTED"
_CHANGING = ("applied", "applied_with_fuzz", "unknown")
_AGENTS: Mapping[str, tuple[str, Callable[[Log, Surroundings], Iterator[Event | Sample]]]] = {
    name: (importer, read)
    for importer, read, *names in (
        ("claude_code", claude_code.events, "claude", "claude_code"),
        ("codex", codex.events, "codex", "codex_cli"),
        ("copilot_cli", copilot_cli.events, "copilot", "copilot_cli", "github_copilot_cli"),
        ("gemini_cli", gemini_cli.events, "gemini", "gemini_cli"),
        ("opencode", opencode.events, "opencode", "open_code"),
        ("pi", pi.events, "pi"),
    )
    for name in names
}
"""The importers of agents, and how they read a log, by the name in `metadata.json`, in lower case."""


@dataclass(frozen=True, slots=True)
class Checkpoint(Log):
    """An agent's log in a checkpoint, with the agent and the model that the checkpoint names."""

    agent: str = ""
    model: str | None = None
    repository: Path | None = None
    """The folder of the repository that contains the checkpoint."""


def logs(path: Path) -> Iterator[Log]:
    """The logs of all checkpoints in the repository at a path, each once."""
    repository = Repository.at(path)
    if not repository:
        return
    with repository:
        seen: set[str] = set()
        for ref in repository.lines("for-each-ref", "--format=%(refname)", *_REFS):
            blobs = dict(_blobs(repository, ref))
            for place, blob in sorted(blobs.items()):
                if place.rpartition("/")[2] == _FULL and blob not in seen:
                    seen.add(blob)
                    metadata = _metadata(repository, blobs, place)
                    agent, model = text(dig(metadata, "agent")), text(dig(metadata, "model")) or None
                    name = f"{path}:{_name(ref, place)}"
                    opened = partial(_opened, repository.folder, blob)
                    yield Checkpoint(name, opened, agent=agent, model=model, repository=repository.folder)


def _blobs(repository: Repository, ref: str) -> Iterator[tuple[str, str]]:
    """The path and blob id of each file at a ref."""
    for line in repository.lines("-c", "core.quotePath=false", "ls-tree", "-r", ref):
        entry, _, place = line.partition("\t")
        fields = entry.split()
        if place and len(fields) == 3 and fields[1] == "blob":
            yield place, fields[2]


def _metadata(repository: Repository, blobs: dict[str, str], place: str) -> Any:
    """The metadata beside a log, else the metadata in the folder above."""
    folder = place.rpartition("/")[0]
    for near in (folder, folder.rpartition("/")[0]):
        if blob := blobs.get(f"{near}/{_METADATA}".lstrip("/")):
            metadata = embedded(repository.blob(blob) or b"")
            if dig(metadata, "agent"):
                return metadata
    return None


def _name(ref: str, place: str) -> str:
    """A log's name: the id of the checkpoint, and the path of the log below it."""
    if match := _PLACE.fullmatch(place):
        return f"{match[1]}{match[2]}/{match[3]}"
    return f"{ref.partition('/checkpoints/')[2].replace('/', '')}/{place}"


def _opened(folder: Path, blob: str) -> BinaryIO:
    repository = Repository(folder)
    size = repository.output("cat-file", "-s", blob)
    if size is None or not size.strip().isdigit():
        raise OSError(errno.ENOENT, "its object is not in the repository, which may be a partial clone")
    if int(size) > LARGEST_DOCUMENT:
        raise OSError(errno.EFBIG, f"over {LARGEST_DOCUMENT >> 20} MB")
    return BytesIO(repository.output("cat-file", "blob", blob) or b"")


def events(log: Log, surroundings: Surroundings) -> Iterator[Event | Sample]:
    """The events that the agent's importer reads from the log, without redacted ones."""
    if not isinstance(log, Checkpoint):
        surroundings.tally.add("not a checkpoint of a repository", log.name)
        return
    agent = _AGENTS.get(re.sub(r"[^a-z0-9]+", "_", log.agent.lower()).strip("_"))
    if agent is None:
        surroundings.tally.add(f"no importer for the agent {log.agent[:40] or 'without a name'}", log.name)
        return
    surroundings.default_repo = log.repository
    try:
        yield Opened(agent=agent[0])
        yield from _without_redacted(agent[1](log, surroundings), log, surroundings)
    finally:
        surroundings.default_repo = None


def _without_redacted(
    found: Iterable[Event | Sample], log: Checkpoint, surroundings: Surroundings
) -> Iterator[Event | Sample]:
    """The events, with the checkpoint's model if they name none. The files of a redacted event become unknown."""
    for event in found:
        if isinstance(event, Attempt | Read | Wrote) and any(
            _REDACTED in string for string in _strings(astuple(event))
        ):
            surroundings.tally.add("left out: secrets were redacted in it", log.name)
            yield from _forgotten(event, log)
        elif isinstance(event, Attempt):
            yield replace(event, model=event.model or log.model)
        else:
            yield event


def _strings(values: Iterable[object]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, tuple | list):
            yield from _strings(value)


def _forgotten(event: Attempt | Read | Wrote, log: Log) -> Iterator[Event]:
    """Events after which the files of a redacted event, or the agent's view of them, are unknown."""
    if isinstance(event, Read):
        yield SeenUnknown()
        return
    if isinstance(event, Attempt) and event.outcome not in _CHANGING:
        return
    named = paths.named(event) if isinstance(event, Attempt) else [event.path]
    key = event.key if isinstance(event, Attempt) else f"{log.name}:{event.path}"
    for number, path in enumerate(named):
        yield Attempt(f"{key}:{number}", "str_replace", path=path)
