"""Commands that list everything with a name, check programs as strategies, and install peers."""
