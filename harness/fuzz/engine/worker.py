"""The worker process, which fuzzes one target, and the settings of a campaign. Nothing here imports the fuzzer early.

A WorkerJob comes on stdin, and the events of its Observer go to stdout, both pickled. A process of its own is needed
because modules are instrumented while they are imported, and because an input may hang, crash or exhaust memory.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random
from subprocess import PIPE, Popen
from threading import Thread
from typing import IO, TYPE_CHECKING

from harness.processes import end_with_parent

if TYPE_CHECKING:
    from harness.fuzz.engine.observer import Observer
    from harness.fuzz.inputs import Fields
    from harness.fuzz.target import Target

_TAPE_BYTES = 8
"""The length of a tape that nobody mutates: what is drawn behind its end follows from it."""
_AT_ONCE = 16
"""Inputs that a program is asked at once."""
_RAW_SHARE = 0.2
"""The share of inputs that are changed by lines and letters, where seeds can be changed so. They have no answer."""


@dataclass(frozen=True, slots=True)
class CampaignSettings:
    """How to fuzz, whatever the targets are."""

    engine: str | None = None
    """None: atheris where it is installed, else hypothesis."""
    seconds: float = 60.0
    """Time limit for each target: seconds of fuzzing, start-up and shrinking excluded."""
    runs: int | None = None
    """Most inputs for each target; None: no limit."""
    jobs: int = 1
    """Number of workers that run at the same time."""
    seed: int = 0
    folder: Path = Path("fuzz")
    """Where corpus/TARGET/ and findings/ are kept."""
    seeds: Path | None = None
    """A folder of more inputs to start from: TARGET/ in it, or its files."""


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
    """The time limit of one input."""

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the process, with the import path of this one."""
        return {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


COMMAND = [sys.executable, "-c", "import sys; from harness.fuzz.engine.worker import main; main(*sys.argv[1:])"]
_EARLY = "early"
_started: list[Popen[bytes]] = []
Observing = Callable[[WorkerJob, IO[bytes] | None], "Observer"]


def start_early(n: int) -> None:
    """Start processes for coming jobs of programs. They import what they need while this process does so, too."""
    environment = WorkerJob("", "").environment
    _started.extend([_process(environment, _EARLY) for _ in range(n)])


def process_for(job: WorkerJob) -> Popen[bytes]:
    """A process that waits for the job on stdin."""
    return _started.pop() if _started and job.engine == "hypothesis" else _process(job.environment)


def _process(environment: dict[str, str], *arguments: str) -> Popen[bytes]:
    return Popen([*COMMAND, *arguments], env=environment, start_new_session=True, stdin=PIPE, stdout=PIPE, stderr=PIPE)


def main(when: str = "") -> None:
    """Do the job that comes on stdin."""
    end_with_parent(os.getppid())
    if when == _EARLY:
        import_module("harness.fuzz.targets")
    with suppress(EOFError):  # There is no job.
        job: WorkerJob = pickle.load(sys.stdin.buffer)
        os.environ["TMPDIR"] = job.artifacts
        tempfile.tempdir = None
        events = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # libFuzzer writes to both.
        do(job, events)


def do(job: WorkerJob, events: IO[bytes] | None, observing: Observing | None = None) -> None:
    """Do a job; each input goes to what `observing` makes of the job, by default an Observer of its target."""
    if job.engine == "atheris":
        _import_instrumented(job)
    observer = (observing or _observer)(job, events)
    {"atheris": _by_atheris, "hypothesis": _by_drawing, "coverage": _by_coverage}[job.engine](job, observer)


def _observer(job: WorkerJob, events: IO[bytes] | None) -> Observer:
    from harness.fuzz.engine.observer import Observer
    from harness.fuzz.targets import target_by_name

    target = target_by_name(job.target, job.specs)
    return Observer(target, job.known, events=events, seconds=job.seconds, runs=job.runs)


# Draws without guidance


def _by_drawing(job: WorkerJob, observer: Observer) -> None:
    """Draw inputs one after another, in between change the seeds and the inputs of a corpus by lines and letters."""
    from harness.strategies.protocol import CommandError

    if observer.target.start is not None:
        with suppress(CommandError):  # The first input shows it, too.
            observer.target.start()
    Thread(target=observer.ends_if_it_hangs, args=(job.timeout_s,), daemon=True).start()
    target, rest = observer.target, _inputs(job, observer.target)
    inputs = list(islice(rest, 1))  # The first alone: it need not wait until several are drawn.
    while not observer.is_over:
        if target.ask_ahead is not None:
            target.ask_ahead([fields for fields, _ in inputs])
        following = list(islice(rest, 1 if target.ask_ahead is None else _AT_ONCE))  # While the program computes.
        for fields, choices in inputs:
            if not observer.is_over:
                observer.check(fields, choices)
        inputs = following


def _inputs(job: WorkerJob, target: Target) -> Iterator[tuple[Fields, Sequence[int]]]:
    """The seeds, and then drawn inputs without end, with the choices that made them."""
    from harness.fuzz.engine.choices import Choices
    from harness.fuzz.engine.observer import input_of
    from harness.fuzz.generators.mutate import Mutator
    from harness.fuzz.inputs import fields_in

    rng, seeds = Random(job.seed), list(_seeds(job))
    yield from ((input_of(target, data), ()) for data in seeds)
    mutate, choices = Mutator(target.tokens, rng), Choices(rng.randbytes(_TAPE_BYTES))
    while True:
        if seeds and not target.is_drawn and rng.random() < _RAW_SHARE:
            yield fields_in(mutate(rng.choice(seeds), target.longest)), ()
            continue
        choices.made = []
        yield target.generate(choices), choices.made


def _seeds(job: WorkerJob) -> list[bytes]:
    paths = [path for folder in (job.corpus, *job.seeds) if folder for path in sorted(Path(folder).glob("*"))]
    return [path.read_bytes() for path in paths if path.is_file()]


# Guided by coverage


def _by_atheris(job: WorkerJob, observer: Observer) -> None:
    """Fuzz with libFuzzer, which keeps inputs that reach new edges and changes them."""
    import atheris

    options = [
        "editgauge-fuzz",
        f"-max_len={observer.target.longest}",
        f"-seed={job.seed + 1}",
        f"-timeout={job.timeout_s}",
        f"-rss_limit_mb={job.memory_mb}",
        f"-artifact_prefix={job.artifacts}/",
        "-reload=1",
        "-len_control=0",
        # Of inputs that reach the same edges, the faster ones are tried more often.
        "-entropic_scale_per_exec_time=1",
    ]

    def check(data: bytes) -> None:
        observer.check_bytes(data)
        if observer.is_over:
            os._exit(0)  # libFuzzer would end the process in the same way, later.

    def noise(data: bytes, max_size: int) -> bytes:
        return bytes(atheris.Mutate(data, max_size))  # Another function than before Setup.

    mutator = _mutator(observer.target, Random(job.seed), noise)
    atheris.Setup([*options, job.corpus, *job.seeds], check, custom_mutator=mutator)
    gc.freeze()  # What has been imported stays, so the collector can skip it.
    atheris.Fuzz()


def _mutator(target: Target, rng: Random, noise: Callable[[bytes, int], bytes]) -> Callable[[bytes, int, int], bytes]:
    """The function that makes libFuzzer's next input of one of its corpus: mostly a tape, else fields."""
    from harness.fuzz.engine.choices import Choices
    from harness.fuzz.engine.observer import TAPE
    from harness.fuzz.generators.mutate import Mutator
    from harness.fuzz.inputs import bytes_of, question_of

    # One generator for all mutations: making one from libFuzzer's seed takes as long as a mutation.
    mutate = Mutator(target.tokens, rng, noise)
    raw_share = _RAW_SHARE_BESIDE_ANSWERS if "as_meant" in target.properties else _RAW_SHARE_OF_GUIDED

    def mutated(data: bytes, max_size: int, _seed: int) -> bytes:
        is_tape = data[:1] == TAPE
        if not target.is_drawn and rng.random() < raw_share:
            return mutate(bytes_of(question_of(target.generate(Choices(data[1:])))) if is_tape else data, max_size)
        if is_tape and rng.random() > _NEW_TAPES:
            return TAPE + noise(data[1:], max_size - 1)
        return TAPE + rng.randbytes(_TAPE_BYTES)

    return mutated


_RAW_SHARE_OF_GUIDED = 0.95
"""The share of inputs that are changed by lines and letters, of targets whose inputs have no answer to lose."""
_RAW_SHARE_BESIDE_ANSWERS = 0.4
_NEW_TAPES = 0.3
"""The share of tapes that are new instead of changed."""

_INSTRUMENTED = {
    "scrub": "corpora.scrub",
    "importer": "corpora.importers",
    "protocol": "harness.strategies.protocol",
}
"""Family of a target -> the package whose edges decide whether an input reaches something new; editcore for others."""
_ASIDE = {
    "editcore.host": (
        "tool/", "documents/", "calls", "parameters", "bytes/", "paths",
    ),
    "editcore.agents": ("agent/",),
    "editcore.anchors": ("anchors/",),
    "editcore.patches": ("patch", "diff", "search_replace", "tool/", "calls", "round_trip/", "stale/"),
    "editcore.types": (), "editcore.errors": (), "editcore.diagnosis": (),
}  # fmt: skip
"""Package or module -> parts of the names of the targets that reach it. Instrumenting a module takes up to 0.1 s."""


class _NotInstrumented(frozenset[str]):
    """The modules that atheris leaves as they are: those that a target does not reach."""

    def __contains__(self, module: object) -> bool:
        return any(f"{module}.".startswith(f"{one}.") for one in self)


def _import_instrumented(job: WorkerJob) -> None:
    """Import the code under test instrumented, so that libFuzzer sees its edges."""
    from atheris.import_hook import HookManager

    # As atheris.instrument_imports, without comparisons: neither the mutator nor the dictionary uses them.
    package = package_under_test(job.target)
    root = package.partition(".")[0]
    aside = _NotInstrumented(one for one, targets in _ASIDE.items() if not any(map(job.target.__contains__, targets)))
    with HookManager({root}, aside, enable_loader_override=True, trace_dataflow=False):
        import_module(package)
        if root != __name__.partition(".")[0]:  # Else the fuzzer itself would be instrumented.
            import_module("harness.fuzz.targets").target_by_name(job.target, job.specs)


def package_under_test(target: str) -> str:
    return _INSTRUMENTED.get(target.partition("/")[0], "editcore")


# Coverage of a corpus, as pages of coverage.py


def _by_coverage(job: WorkerJob, observer: Observer) -> None:
    """Check the inputs of the seed folders under coverage.py, and write its pages to the corpus folder."""
    from coverage import Coverage

    package = package_under_test(job.target)
    coverage = Coverage(branch=True, source=[package], data_file=None)
    coverage.start()
    seeds = _seeds(job)
    for data in seeds:
        observer.check_bytes(data)
    coverage.stop()
    share = coverage.html_report(directory=job.corpus, title=job.target, show_contexts=False)
    print(f"{job.target}: {len(seeds):,} inputs cover {share:.1f} % of {package}: {Path(job.corpus) / 'index.html'}")
