"""A run compared with a baseline, sample by sample.

pairs         the outcomes of both runs joined by sample and strategy; refuses runs of different samples
contrasts     rates and latencies of both runs, their differences, p-values and intervals
comparison    which samples turned worse and which better
gate          the rules that make a comparison fail
wording       a comparison as table, diffs and sentences
page_section  a comparison on the page of a run
"""
