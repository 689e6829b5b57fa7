"""Mutators of patches and of edits by line number."""
