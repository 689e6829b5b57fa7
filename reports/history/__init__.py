"""Histories: nights in a row, of runs and of fuzzing."""
