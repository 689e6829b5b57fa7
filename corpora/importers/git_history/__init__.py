"""The history of a git repository as edits: its changes, their hunks, and other versions of the same file."""
