"""Strategies: every way to apply an edit that a sample can be tried with, by name."""
