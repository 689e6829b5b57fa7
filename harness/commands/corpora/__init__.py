"""Commands that make corpora from logs and mutations, and manage them."""
