"""Runs: score strategies on corpora, in supervised worker processes, into a run folder."""
