"""The worker process, which fuzzes one target: `python -m harness.fuzz.engine.worker JOB`, where JOB is JSON.

Events go to stdout, one JSON object a line; libFuzzer's own output goes to stderr. A process of its own is needed
because modules are instrumented while they are imported, and because an input may hang, crash or exhaust memory.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from time import monotonic, process_time
from typing import TYPE_CHECKING, Any

from harness.processes import end_with_parent

if TYPE_CHECKING:
    from harness.fuzz.finding import Violation
    from harness.fuzz.inputs import Fields
    from harness.fuzz.target import Target

_SHRINKING_S = 3.0
_PROGRESS_EVERY_S = 0.5
_BATCH = 1_000
"""Inputs that Hypothesis draws before it starts over with another seed."""
_INSTRUMENTED = {
    "scrub": "corpora.scrub",
    "importer": "corpora.importers",
    "protocol": "harness.strategies.protocol",
}
_NOT_INSTRUMENTED = {"editcore.types", "editcore.errors", "editcore.diagnosis"}
"""Modules whose edges do not depend on the input: values, and the messages of refusals."""


@dataclass(frozen=True, slots=True)
class WorkerJob:
    """What one worker process does."""

    target: str
    engine: str
    specs: tuple[str, ...] = ()
    """The strategies that the target is made of, if it is not in the table of targets."""
    seconds: float = 60.0
    runs: int | None = None
    seed: int = 0
    corpus: str = ""
    """The folder for inputs that reach something new."""
    seeds: tuple[str, ...] = ()
    """Folders of inputs to start from."""
    artifacts: str = ""
    """The folder for the input that the process dies of."""
    known: tuple[tuple[str, str, str], ...] = ()
    """Keys of findings that are not reported again."""
    memory_mb: int = 2048
    timeout_s: int = 25

    @property
    def command(self) -> list[str]:
        """The command line of the worker process."""
        return [sys.executable, "-m", "harness.fuzz.engine.worker", json.dumps(asdict(self))]

    @property
    def environment(self) -> dict[str, str]:
        """Its environment: the import path of this process, and temporary files in `artifacts`."""
        path = os.pathsep.join(filter(None, sys.path))
        return {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": path, "TMPDIR": self.artifacts}


def main() -> None:
    """Do the job that the command line gives."""
    end_with_parent(os.getppid())
    do(job_of(sys.argv[1]))


def job_of(argument: str) -> WorkerJob:
    """The job that JSON describes."""
    return WorkerJob(**{name: _tuples(value) for name, value in json.loads(argument).items()})


def _tuples(value: Any) -> Any:
    return tuple(_tuples(one) for one in value) if isinstance(value, list) else value


class Observer:
    """Checks the inputs of a target, and emits each kind of finding once."""

    def __init__(self, job: WorkerJob, *, emits: bool = True) -> None:
        from harness.fuzz.target import observe
        from harness.fuzz.targets import target_by_name

        self.target: Target = target_by_name(job.target, job.specs)
        self._observe = observe
        self._known = set(job.known)
        self._emitted: set[tuple[str, str, str]] = set()
        self._emits = emits

    def check_bytes(self, data: bytes) -> None:
        """Check an input, given as bytes, and emit the findings that are new."""
        from harness.fuzz.inputs import fields_in

        self.check(fields_in(data))

    def check(self, fields: Fields) -> None:
        """Check an input, given as fields, and emit the findings that are new."""
        for violation in self._observe(self.target, fields):
            self._emit_finding(violation, fields)

    def _emit_finding(self, violation: Violation, fields: Fields) -> None:
        key = (self.target.name, violation.property, violation.path)
        if key in self._emitted or not self._emits:
            return
        self._emitted.add(key)
        if key in self._known:
            emit({"known": key})
            return
        from harness.fuzz.finding import Finding

        small = shrink_violation(self.target, violation, fields, seconds=_SHRINKING_S)
        smallest = next(
            (one for one in self._observe(self.target, small, thorough=True) if _same_violation(one, violation)),
            violation,
        )
        finding = Finding(*key, smallest.detail, small, self.target.format)
        emit({"finding": asdict(finding)})


Observing = Callable[[WorkerJob], Observer]


def shrink_violation(target: Target, violation: Violation, fields: Fields, *, seconds: float) -> Fields:
    """The smallest input found that breaks the same property in the same way."""
    from harness.fuzz.engine.shrink import shrink
    from harness.fuzz.finding import SLOW
    from harness.fuzz.target import observe

    if violation.property == SLOW:
        return fields

    def fails(smaller: Fields) -> bool:
        return any(_same_violation(one, violation) for one in observe(target, smaller, thorough=True))

    return shrink(fields, fails, seconds=seconds)


def _same_violation(one: Violation, other: Violation) -> bool:
    return (one.property, one.path) == (other.property, other.path)


def emit(event: dict[str, Any]) -> None:
    """Write an event to stdout, for the process that started this one."""
    # Not through sys.stdout: libFuzzer ends the process without flushing it.
    os.write(1, (json.dumps(event, ensure_ascii=True) + "\n").encode())


def _import_instrumented(job: WorkerJob) -> None:
    """Import the code under test instrumented, so that libFuzzer sees its edges."""
    from atheris.import_hook import HookManager

    # As atheris.instrument_imports, without comparisons: neither the mutator nor the dictionary uses them.
    package = _package_under_test(job)
    root = package.partition(".")[0]
    with HookManager({root}, _NOT_INSTRUMENTED, enable_loader_override=True, trace_dataflow=False):
        import_module(package)
        if root != __name__.partition(".")[0]:  # Else the fuzzer itself would be instrumented.
            import_module("harness.fuzz.targets")


def _package_under_test(job: WorkerJob) -> str:
    """The package whose edges decide whether an input reaches something new."""
    return _INSTRUMENTED.get(job.target.partition("/")[0], "editcore")


def _atheris(job: WorkerJob, observing: Observing) -> None:
    """Fuzz with libFuzzer, guided by coverage; with the structure-aware mutator, but for `bytes` and raw targets."""
    import atheris

    _import_instrumented(job)
    from harness.fuzz.engine.mutate import Mutator, Redrawing

    observer = observing(job)
    check_bytes = observer.check_bytes
    options = [
        "editgauge-fuzz",
        f"-max_total_time={max(int(job.seconds), 1)}",
        f"-max_len={observer.target.longest}",
        f"-seed={job.seed + 1}",
        f"-timeout={job.timeout_s}",
        f"-rss_limit_mb={job.memory_mb}",
        f"-artifact_prefix={job.artifacts}/",
        "-print_final_stats=1",
        "-reload=1",
        # Of inputs that reach the same edges, the faster ones are tried more often.
        "-entropic_scale_per_exec_time=1",
    ]
    if job.runs is not None:
        options.append(f"-runs={job.runs}")
    if observer.target.tokens:
        options.append(f"-dict={_dictionary(job, observer.target)}")
    if job.engine == "bytes" or observer.target.raw:
        atheris.Setup([*options, job.corpus, *job.seeds], check_bytes)
    else:
        change = observer.target.change
        mutate = Redrawing(change) if change else Mutator(observer.target.generate, observer.target.tokens)
        if change:
            options.append("-len_control=0")  # Inputs that are not to be cut are of all lengths from the start.
        # One generator for all mutations: making one from libFuzzer's seed takes as long as a mutation.
        rng = Random(job.seed)

        def mutator(data: bytes, max_size: int, _seed: int) -> bytes:
            return mutate(data, max_size, rng, atheris.Mutate)

        atheris.Setup([*options, job.corpus, *job.seeds], check_bytes, custom_mutator=mutator)
    gc.freeze()  # What has been imported stays, so the collector can skip it.
    emit({"started": process_time()})
    atheris.Fuzz()


def _dictionary(job: WorkerJob, target: Target) -> str:
    """Write the target's tokens to a file as a libFuzzer dictionary, and return its path."""
    lines = []
    for token in target.tokens:
        data = token.encode("utf-8", "surrogatepass")
        if data:
            lines.append('"' + "".join(f"\\x{byte:02x}" for byte in data[:60]) + '"')
    path = Path(job.artifacts) / "dictionary"
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return str(path)


