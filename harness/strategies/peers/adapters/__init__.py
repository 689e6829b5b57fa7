"""Adapters: each lets another package apply edits, and answers in JSON lines (docs/protocol.md).

An adapter runs under the interpreter of the package's environment (`python -m adapters.NAME PEER`). It imports the
standard library, that package and `protocol`, and nothing else of editgauge.
"""
