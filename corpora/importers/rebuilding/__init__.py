"""From the events of a session to samples: texts before and after each edit, what was seen, the certain labels."""
