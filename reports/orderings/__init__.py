"""Every ordering of a cascade, from one table of outcomes.

decisions     what each replacer does to each sample by itself, from a run folder
diagrams      the same of samples with several edits, where each edit meets what the one before left
gains         what a replacer adds after a set of others
enumeration   all orderings of up to nine, scored exactly
front         the exact Pareto front of up to twenty, by dynamic programming over sets
choice        what makes an ordering good, which are best, and how much of that is luck
study         all there is to say: rank of the reference, worth of each replacer, pairs that clash
sweep         a parameter over its range
tables, curves
"""
