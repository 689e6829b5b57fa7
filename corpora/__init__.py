"""Corpora of samples: how they are made, read, written and checked."""
