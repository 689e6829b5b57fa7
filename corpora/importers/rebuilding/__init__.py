"""From the events of a session to samples: the texts before and after each edit, what was seen of them, and the labels that
are certain.
"""
