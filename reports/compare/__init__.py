"""A run compared with a baseline, and strategies of one run with each other, sample by sample.

pairs         the outcomes of both runs joined by sample and strategy; refuses runs of different samples
contrasts     rates and latencies of both runs, their differences, p-values and intervals
comparison    which samples turned worse and which better
nightly_latency  latencies against the nights before, and their noise
gate          the rules that make a comparison fail
wording       a comparison as table, diffs and sentences

judged           the outcomes of one run's strategies as masks over its samples
between          its strategies in pairs: counts, tests, intervals, groups
costs            which one to take at which cost of a wrong edit
discordant       the samples on which two differ, with both outcomes
matrix           every strategy against every other
between_wording  the same as tables, sentences and diffs
"""
