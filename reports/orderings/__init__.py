"""Scores of every ordering of a cascade's replacers, from the outcomes of single replacers.

decisions  what each replacer by itself does to each sample, from a run; decision diagrams for several edits
gains      what a replacer adds after a set of others; all orderings of up to nine replacers, scored exactly
front      the exact Pareto front of up to twenty replacers, by dynamic programming over sets
study      the score of an ordering, the best orderings, and cross-validation of the choice; a report: rank of the
           reference order, worth of each replacer, clashing pairs; the sweep of a parameter
tables     studies and sweeps in a terminal; `curves` plots them
"""
