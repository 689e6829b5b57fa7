"""Runs: corpora x strategies -> a run folder, by supervised worker processes."""
