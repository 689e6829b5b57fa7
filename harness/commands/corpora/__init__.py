"""Commands that make corpora of logs and mutations, and look after them."""
