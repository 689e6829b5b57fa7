"""Benchmarks: CPU time of replacers, patches and outputs, and its growth with the input."""
