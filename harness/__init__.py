"""The makers of runs: commands, strategies, runner and fuzzer."""
