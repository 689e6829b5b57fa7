"""The floor under all of editcore: lines, endings, whitespace, indentation, folds, keys, searches, the diff."""
