"""Mutators of edits in anchored formats."""
