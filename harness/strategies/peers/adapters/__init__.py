"""Adapters: each lets another package apply edits and answers in JSON lines (docs/protocol.md).

They run under the interpreter of the package's environment (`python -m adapters.NAME`), so they import the standard
library, that package and `protocol`, and nothing else of editgauge.
"""
