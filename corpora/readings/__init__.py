"""Readings: what a person says is the right answer for a sample, kept apart from the corpus.

reading        one answer, and its line of JSON
readings_file  the answers of one reader: appended one by one, so that no interruption loses any
labelled       a corpus with the labels of its readings, and the agreement of two readers
"""
