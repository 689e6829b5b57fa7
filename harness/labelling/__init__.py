"""Labelling by hand: which samples to show, what to show of them, and the terminal page that asks.

queue    which samples are asked about, in which order
case     what each strategy makes of a sample
places   the places of a file that an edit resembles
texts    a case as text for a terminal
editor   the reader's own editor, for a right result that no strategy has
sitting  the answers of one sitting
page     the terminal page, made with Textual
"""
