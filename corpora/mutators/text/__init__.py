"""Mutators of search texts."""
