"""The page of a run: one self-contained HTML file, and the same page served from the run folder.

columns    the outcomes of a run as arrays, and the order of its samples; `ids` and `facets` are theirs
reading    a run folder -> columns, streamed; `kept_columns` takes those of a large run from the user's cache
texts      the texts of samples, one record each
answer     which strategy to take at which cost of a wrong edit, noise left out
cells      rates by groups of samples, and strategies against each other
trends     rates over the nights of a history
replacer_orders  the orderings of the nine replacers, and what any other order is scored from
head       everything the page shows before a sample is opened
packing    JSON -> compressed blocks of text
document   the HTML file: policy, style, script, blocks
served     the samples of a run as a server pages them
search     which samples of a served run hold a word: their lines are in `line_store`
notes      the progress of making a page
memory     free memory given back to the system
"""
