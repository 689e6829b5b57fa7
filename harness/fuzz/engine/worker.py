"""The process that fuzzes one target: `python -m harness.fuzz.engine.worker ORDER`, where ORDER is JSON.

Findings go to stdout, a JSON object a line; what libFuzzer says goes to stderr. It is a process of its own since
modules are instrumented while they are imported, and since what it runs may hang, die or eat the memory.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from time import monotonic, process_time
from types import FunctionType
from typing import TYPE_CHECKING, Any

from harness.processes import end_with_parent

if TYPE_CHECKING:
    from harness.fuzz.engine.finding import Violation
    from harness.fuzz.engine.inputs import Fields
    from harness.fuzz.engine.target import Target

_SHRINKING_S = 3.0
_PROGRESS_EVERY_S = 0.5
_BATCH = 1_000
"""Inputs that Hypothesis draws before it begins anew."""
_INSTRUMENTED = {"importer": "corpora.importers", "protocol": "harness.strategies.protocol"}
_DECIDES_NOTHING = {"editcore.types", "editcore.errors", "editcore.diagnosis"}
"""Modules whose edges say nothing of an input: values, and what a refusal is told in."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a worker is to do."""

    target: str
    engine: str
    specs: tuple[str, ...] = ()
    """Strategies that the target is made of, where it is none of the table."""
    planted: str | None = None
    """The bug that is put in first, and looked for; the process ends where it shows."""
    cpu_s: float | None = None
    """CPU time after which a planted bug is given up."""
    seconds: float = 60.0
    runs: int | None = None
    seed: int = 0
    corpus: str = ""
    """Where inputs that reach something new are kept."""
    seeds: tuple[str, ...] = ()
    """Folders of inputs to begin with."""
    artifacts: str = ""
    """Where the input is left that the process died of."""
    known: tuple[tuple[str, str, str], ...] = ()
    """Keys of findings that need not be told again."""
    memory_mb: int = 2048
    timeout_s: int = 25

    @property
    def command(self) -> list[str]:
        """The command line of the worker that does it."""
        return [sys.executable, "-m", "harness.fuzz.engine.worker", json.dumps(asdict(self))]

    @property
    def environment(self) -> dict[str, str]:
        """Its environment: what it imports is what we do, and what it leaves behind goes with `artifacts`."""
        path = os.pathsep.join(filter(None, sys.path))
        return {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": path, "TMPDIR": self.artifacts}


def main() -> None:
    """Do what the command line orders."""
    end_with_parent(os.getppid())
    raw = json.loads(sys.argv[1])
    order = Order(**{name: _tuples(value) for name, value in raw.items()})
    _ENGINES[order.engine](order)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(one) for one in value) if isinstance(value, list) else value


class Watch:
    """Looks at inputs for a target, and tells of each kind of finding once."""

    def __init__(self, order: Order, *, tells: bool = True) -> None:
        from harness.fuzz.engine.target import observe
        from harness.fuzz.targets import ordered_target

        self.target: Target = ordered_target(order.target, order.specs)
        self._observe = observe
        self._known = set(order.known)
        self._seen: set[tuple[str, str, str]] = set()
        self._tells = tells

    def look(self, data: bytes) -> None:
        """Hold an input to everything, and tell of what is new."""
        from harness.fuzz.engine.inputs import fields_in

        self.look_at(fields_in(data))

    def look_at(self, fields: Fields) -> None:
        """The same, of an input that is in fields already."""
        for violation in self._observe(self.target, fields):
            self._tell(violation, fields)

    def _tell(self, violation: Violation, fields: Fields) -> None:
        key = (self.target.name, violation.property, violation.path)
        if key in self._seen or not self._tells:
            return
        self._seen.add(key)
        if key in self._known:
            tell({"known": key})
            return
        from harness.fuzz.engine.finding import Finding

        small = shrunk_like(self.target, violation, fields, seconds=_SHRINKING_S)
        told = next(
            (one for one in self._observe(self.target, small, thorough=True) if _alike(one, violation)), violation
        )
        finding = Finding(*key, told.detail, small, self.target.format)
        tell({"finding": asdict(finding)})


