"""The page of a run: one self-contained HTML file, and the same page served from the run folder.

columns    the outcomes of a run with the facets and files of its samples, and the order of its samples
texts      the texts of samples, one record each
cells      rates by groups of samples, strategies against each other, orderings of the nine replacers
head       everything the page shows before a sample is opened
document   the HTML file: policy, style, script, blocks; `packing` has their contents
served     the samples of a run as a server pages them, and which of them hold a word
"""
