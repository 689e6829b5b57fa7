"""Commands that list strategies, check those of others, and install peers."""
