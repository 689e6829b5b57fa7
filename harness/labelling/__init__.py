"""Labelling by hand: the samples to show, their texts, and the terminal page that asks.

sitting  which samples are asked about, in which order, the results of each strategy on one, the reader's answers
texts    a case as text for a terminal, with the places of the file that the edit resembles
page     the terminal page, made with Textual, and the reader's own editor, for a right result that no strategy has
"""