def _hypothesis(job: WorkerJob, observing: Observing) -> None:
    """Fuzz with Hypothesis: the generators draw from it. Its own profile, so that every run draws other inputs."""
    from hypothesis import HealthCheck, Phase, given, seed, settings
    from hypothesis import strategies as st

    observer = observing(job)
    emit({"started": process_time()})
    _check_seeds(observer, (job.corpus, *job.seeds))
    ends = monotonic() + job.seconds
    n_done, emitted_at, batch = 0, monotonic(), 0
    generate = observer.target.generate

    def check_one(rng: Random) -> None:
        nonlocal n_done, emitted_at
        if monotonic() > ends:
            # Hypothesis calls a test flaky that returns early or raises where it drew on before.
            emit({"executions": n_done})
            os._exit(0)
        observer.check(generate(rng))
        n_done += 1
        if monotonic() - emitted_at > _PROGRESS_EVERY_S:
            emitted_at = monotonic()
            emit({"executions": n_done})

    while monotonic() < ends and n_done != job.runs:
        n_examples = _BATCH if job.runs is None else min(_BATCH, job.runs - n_done)
        profile = settings(
            max_examples=n_examples, deadline=None, database=None, derandomize=False, phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        # Either Hypothesis makes every choice, repeating and varying earlier ones, or it chooses a seed only.
        chance = st.randoms(use_true_random=False) | st.integers(0, 2**64 - 1).map(Random)
        seed(job.seed + batch)(profile(given(chance)(check_one)))()
        batch += 1
    emit({"executions": n_done})


def _check_seeds(observer: Observer, folders: Sequence[str]) -> int:
    """Check every input in the folders, and return their number."""
    n = 0
    for folder in folders:
        for path in sorted(Path(folder).glob("*")):
            if path.is_file():
                observer.check_bytes(path.read_bytes())
                n += 1
    return n


def _minimize(job: WorkerJob) -> None:
    """Copy to the corpus folder the few inputs of the seed folders that reach every edge that all of them reach."""
    import atheris

    _import_instrumented(job)
    observer = Observer(job, emits=False)
    # libFuzzer merges in a second process, which it starts by the name of its program: so there is a script.
    script = Path(job.artifacts) / "again"
    argv = json.dumps(sys.argv[1])
    script.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path[:0] = {[path for path in sys.path if path]!r}\n"
        f"from harness.fuzz.engine.worker import continue_minimizing\ncontinue_minimizing({argv}, sys.argv)\n",
        encoding="utf-8",
    )
    script.chmod(0o755)
    atheris.Setup([str(script), "-merge=1", "-rss_limit_mb=4096", job.corpus, *job.seeds], observer.check_bytes)
    atheris.Fuzz()


