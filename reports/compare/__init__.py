"""A run against a baseline, sample by sample.

pairs        the two runs, side by side; refuses runs of other samples
contrasts    rates and latencies of both, their difference, and whether it is more than luck
comparison   what turned worse, and what better
gate         whether that is good enough to go on
words        all of it as a table, diffs and a sentence
against      the same for the page of a run
"""
