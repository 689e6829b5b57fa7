"""What turns a log into samples: the texts before and after each edit, and the labels that are certain."""
