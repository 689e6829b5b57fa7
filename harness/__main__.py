"""`python -m harness` is `editgauge`."""

from harness.cli import main

main(prog_name="editgauge")