class BugWatch(Watch):
    """Looks for a planted bug, and ends the process where it shows, or where its time is over."""

    def __init__(self, order: Order, instrument: Callable[[FunctionType], object] | None = None) -> None:
        from harness.fuzz.finder_bench.planted import PLANTED, Bug

        super().__init__(order)
        self._bug = Bug(PLANTED[order.planted or ""], instrument=instrument, notice=self._notice)
        self._noticed: set[str] = set()
        self._started = process_time()
        self._ends = self._started + (order.cpu_s or order.seconds)
        # An input may hang, and not every engine minds.
        most = int(self._ends) + order.timeout_s
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
        self._n_executions = 0

    def look_at(self, fields: Fields) -> None:
        self._n_executions += 1
        violation = self._bug.shown(self.target, fields)
        if violation is not None:
            tell({"detected": self._spent(), "property": violation.property, "fields": fields})
        if violation is not None or process_time() > self._ends:
            tell({"executions": self._n_executions})
            os._exit(0)

    def _notice(self, what: str) -> None:
        if what not in self._noticed:
            self._noticed.add(what)
            tell({what: self._spent()})

    def _spent(self) -> float:
        return process_time() - self._started


def shrunk_like(target: Target, violation: Violation, fields: Fields, *, seconds: float) -> Fields:
    """The smallest input that violates the same in the same way."""
    from harness.fuzz.engine.finding import SLOW
    from harness.fuzz.engine.shrink import shrunk
    from harness.fuzz.engine.target import observe

    if violation.property == SLOW:
        return fields

    def fails(smaller: Fields) -> bool:
        return any(_alike(one, violation) for one in observe(target, smaller, thorough=True))

    return shrunk(fields, fails, seconds=seconds)


def _alike(one: Violation, other: Violation) -> bool:
    return (one.property, one.path) == (other.property, other.path)


def tell(event: dict[str, Any]) -> None:
    """Write an event for whoever started this process."""
    # Not through sys.stdout: libFuzzer ends the process without flushing anything.
    os.write(1, (json.dumps(event, ensure_ascii=True) + "\n").encode())


def _import_instrumented(order: Order) -> None:
    """Import what is fuzzed, so that the edges it passes are seen."""
    from atheris.import_hook import HookManager

    # As `instrument_imports`, but for comparisons: the mutator and the dictionary do not ask what was compared.
    watched = _watched(order)
    package = watched.partition(".")[0]
    with HookManager({package}, _DECIDES_NOTHING, enable_loader_override=True, trace_dataflow=False):
        import_module(watched)
        if package != __name__.partition(".")[0]:  # Else the fuzzer itself would be watched.
            import_module("harness.fuzz.targets")


def _watched(order: Order) -> str:
    """The package whose edges tell whether an input is new."""
    return _INSTRUMENTED.get(order.target.partition("/")[0], "editcore")


def _atheris(order: Order) -> None:
    """Coverage-guided, with the structure-aware mutator where the target has a use for it; `bytes` goes without."""
    import atheris

    _import_instrumented(order)
    from harness.fuzz.engine.mutate import Mutator

    watch = BugWatch(order, atheris.instrument_func) if order.planted else Watch(order)
    look = watch.look
    options = [
        "editgauge-fuzz",
        f"-max_total_time={max(int(order.seconds), 1)}",
        f"-max_len={watch.target.longest}",
        f"-seed={order.seed + 1}",
        f"-timeout={order.timeout_s}",
        f"-rss_limit_mb={order.memory_mb}",
        f"-artifact_prefix={order.artifacts}/",
        "-print_final_stats=1",
        "-reload=1",
        # Of inputs that reach as much, the quicker ones are tried more often.
        "-entropic_scale_per_exec_time=1",
    ]
    if order.runs is not None:
        options.append(f"-runs={order.runs}")
    if watch.target.tokens:
        options.append(f"-dict={_dictionary(order, watch.target)}")
    if order.engine == "bytes" or watch.target.raw:
        atheris.Setup([*options, order.corpus, *order.seeds], look)
    else:
        mutate = Mutator(watch.target.generate, watch.target.tokens)
        # One for all: making one of libFuzzer's seed takes as long as a mutation.
        rng = Random(order.seed)

        def mutator(data: bytes, most: int, _seed: int) -> bytes:
            return mutate(data, most, rng, atheris.Mutate)

        atheris.Setup([*options, order.corpus, *order.seeds], look, custom_mutator=mutator)
    gc.freeze()  # What was imported stays, and need not be looked through again and again.
    tell({"started": process_time()})
    atheris.Fuzz()


