"""Statistics of runs and corpora: rates, latencies, intervals, tests of significance."""
