"""What the documents of `editcore.sessions` are made of: a database, its tables and rows, paths, edits."""
