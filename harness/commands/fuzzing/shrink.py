"""`shrink`: make a wrong edit of a run as small as it can be."""

from __future__ import annotations

from pathlib import Path

import click

from editcore.quoting import printable


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.argument("sample_id", metavar="SAMPLE")
@click.option(
    "-s", "--strategy", "spec", metavar="NAME", help="Whose wrong edit. Default: the first that did it wrongly."
)
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), default=20.0, show_default=True, metavar="S",
    help="Time for it.",
)  # fmt: skip
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="FILE", help="Write the sample there, as JSONL.")
@click.option("--json", "as_json", is_flag=True, help="Print the sample instead of the text case.")
def shrink(folder: Path, sample_id: str, spec: str | None, seconds: float, out: Path | None, as_json: bool) -> None:
    """Make a wrong edit of a run as small as it can be.

    Verdict, damage and the replacer that decided stay what they are. A line that is left out is left out of the file,
    the right answer and what the model wrote alike, so that the right answer stays the right one.
    """
    from corpora.sample import encode
    from harness.fuzz.engine.shrink_sample import shrunk_wrong_edit

    small = shrunk_wrong_edit(folder, sample_id, spec, seconds=seconds)
    if out is not None:
        out.write_text(encode(small.sample) + "\n", encoding="ascii")
    click.echo(encode(small.sample) if as_json else small.case, nl=as_json)
    click.echo(printable(small.told), err=True)
