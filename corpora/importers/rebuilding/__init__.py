"""From the events of a session to samples: the texts before and after each edit, and the labels that are certain."""
