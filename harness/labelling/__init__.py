"""Labelling by hand: the samples to show, their texts, and the terminal page that asks.

sitting  which samples are asked about, in which order, and the reader's answers
case     the results of each strategy on a sample
texts    a case as text for a terminal, with the places of the file that the edit resembles
editor   the reader's own editor, for a right result that no strategy has
page     the terminal page, made with Textual
"""
