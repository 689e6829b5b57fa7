"""From the events of a session to samples: the texts before and after each edit, what the model saw, the labels."""