def continue_minimizing(argument: str, argv: list[str]) -> None:
    """The second process of libFuzzer while it minimizes a corpus."""
    import atheris

    job = job_of(argument)
    _import_instrumented(job)
    atheris.Setup(argv, Observer(job, emits=False).check_bytes)
    atheris.Fuzz()


def _coverage(job: WorkerJob) -> None:
    """Check the inputs of the seed folders under coverage.py, and write its pages to the corpus folder."""
    from coverage import Coverage

    package = _package_under_test(job)
    coverage = Coverage(branch=True, source=[package], data_file=None)
    coverage.start()
    n = _check_seeds(Observer(job, emits=False), job.seeds)
    coverage.stop()
    share = coverage.html_report(directory=job.corpus, title=job.target, show_contexts=False)
    print(f"{job.target}: {n:,} inputs cover {share:.1f} % of {package}: {Path(job.corpus) / 'index.html'}")


_ENGINES = {"atheris": _atheris, "bytes": _atheris, "hypothesis": _hypothesis}
_OTHER_JOBS = {"minimize": _minimize, "coverage": _coverage}


def do(job: WorkerJob, observing: Observing = Observer) -> None:
    """Do a job; with an engine, each input goes to what `observing` makes of the job."""
    if job.engine in _OTHER_JOBS:
        _OTHER_JOBS[job.engine](job)
    else:
        _ENGINES[job.engine](job, observing)


if __name__ == "__main__":
    main()
