"""A run compared with a baseline, and strategies of one run with each other, sample by sample.

judged           the outcomes of one strategy in one run as masks over samples: a side of a comparison
contrasts        two sides: rates, their difference, test and interval

pairs            the outcomes of two runs joined by sample and strategy; refuses runs of different samples
comparison       a run against a baseline: which samples turned worse and which better
latency_ratio    how much longer a strategy takes than in the baseline
nightly_latency  latencies against the nights before, and their noise
gate             the rules that make a comparison fail

between          strategies of one run in pairs: counts, tests, intervals, groups
discordant       the samples on which two differ, with both outcomes
matrix           every strategy against every other
costs            which strategy to take at which cost of a wrong edit
"""
