"""Many processes and threads that edit the same documents through `doc_edit`, and what must hold afterwards.

`python tests/editcore/host/documents/store_load.py --seconds 60 --processes 8 --threads 16` does it on SQLite, with
`--postgres` on a server of its own, with `--url` on that database. It prints figures, and each condition that does not
hold; exit code 1 means that there is one. The tests start it as `--worker NAME`: a process that edits, and prints which
edits were acknowledged.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import reduce
from pathlib import Path
from typing import Any
from uuid import uuid4

HOME = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(HOME))

from editcore.errors import DocumentError  # noqa: E402
from editcore.host.documents.commands import COMMANDS  # noqa: E402
from editcore.host.documents.store import Documents  # noqa: E402
from editcore.host.host import Agent, Host  # noqa: E402
from editcore.host.registry import Registry  # noqa: E402
from editcore.host.tool import Context  # noqa: E402
from editcore.host.tools.doc_edit import DOC_EDIT  # noqa: E402
from editcore.host.workspace import Workspace  # noqa: E402
from tests.postgres import server  # noqa: E402


def path_of(n: int) -> str:
    """The nth document."""
    return f"/chapters/{n}.md"


class Editor:
    """The edits of one thread."""

    def __init__(self, documents: Documents, registry: Registry, name: str, options: argparse.Namespace) -> None:
        self.documents, self.registry, self.name, self.options = documents, registry, name, options
        self.rng = random.Random(name)
        self.acknowledged: list[str] = []
        self.latencies: list[float] = []
        self.refusals: Counter[str] = Counter()
        self.lines: dict[str, list[str]] = {path_of(n): [] for n in range(options.documents)}

    def edit(self, n: int) -> None:
        """Make one random edit of a random document. Each edit adds a line that no other edit adds."""
        path, line = path_of(self.rng.randrange(self.options.documents)), f"{self.name} {n}."
        params: dict[str, object] = {"command": "append", "path": path, "new_str": line}
        kind, mine = self.rng.random(), self.lines[path]
        if self.options.creating:
            params = {"command": "create", "path": path, "file_text": line}
        elif self.options.adding:
            pass
        elif kind < 0.2 and mine:
            params = {**params, "command": "str_replace", "old_str": mine.pop(self.rng.randrange(len(mine)))}
        elif kind < 0.4:
            params = {**params, "command": "insert", "insert_line": self.rng.choice((0, 1, -1))}
        elif kind < 0.41:
            self._accept(path)
        start = time.perf_counter()
        result = self.registry.call(Agent(), "doc_edit", Context(extra={"chat_id": self.name, "turn_id": n}), params)
        self.latencies.append(time.perf_counter() - start)
        if result.is_error:
            self.refusals[str(result.metadata.get("error_code", result.output))] += 1
            return
        mine.append(line)
        self.acknowledged.append(result.metadata["edit_id"])
        if self.options.aloud:
            print(line, flush=True)

    def _accept(self, path: str) -> None:
        try:
            self.documents.accept(path)
        except DocumentError as error:
            self.refusals[str(error.code)] += 1


def work(options: argparse.Namespace) -> dict[str, Any]:
    """The acknowledged edits of a process, the time of each call, and the refusals by code."""
    with closing(Documents(url=options.url, project=options.project, durable=not options.fast)) as documents:
        documents.names("/")
        print("ready", flush=True)
        sys.stdin.readline()
        until = time.monotonic() + options.seconds
        registry = Registry(Host(Workspace(tempfile.gettempdir()), documents=documents), {"doc_edit": DOC_EDIT})

        def edited(thread: int) -> Editor:
            editor = Editor(documents, registry, f"{options.worker}-{thread}", options)
            n = 0
            while n != options.edits and time.monotonic() < until:
                editor.edit(n)
                n += 1
            return editor

        with ThreadPoolExecutor(options.threads) as pool:
            editors = list(pool.map(edited, range(options.threads)))
    return {
        "acknowledged": [id for one in editors for id in one.acknowledged],
        "latencies": [seconds for one in editors for seconds in one.latencies],
        "refusals": sum((one.refusals for one in editors), Counter()),
    }


def problems(documents: Documents, acknowledged: set[str], *, n_documents: int) -> list[str]:
    """The violated conditions of the documents; empty if all hold."""
    found, ids = [], []
    for path in map(path_of, range(n_documents)):
        base = None
        for session in documents.sessions(path):
            edits = documents.edits(session.id)
            ids += [edit.id for edit in edits]
            if [edit.edit_order for edit in edits] != list(range(1, len(edits) + 1)):
                found.append(f"{path}: the orders are {[edit.edit_order for edit in edits]}")
            version = reduce(
                lambda text, edit: COMMANDS[edit.suggestion.command].apply_to_version(
                    text, edit.suggestion, documents.cascade
                ),
                edits,
                session.base_snapshot,
            )
            if version != session.ai_version:
                found.append(f"{path}: the version of {session.id} is not what its edits make of its base")
            if base is not None and session.base_snapshot != base:
                found.append(f"{path}: {session.id} does not start where the one before it ended")
            base = session.ai_version
        if sum(session.status == "active" for session in documents.sessions(path)) > 1:
            found.append(f"{path}: several sessions are active")
    if len(ids) != len(set(ids)) or not acknowledged <= set(ids):
        found.append(f"{len(acknowledged - set(ids))} acknowledged edits are lost")
    return found


def started(url: str, project: str, name: str, **options: object) -> subprocess.Popen[str]:
    """A process that is going to edit once it is told to."""
    extra = [part for key, value in options.items() for part in (f"--{key}", *([] if value is True else [str(value)]))]
    line = [sys.executable, __file__, "--worker", name, "--url", url, "--project", project, *extra]
    return subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def set_off(workers: Sequence[subprocess.Popen[str]]) -> None:
    """Let them go, all at once."""
    for worker in workers:
        assert worker.stdout
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin
        worker.stdin.write("go\n")
        worker.stdin.flush()


def main() -> int:
    """The exit code of the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--threads", type=int, default=16, help="of each process")
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--url", help="SQLAlchemy's")
    parser.add_argument("--postgres", action="store_true", help="a server of its own")
    parser.add_argument("--fast", action="store_true", help="SQLite does not wait for the disk")
    parser.add_argument("--project", default=uuid4().hex)
    parser.add_argument("--edits", type=int, default=-1, help="of each thread, at most")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    for name in ("--aloud", "--adding", "--creating"):
        parser.add_argument(name, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(work(options)), flush=True)
        return 0
    with ExitStack() as stack:
        if options.postgres:
            options.url = stack.enter_context(server())
        elif options.url is None:
            options.url = f"sqlite:///{stack.enter_context(tempfile.TemporaryDirectory())}/documents.db"
        return load(options)


