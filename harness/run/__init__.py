"""Runs: supervised worker processes score strategies on corpora and write a run folder."""
