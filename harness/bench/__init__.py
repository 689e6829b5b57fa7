"""Benchmarks: CPU time of replacers, patches and outputs, and how it grows with the input."""
