"""The finder bench: how fast the engines find bugs that were planted."""
