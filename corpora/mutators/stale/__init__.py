"""Mutators of stale edits, one for each kind of change that another hand made since the file was seen.

The edit is right for the text that was seen. The file is the current text.
"""
