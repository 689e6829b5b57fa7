"""The rules of scrubbing."""
