"""The document store: suggested edits and running versions of documents, in a database."""
