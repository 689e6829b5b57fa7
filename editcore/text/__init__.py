"""The ground floor of editcore: lines, endings, encodings, whitespace, keys, the index of lines, diff and merge."""
