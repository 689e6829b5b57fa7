"""Executions per second of fuzzing, as a share of the answers of a program that is fed plainly.

    python -m tests.harness.fuzz.finder_bench.zoo.speed 'cmd:mine[begin_patch]=python3 mine.py' ...

Both are measured in turns, for a few seconds each, so that a loaded machine slows both. Plainly: drawn requests are
written to the program line by line, and each answer is read before the next request is written.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic

import click

from harness.fuzz.engine.campaign import Campaign, CampaignSettings
from harness.fuzz.inputs import FORMS
from harness.fuzz.targets import strategy_targets
from harness.strategies.command_spec import parts_of
from harness.strategies.protocol import request_line


@click.command()
@click.argument("specs", nargs=-1, required=True)
@click.option("--seconds", default=4.0, show_default=True, help="Seconds of each measurement.")
@click.option("--rounds", default=3, show_default=True, help="Measurements, of which the median counts.")
@click.option("-j", "--jobs", default=2, show_default=True, help="Workers of the fuzzer.")
def main(specs: tuple[str, ...], seconds: float, rounds: int, jobs: int) -> None:
    """Print both speeds for each program, and their ratio."""
    for spec in specs:
        pairs = [(plainly(spec, seconds), fuzzed(spec, seconds, jobs)) for _ in range(rounds)]
        plain, fuzz = (median(numbers) for numbers in zip(*pairs, strict=True))
        share = median([fuzz / plain for plain, fuzz in pairs])
        click.echo(f"{spec.partition('=')[0]}: {plain:,.0f} answers a second plainly, {fuzz:,.0f} inputs fuzzed: "
                   f"{share:.0%}")  # fmt: skip


def plainly(spec: str, seconds: float) -> float:
    """The answers per second of a program that is fed requests of drawn inputs."""
    (target,), (_, _, _, words) = strategy_targets(spec), parts_of(spec)
    form = FORMS[target.format or ""]
    samples = [form.sample(target.generate(Random(seed))) for seed in range(2_000)]
    lines = [request_line(str(n), one) for n, one in enumerate(samples) if one is not None]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=-1) as program:
        assert program.stdin
        assert program.stdout
        n, started = -1, monotonic()
        while monotonic() - started < seconds:
            for line in lines[n % len(lines) :][:50] if n >= 0 else lines[:1]:
                program.stdin.write(line)
                program.stdin.flush()
                program.stdout.readline()
                n += 1
                if not n:
                    started = monotonic()  # The first answer is there: the program has started.
        return n / (monotonic() - started)


def fuzzed(spec: str, seconds: float, jobs: int) -> float:
    """The executions per second of fuzzing."""
    with TemporaryDirectory(prefix="editgauge-speed-") as folder:
        campaign = Campaign(strategy_targets(spec), CampaignSettings(seconds=seconds, folder=Path(folder), jobs=jobs))
        campaign.run(lambda _: None)
        (progress,) = campaign.results
    return progress.per_s or 0.0


if __name__ == "__main__":
    main()
