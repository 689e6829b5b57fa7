"""Patches: the formats in which a model writes several changes, or changes to several files, at once."""
