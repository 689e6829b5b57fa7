"""What the documents of `editcore.documents.store` are made of: a database, its tables and rows, paths, edits."""
