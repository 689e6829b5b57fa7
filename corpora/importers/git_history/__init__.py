"""The history of a git repository as edits: the changes of files, their hunks, and other versions of a file."""