def _dictionary(order: Order, target: Target) -> str:
    """A file of the target's tokens, as libFuzzer reads them."""
    lines = []
    for token in target.tokens:
        data = token.encode("utf-8", "surrogatepass")
        if data:
            lines.append('"' + "".join(f"\\x{byte:02x}" for byte in data[:60]) + '"')
    path = Path(order.artifacts) / "dictionary"
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return str(path)


def _hypothesis(order: Order) -> None:
    """Hypothesis draws what the generators ask for. Its own profile: every run draws other inputs."""
    from hypothesis import HealthCheck, Phase, given, seed, settings
    from hypothesis import strategies as st

    watch = BugWatch(order) if order.planted else Watch(order)
    tell({"started": process_time()})
    _look_at_seeds(watch, (order.corpus, *order.seeds))
    ends = monotonic() + order.seconds
    n_done, told_at, batch = 0, monotonic(), 0
    generate = watch.target.generate

    def look(rng: Random) -> None:
        nonlocal n_done, told_at
        if monotonic() > ends:
            return
        watch.look_at(generate(rng))
        n_done += 1
        if monotonic() - told_at > _PROGRESS_EVERY_S:
            told_at = monotonic()
            tell({"executions": n_done})

    while monotonic() < ends and n_done != order.runs:
        most = _BATCH if order.runs is None else min(_BATCH, order.runs - n_done)
        profile = settings(
            max_examples=most, deadline=None, database=None, derandomize=False, phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        # Each choice Hypothesis's own, which repeats and varies what it chose before, or only where chance begins.
        chance = st.randoms(use_true_random=False) | st.integers(0, 2**64 - 1).map(Random)
        seed(order.seed + batch)(profile(given(chance)(look)))()
        batch += 1
    tell({"executions": n_done})


def _look_at_seeds(watch: Watch, folders: Sequence[str]) -> int:
    """Look at every input that lies in the folders; how many there were."""
    n = 0
    for folder in folders:
        for path in sorted(Path(folder).glob("*")):
            if path.is_file():
                watch.look(path.read_bytes())
                n += 1
    return n


def _merge(order: Order) -> None:
    """Copy into the corpus folder, of the inputs in the seed folders, as few as reach all they reach."""
    import atheris

    _import_instrumented(order)
    watch = Watch(order, tells=False)
    # libFuzzer starts its own program again for this, by name: a script that is one.
    script = Path(order.artifacts) / "again"
    argv = json.dumps(sys.argv[1])
    script.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path[:0] = {[path for path in sys.path if path]!r}\n"
        f"from harness.fuzz.engine.worker import merged_again\nmerged_again({argv}, sys.argv)\n",
        encoding="utf-8",
    )
    script.chmod(0o755)
    atheris.Setup([str(script), "-merge=1", "-rss_limit_mb=4096", order.corpus, *order.seeds], watch.look)
    atheris.Fuzz()


def merged_again(argument: str, argv: list[str]) -> None:
    """What libFuzzer's second process does while it merges."""
    import atheris

    order = Order(**{name: _tuples(value) for name, value in json.loads(argument).items()})
    _import_instrumented(order)
    atheris.Setup(argv, Watch(order, tells=False).look)
    atheris.Fuzz()


def _coverage(order: Order) -> None:
    """Replay the inputs of the seed folders under coverage.py, and write its pages into the corpus folder."""
    from coverage import Coverage

    watched = _watched(order)
    coverage = Coverage(branch=True, source=[watched], data_file=None)
    coverage.start()
    n = _look_at_seeds(Watch(order, tells=False), order.seeds)
    coverage.stop()
    share = coverage.html_report(directory=order.corpus, title=order.target, show_contexts=False)
    print(f"{order.target}: {n:,} inputs cover {share:.1f} % of {watched}: {Path(order.corpus) / 'index.html'}")


_ENGINES = {"atheris": _atheris, "bytes": _atheris, "hypothesis": _hypothesis, "merge": _merge, "coverage": _coverage}


if __name__ == "__main__":
    main()
