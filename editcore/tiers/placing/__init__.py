"""Where an edit may be meant: texts by their lines, views of files, and the places of a search text in them."""
