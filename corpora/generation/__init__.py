"""Clean edits x mutators -> corpora."""
