"""Which calls are made again, and in which words."""
