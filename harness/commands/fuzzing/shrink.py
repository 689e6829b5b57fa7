"""`shrink`: make a wrong edit of a run as small as possible."""

from __future__ import annotations

from pathlib import Path

import click

from editcore.quoting import printable
from harness.commands.options import SECONDS, Output


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.argument("sample_id", metavar="SAMPLE")
@click.option(
    "-s", "--strategy", "spec", metavar="NAME", help="The strategy that edited it wrongly. Default: the first one."
)
@click.option(
    "--seconds", type=SECONDS, default=20.0, show_default=True, metavar="S",
    help="Time limit.",
)  # fmt: skip
@click.option("-o", "--out", type=Output(), metavar="FILE", help="Also write the sample, as JSONL.")
@click.option("--json", "as_json", is_flag=True, help="Print the sample instead of the text case.")
def shrink(folder: Path, sample_id: str, spec: str | None, seconds: float, out: Path | None, as_json: bool) -> None:
    """Make a wrong edit of a run as small as possible.

    Verdict, damage and the deciding replacer stay the same. A line is removed from the file, the right answer and the
    edit alike, so that the right answer stays right.
    """
    from corpora.sample import encode
    from harness.commands.runs.sample_details import no_such_sample
    from harness.fuzz.engine.shrink_sample import shrink_wrong_edit
    from reports.runs.manifest import read_manifest, write_atomically
    from reports.runs.parts import outcomes

    read_manifest(folder)
    found = [one for one in outcomes(folder) if one.sample_id == sample_id]
    if not found:
        raise no_such_sample(folder, sample_id)
    small = shrink_wrong_edit(folder, found, spec, seconds=seconds)
    if out is not None:
        write_atomically(out, f"{encode(small.sample)}\n".encode())
    click.echo(encode(small.sample) if as_json else small.case, nl=as_json)
    click.echo(printable(small.summary), err=True)