def load(options: argparse.Namespace) -> int:
    """Start the processes, say what they did and what does not hold."""
    with closing(Documents(url=options.url, project=options.project)) as documents:
        for n in range(options.documents):
            documents.save(path_of(n), "")
        rest = {"seconds": options.seconds, "threads": options.threads, "documents": options.documents}
        rest |= {"edits": options.edits, **({"fast": True} if options.fast else {})}
        workers = [started(options.url, options.project, f"p{n}", **rest) for n in range(options.processes)]
        set_off(workers)
        done = [json.loads(worker.communicate()[0]) for worker in workers]
        acknowledged = {id for one in done for id in one["acknowledged"]}
        latencies = sorted(seconds for one in done for seconds in one["latencies"])
        refusals = sum((Counter(one["refusals"]) for one in done), Counter())
        kind = options.url.partition(":")[0]
        print(
            f"{kind}: {len(acknowledged):,} edits in {options.seconds:g} s by {options.processes} x {options.threads}: "
            f"{len(acknowledged) / options.seconds:,.0f}/s; p50 {_ms(latencies, 0.5)}, p99 {_ms(latencies, 0.99)}, "
            f"longest {latencies[-1] * 1000:,.0f} ms; refused: {dict(refusals) or 'none'}"
        )
        found = problems(documents, acknowledged, n_documents=options.documents)
    print("\n".join(found) or "all edits are there, in order, and make the versions that are stored")
    return 1 if found else 0


def _ms(values: list[float], share: float) -> str:
    return f"{values[int(share * (len(values) - 1))] * 1000:,.1f} ms"


if __name__ == "__main__":
    sys.exit(main())
