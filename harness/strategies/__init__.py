"""Strategies: every way to apply an edit, by name."""
