"""Scores of every ordering of a cascade's replacers, from the outcomes of single replacers.

decisions     what each replacer by itself does to each sample, from a run folder
diagrams      the same for samples with several edits, where each edit is applied to the result of the one before
gains         what a replacer adds after a set of other replacers
enumeration   all orderings of up to nine replacers, scored exactly
front         the exact Pareto front of up to twenty replacers, by dynamic programming over sets
choice        the score of an ordering, the best orderings, and cross-validation of the choice
study         a report: rank of the reference order, worth of each replacer, clashing pairs
sweep         the scores of a parameter over its range
tables        studies and sweeps in a terminal
curves        plots of studies and sweeps
"""
