"""Corpora: where samples come from, and how they are read, written and checked."""
