"""A run compared with a baseline, and strategies of one run with each other, sample by sample.

contrasts   two sides, judged on the same samples: rates, their difference, test and interval; every strategy against
            every other
comparison  a run against a baseline, joined by sample and strategy: which samples turned worse and which better
latency     how much longer a strategy takes than in the baseline, or than on the nights before, and their noise
gate        the rules that make a comparison fail
between     strategies of one run in pairs: counts, tests, intervals, groups, the samples on which they differ
costs       which strategy to take at which cost of a wrong edit; the advice of `editgauge run` and of the page in words
"""
